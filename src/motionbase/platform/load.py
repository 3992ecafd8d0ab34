"""Platforms from TOML, presets or a user's file; docs/platforms.md describes the keys."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.errors import ModelError, PlatformError, PlatformWarning, told_apart
from motionbase.multibody.body import tensor_of
from motionbase.multibody.loaders.toml_source import TomlSource, read_text
from motionbase.platform.envelope import axis_limits
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import Actuator, Hexapod
from motionbase.platform.layout import AXES, renumbered, three_pairs
from motionbase.platform.load_shape import checked_fit, gimbals_of, own_shape_of
from motionbase.platform.mesh import MeshFile, with_absolute_files
from motionbase.platform.own_shape import OwnShape
from motionbase.platform.parts import LegPart, MotionLimits, Payload, Stroke
from motionbase.platform.sensors import Sensor, Sensors
from motionbase.platform.sizing.check import examine
from motionbase.platform.table import Table
from motionbase.record.axes import DOFS

FOLDER = Path(__file__).parent / "presets"
SPHERES = ("atlas",)  # presets of the other kind of platform, for motionbase.platform.atlas.load
PRESETS = tuple(sorted(path.stem for path in FOLDER.glob("*.toml") if path.stem not in SPHERES))
ACTUATORS: dict[str, type[Any]] = {"hydraulic": HydraulicActuator, "electric": ElectricActuator}
PARTS: dict[str, type[Any]] = {"stroke": Stroke, "cylinder": LegPart, "rod": LegPart, "limits": MotionLimits}
NEEDED = (
    "summary", "sources", "illustrative", "base", "joints", "p_neutral", "l_down", "stroke", "payload", "cylinder",
    "rod", "limits", "actuator",
)  # fmt: skip
OPTIONAL = ("name", "axes", "legs", "points", "sensors", "meshes", "gimbals", "shape")
IN_ORDER = [1, 2, 3, 4, 5, 6]
NO_LEGS = "motionbase atlas analyse takes it"


def load_platform(reference: Path | str, *, sized: bool = True) -> Hexapod:
    """The preset of that name, or the platform in a TOML file.

    Args:
        sized: refuse a design that cannot work and warn about unusual values (docs/sizing.md)
    """
    if str(reference) in SPHERES:
        raise PlatformError(f"platform {str(reference)!r} is a sphere on wheels and has no legs; {NO_LEGS}")
    if str(reference) in PRESETS:
        return load_file(FOLDER / f"{reference}.toml", sized=sized)
    if Path(reference).suffix.lower() != ".toml":
        raise PlatformError(f"no platform {str(reference)!r}; presets: {', '.join(PRESETS)}, or a .toml file")
    return load_file(reference, sized=sized)


def platform_text(reference: Path | str) -> str:
    """The text of the platform with its name and absolute paths, as stored in a ring and its recordings."""
    path = FOLDER / f"{reference}.toml" if str(reference) in PRESETS else Path(reference)
    data = TomlSource.read(path).data
    text = with_absolute_files(read_text(path), data.get("meshes"), path.parent)
    return text if "name" in data else f'name = "{path.stem}"\n{text}'


def load_file(path: Path | str, *, sized: bool = True) -> Hexapod:
    """The platform in a file; errors name the file, the line, the key and what is expected."""
    try:
        source = TomlSource.read(path)
        hexapod = _hexapod(Table(source, (), source.data), Path(path).stem, Path(path).parent)
        if sized:
            _check_sizing(hexapod, source)
        return hexapod
    except ModelError as e:
        raise PlatformError(str(e)) from None


def load_text(text: str, name: str = "platform") -> Hexapod:
    """The platform from the text in a ring or recording, as it ran: its sizing is not checked.

    Files named in it need not exist on this machine.
    """
    try:
        source = TomlSource.of(name, text)
        return _hexapod(Table(source, (), source.data), name, None)
    except ModelError as e:
        raise PlatformError(str(e)) from None


def _hexapod(top: Table, stem: str, folder: Path | None) -> Hexapod:
    """The platform of a table; mesh paths are relative to `folder`, where the files must be; None keeps them as is."""
    if top.data.get("kind") == "sphere":
        top.complain("kind", f"the file has a sphere on wheels and no legs; {NO_LEGS}")
    top.check_keys((*OPTIONAL, *NEEDED), NEEDED)
    axes = top.text("axes") if "axes" in top.data else "z_up"
    if axes not in AXES:
        top.refuse("axes", f"one of {', '.join(AXES)}")
    convert = AXES[axes]
    name = top.text("name") if "name" in top.data else stem
    points = top.table("points") if "points" in top.data else None
    hexapod = top.made(
        Hexapod,
        name=name,
        summary=top.text("summary"),
        sources=top.texts("sources"),
        illustrative=illustrative_keys(top),
        base=convert(_six(top, "base")),
        joints=convert(_six(top, "joints")),
        p_neutral=convert(top.numbers("p_neutral", (3,))),
        l_down=top.number("l_down"),
        payload=_payload(top.table("payload"), convert(np.eye(3))),
        actuator=_actuator(top.table("actuator")),
        points={key: convert(points.numbers(key, (3,))) for key in points.data} if points else {},
        sensors=_sensors(top.table("sensors")) if "sensors" in top.data else Sensors(),
        meshes=_meshes(top, folder) if "meshes" in top.data else (),
        gimbals=gimbals_of(top.table("gimbals"), convert, _legs(top)) if "gimbals" in top.data else Gimbals(),
        shape=own_shape_of(top.table("shape"), convert) if "shape" in top.data else OwnShape(),
        **{key: top.table(key).part(kind) for key, kind in PARTS.items()},
    )
    if "shape" in top.data:
        checked_fit(hexapod, top.table("shape"))
    _check_limits(hexapod, top.table("limits"))
    return hexapod


def _check_sizing(hexapod: Hexapod, source: TomlSource) -> None:
    """Refuse designs that cannot work and warn about unusual ones, with the line of the number."""
    for one in examine(hexapod).findings:
        keys = tuple(one.key.split("."))
        if one.fatal:
            source.complain(keys, one.sentence)
        warnings.warn(source.located(keys, one.sentence), PlatformWarning, stacklevel=4)


def _check_limits(hexapod: Hexapod, table: Table) -> None:
    """Refuse limits that no leg could keep, here where their line is known."""
    limits = hexapod.limits
    if limits.leg_braking > limits.leg_acceleration:
        table.complain(
            "leg_braking",
            f"limits.leg_braking is {limits.leg_braking:g} m/s^2, it must be at most leg_acceleration, "
            f"{limits.leg_acceleration:g} m/s^2",
        )
    for k, (least, most) in enumerate(axis_limits(hexapod)):
        reach, unit = min(-least, most), "m" if k < 3 else "rad"
        if limits.position[k] > reach:
            asked, end = told_apart(limits.position[k], reach)
            table.complain(
                "position",
                f"limits.position is {asked} {unit} in {DOFS[k]}, where the legs reach their ends at {end} {unit}; it "
                "must be at most that",
            )


def _six(top: Table, key: str) -> Array:
    """Six joints, given as points or as three pairs on a circle, in our numbering."""
    if isinstance(top.data[key], dict):
        table = top.table(key)
        table.check_keys(("radius", "spacing", "at_deg"), ("radius", "spacing", "at_deg"))
        pairs = {what: table.number(what) for what in ("radius", "spacing", "at_deg")}
        found = table.made(three_pairs, **pairs)
    else:
        found = top.numbers(key, (6, 3))
    return renumbered(found, _legs(top))


def _legs(top: Table) -> list[int]:
    """The source's numbers of our legs."""
    legs = top.data.get("legs", IN_ORDER)
    if not isinstance(legs, list) or sorted(legs, key=repr) != IN_ORDER or any(type(n) is not int for n in legs):
        top.refuse("legs", "a list of the source's numbers of our legs 1 to 6, each once,")
    return legs


