"""What host and generators ask of a platform with a sphere, in two: the stage moves, the sphere turns.

The stage's own law knows six degrees of freedom. Of a host's frame it gets the translation that brings the host's
point where the host wants it (`Decoupling`), and level attitude. Generators of roll, pitch and yaw run in the stage's
law like all others, with its fades and times, but move nothing there: their axes are taken away, kept here, and turn
the sphere.

A sawtooth of half a turn jumps from +180 to -180 degrees, which is the same orientation: it turns the sphere evenly and
without end.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Kernel, Port
from motionbase.compile.struct import MIXED
from motionbase.control.generators import COUNT, PLACE, SETTINGS
from motionbase.control.geometry import turning
from motionbase.control.sphere.ports import ALPHA_TARGET, FOLLOW, OMEGA_TARGET, ON, Q_TARGET
from motionbase.control.states import Mode, State
from motionbase.platform.atlas.decoupling import Decoupling
from motionbase.spatial.rotations import (
    Expr,
    R_quaternion,
    quaternion_euler_zyx,
    quaternion_product,
    quaternion_rotation_vector,
)

ROLL = 3  # the first angular degree of freedom, and its bit in a generator's axes
HORIZON = 0.1  # [s]: a frame is carried on for so long, then the sphere holds
FRAME = Port("host_frame", (3, 6), MIXED, "positions, velocities, accelerations of the degrees of freedom")
HOST_COUNT = Port("host_count", (), "-", "frames taken since the start")
AXES = Port("turns", COUNT, "-", "which of roll, pitch and yaw each generator turns, as bits")
ANGLES = Port("angles", (3, 3), MIXED, "roll, pitch, yaw of the host's last good frame, with two derivatives")
UPRIGHT = (State.STANDBY, State.SETTLING)
DRIVEN = (State.ENGAGING, State.DRIVE)
QUIET = (State.OFF, State.DOWN)  # motors off; held is not among them: a sphere has no brakes but its motors


def split(decoupling: Decoupling) -> Kernel:
    """Settings and host frame -> those of the stage, and what of the settings turns the sphere."""

    def expr(settings: Expr, frame: Expr) -> Any:
        axes = settings[:, PLACE["axes"]]
        turns = ca.logic_and(settings[:, PLACE["space"]] == 1, axes >= 2**ROLL)
        kept = [settings[:, k] for k in range(settings.shape[1])]
        kept[PLACE["axes"]] = ca.if_else(turns, 0, axes)
        motion = frame.T
        omega, alpha = turning(motion)
        carried = decoupling.carried(quaternion_euler_zyx(motion[3:, 0]), omega, alpha)
        level = motion[:3, :] - ca.horzcat(*carried)
        return ca.horzcat(*kept), ca.horzcat(level.T, ca.SX.zeros(3, 3)), ca.if_else(turns, axes / 2**ROLL, 0)

    outputs = (
        Port("settings_stage", SETTINGS.dims, MIXED, "without axes where they turn the sphere"),
        Port("frame_stage", (3, 6), MIXED, "of the stage, level"),
        Port("turns_given", COUNT, "-", "which of roll, pitch and yaw each generator turns"),
    )
    return Kernel("atlas_split", (SETTINGS, FRAME), outputs, expr)


def _kept(
    version: Expr, version_before: Expr, given: Expr, before: Expr, count: Expr, count_before: Expr, frame: Expr,
    angles: Expr,
) -> Any:  # fmt: skip
    turning_part = frame[:, ROLL:].T
    new = ca.logic_and(count != count_before, ca.sumsqr(frame) < ca.inf)
    return ca.if_else(version != version_before, given, before), ca.if_else(new, turning_part, angles), count


KEPT = Kernel(
    "atlas_kept",
    (
        Port("version", (), "-", "of the settings in use"), Port("version_before", (), "-"),
        Port("turns_given", COUNT, "-"), AXES, HOST_COUNT, Port("count_before", (), "-"), FRAME, ANGLES,
    ),
    (Port("turns_next", COUNT, "-"), Port("angles_next", (3, 3), MIXED), Port("count_next", (), "-")),
    _kept,
)  # fmt: skip


def _target(state: Expr, mode: Expr, generators: Expr, axes: Expr, angles: Expr, age: Expr) -> Any:
    Q, omega, alpha = _orientation(_of_generators(generators, axes))
    Q_host, omega_host, alpha_host = _carried_on(angles, age)
    R = R_quaternion(Q)
    both = (
        quaternion_product(Q, Q_host),
        omega + R @ omega_host,
        alpha + ca.cross(omega, R @ omega_host) + R @ alpha_host,
    )
    hosted, driven = mode == float(Mode.HOST), _is_one_of(state, DRIVEN)
    rest = ca.SX([1, 0, 0, 0]), ca.SX.zeros(3), ca.SX.zeros(3)
    wanted = [ca.if_else(hosted, b, g) for b, g in zip(both, (Q, omega, alpha), strict=True)]
    target = [ca.if_else(driven, w, still) for w, still in zip(wanted, rest, strict=True)]
    return _is_one_of(state, (*DRIVEN, *UPRIGHT)), 1 - _is_one_of(state, QUIET), *target


def _of_generators(generators: Expr, axes: Expr) -> Expr:
    """(3, 3) roll, pitch, yaw with two derivatives: the sum of those that turn each."""
    bits = [ca.fmod(ca.floor(axes / 2**k), 2) for k in range(3)]
    return ca.vertcat(*((bit.T @ generators) for bit in bits))


def _orientation(angles: Expr) -> tuple[Expr, Expr, Expr]:
    """Quaternion, angular velocity and acceleration in W of ZYX angles with two derivatives."""
    omega, alpha = turning(ca.vertcat(ca.SX.zeros(3, 3), angles))
    return quaternion_euler_zyx(angles[:, 0]), omega, alpha


def _carried_on(angles: Expr, age: Expr) -> tuple[Expr, Expr, Expr]:
    """A frame's turning, so many seconds later."""
    Q, omega, alpha = _orientation(angles)
    t = ca.fmin(ca.fmax(age, 0), HORIZON)
    fresh = ca.if_else(age < HORIZON, 1.0, 0.0)
    turn = quaternion_rotation_vector(t * omega + 0.5 * t * t * alpha)
    return quaternion_product(turn, Q), fresh * (omega + t * alpha), fresh * alpha


def _is_one_of(state: Expr, states: tuple[State, ...]) -> Expr:
    found: Expr = ca.SX(0)
    for one in states:
        found = ca.if_else(state == float(one), 1.0, found)
    return found


TARGET = Kernel(
    "atlas_target",
    (
        Port("state", (), "-", "of the stage's law"), Port("mode", (), "-", "0 host, 1 maintenance"),
        Port("generators", (COUNT, 3), MIXED, "position, velocity, acceleration of each generator"), AXES, ANGLES,
        Port("age", (), "s", "of the host's newest frame"),
    ),
    (FOLLOW, ON, Q_TARGET, OMEGA_TARGET, ALPHA_TARGET),
    _target,
)  # fmt: skip
