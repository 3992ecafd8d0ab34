"""Demands of host and generators on a platform with a sphere, split in two: the stage moves, the sphere turns.

The stage's own law has six degrees of freedom. From a host's frame it receives the translation that brings the host's
point to its demanded position (`Decoupling`), and level attitude. Generators of roll, pitch and yaw run in the stage's
law like all others, with its fades and times, but move nothing there: their axes are removed, stored here, and turn
the sphere.

A sawtooth of half a turn jumps from +180 to -180 degrees, which is the same orientation: it turns the sphere uniformly
and without end.
"""

from __future__ import annotations

import casadi as ca

from motionbase.compile import Port, cond
from motionbase.compile.struct import MIXED
from motionbase.control.sphere.ports import Target
from motionbase.platform.atlas.decoupling import Decoupling
from motionbase.platform.leg_motion import turning
from motionbase.record.generators import COUNT, PLACE
from motionbase.record.states import Mode, State
from motionbase.spatial.rotations import (
    Expr,
    R_quaternion,
    quaternion_euler_zyx,
    quaternion_product,
    quaternion_rotation_vector,
)

ROLL = 3  # the first angular degree of freedom, and its bit in a generator's axes
HORIZON = 0.1  # [s]: a frame is extrapolated for this long, then the sphere holds
AXES = Port("turns", COUNT, "-", "which of roll, pitch and yaw each generator turns, as bits")
ANGLES = Port("angles", (3, 3), MIXED, "roll, pitch, yaw of the host's last good frame, with two derivatives")
UPRIGHT = (State.STANDBY, State.SETTLING)
DRIVEN = (State.ENGAGING, State.DRIVE)
QUIET = (State.OFF, State.DOWN)  # motors off; held is not among them: a sphere has no brakes except its motors


def split(decoupling: Decoupling, settings: Expr, frame: Expr) -> tuple[Expr, Expr, Expr]:
    """Settings and host frame of the stage, level; and which of roll, pitch and yaw each generator turns, as bits."""
    axes, at = settings[:, PLACE["axes"]], PLACE["axes"]
    turns = ca.logic_and(settings[:, PLACE["space"]] == 1, axes >= 2**ROLL)
    stage = ca.horzcat(settings[:, :at], ca.if_else(turns, 0, axes), settings[:, at + 1 :])
    motion = frame.T
    carried = decoupling.carried(quaternion_euler_zyx(motion[3:, 0]), *turning(motion))
    level = motion[:3, :] - ca.horzcat(*carried)
    return stage, ca.horzcat(level.T, ca.SX.zeros(3, 3)), ca.if_else(turns, axes / 2**ROLL, 0)


def turning_of(frame: Expr, is_new: Expr, angles: Expr) -> Expr:
    """(3, 3) roll, pitch, yaw with two derivatives, of the host's last frame with only finite numbers."""
    return ca.if_else(ca.logic_and(is_new, ca.sumsqr(frame) < ca.inf), frame[:, ROLL:].T, angles)


def demanded(
    state: Expr, mode: Expr, generators: Expr, axes: Expr, angles: Expr, age: Expr
) -> tuple[Expr, Expr, Target]:
    """Whether the sphere follows, whether its motors are on, and the target to follow.

    Args:
        state, mode: those of the stage's law
        generators: (COUNT, 3) position, velocity, acceleration of each
        axes: which of roll, pitch and yaw each generator turns, as bits
        angles: (3, 3) of the host's last frame
        age: age of that frame [s]
    """

    still = Target(ca.SX([1, 0, 0, 0]), ca.SX.zeros(3), ca.SX.zeros(3))

    def driven() -> Target:
        host = cond(mode == float(Mode.HOST), lambda: _carried_on(angles, age), lambda: still)
        return _on_top_of(_orientation(_of_generators(generators, axes)), host)

    target = cond(_is_one_of(state, DRIVEN), driven, lambda: still)
    return _is_one_of(state, (*DRIVEN, *UPRIGHT)), 1 - _is_one_of(state, QUIET), target


def _on_top_of(below: Target, above: Target) -> Target:
    """Composition of two rotations: `above` relative to `below`."""
    R = R_quaternion(below.Q)
    omega = R @ above.omega
    alpha = below.alpha + ca.cross(below.omega, omega) + R @ above.alpha
    return Target(quaternion_product(below.Q, above.Q), below.omega + omega, alpha)


def _of_generators(generators: Expr, axes: Expr) -> Expr:
    """(3, 3) roll, pitch, yaw with two derivatives: the sum of the generators that turn each."""
    bits = [ca.fmod(ca.floor(axes / 2**k), 2) for k in range(3)]
    return ca.vertcat(*((bit.T @ generators) for bit in bits))


def _orientation(angles: Expr) -> Target:
    """The target of ZYX angles with two derivatives."""
    return Target(quaternion_euler_zyx(angles[:, 0]), *turning(ca.vertcat(ca.SX.zeros(3, 3), angles)))


def _carried_on(angles: Expr, age: Expr) -> Target:
    """A frame's rotation, extrapolated by its age [s]."""
    Q, omega, alpha = _orientation(angles)
    t = ca.fmin(ca.fmax(age, 0), HORIZON)
    fresh = ca.if_else(age < HORIZON, 1.0, 0.0)
    turn = quaternion_rotation_vector(t * omega + 0.5 * t * t * alpha)
    return Target(quaternion_product(turn, Q), fresh * (omega + t * alpha), fresh * alpha)


def _is_one_of(state: Expr, states: tuple[State, ...]) -> Expr:
    found: Expr = ca.SX(0)
    for one in states:
        found = ca.if_else(state == float(one), 1.0, found)
    return found
