"""What an operator or a controller sets on a rotor: pitch, the flight, and how fast and how far each may go."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.errors import ModelError


@final
@dataclass(frozen=True)
class Setting:
    """A number that an operator or a controller sets.

    Attributes:
        unit, about: of it
        start: at the start; least, most: between which it may be; rate: how fast it may change [1/s]
        safe: where a stop sends it; it stays where it is if None
    """

    name: str
    unit: str
    about: str
    start: float
    least: float
    most: float
    rate: float
    safe: float | None = None

    def __post_init__(self) -> None:
        owner = f"setting {self.name!r}"
        numbers = self.start, self.least, self.most, self.rate, self.start if self.safe is None else self.safe
        if not all(math.isfinite(x) for x in numbers):
            raise ModelError(f"{owner}: start, least, most, rate and safe must be finite numbers")
        if not self.least < self.most:
            raise ModelError(f"{owner}: least is {self.least:g} and most {self.most:g}, least must be below most")
        if not self.rate > 0:
            raise ModelError(f"{owner}: rate is {self.rate:g} {self.unit}/s, must be positive")
        for what, value in (("start", self.start), ("safe", self.safe)):
            if value is not None and not self.least <= value <= self.most:
                raise ModelError(f"{owner}: {what} is {value:g}, it must be {self.least:g} to {self.most:g}")


def pitch_settings(flat: float, range_of_collective: float, largest_cyclic: float) -> tuple[Setting, ...]:
    """Collective and cyclic pitch [rad]; a stop takes the load off the rotor.

    Args:
        flat: collective pitch without thrust in still air: of the start, and of a stop
        range_of_collective: above it
    """
    cyclic, about = (-largest_cyclic, largest_cyclic), "collective pitch at the root"
    return (
        Setting("collective", "rad", about, flat, flat - 0.1, flat + range_of_collective, 0.2, flat),
        Setting("cyclic_cos", "rad", "cyclic pitch times cos psi, lateral", 0.0, *cyclic, 0.2, 0.0),
        Setting("cyclic_sin", "rad", "cyclic pitch times sin psi, longitudinal", 0.0, *cyclic, 0.2, 0.0),
    )


def flight_settings(fastest: float) -> tuple[Setting, ...]:
    """Of a wind tunnel [m/s, rad]."""
    return (
        Setting("airspeed", "m/s", "speed of the air", 0.0, 0.0, fastest, 5.0),
        Setting("shaft_angle", "rad", "of the shaft against the air, positive backwards", 0.0, -1.6, 1.6, 0.05),
    )


def height_setting(radius: float) -> Setting:
    """Of the hub above the ground at the start [m]."""
    about = "of the hub above the ground at the start"
    return Setting("height", "m", about, 10 * radius, radius / 3, 100 * radius, radius)


def free_flight_settings() -> tuple[Setting, ...]:
    """Of a helicopter that flies: gusts in the world [m/s], and the thrust of its tail rotor [N]."""
    gusts = (Setting(f"gust_{axis}", "m/s", f"wind along {axis}", 0.0, -30.0, 30.0, 10.0) for axis in "xyz")
    return (Setting("tail", "N", "thrust of the tail rotor, to the right", 0.0, -1e4, 1e4, 1e4), *gusts)
