"""Values of ports by name, for programs with many ports that call each other."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from motionbase.compile import Port, Unit
from motionbase.compile.flow import call


class Values(SimpleNamespace):
    """Values of ports, by name."""

    @staticmethod
    def of(ports: tuple[Port, ...], values: Sequence[Any]) -> Values:
        """One value per port."""
        return Values(**dict(zip((p.name for p in ports), values, strict=True)))

    def to(self, ports: tuple[Port, ...]) -> list[Any]:
        """The values of these ports, in their order."""
        return [getattr(self, p.name) for p in ports]

    def also(self, *others: Values, **more: Any) -> Values:
        """With further values; for duplicate names the last one counts."""
        known = dict(vars(self))
        for other in others:
            known |= vars(other)
        return Values(**(known | more))


def called(unit: Unit, known: Values, **more: Any) -> Values:
    """Results of a unit whose inputs are taken by name from the known values and `more`."""
    results = call(unit, known.also(**more).to(unit.inputs), {})
    return Values.of(unit.outputs, results if isinstance(results, tuple) else (results,))
