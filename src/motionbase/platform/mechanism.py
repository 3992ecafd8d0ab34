"""The moving masses of a hexapod: platform, six cylinders and six rods, as a tree whose loops close by construction.

The tree has 24 speeds and 18 closure rows. Its state is the platform's alone: lengths, angles and rates of the legs
follow from it in closed form, so every closure is met to rounding at every moment, needs no correction, and what an
integrator carries is 13 numbers. The accelerations still come from the whole closed-loop system; no leg is massless.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from motionbase.compile import Kernel, Port
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.body import Vector
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import Motor
from motionbase.multibody.joints import Free, prismatic, universal
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.platform.gimbals import leg_axes
from motionbase.platform.parts import LegPart, Payload
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

Array: TypeAlias = NDArray[np.float64]
STANDARD_GRAVITY = (0.0, 0.0, -9.80665)
LEGS = range(6)
POSE = (Port("p_W", 3, "m", "origin of the platform frame"), Port("Q_WP", 4, "-", "attitude of the platform"))
TWIST = Port("V_P", 6, "-", "angular [rad/s], then linear velocity [m/s] of the platform, in its own axes")
FORCES = Port("f", 6, "N", "of each actuator on its rod, pushing is positive")


@final
@dataclass(frozen=True, eq=False)
class Mechanism:
    """A hexapod's masses and joints; every quantity as a kernel of the platform's state.

    A leg is a cylinder on a universal joint of the base, a rod that slides in it, and a ball joint at the platform
    (the rod's own rotation is carried by the cylinder). The universal joint's first axis is horizontal and normal to
    the leg at neutral, its second one normal to the first and to the leg.

    Attributes:
        base: (6, 3) base joints in W [m]
        joints: (6, 3) platform joints in P [m]
        p_neutral: (3,) origin of P in W at neutral [m]
        gravity: in W [m/s^2]
        reflected: mass that moves with each leg's extension alone, as the rotor of its motor does [kg]
    """

    base: Array
    joints: Array
    p_neutral: Array
    payload: Payload
    cylinder: LegPart
    rod: LegPart
    gravity: tuple[float, float, float] = STANDARD_GRAVITY
    reflected: float = 0.0

    @cached_property
    def neutral_legs(self) -> tuple[Array, Array]:
        """(6,) lengths [m] and (6, 3, 3) axes of the leg frames at neutral: x horizontal, z along the leg."""
        vectors = self.joints + self.p_neutral - self.base
        lengths = np.linalg.norm(vectors, axis=1)
        return lengths, leg_axes(vectors)

    @cached_property
    def model(self) -> Model:
        """Platform on a free joint, six legs on the ground, closed at the platform joints."""
        lengths, frames = self.neutral_legs
        points = {f"joint{i + 1}": _vector(self.joints[i]) for i in LEGS}
        bodies = [
            Body("platform", self.payload.mass, self.payload.com, _rows(self.payload.inertia_matrix), points=points)
        ]
        joints, closures = [Joint("flight", GROUND, "platform", Free())], []
        for i in LEGS:
            cylinder, rod = f"cylinder{i + 1}", f"rod{i + 1}"
            bodies += [_part(cylinder, self.cylinder, 1.0), _part(rod, self.rod, -1.0)]
            joints += [
                Joint(f"gimbal{i + 1}", GROUND, cylinder, universal(), _vector(self.base[i]), _rows(frames[i])),
                Joint(f"slide{i + 1}", cylinder, rod, prismatic((0.0, 0.0, 1.0)), (0.0, 0.0, float(lengths[i]))),
            ]
            closures.append(PointClosure(f"ball{i + 1}", rod, (0.0, 0.0, 0.0), "platform", f"joint{i + 1}"))
        rotors = tuple(Motor(f"rotor{i + 1}", f"slide{i + 1}", 1.0, self.reflected) for i in LEGS if self.reflected)
        return Model("hexapod", tuple(bodies), tuple(joints), self.gravity, rotors, closures=tuple(closures))

    @cached_property
    def loops(self) -> Loops:
        """The closed-loop system; closures that are met by construction need no correction."""
        around = self.model.neutral.copy()
        around[:3] = self.p_neutral
        corrections = {c.name: 0.0 for c in self.model.closures}
        # sparse: rows of a ball go as soon as its own leg's three speeds are gone, before the platform's. The leg alone
        # moves its end in every direction, by l, l cos b and 1 for its angles and its slide, so these pivots are
        # definite while no leg has length zero and no gimbal stands at 90 degrees: everywhere in a workspace
        return Loops(self.model, step=1e-3, corrections=corrections, around=around, pivots="sparse")

    def coordinates(self, p_W: Expr, Q_WP: Expr) -> Expr:
        """(nq,) of the tree: the platform's, then two angles and the extension of every leg."""
        return self._legs(p_W, Q_WP, ca.SX(6, 1))[0]

    def _legs(self, p_W: Expr, Q_WP: Expr, V_P: Expr) -> tuple[Expr, Expr, Expr, Expr]:
        """q and v of the tree, lengths and rates of the legs.

        A leg d = (x, y, z) in its neutral axes is turned about x by a, then about y by b:
        d = l (sin b, -sin a cos b, cos a cos b).
        """
        R, (lengths, frames) = R_quaternion(Q_WP), self.neutral_legs
        q, v, l, l_dot = [p_W, Q_WP], [V_P], [], []
        for i in LEGS:
            at = ca.DM(self.joints[i])
            d = ca.DM(frames[i]).T @ (p_W + R @ at - ca.DM(self.base[i]))
            d_dot = ca.DM(frames[i]).T @ (R @ (V_P[3:] + ca.cross(V_P[:3], at)))
            h2 = d[1] ** 2 + d[2] ** 2
            h, length = ca.sqrt(h2), ca.sqrt(h2 + d[0] ** 2)
            h_dot = (d[1] * d_dot[1] + d[2] * d_dot[2]) / h
            rate = (d[0] * d_dot[0] + h * h_dot) / length
            q += [ca.atan2(-d[1], d[2]), ca.atan2(d[0], h), length - float(lengths[i])]
            v += [(d[1] * d_dot[2] - d[2] * d_dot[1]) / h2, (d_dot[0] * h - d[0] * h_dot) / length**2, rate]
            l.append(length)
            l_dot.append(rate)
        return ca.vertcat(*q), ca.vertcat(*v), ca.vertcat(*l), ca.vertcat(*l_dot)

    # ---- kernels ----

    @cached_property
    def forward_dynamics(self) -> Kernel:
        """(p_W, Q_WP, V_P, f, load_P) -> V_dot_P, l, l_dot, l_ddot, F_joint: platform, legs, forces on the rods."""

        def expr(p_W: Expr, Q_WP: Expr, V_P: Expr, f: Expr, load_P: Expr) -> Any:
            q, v, l, l_dot = self._legs(p_W, Q_WP, V_P)
            tau = ca.vertcat(load_P, *(ca.vertcat(0, 0, f[i]) for i in LEGS))
            shafts = [ca.SX(0)] * len(self.model.elements)  # the rotors' torque is in f
            v_dot, F = self.loops.forward_dynamics(q, v, tau, *shafts)
            return v_dot[:6], l, l_dot, v_dot[8::3], ca.reshape(F, 3, 6).T

        load = Port("load_P", 6, "-", "moment [N m] and force [N] on the platform from outside, in its own axes")
        outputs = (
            Port("V_dot_P", 6, "-", "rate of V_P"),
            Port("l", 6, "m", "leg lengths, joint to joint"),
            Port("l_dot", 6, "m/s", "their rates"),
            Port("l_ddot", 6, "m/s^2", "their accelerations"),
            Port("F_joint", (6, 3), "N", "of the platform on each rod at its joint, in platform axes"),
        )
        return Kernel("hexapod_dynamics", (*POSE, TWIST, FORCES, load), outputs, expr)

    @cached_property
    def legs(self) -> Kernel:
        """(p_W, Q_WP, V_P) -> l, l_dot."""

        def expr(p_W: Expr, Q_WP: Expr, V_P: Expr) -> Any:
            return self._legs(p_W, Q_WP, V_P)[2:]

        outputs = (Port("l", 6, "m", "leg lengths, joint to joint"), Port("l_dot", 6, "m/s", "their rates"))
        return Kernel("hexapod_legs", (*POSE, TWIST), outputs, expr)

    @cached_property
    def energies(self) -> Kernel:
        """(p_W, Q_WP, V_P) -> kinetic, potential: of all masses [J]."""
        outputs = Outputs(self.loops.tree).energies

        def expr(p_W: Expr, Q_WP: Expr, V_P: Expr) -> Any:
            q, v, _, _ = self._legs(p_W, Q_WP, V_P)
            kinetic, potential, _ = outputs(q, v)
            return kinetic, potential

        ports = (Port("kinetic", (), "J", "of all masses"), Port("potential", (), "J", "of gravity"))
        return Kernel("hexapod_energies", (*POSE, TWIST), ports, expr)


def _vector(values: Array) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _rows(matrix: Array) -> tuple[Vector, Vector, Vector]:
    first, second, third = (_vector(row) for row in matrix)
    return first, second, third


def _part(name: str, part: LegPart, direction: float) -> Body:
    """Its frame has z along the leg; the centre of mass lies ahead of the base joint, or behind the platform joint."""
    inertia = (part.inertia_lateral, part.inertia_lateral, part.inertia_axial)
    return Body(name, part.mass, (0.0, 0.0, direction * part.com), inertia)
