"""Models from URDF, the Unified Robot Description Format.

Read: links with mass, centre of mass and inertia; joints fixed, revolute, continuous, prismatic, planar and floating,
with origin, axis and viscous damping. Passed over without a word, because they do not act on a passive mechanism:
shapes, meshes, materials, limits, transmissions, simulators' own tags. Coulomb friction is left out with a warning;
mimic joints are refused.
"""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from motionbase.errors import ModelError
from motionbase.multibody.body import Body, tensor_of
from motionbase.multibody.elements import JointDamper
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import AbstractMotion, Free, fixed, planar, prismatic, revolute
from motionbase.multibody.loaders.rotation import R_rpy
from motionbase.multibody.loaders.urdf_xml import UrdfXml
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import GROUND, Model

TYPES = ("fixed", "revolute", "continuous", "prismatic", "planar", "floating")


class ModelWarning(UserWarning):
    """Something in a file was left out."""


def load_urdf(
    path: Path | str, *, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81), floating_base: bool = False
) -> Model:
    """The model in a file; errors name the file, the line, the part and what is wanted.

    Args:
        gravity: in the axes of the root link at the start [m/s^2]; URDF has no place for it
        floating_base: the root link flies instead of being fixed to the ground
    """
    xml = UrdfXml.read(path)
    root = xml.root
    if root.tag != "robot":
        xml.complain(root, f"the outermost element is <{root.tag}>, <robot> is wanted")
    for element in root.iter():
        if element.tag.startswith("xacro:"):
            xml.complain(element, f"<{element.tag}> is of the macro language xacro; expand the file with xacro first")
    links, joint_elements = (_by_name(xml, tag) for tag in ("link", "joint"))
    joints = [*joint_elements.values()]
    if not links:
        xml.complain(root, "there is no <link>")
    names = _clean_names(xml, links, {GROUND: "the ground"})
    base = _root_link(xml, joints, links)
    joint_names = _clean_names(xml, joint_elements, {"root": "the root link's joint"})
    bodies = [_body(xml, link, names[name]) for name, link in links.items()]
    made = [Joint("root", GROUND, names[base], Free() if floating_base else fixed())]
    dampers: list[JointDamper] = []
    for joint in joints:
        name = joint_names[xml.text(joint, "name")]
        made.append(_joint(xml, joint, name, names))
        dampers += _dampers(xml, joint, name, made[-1].motion.nv)
    name = re.sub(r"\W", "_", root.attrib.get("name", Path(path).stem))
    try:
        return Model(name, tuple(bodies), tuple(made), gravity, tuple(dampers))
    except ModelError as e:
        places = {names[k]: link for k, link in links.items()} | {joint_names[k]: j for k, j in joint_elements.items()}
        about = next((places[n] for n in re.findall(r"'(\w+)'", str(e)) if n in places), root)
        xml.complain(about, str(e))


def _by_name(xml: UrdfXml, tag: str) -> dict[str, ET.Element]:
    """The links or joints; each has a name of its own."""
    found: dict[str, ET.Element] = {}
    for element in xml.root.findall(tag):
        name = xml.text(element, "name")
        if name in found:
            xml.complain(element, f"two {tag}s are named {name!r}, the other in line {xml.lines[found[name]]}")
        found[name] = element
    return found


def _clean_names(xml: UrdfXml, elements: dict[str, ET.Element], taken: dict[str, str]) -> dict[str, str]:
    """URDF allows any name; ours are letters, digits and underscores."""
    clean: dict[str, str] = {}
    used = dict(taken)
    for name, element in elements.items():
        new = re.sub(r"[^A-Za-z0-9_]", "_", name)
        new = new if new[:1].isalpha() else f"n{new}"
        if new in used:
            xml.complain(element, f"{name!r} and {used[new]!r} are both named {new!r} here; rename one")
        used[new] = name
        clean[name] = new
    return clean


