"""One leg with its masses: motion of its end with its angles and length, and its reaction on the platform."""

from __future__ import annotations

from typing import NamedTuple

import casadi as ca

from motionbase.platform.parts import LegPart
from motionbase.spatial.rotations import Expr


class Leg(NamedTuple):
    """One leg in platform axes: from its base joint to its end d, which turns about the first bearing x."""

    joint: Expr  # position of the end in P [m]
    l: Expr  # length [m]
    h: Expr  # distance of the end from the first bearing's axis [m]
    tilt: tuple[Expr, Expr]  # sine and cosine of the second bearing's angle
    triad: Expr  # (3, 3) rows: directions in which the end moves with a, b and l; normal to each other

    @property
    def u(self) -> Expr:
        """Unit vector along the leg."""
        return self.triad[2, :].T

    def carried(self, V_P: Expr) -> Expr:
        """Velocity of the end, in platform axes."""
        return V_P[3:] + ca.cross(V_P[:3], self.joint)


def leg_at(joint: Expr, d: Expr, x: Expr) -> Leg:
    """From the end's position in P, the vector to it from the base joint, and the first bearing's direction."""
    across, l = ca.cross(x, d), ca.sqrt(ca.sumsqr(d))
    h = ca.sqrt(ca.sumsqr(across))
    u, e_a, sin, cos = d / l, across / h, ca.dot(x, d) / l, h / l
    return Leg(joint, l, h, (sin, cos), ca.horzcat(e_a, ca.cross(u, e_a), u).T)


def reaction(
    cylinder: LegPart, rod: LegPart, reflected: float, leg: Leg, v: Expr, omega: Expr, g: Expr, f: Expr
) -> tuple[Expr, Expr, Expr]:
    """For a leg whose platform does not accelerate: mass A felt at its end, force F on the end, and l_ddot.

    Lagrange's equations for angles a about the first bearing, b about the second, and the length l, with
        2 T = (I cos(b)^2 + I_axial sin(b)^2) a_dot^2 + I b_dot^2 + m l_dot^2,   I = I_0 + m_rod out^2.

    Args:
        reflected: mass that moves only with the leg's extension [kg]
        v: velocity of the end, omega: of the platform, g: gravity, all in platform axes
        f: force of the actuator on the rod [N]
    """
    l, h, (sin, cos) = leg.l, leg.h, leg.tilt
    along, across = leg.triad @ v, leg.triad @ ca.cross(omega, v)  # speeds and accelerations of the end
    a_dot, b_dot, l_dot = along[0] / h, along[1] / l, along[2]
    out = l - rod.com  # distance of the rod's centre of mass
    static, I_still = rod.mass * out, cylinder.inertia_lateral + cylinder.mass * cylinder.com**2
    I, I_dot = I_still + rod.inertia_lateral + static * out, 2 * static * l_dot
    slim = cylinder.inertia_axial + rod.inertia_axial - I
    M = I * cos**2 + (slim + I) * sin**2, I, rod.mass + reflected
    M_a_dot = I_dot * cos**2 + 2 * slim * sin * cos * b_dot

    a_ddot = (across[0] - 2 * a_dot * (cos * l_dot - sin * along[1])) / h
    turning = a_dot**2 * cos**2 + b_dot**2
    b_ddot = (across[1] - 2 * b_dot * l_dot) / l - a_dot**2 * sin * cos
    l_ddot = across[2] + l * turning
    weight = leg.triad @ g
    moment = static + cylinder.mass * cylinder.com
    F = ca.vertcat(
        (M[0] * a_ddot + M_a_dot * a_dot - moment * cos * weight[0]) / h,
        (I * b_ddot + I_dot * b_dot - slim * sin * cos * a_dot**2 - moment * weight[1]) / l,
        M[2] * l_ddot - static * turning - rod.mass * weight[2] - f,
    )
    felt = ca.vertcat(M[0] / h**2, M[1] / l**2, M[2])
    A = ca.tril(leg.triad.T @ ca.diag(felt) @ leg.triad)
    return ca.tril2symm(A), leg.triad.T @ F, l_ddot
