"""Flexible bodies of a TOML file: a beam from its section and material, or modes from another program's file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from motionbase.multibody.flexible import Modes, beam, load_modes
from motionbase.multibody.flexible.shapes import Section, circle, rectangle, tube
from motionbase.multibody.loaders.toml_source import Keys, TomlSource
from motionbase.multibody.loaders.toml_values import array, check_keys, made, number, said, text

BEAMS = {"euler-bernoulli": "euler_bernoulli", "timoshenko": "timoshenko"}
DIRECTIONS = ("y", "z", "x", "twist")
KEYS = (
    "beam", "length", "section", "material", "directions", "modes", "boundary", "damping", "points", "tip_mass",
    "loading",
)  # fmt: skip
MOST = 50  # modes of one direction: protects memory against typing errors in a file


SHAPES: dict[str, tuple[Callable[..., Section], tuple[str, ...]]] = {
    "circle": (circle, ("radius",)),
    "tube": (tube, ("radius", "thickness")),
    "rectangle": (rectangle, ("width", "height")),
}
PLAIN = ("area", "I_y", "I_z", "J", "shear")


def flexible_modes(source: TomlSource, at: Keys, table: Any) -> Modes:
    """The modes described by a body's `flexible`; `at` is its path."""
    owner = f"body {at[1]!r}: flexible"
    if not isinstance(table, Mapping):
        source.complain(at, f'{owner} must be a table: a beam, or modes = "FILE.npz"')
    if isinstance(table.get("modes"), str):
        check_keys(source, at, table, ("modes",), f"{owner}, from a file,")
        file = Path(source.name).parent / table["modes"]
        return made(source, (*at, "modes"), load_modes, file, owner=owner)
    check_keys(source, at, table, KEYS, owner)
    for key in ("beam", "length", "section", "material", "directions", "modes"):
        if key not in table:
            source.complain(at, f"{owner}: no {key}; a beam needs it")
    kind = text(source, (*at, "beam"), table["beam"], " or ".join(BEAMS))
    if kind not in BEAMS:
        source.complain((*at, "beam"), said((*at, "beam"), kind, " or ".join(BEAMS)))
    counts = _counts(source, at, table)
    twisted, shears = counts["twist"] > 0, kind == "timoshenko" and counts["y"] + counts["z"] > 0
    section = section_of(source, (*at, "section"), table["section"], f"{owner}.section")
    E, G, rho = material_of(source, (*at, "material"), table["material"], twisted or shears, f"{owner}.material")
    turning = (rho * section.I_y, rho * section.I_z) if shears else (0.0, 0.0)
    numbers = {
        key: _size(source, (*at, key), table[key], "kg", zero=True) for key in ("tip_mass", "loading") if key in table
    }
    return made(
        source, at, beam, _size(source, (*at, "length"), table["length"], "m"), rho * section.area, owner=owner,
        EI_y=E * section.I_y, EI_z=E * section.I_z, EA=E * section.area, GJ=G * section.J,
        shear_y=G * section.area * section.shear, shear_z=G * section.area * section.shear,
        bending=(counts["y"], counts["z"]), axial=counts["x"], torsion=counts["twist"], formulation=BEAMS[kind],
        inertia_per_length=(rho * (section.I_y + section.I_z), *turning),
        boundary=text(source, (*at, "boundary"), table.get("boundary", "clamped-free"), "a text as clamped-free"),
        damping=_damping(source, (*at, "damping"), table.get("damping")),
        points=_stations(source, (*at, "points"), table.get("points", {})), **numbers,
    )  # fmt: skip


