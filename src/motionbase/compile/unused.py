"""Removes unused parts of a program: calls whose results are not read, and unused results of choices."""

from __future__ import annotations

from collections.abc import Iterable

import casadi as ca

from motionbase.compile.tracing import At, CallRecord, ChoiceRecord, Given, Place, Region, Trace


def drop_unused(trace: Trace) -> None:
    """Mark statements that nothing depends on; a call that updates memory stays."""
    _Sweep(trace).region(trace.root, set())


class _Sweep:
    """Walks backwards: whatever is needed at a statement is needed by a later one."""

    def __init__(self, trace: Trace) -> None:
        self.homes = trace.homes

    def region(self, region: Region, wanted: set[Place]) -> bool:
        """Add the places that a region uses; returns whether the region has effects besides its results."""
        for _, elements in region.returns:
            wanted |= self.places(elements)
        stays = False
        for record in reversed(region.statements):
            kept = self.call(record, wanted) if isinstance(record, CallRecord) else self.choice(record, wanted)
            record.dropped = not kept
            stays |= kept
        return stays

    def call(self, record: CallRecord, wanted: set[Place]) -> bool:
        if not record.memory and wanted.isdisjoint(record.results):
            return False
        for given in (*record.given, *record.memory):
            wanted |= self.given(given)
        return True

    def choice(self, record: ChoiceRecord, wanted: set[Place]) -> bool:
        record.results = [place for place in record.results if place in wanted]
        stays = bool(record.results)
        inside: set[Place] = set()
        for case in record.regions:
            case.returns = [(place, elements) for place, elements in case.returns if place in record.results]
            stays |= self.region(case, inside)
        if stays:
            wanted |= inside | self.places([record.selector])
        return stays

    def given(self, given: Given) -> set[Place]:
        return {given.place} if isinstance(given, At) else self.places(given.elements)

    def places(self, elements: Iterable[ca.SX]) -> set[Place]:
        homes = {e.element_hash(): e for e in elements}
        found = {home[0] for number in homes if (home := self.homes.get(number)) is not None}
        made = [e for number, e in homes.items() if number not in self.homes and not e.is_constant()]
        symbols = ca.symvar(ca.vertcat(*made)) if made else []
        return found | {home[0] for s in symbols if (home := self.homes.get(s.element_hash())) is not None}
