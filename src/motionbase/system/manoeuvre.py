"""A sphere driven through a command, as fast as the machine can, and what came of it: errors, slip, traction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import scan
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.spins import Spin

Array: TypeAlias = NDArray[np.float64]
KEPT = (
    "Q_WS_next", "omega_S_next", "Q_ref", "error", "tau_motor", "omega_wheel_next", "N_wheel", "N_passive", "f_contact",
    "slip", "slip_hat", "grip", "slips", "lost", "limited",
)  # fmt: skip
SLIDES = 1e-6  # [m/s]: less is rounding; wheels that hold keep to 1e-12


@final
@dataclass(frozen=True, eq=False)
class WheelSlip:
    """Of one wheel.

    Attributes:
        wheel: 1, 2, ...
        begins: first time it slides [s]
        lasts: time it slides in all [s]
        fastest: [m/s]
        way: that the roller slides over the sphere in all [m]
    """

    wheel: int
    begins: float
    lasts: float
    fastest: float
    way: float


@final
@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """What a command came to.

    Attributes:
        loop: that followed it
        spin: the command
        rows: outputs of the loop by name, one row every `every` ticks
        every: ticks from one row to the next
        friction: (wheels,) coefficients that there were
    """

    loop: SphereLoop
    spin: Spin
    rows: Mapping[str, Array]
    every: int
    friction: Array

    @property
    def t(self) -> Array:
        """(n,) time of each row [s]."""
        return np.asarray(self.loop.dt * self.every * np.arange(1, len(self.rows["slips"]) + 1))

    @cached_property
    def drift(self) -> Array:
        """(n - 1,) angle between the sphere and the command as it was integrated, at the same time [rad]."""
        at = self.every * np.arange(1, len(self.rows["slips"]) + 1)
        at = at[at < len(self.spin)]
        return angle_between(self.rows["Q_WS_next"][: len(at)], self.spin.Q[at])

    @property
    def unit_error(self) -> float:
        """How far the sphere's quaternion is from length one, at most."""
        return float(np.abs(np.linalg.norm(self.rows["Q_WS_next"], axis=1) - 1).max())

    @cached_property
    def slips(self) -> tuple[WheelSlip, ...]:
        """Wheels that slid, in truth."""
        found = []
        step = self.loop.dt * self.every
        for k, speed in enumerate(np.abs(self.rows["slip"]).T):
            slides = np.flatnonzero(speed > SLIDES)
            if len(slides):
                lasts, way = step * len(slides), step * float(speed.sum())
                found.append(WheelSlip(k + 1, float(self.t[slides[0]]), lasts, float(speed.max()), way))
        return tuple(found)

    @property
    def told_at(self) -> float | None:
        """When the law first told of slip [s]; None if never."""
        return self._first("slips")

    @property
    def lost_at(self) -> float | None:
        """When the law found traction lost and brought the sphere to rest [s]; None if never."""
        return self._first("lost")

    @property
    def traction_used(self) -> Array:
        """(wheels,) largest part of the friction that there was: 1 slides."""
        most = np.maximum(self.friction * self.rows["N_wheel"], 1e-9)
        return np.asarray((np.abs(self.rows["f_contact"]) / most).max(axis=0))

    def _first(self, flag: str) -> float | None:
        there = np.flatnonzero(self.rows[flag] > 0.5)
        return float(self.t[there[0]]) if len(there) else None


def angle_between(P: Array, Q: Array) -> Array:
    """(n,) angles between orientations [rad]; exact for small ones, where an arc cosine is not."""
    side = np.sign(np.sum(P * Q, axis=1))[:, None]
    return np.asarray(4 * np.arcsin(np.minimum(np.linalg.norm(side * P - Q, axis=1) / 2, 1.0)))


def drive(
    loop: SphereLoop, spin: Spin, every: int = 1, *, friction_scale: float = 1.0, preload_scale: float = 1.0
) -> Manoeuvre:
    """Follow a command from rest, upright, with so much of the friction and of the passive wheels' preload."""
    run = scan(loop.program, loop.feedback, per_step=list(spin.inputs), record=list(KEPT))
    wheels, rings = loop.atlas.wheels, loop.atlas.rings
    trouble = {
        "friction_scale": np.full(len(wheels), friction_scale), "preload_scale": np.full(len(rings), preload_scale),
    }  # fmt: skip
    given = {**loop.quiet_inputs(), **trouble, **loop.at_rest(trouble["preload_scale"]), **spin.inputs}
    out = run(len(spin), every=every, **given)
    friction = friction_scale * np.array([w.friction for w in wheels])
    return Manoeuvre(loop, spin, {name: out[name] for name in KEPT}, every, friction)
