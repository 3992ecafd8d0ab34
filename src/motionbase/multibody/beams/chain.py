"""A beam as a chain of bodies and beam elements, to be put into a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.beams.line import Line
from motionbase.multibody.beams.profile import Profile
from motionbase.multibody.body import GROUND, Body, check_name, checked_vector
from motionbase.multibody.elements import Beam
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import AbstractMotion, Free, fixed
from motionbase.multibody.lookup import checked_number

TWO = (0.5, 0.5)  # shares of a length of beam's mass: the trapezoidal rule
THREE = (1 / 6, 4 / 6, 1 / 6)  # and Simpson's


@final
@dataclass(frozen=True, eq=False)
class Chain:
    """Parts of a model; names are NAME0, NAME1, ... for bodies and joints, NAME_1, ... for the beams between them.

    Attributes:
        bodies, joints, beams: `Model(..., bodies + chain.bodies, joints + chain.joints, elements=chain.beams)`
        line: where its nodes are, in the parent's frame
    """

    name: str
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    beams: tuple[Beam, ...]
    line: Line

    @property
    def root(self) -> str:
        """The first node."""
        return self.bodies[0].name

    @property
    def tip(self) -> str:
        """The last node."""
        return self.bodies[-1].name

    def turning(self, omega: Any) -> Mapping[str, Array]:
        """Speeds by joint, for `simulate`'s v0: all nodes but the root turn with omega (3,) about the parent's origin.

        Speeds are relative to the parent: where that turns already, none are needed.
        """
        w = np.array(checked_vector(f"chain {self.name!r}", "omega", omega))
        found = {}
        for joint, p, R in list(zip(self.joints, self.line.points, self.line.axes, strict=True))[1:]:
            found[joint.name] = np.concatenate([R.T @ w, R.T @ np.cross(w, p)])
        return found


def beam_chain(
    name: str,
    line: Line,
    profile: Profile,
    *,
    nodes: Literal[2, 3] = 2,
    root: AbstractMotion | None = None,
    parent: str = GROUND,
    damping: float = 0.0,
    tip_mass: float = 0.0,
    tip_inertia: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> Chain:
    """Bodies at the line's nodes, the first on a joint of the parent and all others on none, and beams between them.

    A length's mass is shared among its nodes so that total and first moment are those of its chord or parabola. Rotary
    inertia is that of the slices alone: lumps of mass already count the inertia of a length a little high.

    Args:
        line: in the parent's frame
        nodes: of each beam; with three the line's number of nodes is odd
        root: how the first node may move on the parent; clamped if None
        damping: time by which stress leads [s]
        tip_mass, tip_inertia: of a rigid end [kg], about the last section's axes [kg m^2]
    """
    check_name("beam chain", name)
    owner = f"beam chain {name!r}"
    if nodes not in (2, 3):
        raise ModelError(f"{owner}: nodes is {nodes!r}, beams have 2 or 3")
    count, span = len(line.points), nodes - 1
    if (count - 1) % span:
        raise ModelError(f"{owner}: beams of three nodes need an odd number of nodes along the line, it has {count}")
    checked_number(owner, "tip_mass", tip_mass, "kg", least=0.0)
    shares: tuple[float, ...] = TWO if nodes == 2 else THREE
    beams, bodies, joints, masses = list[Beam](), list[Body](), list[Joint](), np.zeros(count)
    for k, first in enumerate(range(0, count - 1, span)):
        own = range(first, first + nodes)
        length = float(line.stations[first + span] - line.stations[first])
        for n, share in zip(own, shares, strict=True):
            masses[n] += share * length
        ends = tuple(f"{name}{n}" for n in own)
        beams.append(Beam(f"{name}_{k + 1}", ends, profile.stiffness, damping, length=length))
    for n in range(count):
        last = n == count - 1
        inertia = masses[n] * np.array(profile.inertia) + (np.array(tip_inertia) if last else 0.0)
        mass = float(masses[n] * profile.mass + (tip_mass if last else 0.0))
        bodies.append(Body(f"{name}{n}", mass, inertia=_triple(inertia)))
        motion = (root or fixed()) if n == 0 else Free()
        R = line.axes[n].tolist()
        joints.append(Joint(f"{name}{n}", parent, f"{name}{n}", motion, _triple(line.points[n]), R))
    return Chain(name, tuple(bodies), tuple(joints), tuple(beams), line)


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z
