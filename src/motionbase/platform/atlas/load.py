"""Atlas platforms from TOML, presets or a user's file; docs/atlas.md describes the keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from motionbase.errors import ModelError, PlatformError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.atlas.atlas import Atlas
from motionbase.platform.atlas.sphere import Sphere, SpinLimits
from motionbase.platform.atlas.units import in_si
from motionbase.platform.atlas.wheels import DrivenWheel, PassiveRing, Rollers
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import FOLDER, SPHERES, illustrative_keys, load_platform, load_text
from motionbase.platform.table import Table

Part = TypeVar("Part")
QUANTITIES = {
    "": {"mount": "m", "structure_mass": "kg", "mass_limit": "kg", "stage_capacity": "kg"},
    "sphere": {"radius": "m", "mass": "kg", "com": "m", "inertia": "kg m^2"},
    "wheels": {
        "azimuth": "rad", "elevation": "rad", "roller_angle": "rad", "radius": "m", "inertia": "kg m^2",
        "rotor_inertia": "kg m^2", "gear": "-", "torque_max": "N m", "speed_max": "rad/s", "friction": "-",
        "contact_area": "m^2", "stiffness": "N/m", "damping": "N s/m", "creep": "m/(N s)",
    },
    "rings": {
        "elevation": "rad", "azimuth": "rad", "radius": "m", "preload": "N", "stiffness": "N/m", "damping": "N s/m",
        "rolling": "-",
    },
    "limits": {"velocity": "rad/s", "acceleration": "rad/s^2"},
}  # fmt: skip
NEEDED = (
    "kind", "summary", "sources", "illustrative", "stage", "mount", "structure_mass", "mass_limit", "stage_capacity",
    "sphere", "wheels", "rings", "limits",
)  # fmt: skip
OPTIONAL = ("name", "points", "stage_text")
MANY = 64  # wheels and rings; a larger number is a mistake


def load_atlas(reference: Path | str) -> Atlas:
    """The preset of that name, or the platform in a TOML file."""
    if str(reference) in SPHERES:
        return load_atlas_file(FOLDER / f"{reference}.toml")
    if Path(reference).suffix.lower() != ".toml":
        raise PlatformError(f"no sphere {str(reference)!r}; presets: {', '.join(SPHERES)}, or a .toml file")
    return load_atlas_file(reference)


def load_atlas_file(path: Path | str) -> Atlas:
    """The platform in a file; errors name the file, the line, the key and what is expected."""
    try:
        source = in_si(TomlSource.read(path), QUANTITIES)
        return _atlas(Table(source, (), source.data), Path(path).stem, Path(path).parent)
    except ModelError as e:
        raise PlatformError(str(e)) from None


def load_atlas_text(text: str, name: str = "platform") -> tuple[Atlas, Hexapod]:
    """The platform from the text in a ring or recording, and the stage from the text inside it; reads no file."""
    try:
        source = in_si(TomlSource.of(name, text), QUANTITIES)
        top = Table(source, (), source.data)
        return _atlas(top, name, None), load_text(top.text("stage_text"), "stage_text")
    except ModelError as e:
        raise PlatformError(str(e)) from None


def _atlas(top: Table, stem: str, folder: Path | None) -> Atlas:
    """The platform of a table; a stage file is relative to `folder`; None takes its path as it is."""
    if top.data.get("kind") != "sphere":
        top.complain("kind", 'the file needs kind = "sphere"; platforms on six legs are shown by motionbase platforms')
    top.check_keys((*OPTIONAL, *NEEDED), NEEDED)
    points = top.table("points") if "points" in top.data else None
    atlas = top.made(
        Atlas,
        name=top.text("name") if "name" in top.data else stem,
        summary=top.text("summary"),
        sources=top.texts("sources"),
        illustrative=illustrative_keys(top),
        sphere=top.table("sphere").part(Sphere),
        wheels=_wheels(top.table("wheels")),
        rings=_rings(top.table("rings")),
        limits=top.table("limits").part(SpinLimits),
        stage=top.text("stage"),
        mount=top.numbers("mount", (3,)),
        points={key: points.numbers(key, (3,)) for key in points.data} if points else {},
        **{key: top.number(key) for key in ("structure_mass", "mass_limit", "stage_capacity")},
    )
    return atlas if folder is None else _on_its_stage(atlas, top, folder)


def _on_its_stage(atlas: Atlas, top: Table, folder: Path) -> Atlas:
    """Check that the stage exists and is designed for such a mass; makes the path of a file absolute."""
    stage = atlas.stage
    if stage.lower().endswith(".toml"):
        stage = str((folder / stage).absolute())
    try:
        hexapod = load_platform(stage)
    except PlatformError as e:
        top.complain("stage", f"stage: {e}")
    if hexapod.payload.mass < atlas.carried_mass:
        top.complain(
            "stage",
            f"stage {atlas.stage!r} is made for a payload of {hexapod.payload.mass:g} kg, it must be at least the "
            f"{atlas.carried_mass:g} kg of sphere and structure",
        )
    return replace(atlas, stage=stage)


def _wheels(table: Table) -> tuple[DrivenWheel, ...]:
    names = [f.name for f in fields(DrivenWheel)]
    table.check_keys(names, names)
    rollers = table.table("rollers").part(Rollers)
    return _each(table, partial(DrivenWheel, rollers=rollers), [name for name in names if name != "rollers"])


def _rings(table: Table) -> tuple[PassiveRing, ...]:
    names = [f.name for f in fields(PassiveRing)]
    table.check_keys(names, names)
    return _each(table, PassiveRing, names)


def _each(table: Table, make: Callable[..., Part], names: list[str]) -> tuple[Part, ...]:
    """Parts whose keys each have one number for all, or a list with one for each."""
    lengths = {name: len(table.data[name]) for name in names if isinstance(table.data[name], list)}
    count = max(lengths.values(), default=1)
    for name in names:
        if lengths.get(name, count) != count or not 1 <= count <= MANY:
            table.refuse(name, f"one number, or a list of {min(max(count, 1), MANY)}, one for each,")
        if name in lengths:
            table.numbers(name, (count,))
        else:
            table.number(name)
    rows = [
        {name: table.data[name][k] if name in lengths else table.data[name] for name in names} for k in range(count)
    ]
    return tuple(table.made(make, **row) for row in rows)
