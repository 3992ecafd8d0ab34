"""A blade of geometrically exact beams on its hinges, as parts of a model."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import Body, Vector
from motionbase.multibody.elements import AbstractElement, Beam, JointDamper, JointSpring
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import AbstractMotion, Axes, Free, Turn, fixed
from motionbase.rotor.blades.blade import Blade, Hinge

# lag against the rotation, flap up, pitch nose-up; x is outward, y to the leading edge
AXES: dict[str, Vector] = {"lag": (0.0, 0.0, -1.0), "flap": (0.0, -1.0, 0.0), "pitch": (1.0, 0.0, 0.0)}
FEWEST = 2  # beams, so that there is a second bending mode at all


class BladeParts(NamedTuple):
    """Parts for a model; the nodes are NAME0, NAME1, ... from the outermost hinge to the tip."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    elements: tuple[AbstractElement, ...]


def blade_parts(
    blade: Blade,
    name: str,
    parent: str,
    *,
    beams: int = 12,
    collective: float = 0.0,
    damped: bool = True,
    damping: float = 0.0,
) -> BladeParts:
    """Hinges, the rigid pieces between them and beams of three nodes, on a parent whose x axis is the blade's.

    The mass of each beam is shared among its nodes so that mass, static moment and moment of inertia are the blade's.

    Args:
        parent: a body whose origin is on the shaft's axis
        collective: pitch of the whole blade [rad]
        damped: whether the hinges have their dampers
        damping: of the beams, by which stress leads strain [s]
    """
    if isinstance(beams, bool) or not isinstance(beams, int) or beams < FEWEST:
        raise ModelError(f"blade {blade.name!r}: beams is {beams!r}, a whole number from {FEWEST} is wanted")
    bodies, joints, elements = list[Body](), list[Joint](), list[AbstractElement]()
    groups = [(at, list(found)) for at, found in groupby(blade.hinges, lambda one: one[1].at)]
    inboard, root = 0.0, fixed()  # radius of the parent's origin, motion of the chain's root
    for k, (at, hinges) in enumerate(groups):
        last = k == len(groups) - 1
        own = f"{name}0" if last else f"{name}_{'_'.join(kind for kind, _ in hinges)}"
        motion = Axes(tuple(Turn(AXES[kind]) for kind, _ in hinges))
        elements += hinge_springs(own, hinges, damped)
        if last:
            root = motion
            continue
        piece = blade.rigid(at, groups[k + 1][0])
        bodies.append(Body(own, piece.mass, _triple(piece.com - [at, 0, 0]), piece.inertia.tolist()))
        joints.append(Joint(own, parent, own, motion, (at - inboard, 0.0, 0.0)))
        parent, inboard = own, at
    chain = _chain(blade, name, parent, inboard, root, beams, (collective, damping))
    return BladeParts((*bodies, *chain.bodies), (*joints, *chain.joints), (*elements, *chain.elements))


def hinge_springs(joint: str, hinges: list[tuple[str, Hinge]], damped: bool) -> list[AbstractElement]:
    """Springs and dampers of hinges that are the axes of one joint."""
    found: list[AbstractElement] = []
    for axis, (kind, hinge) in enumerate(hinges):
        if hinge.stiffness:
            found.append(JointSpring(f"{joint}_{kind}_spring", joint, hinge.stiffness, axis=axis))
        if hinge.damping and damped:
            found.append(JointDamper(f"{joint}_{kind}_damper", joint, hinge.damping, axis=axis))
    return found


def _chain(
    blade: Blade, name: str, parent: str, inboard: float, root: AbstractMotion, beams: int, how: tuple[float, float]
) -> BladeParts:
    """Nodes on the pitch axis, their x axes along it, the others turned with the section, and beams between them.

    Args:
        how: collective pitch and damping
    """
    collective, damping = how
    r = np.linspace(blade.clamp, blade.radius, 2 * beams + 1)
    shares = _shares(blade, r)
    elastic_axis = blade.at("elastic_axis", r)
    bodies, joints = list[Body](), list[Joint]()
    for n, (mass, first, flap, lag) in enumerate(shares.T):
        if min(mass, lag + flap) <= 0 or min(flap, lag) < 0:
            raise ModelError(
                f"blade {blade.name!r}: near {r[n]:.3g} m its mass or rotary inertia is too uneven for {beams} beams, "
                "take more"
            )
        bodies.append(
            Body(f"{name}{n}", float(mass), (0.0, float(first / mass), 0.0), _triple([flap + lag, flap, lag]))
        )
        motion = Free() if n else root
        turned = _about_x(collective + float(blade.at("twist", r[n])))
        joints.append(Joint(f"{name}{n}", parent, f"{name}{n}", motion, (float(r[n] - inboard), 0.0, 0.0), turned))
    elements = []
    for k in range(beams):
        own = range(2 * k, 2 * k + 3)
        points = tuple((0.0, float(elastic_axis[n]), 0.0) for n in own)
        ends = tuple(f"{name}{n}" for n in own)
        elements.append(
            Beam(f"{name}_{k + 1}", ends, _stiffness(blade, r[2 * k], r[2 * k + 2]), damping, points=points)
        )
    return BladeParts(tuple(bodies), tuple(joints), tuple(elements))


def _stiffness(blade: Blade, inner: float, outer: float) -> tuple[float, float, float, float, float, float]:
    """Of a beam that yields under a constant force or moment as the blade does."""
    EA, GJ, EI_flap, EI_lag = (
        float((outer - inner) / blade.integral(partial(_inverse, blade, key), inner, outer))
        for key in ("EA", "GJ", "EI_flap", "EI_lag")
    )
    return EA, blade.shear * EA, blade.shear * EA, GJ, EI_flap, EI_lag


def _shares(blade: Blade, r: Array) -> Array:
    """(4, nodes) mass, mass times offset of its centre, inertias about y and z of slices about their own centres.

    Mass is shared by the parabolas of each beam, which keeps its first two moments. Rotary inertia is shared along
    straight lines from node to node, so that none is negative however uneven it is.
    """
    found = np.zeros((4, len(r)))
    for k in range(0, len(r) - 1, 2):
        found[:2, k : k + 3] += blade.integral(partial(_heavy, blade, r[k], r[k + 2]), r[k], r[k + 2])
    for k in range(len(r) - 1):
        found[2:, k : k + 2] += blade.integral(partial(_rotary, blade, r[k], r[k + 1]), r[k], r[k + 1])
    return found


def _heavy(blade: Blade, a: float, b: float, r: Array) -> Array:
    """(2, 3, n) mass and its moment about the pitch axis, per length, for each of a beam's nodes."""
    xi, mass = (2 * r - a - b) / (b - a), blade.at("mass", r)
    parabolas = np.stack([xi * (xi - 1) / 2, 1 - xi**2, xi * (xi + 1) / 2])
    return np.asarray(np.stack([mass, mass * blade.at("cg", r)])[:, None] * parabolas)


def _rotary(blade: Blade, a: float, b: float, r: Array) -> Array:
    """(2, 2, n) inertias per length, for each of two neighbours."""
    lines = np.stack([b - r, r - a]) / (b - a)
    return np.asarray(np.stack([blade.at("inertia_flap", r), blade.at("inertia_lag", r)])[:, None] * lines)


def _inverse(blade: Blade, key: str, r: Array) -> Array:
    return 1 / blade.at(key, r)


def _about_x(angle: float) -> tuple[Vector, Vector, Vector]:
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return (1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)


def _triple(values: Array | list[float]) -> Vector:
    x, y, z = (float(v) for v in values)
    return x, y, z
