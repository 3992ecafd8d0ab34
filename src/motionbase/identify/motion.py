"""The platform's motion from its leg lengths alone: filtered lengths to poses, velocities and accelerations."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.identify.smoothing import Smoother
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sizing.forces import LegMotion, Motion

STEPS, CLOSE = 30, 1e-10  # of Newton's method; [m]
LARGEST_TURN = 0.5  # [rad] of one step


def motion_of(platform: Hexapod, l: Array, smoother: Smoother) -> LegMotion:
    """Platform and legs along (n, 6) measured lengths [m], filtered."""
    pose = _poses(platform, smoother.value(l))
    twist = _solved(pose.J, smoother.rate(l))
    moving = Motion(pose.motion.p, pose.motion.R, twist[:, 3:], twist[:, :3], *np.zeros((2, len(twist), 3)))
    carried = LegMotion(platform, moving).l_ddot  # without acceleration of the platform
    rate = _solved(pose.J, smoother.second(l) - carried)
    whole = Motion(moving.p, moving.R, moving.v, moving.omega, rate[:, 3:], rate[:, :3])
    return LegMotion(platform, whole)


def _poses(platform: Hexapod, l: Array) -> LegMotion:
    """Poses with these leg lengths, from neutral by Newton's method, all at once."""
    n = len(l)
    p, R = np.tile(np.asarray(platform.p_neutral), (n, 1)), np.tile(np.eye(3), (n, 1, 1))
    still = np.zeros((n, 3))
    for _ in range(STEPS):
        at = LegMotion(platform, Motion(p, R, still, still, still, still))
        error = l - at.lengths
        if np.abs(error).max() < CLOSE:
            return at
        step = _solved(at.J, error)
        turn = step[:, :3]
        turn *= np.minimum(1.0, LARGEST_TURN / np.maximum(np.linalg.norm(turn, axis=1), 1e-300))[:, None]
        p, R = p + step[:, 3:], _turn(turn) @ R
    worst = int(np.argmax(np.abs(error).max(axis=1)))
    raise RecordingError(
        f"platform {platform.name!r} has no pose with the recorded leg lengths "
        f"{', '.join(f'{x:.4f}' for x in l[worst])} m; is it the platform of this recording?"
    )


def _solved(J: Array, rows: Array) -> Array:
    return np.asarray(np.linalg.solve(J, rows[..., None])[..., 0])


def _turn(vector: Array) -> Array:
    """(n, 3, 3) rotations by (n, 3) vectors, after Rodrigues."""
    angle = np.linalg.norm(vector, axis=1)[:, None, None]
    x, y, z = vector.T
    zero = np.zeros(len(vector))
    K = np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), 2, 0)
    safe = np.where(angle < 1e-8, 1.0, angle)
    first = np.where(angle < 1e-8, 1.0, np.sin(angle) / safe)
    second = np.where(angle < 1e-8, 0.5, (1 - np.cos(angle)) / safe**2)
    return np.asarray(np.eye(3) + first * K + second * (K @ K))
