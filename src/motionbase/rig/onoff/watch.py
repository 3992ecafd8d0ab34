"""What is wrong with six legs, from the voltages of their potentiometers and what their valves were told."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.actuators.onoff import OnOffActuator
from motionbase.arrays import Array
from motionbase.record.rig import RigFault
from motionbase.rig.onoff.acquisition import LEGS
from motionbase.rig.onoff.potentiometer import Potentiometer

Flags = np.ndarray[tuple[Any, ...], np.dtype[np.bool_]]
WINDOW = 0.25  # [s] over which a leg with its valve shut must not move
LEAKING = 0.2  # of the speed: more than this with the valve shut is no leakage


@final
@dataclass(frozen=True)
class Bounds:
    """What is taken for a fault.

    Attributes:
        error: distance of a leg from its demand [m]
        patience: time for which it may be further away [s]
        hurry: speed of a reading, over that of the leg
        step: change of a reading between two cycles that is allowed beside it [m]
    """

    error: float = 0.02
    patience: float = 0.2
    hurry: float = 2.0
    step: float = 0.01


@final
class Watch:
    """Extensions of the legs, and their faults.

    Attributes:
        s: (6,) newest good extensions [m]
        impossible: legs whose reading no working potentiometer gives, now
    """

    def __init__(self, potentiometers: tuple[Potentiometer, ...], actuator: OnOffActuator, bounds: Bounds) -> None:
        self._pots, self._actuator, self._bounds = potentiometers, actuator, bounds
        self.s = np.full(LEGS, np.nan)
        self.impossible = np.zeros(LEGS, bool)
        self._good_at = np.full(LEGS, -np.inf)
        self._away_since = np.full(LEGS, np.inf)
        self._still: deque[tuple[float, Array]] = deque()

    @property
    def measured_at(self) -> float:
        """Time of the oldest of the extensions [s]; -inf before all were measured."""
        return float(self._good_at.min())

    def measured(self, now: float, volts: Array) -> tuple[RigFault, ...]:
        """Take new readings; the fault SENSOR of legs whose reading is impossible or too fast."""
        pots = list(zip(self._pots, volts.tolist(), strict=True))
        s = np.array([pot.extension(v) for pot, v in pots])
        self.impossible = np.array([not pot.possible(v) for pot, v in pots])
        allowed = self._bounds.step + self._bounds.hurry * self._actuator.speed * np.maximum(now - self._good_at, 0)
        wrong = self.impossible | (np.abs(s - self.s) > allowed)  # false for the first reading
        self.s = np.where(self.impossible & np.isfinite(self.s), self.s, s)
        self._good_at[~self.impossible] = now
        return _where(wrong, RigFault.SENSOR)

    def following(self, now: float, wanted: Array) -> tuple[RigFault, ...]:
        """The fault FOLLOWING_ERROR of legs too far from their demand for too long."""
        away = np.abs(wanted - self.s) > self._bounds.error
        self._away_since = np.where(away, np.minimum(self._away_since, now), np.inf)
        self._still.clear()
        return _where(now - self._away_since > self._bounds.patience, RigFault.FOLLOWING_ERROR)

    def standing(self, now: float, shut_since: float) -> tuple[RigFault, ...]:
        """The fault FOLLOWING_ERROR of legs that move although their valves have been shut for long enough."""
        self._away_since[:] = np.inf
        if now < shut_since:
            self._still.clear()
            return (RigFault.NONE,) * LEGS
        self._still.append((now, self.s.copy()))
        while now - self._still[0][0] > WINDOW and now - self._still[1][0] >= WINDOW:
            self._still.popleft()
        since, before = self._still[0]
        far = LEAKING * self._actuator.speed * WINDOW
        moved = (now - since >= WINDOW) & (np.abs(self.s - before) > far) & ~self.impossible
        return _where(moved, RigFault.FOLLOWING_ERROR)


def _where(legs: Flags, fault: RigFault) -> tuple[RigFault, ...]:
    return tuple(fault if leg else RigFault.NONE for leg in legs.tolist())
