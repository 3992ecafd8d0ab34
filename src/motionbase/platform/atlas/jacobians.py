"""Both Jacobians of a sphere on wheels, derived independently: one from contact forces, one from contact velocities.

After Plumpton, Hayes, Langlois & Burlton, Atlas Motion Platform Mecanum Wheel Jacobian in the Velocity and Static Force
Domains; equation numbers are theirs. Frame W has its origin at the sphere's centre G here, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.spatial.rotations import Expr


class Contact(NamedTuple):
    """Unit vectors at the contact of a driven wheel, in W.

    Attributes:
        outward: from the sphere's centre to the contact, eq. 2
        axle: direction of the wheel's axle, about which it turns positively, eq. 12
        roller: direction of the axis of the roller that touches, eq. 13
    """

    outward: Expr
    axle: Expr
    roller: Expr


def contact(phi: Expr, theta: Expr, gamma: Expr) -> Contact:
    """The contact of a wheel at azimuth phi and elevation theta with roller angle gamma [rad]."""
    c_phi, s_phi, c_theta, s_theta = ca.cos(phi), ca.sin(phi), ca.cos(theta), ca.sin(theta)
    c_gamma, s_gamma = ca.cos(gamma), ca.sin(gamma)
    return Contact(
        ca.vertcat(c_phi * c_theta, s_phi * c_theta, s_theta),
        ca.vertcat(c_phi * s_theta, s_phi * s_theta, -c_theta),
        ca.vertcat(
            -c_phi * s_gamma * s_theta - s_phi * c_gamma,
            -s_phi * s_gamma * s_theta + c_phi * c_gamma,
            s_gamma * c_theta,
        ),
    )


def force_jacobian(R: Expr, r: Expr, phi: Expr, theta: Expr, gamma: Expr) -> Expr:
    """(3, n) moment on the sphere of a unit torque of each wheel, from the forces at the contacts.

    A roller transmits only a force along its axis. Balance of moments about the axle gives its magnitude (eq. 5); its
    moment about G is the wheel's column (eq. 6).
    """
    columns = []
    for i in range(r.numel()):
        at = contact(phi[i], theta[i], gamma[i])
        arm = ca.dot(ca.cross(-r[i] * at.outward, at.roller), at.axle)  # moment of a unit force about the axle
        columns.append(ca.cross(R * at.outward, at.roller / arm))
    return ca.horzcat(*columns)


def velocity_jacobian(R: Expr, r: Expr, phi: Expr, theta: Expr, gamma: Expr) -> Expr:
    """(n, 3) speed of each wheel for a unit angular velocity of the sphere about x, y and z, from contact velocities.

    Without slip the surfaces of sphere and wheel have equal velocities along the roller's axis (eq. 16); across it the
    roller turns.
    """
    rows = []
    for i in range(r.numel()):
        at = contact(phi[i], theta[i], gamma[i])
        v_wheel = ca.cross(at.axle, -r[i] * at.outward)  # velocity of the rim at unit speed, eq. 15
        v_sphere = [ca.cross(axis, R * at.outward) for axis in (ca.DM([1, 0, 0]), ca.DM([0, 1, 0]), ca.DM([0, 0, 1]))]
        rows.append(ca.horzcat(*(ca.dot(v, at.roller) / ca.dot(v_wheel, at.roller) for v in v_sphere)))
    return ca.vertcat(*rows)


@final
@dataclass(frozen=True)
class Jacobians:
    """Kernels of both Jacobians for a number of wheels; the layout is an input, so that many can be evaluated."""

    wheels: int

    @property
    def layout(self) -> tuple[Port, ...]:
        """Radius of the sphere, and the data of each wheel."""
        return (
            Port("R", (), "m", "radius of the sphere"),
            Port("r", self.wheels, "m", "radii of the wheels"),
            Port("phi", self.wheels, "rad", "azimuths of the contacts"),
            Port("theta", self.wheels, "rad", "elevations of the contacts"),
            Port("gamma", self.wheels, "rad", "roller angles"),
        )

    @cached_property
    def force(self) -> Kernel:
        """Layout -> J_tau: M = J_tau tau, moment on the sphere in W."""

        def expr(*layout: Expr) -> Any:
            return force_jacobian(*layout)

        return Kernel("atlas_J_tau", self.layout, (Port("J_tau", (3, self.wheels), "-", "M = J_tau tau"),), expr)

    @cached_property
    def velocity(self) -> Kernel:
        """Layout -> J_omega: omega = J_omega Omega, speeds of the wheels."""

        def expr(*layout: Expr) -> Any:
            return velocity_jacobian(*layout)

        output = Port("J_omega", (self.wheels, 3), "-", "omega = J_omega Omega")
        return Kernel("atlas_J_omega", self.layout, (output,), expr)
