"""A sphere following a command, as fast as the machine can run it, and the result: errors, slip, traction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.spins import Spin

KEPT = (
    "Q_WS_next", "omega_S_next", "Q_ref", "error", "tau_motor", "omega_wheel_next", "N_wheel", "N_passive", "f_contact",
    "slip", "slip_hat", "grip", "slips", "lost", "limited",
)  # fmt: skip
PIECE_TICKS = 20_000  # processed at once: 10 MB
SLIDES = 1e-6  # [m/s]: slower is rounding; wheels that grip keep to 1e-12


@final
@dataclass(frozen=True, eq=False)
class WheelSlip:
    """Slip of one wheel.

    Attributes:
        wheel: 1, 2, ...
        begins: first time it slides [s]
        lasts: total sliding time [s]
        fastest: largest sliding speed [m/s]
        way: total sliding distance of the roller over the sphere [m]
    """

    wheel: int
    begins: float
    lasts: float
    fastest: float
    way: float


@final
class Tally:
    """Statistics over all ticks, for runs of any length.

    Attributes:
        traction: (wheels,) largest fraction of the available friction: 1 slides
        torque: (wheels,) largest torque of each motor [N m]
        normal: (wheels,) smallest normal force [N]
        spin: largest angular speed of the sphere [rad/s]
        unit_error: largest deviation of the sphere's quaternion from length one
        told_at: when the law first reported slip [s]; None if never
        lost_at: when it detected a loss of traction and brought the sphere to rest [s]; None if never
        limited: how long a motor was at its limit [s]
    """

    def __init__(self, loop: SphereLoop, friction: Array) -> None:
        n = len(friction)
        self._dt, self._friction, self._t = loop.dt, friction, 0.0
        self._creep = np.array([w.creep for w in loop.atlas.wheels])
        self.traction, self.torque, self.normal = np.zeros(n), np.zeros(n), np.full(n, np.inf)
        self.spin = self.unit_error = self.limited = 0.0
        self.told_at: float | None = None
        self.lost_at: float | None = None
        self._begins, self._ticks = np.full(n, np.nan), np.zeros(n)
        self._fastest, self._way = np.zeros(n), np.zeros(n)

    def add(self, rows: Mapping[str, Array]) -> None:
        """Add a piece with a row per tick."""
        t: Array = self._t + self._dt * np.arange(1, len(rows["slips"]) + 1, dtype=np.float64)
        force = np.abs(rows["f_contact"])
        most = np.maximum(self._friction * rows["N_wheel"], 1e-9)
        self.traction = np.maximum(self.traction, (force / most).max(axis=0))
        self.torque = np.maximum(self.torque, np.abs(rows["tau_motor"]).max(axis=0))
        self.normal = np.minimum(self.normal, rows["N_wheel"].min(axis=0))
        self.spin = max(self.spin, float(np.linalg.norm(rows["omega_S_next"], axis=1).max()))
        self.unit_error = max(self.unit_error, float(np.abs(np.linalg.norm(rows["Q_WS_next"], axis=1) - 1).max()))
        self.limited += self._dt * float(rows["limited"].sum())
        self.told_at = self.told_at if self.told_at is not None else _first(t, rows["slips"])
        self.lost_at = self.lost_at if self.lost_at is not None else _first(t, rows["lost"])
        speed = np.maximum(np.abs(rows["slip"]) - self._creep * force, 0.0)  # a wheel that grips creeps
        speed[speed <= SLIDES] = 0.0
        for k in np.flatnonzero(np.isnan(self._begins) & (speed > 0).any(axis=0)):
            self._begins[k] = t[int((speed[:, k] > 0).argmax())]
        self._ticks += (speed > 0).sum(axis=0)
        self._fastest, self._way = (
            np.maximum(self._fastest, speed.max(axis=0)),
            self._way + self._dt * speed.sum(axis=0),
        )
        self._t = float(t[-1])

    @property
    def slips(self) -> tuple[WheelSlip, ...]:
        """Wheels that actually slid."""
        return tuple(
            WheelSlip(int(k) + 1, float(self._begins[k]), self._dt * float(self._ticks[k]), float(self._fastest[k]),
                      float(self._way[k]))
            for k in np.flatnonzero(self._ticks)
        )  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """Result of a command.

    Attributes:
        loop: the loop that followed it
        spin: the command
        rows: outputs of the loop by name, one row every `every` ticks, for plots
        every: ticks from one row to the next
        friction: (wheels,) friction coefficients in the run
        tally: statistics of every tick
    """

    loop: SphereLoop
    spin: Spin
    rows: Mapping[str, Array]
    every: int
    friction: Array
    tally: Tally

    @property
    def t(self) -> Array:
        """(n,) time of each row [s]."""
        return np.asarray(self.loop.dt * self.every * np.arange(1, len(self.rows["slips"]) + 1))

    @cached_property
    def drift(self) -> Array:
        """Angle between the sphere and the integrated command, at the times of the rows [rad]."""
        at = self.every * np.arange(1, len(self.rows["slips"]) + 1)
        at = at[at < len(self.spin)]
        return angle_between(self.rows["Q_WS_next"][: len(at)], self.spin.Q[at])

    @property
    def slips(self) -> tuple[WheelSlip, ...]:
        """Wheels that actually slid."""
        return self.tally.slips


def _first(t: Array, flag: Array) -> float | None:
    there = np.flatnonzero(flag > 0.5)
    return float(t[there[0]]) if len(there) else None


def angle_between(P: Array, Q: Array) -> Array:
    """(n,) angles between orientations [rad]; accurate for small ones, where an arc cosine is not."""
    side = np.sign(np.sum(P * Q, axis=1))[:, None]
    return np.asarray(4 * np.arcsin(np.minimum(np.linalg.norm(side * P - Q, axis=1) / 2, 1.0)))


def drive(
    loop: SphereLoop, spin: Spin, every: int = 1, *, friction_scale: float = 1.0, preload_scale: float = 1.0
) -> Manoeuvre:
    """Follow a command from rest, upright, with scaled friction and preload of the passive wheels."""
    run = scan(loop.program, loop.feedback, per_step=list(spin.inputs), record=list(KEPT))
    wheels, rings = loop.atlas.wheels, loop.atlas.rings
    trouble = {
        "friction_scale": np.full(len(wheels), friction_scale), "preload_scale": np.full(len(rings), preload_scale),
    }  # fmt: skip
    friction = friction_scale * np.array([w.friction for w in wheels])
    held = {**loop.quiet_inputs(), **trouble, **loop.at_rest(trouble["preload_scale"])}
    tally, kept = Tally(loop, friction), []
    piece = every * max(1, PIECE_TICKS // every)
    for begin in range(0, len(spin), piece):
        targets = {name: rows[begin : begin + piece] for name, rows in spin.inputs.items()}
        out = run(len(targets["Q_target"]), **{**held, **targets})
        held |= {name: out[name] for name in loop.feedback}
        tally.add(out)
        kept.append({name: out[name][every - 1 :: every] for name in KEPT})
    rows = {name: np.concatenate([one[name] for one in kept]) for name in KEPT}
    return Manoeuvre(loop, spin, rows, every, friction, tally)
