"""The role of each port of a step in `scan`: state, held, one row per step, recorded, or memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import final

from motionbase.compile.port import find_port
from motionbase.compile.programs import Program, Unit
from motionbase.errors import KernelError


class Feed(Enum):
    """Source or destination of a port's data."""

    STATE = "state"  # input fed back from an output
    HELD = "held"  # input that stays the same
    PER_STEP = "per_step"  # input with one row per step
    OUTPUT = "output"  # output, recorded or not
    MEMORY = "memory"  # updated in place


@final
@dataclass(frozen=True)
class ScanPlan:
    """A step and the roles of its ports.

    Attributes:
        feedback: (state input, output) positions among the unit's ports
        recorded: positions of the outputs whose rows are recorded
    """

    unit: Unit
    feeds: tuple[Feed, ...]
    feedback: tuple[tuple[int, int], ...]
    recorded: tuple[int, ...]

    def size(self, k: int) -> int:
        """Doubles in port k."""
        return self.unit.ports[k].size

    @cached_property
    def states(self) -> tuple[int, ...]:
        """Positions of the states."""
        return tuple(k for k, _ in self.feedback)

    @cached_property
    def per_step(self) -> tuple[int, ...]:
        """Positions of the inputs with one row per step."""
        return tuple(k for k, feed in enumerate(self.feeds) if feed is Feed.PER_STEP)


def fed_back(unit: Unit) -> dict[str, str]:
    """Every struct that is both an input and an output, paired with the first free output of its type."""
    pairs: dict[str, str] = {}
    for port in unit.inputs:
        for output in unit.outputs:
            same = port.struct is not None and output.struct is port.struct and output.dims == port.dims
            if same and output.name not in pairs.values():
                pairs[port.name] = output.name
                break
    if not pairs:
        raise KernelError(f"scan: no struct of {unit.name!r} is both an input and an output; give `feedback`")
    return pairs


def needed(unit: Unit, feedback: Mapping[str, str], per_step: Sequence[str], record: Sequence[str]) -> ScanPlan:
    """As `plan`; for a program, only outputs that are fed back or recorded are computed."""
    planned = plan(unit, feedback, per_step, record)  # refuses wrong names first
    if not isinstance(unit, Program):
        return planned
    wanted = {*feedback.values(), *record}
    return plan(unit.giving([p.name for p in unit.outputs if p.name in wanted]), feedback, per_step, record)


def plan(unit: Unit, feedback: Mapping[str, str], per_step: Sequence[str], record: Sequence[str]) -> ScanPlan:
    """Check names and shapes and assign a role to every port."""
    owner = f"scan of {unit.name!r}"
    n = len(unit.inputs)
    pairs = []
    for state, output in feedback.items():
        k = find_port(unit.inputs, state, f"{owner}, states")
        j = find_port(unit.outputs, output, f"{owner}, outputs")
        x, x_next = unit.inputs[k], unit.outputs[j]
        if (x.shape, x.sparsity, x.unit) != (x_next.shape, x_next.sparsity, x_next.unit):
            raise KernelError(f"{owner}: output {x_next} does not fit state {x}")
        pairs.append((k, n + j))
    rows = [find_port(unit.inputs, name, f"{owner}, inputs per step") for name in per_step]
    states = {k for k, _ in pairs}
    for k in rows:
        if k in states:
            raise KernelError(f"{owner}: {unit.inputs[k].name!r} cannot be a state and an input per step")
    feeds = [Feed.STATE if k in states else Feed.PER_STEP if k in rows else Feed.HELD for k in range(n)]
    feeds += [Feed.OUTPUT] * len(unit.outputs) + [Feed.MEMORY] * len(unit.memory)
    recorded = tuple(n + find_port(unit.outputs, name, f"{owner}, recorded outputs") for name in record)
    return ScanPlan(unit, tuple(feeds), tuple(pairs), recorded)
