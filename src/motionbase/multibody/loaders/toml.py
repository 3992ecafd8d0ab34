"""Models from TOML; docs/models.md describes the schema."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from motionbase.errors import ModelError
from motionbase.multibody import closures, elements
from motionbase.multibody.body import ZERO, Body
from motionbase.multibody.joint import IDENTITY, Joint
from motionbase.multibody.joints import (
    AbstractMotion,
    Axes,
    Free,
    Slide,
    Spherical,
    Turn,
    cylindrical,
    fixed,
    planar,
    prismatic,
    revolute,
    universal,
)
from motionbase.multibody.loaders.rotation import R_rpy
from motionbase.multibody.loaders.toml_beams import chain_of
from motionbase.multibody.loaders.toml_drives import drives_of
from motionbase.multibody.loaders.toml_flexible import flexible_modes
from motionbase.multibody.loaders.toml_source import Keys, TomlSource
from motionbase.multibody.loaders.toml_values import (
    array,
    check_keys,
    choice,
    field_value,
    made,
    number,
    tables,
    text,
    vector,
)
from motionbase.multibody.model import Model

MOTIONS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "fixed": (fixed, ()),
    "revolute": (revolute, ("axis",)),
    "prismatic": (prismatic, ("axis",)),
    "cylindrical": (cylindrical, ("axis",)),
    "universal": (universal, ("first", "second")),
    "planar": (planar, ("first", "second")),
    "spherical": (Spherical, ()),
    "free": (Free, ()),
    "axes": (None, ("steps",)),
}
ELEMENTS: dict[str, type[Any]] = {
    "spring": elements.JointSpring,
    "damper": elements.JointDamper,
    "friction": elements.JointFriction,
    "stiction": elements.Stiction,
    "limit": elements.JointLimit,
    "motor": elements.Motor,
    "point_force": elements.PointForce,
    "point_spring": elements.PointSpring,
    "frame_spring": elements.FrameSpring,
    "gravity_gradient": elements.GravityGradient,
    "sphere_contact": elements.SphereContact,
    "plane_contact": elements.PlaneContact,
}
CLOSURES: dict[str, type[Any]] = {
    "point": closures.PointClosure,
    "axis": closures.AxisClosure,
    "revolute": closures.RevoluteClosure,
    "weld": closures.WeldClosure,
    "distance": closures.DistanceClosure,
    "orientation": closures.OrientationClosure,
    "universal": closures.UniversalClosure,
    "in_line": closures.InLineClosure,
    "in_plane": closures.InPlaneClosure,
    "cylindrical": closures.CylindricalClosure,
    "prismatic": closures.PrismaticClosure,
    "planar": closures.PlanarClosure,
    "gimbal": closures.GimbalClosure,
    "imposed_position": closures.ImposedPositionClosure,
    "imposed_angle": closures.ImposedAngleClosure,
    "imposed_speed": closures.ImposedSpeedClosure,
    "coupling": closures.CouplingClosure,
}
PLACE = ("position", "rpy", "rpy_deg")
TOP = ("name", "gravity", "bodies", "joints", "elements", "closures", "beams", "drives")


def load_toml(path: Path | str) -> Model:
    """The model in a file; errors name the file, the line, the part and what is expected."""
    source = TomlSource.read(path)
    data = source.data
    check_keys(source, (), data, TOP, "the file")
    bodies = [_body(source, name, table) for name, table in tables(source, "bodies").items()]
    joints = [_joint(source, name, table) for name, table in tables(source, "joints").items()]
    chains = [
        chain_of(source, name, table, _root(source, name, table)) for name, table in tables(source, "beams").items()
    ]
    for chain in chains:
        bodies += chain.bodies
        joints += chain.joints
    if not bodies:
        source.complain(("bodies",), "there is no body; a model has [bodies.NAME] and [joints.NAME] tables")
    forces = [_part(source, "elements", n, t, ELEMENTS) for n, t in tables(source, "elements").items()]
    loops = [_part(source, "closures", n, t, CLOSURES) for n, t in tables(source, "closures").items()]
    given = drives_of(source)
    forces += [beam for chain in chains for beam in chain.beams]
    name = text(source, ("name",), data.get("name", Path(path).stem), "a name")
    gravity = vector(source, ("gravity",), data.get("gravity", (0.0, 0.0, -9.81)), "three numbers [m/s^2]")
    try:
        return Model(name, tuple(bodies), tuple(joints), gravity, tuple(forces), tuple(loops), given)
    except (ModelError, RecursionError) as e:
        raise _at_the_place(source, str(e)) from None


def _at_the_place(source: TomlSource, message: str) -> ModelError:
    """An error of the whole model, with the line of the part it names."""
    folders = {"body": "bodies", "joint": "joints", "drive": "drives"}
    for kind, name in re.findall(r"(\w+) '(\w+)'", message):
        for table in [folders[kind]] if kind in folders else ["elements", "closures"]:
            if (line := source.lines.get((table, name))) is not None:
                return ModelError(f"{source.name}, line {line}: {message}")
    return ModelError(f"{source.name}: {message}")


# ---- parts ---------------------------------------------------------------------------------------------------------


def _body(source: TomlSource, name: str, table: Mapping[str, Any]) -> Body:
    at: Keys = ("bodies", name)
    if "flexible" in table:
        check_keys(source, at, table, ("flexible",), f"body {name!r}, which is flexible,")
        modes = flexible_modes(source, (*at, "flexible"), table["flexible"])
        return made(source, at, Body, name, modes=modes)
    check_keys(source, at, table, ("mass", "com", "inertia", "points", "flexible"), f"body {name!r}")
    mass = number(source, (*at, "mass"), table.get("mass", 0.0), "a number [kg]")
    com = vector(source, (*at, "com"), table.get("com", ZERO), "three numbers [m]")
    inertia = array(source, (*at, "inertia"), table.get("inertia", ZERO), "3, 6 or 3x3 numbers [kg m^2]")
    points = table.get("points", {})
    if not isinstance(points, Mapping):
        source.complain((*at, "points"), f"body {name!r}: points must be a table of NAME = [x, y, z]")
    placed = {p: vector(source, (*at, "points", p), xyz, "three numbers [m]") for p, xyz in points.items()}
    return made(source, at, Body, name, mass, com, inertia, placed)


def _joint(source: TomlSource, name: str, table: Mapping[str, Any]) -> Joint:
    at: Keys = ("joints", name)
    kind = choice(source, at, table, MOTIONS, f"joint {name!r}")
    keys = ("type", "parent", "child", *PLACE, *MOTIONS[kind][1])
    check_keys(source, at, table, keys, f"joint {name!r} of type {kind}")
    ends = {}
    for end in ("parent", "child"):
        if end not in table:
            source.complain(at, f"joint {name!r}: no {end}; it is the name of a body")
        ends[end] = text(source, (*at, end), table[end], "the name of a body")
    motion = _motion(source, at, table, f"joint {name!r}")
    position = table.get("position", ZERO)
    if not isinstance(position, str):
        position = vector(source, (*at, "position"), position, "three numbers [m], or a point of the parent")
    orientation = _orientation(source, at, table)
    return made(source, at, Joint, name, ends["parent"], ends["child"], motion, position, orientation)


def _motion(source: TomlSource, at: Keys, table: Mapping[str, Any], owner: str) -> AbstractMotion:
    """How a joint moves: its type and axes."""
    make, keys = MOTIONS[choice(source, at, table, MOTIONS, owner)]
    if make is None:
        return _steps(source, (*at, "steps"), table.get("steps"), owner)
    axes = {k: vector(source, (*at, k), table[k], "three numbers, an axis") for k in keys if k in table}
    motion: AbstractMotion = made(source, at, make, owner=owner, **axes)
    return motion


def _root(source: TomlSource, name: str, table: Mapping[str, Any]) -> AbstractMotion | None:
    """How the first node of a chain of beams moves on its parent; None clamps it."""
    if "root" not in table:
        return None
    at: Keys = ("beams", name, "root")
    given, owner = table["root"], f"beam {name!r}: root"
    if not isinstance(given, Mapping):
        source.complain(at, f'{owner} must be a table, as {{ type = "revolute", axis = [0, 0, 1] }}')
    kind = choice(source, at, given, MOTIONS, owner)
    check_keys(source, at, given, ("type", *MOTIONS[kind][1]), f"{owner} of type {kind}")
    return _motion(source, at, given, owner)


def _orientation(source: TomlSource, at: Keys, table: Mapping[str, Any]) -> Any:
    given = [key for key in ("rpy", "rpy_deg") if key in table]
    if len(given) == 2:
        source.complain((*at, "rpy"), f"joint {at[1]!r}: rpy and rpy_deg exclude each other")
    if not given:
        return IDENTITY
    unit = "rad" if given[0] == "rpy" else "degrees"
    angles = vector(source, (*at, given[0]), table[given[0]], f"roll, pitch, yaw [{unit}]")
    radians = angles if unit == "rad" else tuple(math.radians(a) for a in angles)
    return R_rpy(*radians).tolist()


def _steps(source: TomlSource, at: Keys, steps: Any, owner: str) -> Axes:
    wanted = "a list of { turn = [x, y, z] } and { slide = [x, y, z] }"
    if not isinstance(steps, list):
        source.complain(at, f"{owner}: steps must be {wanted}")
    found: list[Turn | Slide] = []
    for step in steps:
        if not isinstance(step, Mapping) or len(step) != 1 or next(iter(step)) not in ("turn", "slide"):
            source.complain(at, f"{owner}: steps has {step!r}, it must be {wanted}")
        ((kind, axis),) = step.items()
        direction = vector(source, at, axis, "three numbers, an axis")
        make: Callable[..., Turn | Slide] = Turn if kind == "turn" else Slide
        found.append(made(source, at, make, direction, owner=owner))
    return Axes(tuple(found))


def _part(source: TomlSource, folder: str, name: str, table: Mapping[str, Any], kinds: Mapping[str, type[Any]]) -> Any:
    """An element or closure: the keys are the fields of its class."""
    at: Keys = (folder, name)
    owner = f"{folder[:-1]} {name!r}"
    kind = choice(source, at, table, kinds, owner)
    fields = {f.name: f for f in dataclasses.fields(kinds[kind]) if f.name != "name" and f.name != "law"}
    check_keys(source, at, table, ("type", *fields), f"{owner} of type {kind}")
    for field in fields.values():
        if field.default is dataclasses.MISSING and field.name not in table:
            source.complain(at, f"{owner}: no {field.name}; a {kind} needs it")
    values = {key: field_value(source, (*at, key), table[key], str(fields[key].type)) for key in table if key != "type"}
    return made(source, at, kinds[kind], name, **values)
