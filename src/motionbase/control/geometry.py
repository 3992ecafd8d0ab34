"""Kinematics as the control law uses them: motion of the degrees of freedom to motion of the legs, and back.

A motion is (6, 3): position, velocity, acceleration of surge, sway, heave from neutral and of roll, pitch, yaw (ZYX
angles and their derivatives in time), or of the legs.
"""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program
from motionbase.compile.linear import solve
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.leg_motion import LEGS, MOTION, Moved, legs_moved
from motionbase.platform.sizing.architecture import check_architecture

G = 9.80665  # [m/s^2]
STEPS, CLOSE = 3, 1e-6  # Newton steps; [m], well below the resolution of a sensor
FORCES = Port("f_ff", 6, "N", "pushing is positive")
READ = (Port("acc", 3, "m/s^2", "specific force in P"), Port("alpha", 3, "rad/s^2", "in P"))
FELT = (Port("l_ddot_felt", 6, "m/s^2"), Port("f_beyond", 6, "N", "measured beyond the demand"))


def inverse_of(platform: Hexapod) -> Program:
    """Motion of the degrees of freedom -> motion of the legs."""
    return Program("legs_of_dof", (MOTION,), (LEGS,), lambda motion: legs_moved(platform, motion).legs)


def forward_of(platform: Hexapod) -> Program:
    """Leg lengths, initial degrees of freedom -> degrees of freedom, whether they fit.

    The initial pose is that of the last tick, at most half a millimetre away, so one Newton step is usual and three are
    always enough; a more distant initial pose converges over the next ticks. On lanes every step costs its time.
    """
    return Kinematics(platform).dof_of_legs(STEPS, CLOSE)


def carried(platform: Hexapod) -> tuple[float, Array, Array]:
    """Mass, centre and inertia about P's origin of the payload, with the rods as point masses at their joints, in P."""
    load, joints = platform.payload, np.asarray(platform.joints)
    points = [(load.mass, np.asarray(load.com)), *((platform.rod.mass, b) for b in joints)]
    mass = sum(m for m, _ in points)
    centre = sum((m * r for m, r in points), np.zeros(3)) / mass
    inertia = load.inertia_matrix + sum((m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in points), np.zeros((3, 3)))
    return mass, centre, inertia


def _forces(platform: Hexapod, J: ca.SX, moment: ca.SX, force: ca.SX) -> ca.SX:
    """Leg forces that balance a wrench: J' f = wrench, with moments divided by a length [m] to scale all rows alike."""
    size = float(np.linalg.norm(platform.joints, axis=1).max())
    J = ca.horzcat(J[:, :3] / size, J[:, 3:])
    return J @ solve(J.T @ J, ca.vertcat(moment / size, force), symmetric=True).x


def _needed(platform: Hexapod, asked: Moved) -> ca.SX:
    """Leg forces required by weight and inertia."""
    mass, centre, inertia = carried(platform)
    R, omega, alpha, a, _, J = asked
    c, I, g = R @ ca.DM(centre), R @ ca.DM(inertia) @ R.T, ca.DM([0.0, 0.0, G])
    a_centre = a + ca.cross(alpha, c) + ca.cross(omega, ca.cross(omega, c))
    moment = I @ alpha + ca.cross(omega, I @ omega) + ca.cross(c, mass * (a + g))
    return _forces(platform, J, moment, mass * (a_centre + g))


def _felt(platform: Hexapod, asked: Moved, acc: ca.SX, alpha: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Leg accelerations and forces derived from the platform's own sensors.

    The difference of measured and commanded platform acceleration is mapped by J to the legs' accelerations, and its
    wrench by J' to their forces; velocities are the commanded ones. Missing sensors read 0 and contribute no force.
    """
    mass, centre, inertia = carried(platform)
    R, J = asked.R, asked.J
    turn, push = asked.alpha - R @ alpha, asked.a + ca.DM([0.0, 0.0, G]) - R @ acc  # difference to the command
    c, I = R @ ca.DM(centre), R @ ca.DM(inertia) @ R.T
    f_missing = _forces(platform, J, I @ turn + ca.cross(c, mass * push), mass * (push + ca.cross(turn, c)))
    feels = ca.logic_and(ca.norm_1(acc) > 0, ca.norm_1(acc) + ca.norm_1(alpha) < ca.inf)  # false for NaN
    return asked.legs[:, 2] - J @ ca.vertcat(turn, push), ca.if_else(feels, -f_missing, 0.0)


def force_of(platform: Hexapod) -> Program:
    """Motion of the degrees of freedom -> leg forces required by weight and inertia."""
    return Program("leg_forces", (MOTION,), (FORCES,), lambda motion: _needed(platform, legs_moved(platform, motion)))


def felt_of(platform: Hexapod) -> Program:
    """Commanded motion, platform sensors -> leg accelerations and forces derived from these sensors."""

    def expr(motion: ca.SX, acc: ca.SX, alpha: ca.SX) -> Any:
        return _felt(platform, legs_moved(platform, motion), acc, alpha)

    return Program("felt_motion", (MOTION, *READ), FELT, expr)


def demands_of(platform: Hexapod) -> Program:
    """Legs, forces and derived accelerations at once, since they share the legs' directions."""

    def expr(motion: ca.SX, acc: ca.SX, alpha: ca.SX) -> Any:
        asked = legs_moved(platform, motion)
        return asked.legs, _needed(platform, asked), *_felt(platform, asked, acc, alpha)

    return Program("leg_demands", (MOTION, *READ), (LEGS, FORCES, *FELT), expr)


def _neutral_jacobian(platform: Hexapod) -> Array:
    """(6, 6) leg velocities from angular and linear velocity at neutral."""
    b = np.asarray(platform.joints)
    u = b + np.asarray(platform.p_neutral) - np.asarray(platform.base)
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    return np.hstack([np.cross(b, u), u])


def leg_ratios(platform: Hexapod) -> Array:
    """(6,) largest leg velocity per unit of velocity in a degree of freedom, at neutral [-, m]."""
    J = _neutral_jacobian(platform)
    return np.asarray(np.abs(J[:, [3, 4, 5, 0, 1, 2]]).max(axis=0))


def modal_masses(platform: Hexapod) -> Array:
    """(6,) masses that equal legs carry in the modes of the platform at neutral, heaviest first [kg]."""
    check_architecture(platform)  # in a singular pose a mode has no mass
    mass, centre, inertia = carried(platform)
    c = np.array([[0, -centre[2], centre[1]], [centre[2], 0, -centre[0]], [-centre[1], centre[0], 0]])
    M = np.block([[inertia, mass * c], [mass * c.T, mass * np.eye(3)]])
    J = _neutral_jacobian(platform)
    return np.asarray(1 / np.linalg.eigvalsh(J @ np.linalg.solve(M, J.T)))


def pose_down(platform: Hexapod) -> Array:
    """(6,) degrees of freedom with all legs at l_down, by Newton's method from neutral."""
    program = inverse_of(platform)
    inverse = Kernel(program.name, program.inputs, program.outputs, program).function
    x = np.zeros((6, 3))
    motions = np.repeat(np.eye(6)[:, :, None], 3, axis=2) * [0.0, 1.0, 0.0]
    for _ in range(50):
        error = platform.l_down - np.asarray(inverse(x))[:, 0]
        if np.abs(error).max() < 1e-12:
            break
        J = np.stack([np.asarray(inverse(np.column_stack([x[:, 0], m[:, 1], np.zeros(6)])))[:, 1] for m in motions], 1)
        x[:, 0] += np.clip(np.linalg.solve(J, error), -0.3, 0.3)
    return x[:, 0]
