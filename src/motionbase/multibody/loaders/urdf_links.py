"""Links of a URDF file as bodies, and the repair of physically impossible ones.

Public robot files often have impossible inertias: rounded, left as placeholders, or without a mass. They are repaired
by the smallest change, and every repair is noted; in strict mode they are refused.
"""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import Body, checked_inertia, tensor_of
from motionbase.multibody.joint import Joint
from motionbase.multibody.loaders.rotation import R_rpy
from motionbase.multibody.loaders.urdf_xml import UrdfXml
from motionbase.multibody.lookup import listed

# a link without mass that a joint moves gets these, like MuJoCo's boundmass and boundinertia: usually too small to
# affect the links that carry it
DUMMY_MASS = 1e-3  # [kg]
DUMMY_INERTIA = 1e-6  # [kg m^2], about every axis: with much less, couplings to heavy links lose too many digits
# [kg] per kg m^2 of an inertia without mass: it then only resists rotation, to rounding
MASS_OF_INERTIA = 1e-12


def origin(xml: UrdfXml, element: ET.Element) -> tuple[tuple[float, ...], Array]:
    """Position and rotation matrix of an <origin>."""
    found = xml.only(element, "origin")
    if found is None:
        return (0.0, 0.0, 0.0), np.eye(3)
    xyz, rpy = (xml.numbers(found, key, 3, "0 0 0") for key in ("xyz", "rpy"))
    return xyz, R_rpy(*rpy)


def link_body(xml: UrdfXml, link: ET.Element, name: str) -> Body:
    """The body of a link, from its <inertial>, repaired if necessary."""
    inertial = xml.only(link, "inertial")
    if inertial is None:
        return Body(name)
    com, R = origin(xml, inertial)
    mass, inertia = xml.only(inertial, "mass"), xml.only(inertial, "inertia")
    if mass is None or inertia is None:
        missing = [tag for tag, found in (("mass", mass), ("inertia", inertia)) if found is None]
        remedy = "it is taken as a point mass" if mass is not None else "its mass is taken as 0"
        said = f"link {name!r}: <inertial> needs <mass> and <inertia>"
        xml.pardon(inertial, said, f"without <{'> and <'.join(missing)}> {remedy}")
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    tensor = np.zeros((3, 3)) if inertia is None else tensor_of(xml.numbers(inertia, k, 1)[0] for k in keys)
    kilograms = 0.0 if mass is None else xml.numbers(mass, "value", 1)[0]
    try:
        Body(name, kilograms, com)  # type: ignore[arg-type]
        with np.errstate(all="ignore"):
            tensor = _possible(xml, inertial, name, R @ tensor @ R.T)
        kilograms = _some_mass(xml, inertial, name, kilograms, tensor)
        return Body(name, kilograms, com, tensor.tolist())  # type: ignore[arg-type]
    except ModelError as e:
        xml.complain(inertial, str(e))


def _possible(xml: UrdfXml, inertial: ET.Element, name: str, tensor: Array) -> Array:
    """The tensor itself, or the nearest physically possible one."""
    try:
        checked_inertia(f"body {name!r}", tensor)
        return tensor
    except ModelError as e:
        if not np.all(np.isfinite(tensor)):
            raise
        repaired = nearest_inertia(tensor)
        now, before = (np.linalg.eigvalsh(one) for one in (repaired, 0.5 * (tensor + tensor.T)))
        moments, change = ", ".join(f"{x:.6g}" for x in now), float(np.abs(now - before).max())
        said = f"with {moments} kg m^2, none changed by more than {change:.2g}"
        xml.pardon(inertial, str(e), f"it is repaired to the nearest that a body can have, {said}")
        return repaired


def nearest_inertia(tensor: Array) -> Array:
    """The nearest inertia with physically possible principal moments.

    A body's second moments of mass S = tr(I) / 2 - I are not negative: this is the triangle inequality, and more.
    Negative ones become zero. If one moment is larger than the other two together, it stays and each of these grows
    by half of the difference.
    """
    values, axes = np.linalg.eigh(0.5 * np.trace(tensor) * np.eye(3) - tensor)
    spread = (axes * np.maximum(values, 0.0)) @ axes.T
    return np.asarray(np.trace(spread) * np.eye(3) - 0.5 * (spread + spread.T))


def _some_mass(xml: UrdfXml, inertial: ET.Element, name: str, mass: float, tensor: Array) -> float:
    """The mass [kg], or a small one if there is only inertia."""
    if mass or not np.any(tensor):
        return mass
    little = MASS_OF_INERTIA * float(np.abs(tensor).max())
    said = f"body {name!r}: a body without mass cannot have inertia"
    xml.pardon(inertial, said, f"it is taken as {little:.3g} kg, so that it resists turning alone")
    return little


def with_dummies(
    xml: UrdfXml, links: Mapping[str, ET.Element], bodies: Sequence[Body], joints: Sequence[Joint]
) -> tuple[Body, ...]:
    """The bodies, with a dummy mass where a joint moves none; `links` are by the names of the bodies."""
    if xml.strict:
        return tuple(bodies)
    parent: dict[str, Any] = {j.child: j.parent for j in joints}
    carrying: set[str] = set()
    for body in bodies:
        at = body.name if body.mass else None
        while at in parent and at not in carrying:
            carrying.add(at)
            at = parent[at]
    bare = {j.child: j.name for j in joints if j.motion.nv and j.child not in carrying}
    if bare:
        xml.note(
            links[next(iter(bare))],
            f"no mass is moved by {listed(bare.values())}; each of their links ({listed(bare)}) is taken as "
            f"{DUMMY_MASS:g} kg with {DUMMY_INERTIA:g} kg m^2, and forces on it mean nothing",
        )
    inertia = (DUMMY_INERTIA,) * 3
    return tuple(
        dataclasses.replace(b, mass=DUMMY_MASS, inertia=inertia) if b.name in bare else b  # instead of zero
        for b in bodies
    )
