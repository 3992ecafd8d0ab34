"""A platform at rest: legs of equal length, weight carried by pressures, motors or brakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.platform.kinematics import kinematics_of

if TYPE_CHECKING:
    from motionbase.plant.motion import Motion

UPRIGHT = np.array([1.0, 0.0, 0.0, 0.0])


def resting_pose(motion: Motion, l: float | None) -> tuple[Array, Array]:
    """p_W and Q_WP at which every leg has length l [m]; neutral by default."""
    hexapod = motion.hexapod
    neutral = np.array(hexapod.p_neutral)
    if l is None:
        return neutral, UPRIGHT
    p, Q, residual, _, converged = compile(kinematics_of(hexapod).forward)(
        l=np.full(6, l), p_start=neutral, Q_start=UPRIGHT
    )
    if not converged:
        raise PlatformError(
            f"platform {hexapod.name!r}: no pose has six legs of {l:g} m (nearest {float(residual):.2g} m off)"
        )
    return np.asarray(p), np.asarray(Q)


def holding_forces(motion: Motion, p_W: Array, Q_WP: Array) -> Array:
    """(6,) leg forces [N] that hold the platform at rest: the accelerations are linear in them."""
    dynamics, zero = compile(motion.mechanism.forward_dynamics), np.zeros(6)

    def acceleration(f: Array) -> Array:
        return np.asarray(dynamics(p_W=p_W, Q_WP=Q_WP, V_P=zero, f=f, load_P=zero)[0])

    free = acceleration(np.zeros(6))
    per_force = np.column_stack([acceleration(1e4 * unit) - free for unit in np.eye(6)]) / 1e4
    return np.asarray(np.linalg.solve(per_force, -free))


def at_rest(motion: Motion, l: float | None = None, braked: bool = False) -> dict[str, Any]:
    """The state for `Motion.step`; electric legs are held by their motors, or by their brakes."""
    p_W, Q_WP = resting_pose(motion, l)
    legs = motion.kind.at_rest(holding_forces(motion, p_W, Q_WP), braked)
    return {"p_W": p_W, "Q_WP": Q_WP, "V_P": np.zeros(6), "V_dot_P": np.zeros(6), "legs": legs}
