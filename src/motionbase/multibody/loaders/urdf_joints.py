"""Joints of a URDF file: their motion, mimicry and dampers, and the parts that are left out."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import numpy as np

from motionbase.arrays import AnyArray
from motionbase.errors import ModelError
from motionbase.multibody.closures import CouplingClosure
from motionbase.multibody.elements import JointDamper
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import AbstractMotion, Free, fixed, planar, prismatic, revolute
from motionbase.multibody.loaders.urdf_links import origin
from motionbase.multibody.loaders.urdf_xml import UrdfXml
from motionbase.multibody.lookup import listed

TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


def tree_joint(xml: UrdfXml, joint: ET.Element, name: str, bodies: Mapping[str, str]) -> Joint:
    """A joint of the tree; `bodies` gives the name of each link's body."""
    parent, child = (bodies[xml.text(joint.findall(end)[0], "link")] for end in ("parent", "child"))
    position, R = origin(xml, joint)
    kind, axis = _kind(xml, joint, name)
    across = _across(xml, joint, np.array(axis)) if kind == "planar" else None
    try:
        return Joint(name, parent, child, _motion(kind, axis, across), position, R.tolist())  # type: ignore[arg-type]
    except ModelError as e:
        said = str(e)
        xml.complain(joint, said if repr(name) in said else f"joint {name!r}: {said}")


def _kind(xml: UrdfXml, joint: ET.Element, name: str) -> tuple[str, tuple[float, ...]]:
    """Type and axis as in the file."""
    kind = xml.text(joint, "type")
    if kind not in TYPES:
        xml.complain(joint, f"joint {name!r}: type {kind!r} is not supported; types: {', '.join(TYPES)}")
    element = xml.only(joint, "axis")
    return kind, (1.0, 0.0, 0.0) if element is None else xml.numbers(element, "xyz", 3)


def _motion(kind: str, axis: tuple[float, ...], across: tuple[Any, Any] | None) -> AbstractMotion:
    if across is not None:
        return planar(*across)
    if kind in ("fixed", "floating"):
        return fixed() if kind == "fixed" else Free()
    x, y, z = axis
    return prismatic((x, y, z)) if kind == "prismatic" else revolute((x, y, z))


def _across(xml: UrdfXml, joint: ET.Element, normal: AnyArray) -> tuple[Any, Any]:
    """Two axes in the plane with this normal; x and y for z."""
    length = float(np.linalg.norm(normal))
    if not (np.isfinite(length) and length > 1e-12):
        xml.complain(joint, f"the axis of a planar joint is {tuple(normal)}, it must have a direction")
    n = normal / length
    first = np.cross([0.0, 1.0, 0.0] if abs(n[1]) < 0.9 else [0.0, 0.0, 1.0], n)
    first /= np.linalg.norm(first)
    return tuple(first), tuple(np.cross(n, first))


def dampers(xml: UrdfXml, joint: ET.Element, name: str, nv: int) -> list[JointDamper]:
    """Viscous damping of each axis."""
    dynamics = xml.only(joint, "dynamics")
    if dynamics is None:
        return []
    damping = xml.numbers(dynamics, "damping", 1, "0")[0]
    try:
        return [JointDamper(f"{name}_damping{k + 1}", name, damping, k) for k in range(nv)] if damping else []
    except ModelError as e:
        xml.complain(dynamics, str(e))


def couplings(
    xml: UrdfXml, elements: Mapping[str, ET.Element], names: Mapping[str, str], joints: Mapping[str, Joint], hold: bool
) -> tuple[CouplingClosure, ...]:
    """The <mimic> relations as closures; none, with a note, if they are to be independent.

    Args:
        elements, names: of the joints, by their names in the file
        joints: by their names here
    """
    found: list[CouplingClosure] = []
    free: dict[str, ET.Element] = {}
    still: dict[str, ET.Element] = {}
    for said, element in elements.items():
        mimic = xml.only(element, "mimic")
        if mimic is None:
            continue
        name, leader = names[said], xml.text(mimic, "joint")
        owner = f"joint {name!r} mimics {leader!r}"
        if leader not in names:
            xml.pardon(mimic, f"{owner}, which is not found; joints: {listed(names)}", "it moves on its own")
            continue
        follows = names[leader]
        ratio, offset = (xml.numbers(mimic, key, 1, value)[0] for key, value in (("multiplier", "1"), ("offset", "0")))
        if not joints[name].motion.nv:
            still[name] = mimic
            continue
        if wrong := [j for j in (name, follows) if joints[j].motion.nv != 1]:
            xml.complain(mimic, f"{owner}: {wrong[0]!r} has {joints[wrong[0]].motion.nv} axes, one is wanted")
        if not hold:
            free[name] = mimic
            continue
        try:
            found.append(CouplingClosure(f"{name}_mimic", name, follows, ratio, offset))
        except ModelError as e:
            xml.complain(mimic, str(e))
    _note_joints(xml, free, "joints that mimic others and move independently, as requested")
    _note_joints(xml, still, "joints that mimic others but are fixed, and stay so")
    return tuple(found)


def note_left_out(xml: UrdfXml, elements: Mapping[str, ET.Element], names: Mapping[str, str]) -> None:
    """Note Coulomb friction and limits, one sentence each."""
    rubbing: dict[str, ET.Element] = {}
    limited: dict[str, ET.Element] = {}
    for said, element in elements.items():
        kind, dynamics, limit = (element.attrib.get("type"), element.find("dynamics"), element.find("limit"))
        if dynamics is not None and kind != "fixed" and xml.numbers(dynamics, "friction", 1, "0")[0]:
            rubbing[names[said]] = dynamics
        if limit is not None and kind in ("revolute", "prismatic") and {"lower", "upper"} & limit.attrib.keys():
            limited[names[said]] = limit
    _note_joints(xml, rubbing, "joints with Coulomb friction, which is left out (JointFriction elements have it)")
    _note_joints(xml, limited, "joints with limits, which are not kept (JointLimit elements keep them)")


def _note_joints(xml: UrdfXml, found: Mapping[str, ET.Element], what: str) -> None:
    """One note about all of them, with the line of the first."""
    if found:
        xml.note(next(iter(found.values())), f"{what}: {listed(found)}")
