"""Models from URDF, the Unified Robot Description Format.

Read: links with mass, centre of mass and inertia; joints fixed, revolute, continuous, prismatic, planar and floating,
with origin, axis and viscous damping; joints that mimic others. Ignored silently, because they do not affect a passive
mechanism: shapes, meshes, materials, transmissions, simulators' own tags. Left out with a warning: Coulomb friction and
limits. Common mistakes in public files are repaired with a warning if possible.
"""

from __future__ import annotations

import re
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal

from motionbase.errors import ModelError
from motionbase.multibody.elements import JointDamper
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed
from motionbase.multibody.loaders.urdf_joints import couplings, dampers, note_left_out, tree_joint
from motionbase.multibody.loaders.urdf_links import link_body, with_dummies
from motionbase.multibody.loaders.urdf_xml import UrdfXml
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import GROUND, Model

MIMICS = ("coupled", "independent")


class ModelWarning(UserWarning):
    """Something in a file was left out or repaired."""


def load_urdf(
    path: Path | str,
    *,
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81),
    floating_base: bool = False,
    strict: bool = False,
    mimic: Literal["coupled", "independent"] = "coupled",
) -> Model:
    """The model in a file; errors name the file, the line, the part and what is expected.

    A `ModelWarning` describes each repair and omission.

    Args:
        gravity: in the axes of the root link at the start [m/s^2]; URDF does not specify it
        floating_base: the root link is free instead of fixed to the ground
        strict: refuse what would have to be repaired: impossible inertias, inertia without mass and mass without
            inertia, joints that move no mass, names that collide, links that are not declared
        mimic: joints that mimic others are "coupled" to them by closures, or move independently, "independent"
    """
    if mimic not in MIMICS:
        raise ModelError(f"mimic is {mimic!r}, must be {' or '.join(map(repr, MIMICS))}")
    xml = UrdfXml.read(path, strict)
    model = _model(xml, gravity, floating_base, mimic == "coupled")
    for note in xml.notes:
        warnings.warn(note, ModelWarning, stacklevel=2)
    return model


def _model(xml: UrdfXml, gravity: tuple[float, float, float], floating_base: bool, coupled: bool) -> Model:
    root = xml.root
    if root.tag != "robot":
        xml.complain(root, f"the outermost element is <{root.tag}>, <robot> is wanted")
    for element in root.iter():
        if element.tag.startswith("xacro:"):
            xml.complain(element, f"<{element.tag}> is of the macro language xacro; expand the file with xacro first")
    links, joint_elements = (_by_name(xml, tag) for tag in ("link", "joint"))
    if not links:
        xml.complain(root, "there is no <link>")
    taken = {GROUND: "the ground"}
    names = _clean_names(xml, links, taken)
    base = _root_link(xml, [*joint_elements.values()], links)
    if base not in names:
        names |= _clean_names(xml, {base: links[base]}, taken | {new: old for old, new in names.items()})
    joint_names = _clean_names(xml, joint_elements, {})
    bodies = [link_body(xml, link, names[name]) for name, link in links.items()]
    holder = "root" if "root" not in joint_names.values() else "root_to_ground"
    made = [Joint(holder, GROUND, names[base], Free() if floating_base else fixed())]
    damping: list[JointDamper] = []
    for said, element in joint_elements.items():
        made.append(tree_joint(xml, element, joint_names[said], names))
        damping += dampers(xml, element, joint_names[said], made[-1].motion.nv)
    held = couplings(xml, joint_elements, joint_names, {j.name: j for j in made}, coupled)
    note_left_out(xml, joint_elements, joint_names)
    places = {names[k]: link for k, link in links.items()}
    name = re.sub(r"\W", "_", root.attrib.get("name", Path(xml.name).stem))
    try:
        return Model(name, with_dummies(xml, places, bodies, made), tuple(made), gravity, tuple(damping), held)
    except ModelError as e:
        places |= {joint_names[k]: j for k, j in joint_elements.items()}
        about = next((places[n] for n in re.findall(r"'(\w+)'", str(e)) if n in places), root)
        xml.complain(about, str(e))


def _by_name(xml: UrdfXml, tag: str) -> dict[str, ET.Element]:
    """The links or joints by name; names must be unique."""
    found: dict[str, ET.Element] = {}
    for element in xml.root.findall(tag):
        name = xml.text(element, "name")
        if name in found:
            xml.complain(element, f"two {tag}s are named {name!r}, the other in line {xml.lines[found[name]]}")
        found[name] = element
    return found


def _clean_names(xml: UrdfXml, elements: dict[str, ET.Element], taken: dict[str, str]) -> dict[str, str]:
    """URDF permits any name; ours are letters, digits and single underscores, so that they can name kernel ports."""
    clean: dict[str, str] = {}
    used = dict(taken)
    for name, element in elements.items():
        new = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
        new = new if new[:1].isalpha() and not new.startswith("mb_") else f"n{new}"
        if new in used:
            free = (f"{new}_{element.tag}", *(f"{new}_{k}" for k in range(2, len(elements) + 3)))
            other = next(n for n in free if n not in used)
            said = f"{name!r} and {used[new]!r} are both named {new!r} here; rename one"
            xml.pardon(element, said, f"until then {name!r} is {other!r}")
            new = other
        used[new] = name
        clean[name] = new
    return clean


def _root_link(xml: UrdfXml, joints: list[ET.Element], links: dict[str, ET.Element]) -> str:
    """The only link that is not a child; if it is not declared, as is common for the world, it is added."""
    children: set[str] = set()
    strangers: dict[str, ET.Element] = {}
    for joint in joints:
        for end in ("parent", "child"):
            element = xml.only(joint, end)
            if element is None:
                xml.complain(joint, f"joint {joint.attrib.get('name')!r} has no <{end}>")
            link = xml.text(element, "link")
            if link not in links:
                strangers.setdefault(link, element)
            if end == "child":
                children.add(link)
    declared = [name for name in links if name not in children]
    if strangers:
        (link, element), *others = strangers.items()
        joint = next(j for j in joints if element in j)
        said = f"joint {joint.attrib.get('name')!r}: {element.tag} {link!r} not found; links: {listed(links)}"
        if others or declared or link in children:
            xml.complain(element, said)
        xml.pardon(element, said, "it is taken as the root link, without mass")
        links[link] = xml.added("link", link, element)
        return link
    if len(declared) != 1:
        which = (
            f"{', '.join(declared[:8])} are children of no joint" if declared else "every link is the child of a joint"
        )
        raise ModelError(f"{xml.name}: {which}; a URDF has exactly one root link")
    return declared[0]
