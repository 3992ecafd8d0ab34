"""Tables of docs/platforms.md from the code; `python -m motionbase.platform.tables docs/platforms.md` updates them.

Names, defaults and meanings are those of the dataclasses into which a platform file is read, and usual values are those
of the presets; a test detects keys that are added, renamed or forgotten.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.actuators import electric, hydraulic
from motionbase.multibody.elements.friction_law import Friction
from motionbase.platform.load import ACTUATORS, PRESETS, load_platform
from motionbase.platform.load_shape import AXES, RANGES
from motionbase.platform.own_shape import OwnShape
from motionbase.platform.shape import Shape, shape_of

UNITS: dict[type[Any], dict[str, str]] = {
    hydraulic.HydraulicActuator: hydraulic.POSITIVE | hydraulic.NOT_NEGATIVE,
    electric.ElectricActuator: electric.POSITIVE,
}
HEAD = ("key", "unit", "meaning", "default", "in the presets")
GIMBALS = {
    "base_deg": ("deg", "how far the first and the second bearing at the base turn from neutral, either way"),
    "platform_deg": ("deg", "the same at the platform"),
    "base_axes": ("-", "six directions [x, y, z] of the first bearings at the base, in the axes of the file"),
    "platform_axes": ("-", "the same at the platform"),
}


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- |", "|---|").replace(" --- |", "---|")


def marks(name: str, module: str) -> tuple[str, str]:
    """Markers before and after a table that a module writes."""
    return f"<!-- {name}: from {module} -->\n", f"\n<!-- end of {name} -->"


def rewritten(text: str, tables: Mapping[str, Callable[[], str]], module: str) -> str:
    """A document with all the tables of a module updated."""
    for name, table in tables.items():
        begin, end = marks(name, module)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{table()}{end}{after}"
    return text


def meanings(kind: type[Any]) -> dict[str, str]:
    """Description of each field of a dataclass, from its docstring."""
    _, _, listed = inspect.cleandoc(kind.__doc__ or "").partition("Attributes:\n")
    found: dict[str, str] = {}
    for entry in re.split(r"\n(?=    \w)", inspect.cleandoc(listed).replace("\n    ", " ").replace("\n", "\n    ")):
        names, _, text = entry.strip().partition(": ")
        found |= dict.fromkeys(names.split(", "), text)
    return found


def meaning_of(kind: type[Any], name: str) -> str:
    """Description of a field of a dataclass, without its unit."""
    return re.sub(r",? ?\[[^\]]*\]", "", meanings(kind)[name])


def unit_of(kind: type[Any], name: str) -> str:
    """Unit of a field, from the checks of the class or its docstring; - for none."""
    found = re.search(r"\[([^\]]*)\]", meanings(kind)[name])
    return UNITS.get(kind, {}).get(name) or (found[1] if found else "-")


def _default(field: Field[Any]) -> str:
    return "required" if field.default is MISSING else f"{field.default:g}"


def _span(values: Iterable[Any]) -> str:
    """Smallest and largest value in the presets; a single one if all are equal."""
    numbers = np.array([v for v in values if v is not None], dtype=np.float64)
    if not numbers.size:
        return "-"
    ends = (numbers.min(axis=0), numbers.max(axis=0))
    texts = [", ".join(f"{x:.4g}" for x in np.atleast_1d(end)) for end in ends]
    return " to ".join(dict.fromkeys(texts))


def _actuator(kind: str) -> str:
    """One row per key; friction has its own table."""
    cls = ACTUATORS[kind]
    used = [a for a in (load_platform(name).actuator for name in PRESETS) if isinstance(a, cls)]
    rows = []
    for field in fields(cls):
        if field.name == "friction":
            words = f"{meaning_of(cls, field.name)}; the table below"
            rows.append(("`[actuator.friction]`", "", words, "required", ""))
            continue
        span = _span(getattr(a, field.name) for a in used)
        unit, text = unit_of(cls, field.name), meaning_of(cls, field.name)
        rows.append((f"`{field.name}`", unit, text, _default(field), span))
    return markdown(HEAD, rows)


def hydraulic_keys() -> str:
    """Keys of `type = "hydraulic"`."""
    return _actuator("hydraulic")


def electric_keys() -> str:
    """Keys of `type = "electric"`."""
    return _actuator("electric")


def friction_keys() -> str:
    """Keys of the friction of either type."""
    used = [load_platform(name).actuator.friction for name in PRESETS]
    rows = [
        (f"`{f.name}`", unit_of(Friction, f.name), meaning_of(Friction, f.name), _default(f),
         _span(getattr(one, f.name) for one in used))
        for f in fields(Friction)
    ]  # fmt: skip
    return markdown(HEAD, rows)


def gimbal_keys() -> str:
    """Keys as in a file: degrees."""
    used, rows = [load_platform(name).gimbals for name in PRESETS], []
    for key in (*RANGES, *AXES):
        unit, text = GIMBALS[key]
        if key in RANGES:
            spans = _span(np.degrees(getattr(one, key.removesuffix("_deg"))) for one in used)
            rows.append((f"`{key}`", unit, text, "90, 90", spans))
        else:
            rows.append((f"`{key}`", unit, text, "horizontal, normal to the leg at neutral", "-"))
    return markdown(HEAD, rows)


def shape_keys() -> str:
    """Keys of [shape], and the derived values for the presets."""
    derived = [shape_of(load_platform(name)) for name in PRESETS]
    usual = {f.name: f.default for f in fields(Shape)}
    rows = []
    for field in fields(OwnShape):
        default, text = usual[field.name], meaning_of(Shape, field.name)
        pipes = field.name == "pipe_radius"
        told = "derived" if default is MISSING or pipes else (f"{default:g}" if isinstance(default, float) else "none")
        plain = field.name in ("catwalk_outline", "cabin")
        span = "-" if plain else _span(getattr(one, field.name) for one in derived)
        rows.append((f"`{field.name}`", "m", text, told, span))
    return markdown(HEAD, rows)


MODULE = "motionbase.platform.tables"
TABLES = {f.__name__: f for f in (hydraulic_keys, electric_keys, friction_keys, gimbal_keys, shape_keys)}


def written(text: str) -> str:
    """docs/platforms.md with its tables updated."""
    return rewritten(text, TABLES, MODULE)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text(encoding="utf-8")), encoding="utf-8")
