"""Sensors of a platform as data: noise, bias, quantisation and delay of each kind."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import final

from motionbase.errors import PlatformError

LONGEST_DELAY = 0.1  # [s]; a base with slower sensors cannot be controlled, and its history would be long


@final
@dataclass(frozen=True)
class Sensor:
    """One kind of sensor; it reads `quantum * round((true + bias + noise * n) / quantum)`, n normal.

    Attributes:
        noise: standard deviation; bias: added to every reading; quantum: step of the readings, 0 for none
        delay: age of the true value that it reads [s]; linear interpolation between ticks
    """

    noise: float = 0.0
    bias: float = 0.0
    quantum: float = 0.0
    delay: float = 0.0

    def __post_init__(self) -> None:
        for f in fields(self):
            value = getattr(self, f.name)
            if not math.isfinite(value) or (value < 0 and f.name != "bias"):
                raise PlatformError(f"sensor: {f.name} is {value!r}, a finite number, 0 or above, is wanted")
        if self.delay > LONGEST_DELAY:
            raise PlatformError(f"sensor: delay is {self.delay:g} s, it must be at most {LONGEST_DELAY:g} s")


@final
@dataclass(frozen=True)
class Sensors:
    """All kinds; the defaults are illustrative: good industrial sensors with 16-bit converters."""

    position: Sensor = field(default_factory=lambda: Sensor(noise=5e-6, quantum=2e-5))  # [m]
    velocity: Sensor = field(default_factory=lambda: Sensor(noise=1e-4))  # [m/s]
    acceleration: Sensor = field(default_factory=lambda: Sensor(noise=2e-2))  # [m/s^2]
    force: Sensor = field(default_factory=lambda: Sensor(noise=10.0))  # [N]
    pressure: Sensor = field(default_factory=lambda: Sensor(noise=5e3, quantum=500.0))  # [Pa]
    spool: Sensor = field(default_factory=lambda: Sensor(noise=1e-4))  # [-]
    specific_force: Sensor = field(default_factory=lambda: Sensor(noise=1e-2))  # [m/s^2]
    rate: Sensor = field(default_factory=lambda: Sensor(noise=2e-4))  # [rad/s]

    @staticmethod
    def perfect() -> Sensors:
        """Sensors without any error."""
        return Sensors(*(Sensor() for _ in fields(Sensors)))