def _counts(source: TomlSource, at: Keys, table: Mapping[str, Any]) -> dict[str, int]:
    """Number of modes in each direction: one number for all, or one for each."""
    wanted = f"a list of {', '.join(DIRECTIONS)}, each at most once"
    names = table["directions"]
    if not isinstance(names, list) or not names or any(not isinstance(n, str) or n not in DIRECTIONS for n in names):
        source.complain((*at, "directions"), said((*at, "directions"), names, wanted))
    if len(set(names)) < len(names):
        source.complain((*at, "directions"), said((*at, "directions"), names, wanted))
    given = table["modes"]
    each = given if isinstance(given, list) else [given] * len(names)
    good = [n for n in each if isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= MOST]
    if len(each) != len(names) or len(good) < len(each):
        many = f"a whole number from 1 to {MOST}, or {len(names)} of them in a list, or the name of a .npz file"
        source.complain((*at, "modes"), said((*at, "modes"), given, many))
    return {**dict.fromkeys(DIRECTIONS, 0), **dict(zip(names, good, strict=True))}


def section_of(source: TomlSource, at: Keys, table: Any, owner: str) -> Section:
    """A section by its shape or by plain numbers."""
    if not isinstance(table, Mapping):
        source.complain(at, f"{owner} must be a table: shape and its sizes, or {', '.join(PLAIN)}")
    shape = table.get("shape")
    make: Callable[..., Section] = Section
    keys: tuple[str, ...] = PLAIN
    if shape is None:
        check_keys(source, at, table, PLAIN, f"{owner} without a shape")
    else:
        if not isinstance(shape, str) or shape not in SHAPES:
            source.complain((*at, "shape"), said((*at, "shape"), shape, f"one of {', '.join(SHAPES)}"))
        make, keys = SHAPES[shape]
        check_keys(source, at, table, ("shape", *keys), f"{owner} of shape {shape}")
    for key in keys:
        if key not in table:
            source.complain(at, f"{owner}: no {key}; {f'a {shape}' if shape else 'a section without a shape'} needs it")
    units = {"area": "m^2", "I_y": "m^4", "I_z": "m^4", "J": "m^4", "shear": "-"}
    sizes = {key: _size(source, (*at, key), table[key], units.get(key, "m")) for key in keys}
    if "thickness" in sizes and sizes["thickness"] > sizes["radius"]:
        wanted = f"a number [m], at most the radius of {sizes['radius']:g} m,"
        source.complain((*at, "thickness"), said((*at, "thickness"), sizes["thickness"], wanted))
    return make(**sizes)


def material_of(source: TomlSource, at: Keys, table: Any, shears: bool, owner: str) -> tuple[float, float, float]:
    """Young's modulus, shear modulus (1 without shear) and density."""
    if not isinstance(table, Mapping):
        source.complain(at, f"{owner} must be a table of E [Pa], G [Pa] and rho [kg/m^3]")
    check_keys(source, at, table, ("E", "G", "rho"), owner)
    for key in ("E", "G", "rho") if shears else ("E", "rho"):
        if key not in table:
            source.complain(at, f"{owner}: no {key}; it is wanted{' where a beam twists or shears' * (key == 'G')}")
    units = {"E": "Pa", "G": "Pa", "rho": "kg/m^3"}
    E, G, rho = (_size(source, (*at, key), table.get(key, 1.0), unit) for key, unit in units.items())
    return E, G, rho


def _size(source: TomlSource, at: Keys, value: Any, unit: str, zero: bool = False) -> float:
    """A finite number above zero, or zero."""
    wanted = f"a finite number [{unit}] {'not below' if zero else 'above'} zero"
    found = number(source, at, value, wanted)
    if not math.isfinite(found) or found < 0 or (found == 0 and not zero):
        source.complain(at, said(at, value, wanted))
    return found


def _damping(source: TomlSource, at: Keys, value: Any) -> float | list[float] | None:
    if value is None:
        return None
    wanted = "a ratio of critical damping, or one for each mode in a list,"
    if isinstance(value, list):
        return [float(x) for x in array(source, at, value, wanted).ravel()]
    return number(source, at, value, wanted)


def _stations(source: TomlSource, at: Keys, table: Any) -> dict[str, float]:
    if not isinstance(table, Mapping):
        source.complain(at, f"body {at[1]!r}: flexible.points must be a table of NAME = STATION [m]")
    return {name: _size(source, (*at, name), x, "m", zero=True) for name, x in table.items()}
