"""The mechanics of a simulated electric cylinder, in increments: inertia, brake, limit switches, heat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

STEP = 1e-3  # longest step of integration [s]
BANDWIDTH = 2 * math.pi * 25.0  # of the position control, critically damped [rad/s]
AMBIENT, HEATING, HEATING_TIME = 25.0, 120.0, 60.0  # [deg C], rise at full acceleration [K], time constant [s]


@final
@dataclass
class Motor:
    """A motor with a screw.

    Attributes:
        x, v: position and speed, from any zero [increments, 1/s]
        low, high: beyond them a limit switch is pressed
        acceleration: largest that the motor gives [1/s2]
        speed: largest [1/s]
        temperature: [deg C]
    """

    low: float
    high: float
    acceleration: float
    speed: float
    x: float = 0.0
    v: float = 0.0
    temperature: float = AMBIENT

    @property
    def at_low(self) -> bool:
        """Whether the negative limit switch is pressed."""
        return self.x < self.low

    @property
    def at_high(self) -> bool:
        """Whether the positive limit switch is pressed."""
        return self.x > self.high

    def follow(self, x: float, v: float, dt: float) -> None:
        """Follow a position that moves, as far as acceleration and speed allow."""
        a = BANDWIDTH**2 * (x - self.x) + 2 * BANDWIDTH * (v - self.v)
        self._accelerate(max(-self.acceleration, min(self.acceleration, a)), dt)

    def run(self, v: float, acceleration: float, dt: float) -> None:
        """Reach a speed and keep it."""
        most = min(acceleration, self.acceleration)
        self._accelerate(max(-most, min(most, (v - self.v) / dt)), dt)

    def lock(self, dt: float) -> None:
        """Without power: the brake holds the screw."""
        self.run(0.0, self.acceleration, dt)

    def _accelerate(self, a: float, dt: float) -> None:
        self.v = max(-self.speed, min(self.speed, self.v + a * dt))
        self.x += self.v * dt
        self._warm(a, dt)

    def _warm(self, a: float, dt: float) -> None:
        steady = AMBIENT + HEATING * (a / self.acceleration) ** 2
        self.temperature += (steady - self.temperature) * dt / HEATING_TIME
