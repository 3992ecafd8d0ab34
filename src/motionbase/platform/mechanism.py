"""The moving masses of a hexapod: platform, six cylinders and six rods; no leg is massless.

The state is that of the platform alone: lengths, angles and rates of the legs follow from it in closed form, so every
closure is met to rounding at all times without correction, and an integrator carries 13 numbers.

The accelerations are exact as well. A leg has three speeds of its own, about its two bearings and along itself, and the
joint at its end has three; its mass matrix is diagonal in orthogonal directions. So the effect of a leg on the platform
is a 3x3 mass and a force at its joint, and the platform's accelerations solve one 6x6 system. The same masses as a tree
of 24 speeds and 18 closure rows (`model`, `loops`) give the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, for_each
from motionbase.compile.linear import solve
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.body import Vector
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import Motor
from motionbase.multibody.joints import Free, prismatic, universal
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.platform.gimbals import leg_axes
from motionbase.platform.leg_masses import Leg, leg_at, reaction
from motionbase.platform.parts import LegPart, Payload
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

STANDARD_GRAVITY = (0.0, 0.0, -9.80665)
LEGS = range(6)
POSE = (Port("p_W", 3, "m", "origin of the platform frame"), Port("Q_WP", 4, "-", "attitude of the platform"))
TWIST = Port("V_P", 6, "rad/s, m/s", "angular, then linear velocity of the platform, in its own axes")
FORCES = Port("f", 6, "N", "of each actuator on its rod, pushing is positive")
LOAD = Port("load_P", 6, "-", "moment [N m] and force [N] on the platform from outside, in its own axes")
LENGTHS = (Port("l", 6, "m", "leg lengths, joint to joint"), Port("l_dot", 6, "m/s", "their rates"))
ACCELERATIONS = (
    Port("l_ddot", 6, "m/s^2", "their accelerations"),
    Port("F_joint", (6, 3), "N", "force of the platform on each rod at its joint, in platform axes"),
)


class _Share(NamedTuple):
    """Contribution of a leg to the platform's mass and load, element by element: one column each."""

    M_P: Any  # lower triangle of a 6x6 mass; its last part is the 3x3 mass felt at the leg's end
    F_P: Any  # moment about P's origin and force on the leg, without acceleration of the platform
    u: Any
    l_ddot: Any  # without acceleration of the platform


