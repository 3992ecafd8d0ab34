"""Commands that turn a sphere, as rows for every tick: orientation, angular velocity and acceleration in W."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import SimulationError
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.quaternion_arrays import quaternion_products

RISE_S = 1.0  # [s] until full speed
LEG_S = 5.0  # [s] from one axis of a tumbling sphere to the next
BLOCK = 1000  # quaternions multiplied in sequence, for all rows at once


@final
@dataclass(frozen=True, eq=False)
class Spin:
    """A command of n ticks.

    Attributes:
        Q: (n, 4) orientation, unit quaternions
        omega: (n, 3) angular velocity in W [rad/s]
        alpha: (n, 3) angular acceleration in W [rad/s^2]
        dt: period of a tick [s]
    """

    Q: Array
    omega: Array
    alpha: Array
    dt: float

    def __len__(self) -> int:
        return len(self.Q)

    @property
    def inputs(self) -> dict[str, Array]:
        """Inputs of `SphereLoop`, a row per tick."""
        return {"Q_target": self.Q, "omega_target": self.omega, "alpha_target": self.alpha}


def tumbling(seconds: float, speed: float, dt: float, seed: int = 0) -> Spin:
    """Spin of constant speed [rad/s] about an axis that moves along great circles between random directions.

    It starts at rest and reaches full speed within a second.
    """
    n, legs = _ticks(seconds, dt), int(np.ceil(seconds / LEG_S)) + 1
    axes = np.random.default_rng(seed).normal(size=(legs + 1, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]

    def spin(t: Array) -> tuple[Array, Array]:
        leg = np.minimum((t / LEG_S).astype(np.int64), legs - 1)
        x = t / LEG_S - leg
        (s, s_dot), (rate, rate_dot) = _quintic(x, LEG_S), _quintic(np.clip(t / RISE_S, 0, 1), RISE_S)
        a, b = axes[leg], axes[leg + 1]
        between = np.arccos(np.clip(np.sum(a * b, axis=1), -1, 1))
        across = b - np.cos(between)[:, None] * a
        across /= np.linalg.norm(across, axis=1)[:, None]
        angle = (s * between)[:, None]
        turned, side = np.cos(angle) * a + np.sin(angle) * across, np.cos(angle) * across - np.sin(angle) * a
        faster = speed * rate_dot[:, None] * turned
        return speed * rate[:, None] * turned, speed * (rate * s_dot * between)[:, None] * side + faster

    return _integrated(spin, n, dt)


def burst(axis: ArrayLike, acceleration: float, speed: float, dt: float, pause: float = 0.5) -> Spin:
    """From rest about an axis [W] with constant acceleration [rad/s^2] to a speed [rad/s], a pause there, and back."""
    direction = np.asarray(axis, dtype=np.float64)
    if direction.shape != (3,) or not np.isfinite(direction).all() or not np.any(direction):
        raise SimulationError(f"burst: the axis is {axis!r}, three finite numbers that are not all 0 are wanted")
    if not (0 < acceleration < np.inf and 0 < speed < np.inf):
        raise SimulationError(
            f"burst: acceleration is {acceleration!r} rad/s^2 and speed {speed!r} rad/s, both must be above 0"
        )
    direction = direction / np.abs(direction).max()  # so that its square neither over- nor underflows
    direction = direction / np.linalg.norm(direction)
    rise = speed / acceleration
    times = np.cumsum([pause, rise, pause, rise])

    def spin(t: Array) -> tuple[Array, Array]:
        rate = acceleration * (np.clip(t - times[0], 0, rise) - np.clip(t - times[2], 0, rise))
        change = acceleration * (((t >= times[0]) & (t < times[1])) * 1.0 - ((t >= times[2]) & (t < times[3])))
        return rate[:, None] * direction, change[:, None] * direction

    return _integrated(spin, _ticks(float(times[3]) + 2 * pause, dt), dt)


def hardest_axis(atlas: Atlas) -> Array:
    """(3,) axis in W for which an acceleration from rest, upright, needs the largest torque of one wheel."""
    rows = np.linalg.pinv(atlas.J_tau) @ atlas.sphere.inertia_matrix
    row = rows[int(np.linalg.norm(rows, axis=1).argmax())]
    return np.asarray(row / np.linalg.norm(row))


def _quintic(x: Array, duration: float) -> tuple[Array, Array]:
    """Quintic from 0 to 1 over x from 0 to 1, with its rate in time."""
    return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2 / duration


def _ticks(seconds: float, dt: float) -> int:
    if not (np.isfinite(seconds) and seconds >= dt):
        raise SimulationError(f"spin: it lasts {seconds!r} s, at least a tick of {dt:g} s is wanted")
    return round(seconds / dt)


def _integrated(spin: Callable[[Array], tuple[Array, Array]], n: int, dt: float) -> Spin:
    """The orientation by a fourth-order Magnus series at Gauss points: errors of a tick are below rounding."""
    t: Array = dt * np.arange(n, dtype=np.float64)
    omega, alpha = spin(t)
    shift = 3**0.5 / 6
    first, second = spin(t + (0.5 - shift) * dt)[0], spin(t + (0.5 + shift) * dt)[0]
    theta = 0.5 * dt * (first + second) + np.sqrt(3) / 12 * dt**2 * np.cross(second, first)
    half = 0.5 * np.linalg.norm(theta, axis=1)
    steps = np.concatenate([np.cos(half)[:, None], 0.5 * np.sinc(half / np.pi)[:, None] * theta], axis=1)
    return Spin(_products(steps), omega, alpha, dt)


def _products(steps: Array) -> Array:
    """(n, 4) orientation before each step, from (n, 4) rotations in W; the first is upright."""
    n, one = len(steps), np.array([1.0, 0.0, 0.0, 0.0])
    rows = -(-n // BLOCK)
    padded = np.tile(one, (rows * BLOCK, 1))
    padded[:n] = steps
    blocks = padded.reshape(rows, BLOCK, 4)
    within = np.empty_like(blocks)
    Q = np.tile(one, (rows, 1))
    for k in range(BLOCK):
        within[:, k] = Q
        Q = quaternion_products(blocks[:, k], Q)
    before, Q_all = np.empty((rows, 4)), one
    for row in range(rows):
        before[row] = Q_all
        Q_all = quaternion_products(Q[row], Q_all)
    found = quaternion_products(within, before[:, None, :]).reshape(-1, 4)[:n]
    return np.asarray(found / np.linalg.norm(found, axis=1)[:, None])