def _payload(table: Table, R: Array) -> Payload:
    """The payload; R rotates the axes of the file to ours."""
    table.check_keys(("mass", "com", "inertia"), ("mass", "com", "inertia"))
    mass, com = table.number("mass"), table.numbers("com", (3,))
    I = R @ tensor_of(table.numbers("inertia", (6,))) @ R.T
    inertia = I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]
    return table.made(Payload, mass=mass, com=R @ com, inertia=inertia)


def _actuator(table: Table) -> Actuator:
    kind = table.data.get("type")
    if not isinstance(kind, str) or kind not in ACTUATORS:
        what = "there is no type" if kind is None else f"no type {kind!r}"
        table.complain("type", f"actuator: {what}; types: {', '.join(ACTUATORS)}")
    made: Actuator = table.part(ACTUATORS[kind], besides=("type",))
    return made


def _sensors(table: Table) -> Sensors:
    """Tables by kind of sensor; missing keys and kinds keep their defaults."""
    default, given = Sensors(), dict[str, Sensor]()
    table.check_keys((f.name for f in fields(Sensors)), ())
    for kind in table.data:
        one, usual = table.table(kind), getattr(default, kind)
        one.check_keys((f.name for f in fields(Sensor)), ())
        given[kind] = one.made(partial(replace, usual), **{key: one.number(key) for key in one.data})
    return replace(default, **given)


def _meshes(top: Table, folder: Path | None) -> tuple[MeshFile, ...]:
    listed: Any = top.data["meshes"]
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        top.refuse("meshes", "a list of tables, [[meshes]],")
    made = []
    for k, one in enumerate(listed):
        table = Table(top.source, ("meshes", str(k)), one)
        mesh = table.part(MeshFile)
        if folder is not None:
            mesh = replace(mesh, file=str((folder / mesh.file).absolute()))
            if not Path(mesh.file).is_file():
                table.complain("file", f"mesh: there is no file {mesh.file!r}")
        made.append(mesh)
    return tuple(made)


def illustrative_keys(top: Table) -> tuple[str, ...]:
    """Keys of the file whose numbers are unpublished."""
    listed = top.texts("illustrative")
    for dotted in listed:
        place: Any = top.data
        for key in dotted.split("."):
            if not isinstance(place, dict) or key not in place:
                top.complain("illustrative", f"illustrative names {dotted!r}, the file has no such key")
            place = place[key]
    return listed
