"""A sphere at rest on its wheels: the position of its centre, and the torques that hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import PlatformError
from motionbase.multibody.body import numbers_of, shown
from motionbase.platform.atlas.analysis import G
from motionbase.spatial import R_quaternion

if TYPE_CHECKING:
    from motionbase.plant.sphere.motion import SphereMotion

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
ITERATIONS = 100  # each decides which contacts push, or is the last
BALANCED = 1e-9  # relative to the weight


def unit_orientation(Q: ArrayLike) -> Array:
    """The quaternion scaled to length one; raises `PlatformError` if it has no direction."""
    given = numbers_of(Q)
    if given is None or given.shape != (4,) or not np.all(np.isfinite(given)) or not np.any(given):
        raise PlatformError(f"sphere plant: Q is {shown(Q)}, four finite numbers, not all 0, are wanted")
    return np.asarray(given / np.linalg.norm(given))


def scales(rings: int, preload_scale: ArrayLike) -> Array:
    """(rings,) scales, from one for all or one for each."""
    given = numbers_of(preload_scale)
    if given is None or given.shape not in ((), (rings,)) or not np.all(given >= 0) or not np.all(np.isfinite(given)):
        wanted = f"one number or {rings}, 0 or above,"
        raise PlatformError(f"sphere plant: preload_scale is {shown(preload_scale)}, {wanted} are wanted")
    return np.asarray(np.broadcast_to(given, (rings,)))


def holding_torque(motion: SphereMotion, Q: ArrayLike) -> Array:
    """(n,) least-squares torques of the motors [N m]; friction is neglected."""
    sphere = motion.atlas.sphere
    c_W = np.array(R_quaternion(ca.DM(unit_orientation(Q)))) @ np.asarray(sphere.com)
    moment = np.cross(c_W, [0.0, 0.0, -sphere.mass * G])
    axles = -np.linalg.pinv(motion.atlas.J_tau) @ moment
    return np.asarray(axles / [w.gear for w in motion.atlas.wheels])


def resting_state(motion: SphereMotion, Q: ArrayLike, preload_scale: ArrayLike) -> dict[str, Array]:
    """The state at rest under the holding torques; with ripple every wheel rests on two of its rollers."""
    turn, n = unit_orientation(Q), motion.ports.wheels
    scale = scales(motion.ports.rings, preload_scale)
    gears = np.array([w.gear for w in motion.atlas.wheels])
    f = holding_torque(motion, turn) * gears / motion.contacts.arm
    outside = motion.contacts.roller.T @ f - np.array([0.0, 0.0, motion.atlas.sphere.mass * G])
    psi = np.array([np.pi / w.rollers.count if motion.ripple else 0.0 for w in motion.atlas.wheels])
    place = balanced_place(motion, outside, scale, psi)
    moving = {"omega_S": np.zeros(3), "v_C": np.zeros(3), "psi": psi, "omega_wheel": np.zeros(n)}
    return {"Q_WS": turn, "d_C": place, **moving}


def balanced_place(motion: SphereMotion, outside: Array, preload_scale: Array, psi: Array) -> Array:
    """(3,) displacement of the centre [m] at which the normal forces balance an external force [N]; Newton's method."""
    at, d = motion.contacts, np.zeros(3)
    reach = [float(ca.evalf(ripple.at(ca.SX(angle)).reach)) for ripple, angle in zip(at.ripples, psi, strict=True)]
    held = at.at_rest * [*np.ones(len(reach)), *preload_scale[at.ring_of]]
    held[: len(reach)] += at.stiffness[: len(reach)] * reach
    for _ in range(ITERATIONS):
        N = np.maximum(held + at.stiffness * (at.outward @ d), 0)
        left = outside - at.outward.T @ N
        if np.linalg.norm(left) <= BALANCED * motion.atlas.sphere.mass * G:
            return d
        K = at.outward.T @ np.diag(at.stiffness * (N > 0)) @ at.outward
        if np.linalg.matrix_rank(K) < 3:
            break
        d = d + np.linalg.solve(K, left)
    raise PlatformError(
        f"platform {motion.atlas.name!r}: the sphere has no place where its wheels carry it with preload_scale "
        f"{preload_scale.tolist()}; more preload, or wheels on every side, would hold it"
    )