@final
@dataclass(frozen=True, eq=False)
class Mechanism:
    """Masses and joints of a hexapod; every quantity is a kernel of the platform's state.

    A leg is a cylinder on a universal joint of the base, a rod that slides in it, and a ball joint at the platform
    (the rod's own rotation is carried by the cylinder). The universal joint's first axis is horizontal and normal to
    the leg at neutral; its second one is normal to the first and to the leg.

    Attributes:
        base: (6, 3) base joints in W [m]
        joints: (6, 3) platform joints in P [m]
        p_neutral: (3,) origin of P in W at neutral [m]
        gravity: in W [m/s^2]
        reflected: mass that moves only with each leg's extension, such as the rotor of its motor [kg]
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
        # sparse: rows of a ball are eliminated right after its leg's three speeds, before the platform's. The leg alone
        # moves its end in every direction, by l, l cos b and 1 for its angles and its slide, so these pivots are
        # definite unless a leg has length zero or a gimbal is at 90 degrees: everywhere in a workspace
        return Loops(self.model, step=1e-3, corrections=corrections, around=around, pivots="sparse")

    def coordinates(self, p_W: Expr, Q_WP: Expr) -> Expr:
        """(nq,) coordinates of the tree: the platform's, then two angles and the extension of every leg."""
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

    # ---- platform and legs over values ----

    def _each_leg(self, function: Callable[..., Any], p_W: Expr, Q_WP: Expr, *rows: Expr) -> Any:
        """`function(leg, row of each argument, ...)` for all legs; columns of numbers, which lanes load at once."""
        R_PW = R_quaternion(Q_WP).T

        def leg(*numbers: Expr) -> Any:
            base, joint, axis = (ca.vertcat(*numbers[k : k + 3]) for k in (0, 3, 6))
            return function(leg_at(joint, R_PW @ (p_W - base) + joint, R_PW @ axis), *numbers[9:])

        return for_each(leg, *self.base.T, *self.joints.T, *self.neutral_legs[1][:, :, 0].T, *rows)

    def leg_lengths(self, p_W: Expr, Q_WP: Expr, V_P: Expr) -> tuple[Expr, Expr]:
        """Lengths of the legs and their rates."""
        l, l_dot = self._each_leg(lambda leg: (leg.l, ca.dot(leg.u, leg.carried(V_P))), p_W, Q_WP)
        return l, l_dot

    def accelerations(self, p_W: Expr, Q_WP: Expr, V_P: Expr, f: Expr, load_P: Expr) -> tuple[Expr, Expr, Expr]:
        """V_dot_P, l_ddot and F_joint of the whole closed-loop system under leg forces and a load."""
        omega, g = V_P[:3], R_quaternion(Q_WP).T @ ca.DM(self.gravity)

        def share(leg: Leg, f: Expr) -> _Share:
            own = self.cylinder, self.rod, self.reflected
            A, F, l_ddot = reaction(*own, leg, leg.carried(V_P), omega, g, f)
            S = ca.skew(leg.joint)
            M = ca.tril(ca.vertcat(ca.horzcat(S @ A @ S.T, S @ A), ca.horzcat((S @ A).T, A)))
            return _Share(M.nonzeros(), ca.vertsplit(ca.vertcat(S @ F, F)), ca.vertsplit(leg.u), l_ddot)

        legs = self._each_leg(share, p_W, Q_WP, f)
        M, F_P = (ca.vertcat(*map(ca.sum1, numbers)) for numbers in legs[:2])
        M = self._platform_mass + ca.tril2symm(ca.SX(ca.Sparsity.lower(6), M))
        V_dot = solve(M, load_P - self._platform_force(V_P, g) - F_P, symmetric=True).x

        def moved(*numbers: Expr) -> Any:
            """Forces and accelerations of the legs are linear in the platform's acceleration."""
            joint, u, F = (ca.vertcat(*numbers[k : k + 3]) for k in (0, 3, 6))
            A = ca.tril2symm(ca.SX(ca.Sparsity.lower(3), ca.vertcat(*numbers[10:])))
            end = V_dot[3:] + ca.cross(V_dot[:3], joint)
            return numbers[9] + ca.dot(u, end), *ca.vertsplit(F + A @ end)

        l_ddot, *F = for_each(moved, *self.joints.T, *legs.u, *legs.F_P[3:], legs.l_ddot, *legs.M_P[-6:])
        return V_dot, l_ddot, ca.horzcat(*F)

    @cached_property
    def _platform_mass(self) -> Expr:
        """(6, 6) mass matrix about P's origin, angular first."""
        m, S = self.payload.mass, ca.skew(ca.DM(self.payload.com))
        about = ca.DM(self.payload.inertia_matrix) + m * S @ S.T
        return ca.SX(ca.vertcat(ca.horzcat(about, m * S), ca.horzcat(m * S.T, m * ca.DM.eye(3))))

    def _platform_force(self, V_P: Expr, g: Expr) -> Expr:
        """Moment and force due to the platform's own velocity and weight."""
        omega, momentum = V_P[:3], self._platform_mass @ V_P
        m, com = self.payload.mass, ca.DM(self.payload.com)
        moment = ca.cross(omega, momentum[:3]) + ca.cross(V_P[3:], momentum[3:]) - ca.cross(com, m * g)
        return ca.vertcat(moment, ca.cross(omega, momentum[3:]) - m * g)

    # ---- kernels ----

    @cached_property
    def forward_dynamics(self) -> Program:
        """(p_W, Q_WP, V_P, f, load_P) -> V_dot_P, l, l_dot, l_ddot, F_joint: platform, legs, forces on the rods."""

        def expr(p_W: Expr, Q_WP: Expr, V_P: Expr, f: Expr, load_P: Expr) -> Any:
            V_dot, l_ddot, F = self.accelerations(p_W, Q_WP, V_P, f, load_P)
            return V_dot, *self.leg_lengths(p_W, Q_WP, V_P), l_ddot, F

        outputs = (Port("V_dot_P", 6, "rad/s^2, m/s^2", "rate of V_P"), *LENGTHS, *ACCELERATIONS)
        return Program("hexapod_dynamics", (*POSE, TWIST, FORCES, LOAD), outputs, expr)

    @cached_property
    def legs(self) -> Program:
        """(p_W, Q_WP, V_P) -> l, l_dot."""
        return Program("hexapod_legs", (*POSE, TWIST), LENGTHS, self.leg_lengths)

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
    """A body with z along the leg; its centre of mass is ahead of the base joint, or behind the platform joint."""
    inertia = (part.inertia_lateral, part.inertia_lateral, part.inertia_axial)
    return Body(name, part.mass, (0.0, 0.0, direction * part.com), inertia)
