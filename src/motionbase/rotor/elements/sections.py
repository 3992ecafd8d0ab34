"""Air loads of blade sections: where the air comes from, and the force and moment per length that follow.

Axes of a section: x along the span, outwards; y along the chord, to the leading edge; z normal to both, upwards. Air
that moves against y and along z meets the section at a positive angle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.network.nodes import Place
from motionbase.spatial.rotations import Expr

STILL2 = 1e-12  # [m^2/s^2] added to squared speeds: in still air there are loads (none) and derivatives


@final
@dataclass(frozen=True, eq=False)
class Station:
    """A point of integration on a blade.

    Attributes:
        shares: (n,) of each node of the blade in the motion of the point
        arms: (n, 3) from the nodes to the aerodynamic centre, in their axes [m]
        chord_axes, normals: (n, 3) section axes y and z in the axes of each node, before anything bends
        chord: [m]
        width: length of blade that it stands for [m]
        lifting: part of the lift that is left near the tip
    """

    shares: Array
    arms: Array
    chord_axes: Array
    normals: Array
    chord: float
    width: float
    lifting: float = 1.0

    def __post_init__(self) -> None:
        if not self.chord > 0 or not self.width > 0:
            raise ModelError(f"blade station: chord {self.chord:g} m and width {self.width:g} m must be positive")

    @property
    def numbers(self) -> Array:
        """As the part's routine takes them."""
        last = np.array([self.chord, self.width, self.lifting])
        return np.concatenate([self.shares, *(x.ravel() for x in (self.arms, self.chord_axes, self.normals)), last])


class Section(NamedTuple):
    """A station as an expression, at one moment; world axes.

    Attributes:
        p: of the aerodynamic centre [m]
        v: its velocity; v_behind: that of the point half a chord behind it [m/s]
        y, z: axes
        arms: of the nodes
    """

    p: Expr
    v: Expr
    v_behind: Expr
    y: Expr
    z: Expr
    shares: Expr
    arms: Sequence[Expr]
    chord: Expr
    width: Expr
    lifting: Expr

    @property
    def x(self) -> Expr:
        """Along the span."""
        return ca.cross(self.y, self.z)


def station_size(nodes: int) -> int:
    """How many numbers a station has."""
    return 10 * nodes + 3


def section(places: Sequence[Place], numbers: Expr) -> Section:
    """A station of a blade with these nodes; between them axes are averaged, since a length of blade bends little."""
    n = len(places)
    shares, (chord, width, lifting) = numbers[:n], ca.vertsplit(numbers[10 * n :])
    arms, chord_axes, normals = (
        [numbers[first + 3 * k : first + 3 * k + 3] for k in range(n)] for first in (n, 4 * n, 7 * n)
    )
    levers = [at.R @ arm for at, arm in zip(places, arms, strict=True)]
    p = _mixed(shares, [at.x + r for at, r in zip(places, levers, strict=True)])
    v = _mixed(shares, [at.v + ca.cross(at.omega, r) for at, r in zip(places, levers, strict=True)])
    omega = _mixed(shares, [at.omega for at in places])
    y = _mixed(shares, [at.R @ axis for at, axis in zip(places, chord_axes, strict=True)])
    z = _mixed(shares, [at.R @ axis for at, axis in zip(places, normals, strict=True)])
    if n > 1:
        y = y / ca.norm_2(y)
        z = z - ca.dot(z, y) * y
        z = z / ca.norm_2(z)
    behind = v - 0.5 * chord * ca.cross(omega, y)
    return Section(p, v, behind, y, z, shares, levers, chord, width, lifting)


def _mixed(shares: Expr, values: Sequence[Expr]) -> Expr:
    if len(values) == 1:  # its share is all of it
        return values[0]
    total = ca.SX(0)
    for k, value in enumerate(values):
        total = total + shares[k] * value
    return total


class Flow(NamedTuple):
    """Air over a section.

    Attributes:
        along, up: components at the aerodynamic centre, against y and along z [m/s]
        speed: of both [m/s]
        alpha: angle of attack, of the air at three quarters of the chord [rad]
        along_behind, up_behind: components of the air there [m/s]
    """

    along: Expr
    up: Expr
    speed: Expr
    alpha: Expr
    along_behind: Expr
    up_behind: Expr


def flow_over(at: Section, air: Expr) -> Flow:
    """From the velocity of the air in the world."""
    own, behind = air - at.v, air - at.v_behind
    (along, up), (u, w) = ((-ca.dot(v, at.y), ca.dot(v, at.z)) for v in (own, behind))
    return Flow(along, up, ca.sqrt(along**2 + up**2 + STILL2), ca.atan2(w, u + STILL2), u, w)


def section_loads(at: Section, flow: Flow, density: Expr, coefficients: Expr) -> tuple[Expr, Expr]:
    """Force at the aerodynamic centre and moment about it, of the width of a station, in the world [N, N m].

    Lift is normal to the air at the aerodynamic centre, drag along it; lengths of both are in `flow` itself.
    """
    cl, cd, cm = at.lifting * coefficients[0], coefficients[1], coefficients[2]
    scale = 0.5 * density * at.chord * at.width * flow.speed
    force = scale * ((cl * flow.up - cd * flow.along) * at.y + (cl * flow.along + cd * flow.up) * at.z)
    return force, scale * at.chord * flow.speed * cm * at.x


def on_nodes(at: Section, force: Expr, moment: Expr) -> list[tuple[Expr, Expr]]:
    """(force, moment) on each node that do the same work."""
    return [(at.shares[k] * force, at.shares[k] * (moment + ca.cross(lever, force))) for k, lever in enumerate(at.arms)]