def _root_link(xml: UrdfXml, joints: list[ET.Element], links: dict[str, ET.Element]) -> str:
    """The one link that is nobody's child."""
    children = set()
    for joint in joints:
        for end in ("parent", "child"):
            element = xml.only(joint, end)
            if element is None:
                xml.complain(joint, f"joint {joint.attrib.get('name')!r} has no <{end}>")
            link = xml.text(element, "link")
            if link not in links:
                owner = f"joint {joint.attrib.get('name')!r}"
                xml.complain(element, f"{owner}: {end} {link!r} not found; links: {listed(links)}")
            if end == "child":
                children.add(link)
    roots = [name for name in links if name not in children]
    if len(roots) != 1:
        which = f"{', '.join(roots[:8])} are children of no joint" if roots else "every link is the child of a joint"
        raise ModelError(f"{xml.name}: {which}; a URDF has exactly one root link")
    return roots[0]


def _origin(xml: UrdfXml, element: ET.Element) -> tuple[Any, Any]:
    """Position and rotation matrix of an <origin>."""
    origin = xml.only(element, "origin")
    if origin is None:
        return (0.0, 0.0, 0.0), np.eye(3)
    xyz, rpy = (xml.numbers(origin, key, 3, "0 0 0") for key in ("xyz", "rpy"))
    return xyz, R_rpy(*rpy)


def _body(xml: UrdfXml, link: ET.Element, name: str) -> Body:
    inertial = xml.only(link, "inertial")
    if inertial is None:
        return Body(name)
    com, R = _origin(xml, inertial)
    mass, inertia = xml.only(inertial, "mass"), xml.only(inertial, "inertia")
    if mass is None or inertia is None:
        xml.complain(inertial, f"link {name!r}: <inertial> needs <mass> and <inertia>")
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    tensor = tensor_of(xml.numbers(inertia, k, 1)[0] for k in keys)
    kilograms = xml.numbers(mass, "value", 1)[0]
    try:
        with np.errstate(all="ignore"):
            return Body(name, kilograms, com, (R @ tensor @ R.T).tolist())
    except ModelError as e:
        xml.complain(inertial, str(e))


def _joint(xml: UrdfXml, joint: ET.Element, name: str, bodies: dict[str, str]) -> Joint:
    if xml.only(joint, "mimic") is not None:
        xml.complain(joint, f"joint {name!r} mimics another one, which is not supported; give each its own motion")
    parent, child = (bodies[xml.text(joint.findall(end)[0], "link")] for end in ("parent", "child"))
    position, R = _origin(xml, joint)
    kind, axis = _kind(xml, joint, name)
    across = _across(xml, joint, np.array(axis)) if kind == "planar" else None
    try:
        return Joint(name, parent, child, _motion(kind, axis, across), position, R.tolist())
    except ModelError as e:
        said = str(e)
        xml.complain(joint, said if repr(name) in said else f"joint {name!r}: {said}")


def _kind(xml: UrdfXml, joint: ET.Element, name: str) -> tuple[str, tuple[float, ...]]:
    """Type and axis as they stand in the file."""
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


def _across(xml: UrdfXml, joint: ET.Element, normal: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Two axes in the plane with this normal; x and y for z."""
    length = float(np.linalg.norm(normal))
    if not (np.isfinite(length) and length > 1e-12):
        xml.complain(joint, f"the axis of a planar joint is {tuple(normal)}, it must have a direction")
    n = normal / length
    first = np.cross([0.0, 1.0, 0.0] if abs(n[1]) < 0.9 else [0.0, 0.0, 1.0], n)
    first /= np.linalg.norm(first)
    return tuple(first), tuple(np.cross(n, first))


def _dampers(xml: UrdfXml, joint: ET.Element, name: str, nv: int) -> list[JointDamper]:
    dynamics = xml.only(joint, "dynamics")
    if dynamics is None:
        return []
    if xml.numbers(dynamics, "friction", 1, "0")[0]:
        message = f"{xml.where(dynamics)}: Coulomb friction of joint {name!r} is left out"
        warnings.warn(message, ModelWarning, stacklevel=3)
    damping = xml.numbers(dynamics, "damping", 1, "0")[0]
    try:
        return [JointDamper(f"{name}_damping{k + 1}", name, damping, k) for k in range(nv)] if damping else []
    except ModelError as e:
        xml.complain(dynamics, str(e))
