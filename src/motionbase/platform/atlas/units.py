"""Units at the border: unit suffixes of keys in files, and the paper's units for printing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from motionbase.errors import PlatformError
from motionbase.multibody.body import shown
from motionbase.multibody.loaders.toml_source import TomlSource

INCH, FOOT, POUND, POUND_FORCE = 0.0254, 0.3048, 0.45359237, 4.4482216152605  # exact: [m], [m], [kg], [N]
DEGREE = math.pi / 180
ENDINGS: dict[str, dict[str, float]] = {
    "m": {"mm": 1e-3, "in": INCH, "ft": FOOT},
    "m^2": {"mm2": 1e-6, "in2": INCH**2},
    "kg": {"lb": POUND},
    "kg m^2": {"lb_in2": POUND * INCH**2},
    "N": {"lbf": POUND_FORCE},
    "N m": {"lbf_in": POUND_FORCE * INCH},
    "rad": {"deg": DEGREE},
    "rad/s": {"deg_s": DEGREE, "rpm": math.pi / 30},
    "rad/s^2": {"deg_s2": DEGREE},
}  # by SI unit: the value of each unit in it


@final
@dataclass(frozen=True)
class Units:
    """Units for printing.

    Attributes:
        label: by SI unit, name of the unit that is shown
        scale: by SI unit, factor to the unit that is shown
    """

    label: Mapping[str, str]
    scale: Mapping[str, float]

    def of(self, value: float, unit: str) -> float:
        """A value in SI, converted for display."""
        return value * self.scale.get(unit, 1.0)

    def back(self, value: float, unit: str) -> float:
        """A displayed value, converted to SI."""
        return value / self.scale.get(unit, 1.0)

    def name(self, unit: str) -> str:
        """Name of the displayed unit."""
        return self.label.get(unit, unit)


SI = Units({}, {})
PAPER = Units(
    {"m": "in", "kg": "lb", "kg m^2": "lb in^2", "N": "lb", "N m": "lb in"},
    {"m": 1 / INCH, "kg": 1 / POUND, "kg m^2": 1 / (POUND * INCH**2), "N": 1 / POUND_FORCE,
     "N m": 1 / (POUND_FORCE * INCH)},
)  # fmt: skip
UNITS = {"si": SI, "paper": PAPER}


def units_named(name: str) -> Units:
    """Units by name."""
    if name not in UNITS:
        raise PlatformError(f"units are {shown(name)}, one of {', '.join(UNITS)} is wanted")
    return UNITS[name]


def in_si(source: TomlSource, quantities: Mapping[str, Mapping[str, str]]) -> TomlSource:
    """A file whose keys have no unit suffixes any more and whose values are in SI.

    Args:
        quantities: by name of the table ("" for the top), the SI unit of each key that may have a suffix
    """
    data, lines = dict(source.data), dict(source.lines)
    for table, kinds in quantities.items():
        at = (table,) if table else ()
        given = data.get(table) if table else data
        if not isinstance(given, Mapping):
            continue  # absent, or refused when it is read as a table
        found: dict[str, Any] = {}
        for key, value in given.items():
            name, factor = _split(source, (*at, key), kinds)
            if name in found:
                source.complain((*at, key), f"{'.'.join((*at, name))} is given twice, once as {key!r}")
            found[name] = _scaled(value, factor)
            if (*at, key) in lines:
                lines.setdefault((*at, name), lines[(*at, key)])
        data = {**data, table: found} if table else found
    return TomlSource(source.name, data, lines)


def _split(source: TomlSource, place: tuple[str, ...], kinds: Mapping[str, str]) -> tuple[str, float]:
    """Name of a key and its factor to SI; the suffix must be a unit of that quantity."""
    key = place[-1]
    if key in kinds:
        return key, 1.0
    for name in sorted(kinds, key=len, reverse=True):
        if key.startswith(f"{name}_"):
            ending, known = key[len(name) + 1 :], ENDINGS.get(kinds[name], {})
            if ending in known:
                return name, known[ending]
            others = ", ".join(f"{name}_{end}" for end in known)
            source.complain(
                place,
                f"{'.'.join(place)}: {ending!r} is not a unit of {name}; keys: {name} [{kinds[name]}]"
                + (f", {others}" if others else ""),
            )
    return key, 1.0


def _scaled(value: Any, factor: float) -> Any:
    """Scale numbers and lists of them; anything else stays and is refused when it is read."""
    if factor == 1.0 or isinstance(value, bool):
        return value
    if isinstance(value, list):
        return [_scaled(one, factor) for one in value]
    return value * factor if isinstance(value, int | float) else value
