"""Geometrically exact beams of a TOML file: a line, a section and a material become a chain of bodies and beams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from motionbase.multibody.beams import Chain, Line, Profile, arc, beam_chain, straight, through
from motionbase.multibody.body import GROUND
from motionbase.multibody.joints import AbstractMotion
from motionbase.multibody.loaders.toml_flexible import material_of, section_of
from motionbase.multibody.loaders.toml_source import Keys, TomlSource
from motionbase.multibody.loaders.toml_values import array, check_keys, field_value, made, number, said, text, vector

LINES: dict[str, tuple[str, ...]] = {"end": ("start", "end"), "arc": ("start", "arc"), "points": ("points",)}
KEYS = (
    "start",
    "end",
    "arc",
    "points",
    "up",
    "beams",
    "nodes",
    "section",
    "material",
    "parent",
    "root",
    "damping",
    "tip_mass",
)
ARC = ("centre", "axis", "angle")
MOST = 1000  # beams of one chain: a file with a typing error must not fill the memory


def chain_of(source: TomlSource, name: str, table: Mapping[str, Any], root: AbstractMotion | None) -> Chain:
    """The chain which a [beams.NAME] table describes; `root` is how its first node moves, clamped if None."""
    at: Keys = ("beams", name)
    owner = f"beam {name!r}"
    check_keys(source, at, table, KEYS, owner)
    for key in ("section", "material"):
        if key not in table:
            source.complain(at, f"{owner}: no {key}; a beam needs it")
    nodes = field_value(source, (*at, "nodes"), table.get("nodes", 2), "int")
    line = _line(source, at, table, nodes)
    section = section_of(source, (*at, "section"), table["section"], f"{owner}: section")
    E, G, rho = material_of(source, (*at, "material"), table["material"], True, f"{owner}: material")
    parent = text(source, (*at, "parent"), table.get("parent", GROUND), "the name of a body")
    damping = number(source, (*at, "damping"), table.get("damping", 0.0), "a number [s]")
    tip_mass = number(source, (*at, "tip_mass"), table.get("tip_mass", 0.0), "a number [kg]")
    return made(
        source, at, beam_chain, name, line, Profile.of(section, E, G, rho),
        nodes=nodes, root=root, parent=parent, damping=damping, tip_mass=tip_mass,
    )  # fmt: skip


def _line(source: TomlSource, at: Keys, table: Mapping[str, Any], nodes: int) -> Line:
    """Straight to an end, along a circle, or through points."""
    owner = f"beam {at[1]!r}"
    given = [key for key in LINES if key in table]
    if len(given) != 1:
        source.complain(at, f"{owner}: give one of start and end, start and arc, or points; {len(given)} are there")
    up = vector(source, (*at, "up"), table.get("up", (0.0, 0.0, 1.0)), "three numbers")
    if given[0] == "points":
        points = array(source, (*at, "points"), table["points"], "a list of places [m]")
        return made(source, (*at, "points"), through, points, up, owner=owner)
    beams = field_value(source, (*at, "beams"), table.get("beams", 8), "int")
    if not 1 <= beams <= MOST:
        source.complain((*at, "beams"), said((*at, "beams"), beams, f"a whole number from 1 to {MOST}"))
    count = beams * (nodes - 1) + 1
    start = vector(source, (*at, "start"), table.get("start", (0.0, 0.0, 0.0)), "three numbers [m]")
    if given[0] == "end":
        end = vector(source, (*at, "end"), table["end"], "three numbers [m]")
        return made(source, at, straight, start, end, count, up, owner=owner)
    circle = table["arc"]
    if not isinstance(circle, Mapping) or set(circle) != set(ARC):
        source.complain((*at, "arc"), said((*at, "arc"), circle, f"a table of {', '.join(ARC)} [rad]"))
    centre, axis = (vector(source, (*at, "arc", key), circle[key], "three numbers") for key in ARC[:2])
    angle = number(source, (*at, "arc", "angle"), circle["angle"], "a number [rad]")
    return made(source, at, arc, centre, start, axis, angle, count, owner=owner)
