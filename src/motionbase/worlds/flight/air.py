"""Wind and turbulence: MIL-F-8785C as computed by JSBSim, started and stopped without a jump of the air."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from motionbase.worlds.flight.aircraft import FOOT
from motionbase.worlds.flight.model import DT, FlightModel

RISE_S = 10.0  # in which the wind builds up in a start in the air, which is trimmed in still air
CALM_S = 2.0  # in which the last gust fades when turbulence stops
TUSTIN = 4  # JSBSim's kind of turbulence with Tustin filters, accurate at this period
AXES = ("north", "east", "down")


@final
class Turbulence(NamedTuple):
    """Wind 20 ft above the ground [ft/s], used at low heights, and the severity of the standard, used above."""

    wind: float
    severity: float


CALM = Turbulence(0.0, 0.0)
TURBULENCE = {
    "none": CALM, "light": Turbulence(25.0, 3.0), "moderate": Turbulence(50.0, 4.0), "severe": Turbulence(75.0, 6.0),
}  # fmt: skip


@final
@dataclass(frozen=True)
class Air:
    """Attributes:
    wind: speed over the ground [m/s]
    toward: direction in which it blows, from x towards y [rad]
    turbulence: a name in TURBULENCE
    seed: of the random numbers
    """

    wind: float = 0.0
    toward: float = 0.0
    turbulence: str = "none"
    seed: int = 1


@final
class Weather:
    """The air of a flight.

    Args:
        blows: the wind has its full speed from the start
    """

    def __init__(self, model: FlightModel, air: Air, blows: bool) -> None:
        self._model, self._air = model, air
        self._rises = RISE_S if blows else 0.0
        self._left, self._gust = 0.0, (0.0, 0.0, 0.0)  # remaining time of the fading gust [s], and its start [ft/s]
        self._was = (0.0, 0.0, 0.0)  # turbulence when it last stopped, from which JSBSim resumes
        self._level = CALM
        model.set("simulation/randomseed", float(air.seed))
        model.set("atmosphere/turb-type", float(TUSTIN))
        self.stir(air.turbulence)

    def stir(self, turbulence: str) -> None:
        """Switch to turbulence of this name; "" means that of the start."""
        level = TURBULENCE[turbulence or self._air.turbulence]
        if level == self._level:
            return
        now = self._turbulence()
        if level == CALM:  # JSBSim stops abruptly: a fading gust continues from the last value
            self._was = now
            self._blow_gust(now)
        elif self._level == CALM:
            self._blow_gust((-self._was[0], -self._was[1], -self._was[2]))
        self._level = level
        self._model.set("atmosphere/turbulence/milspec/windspeed_at_20ft_AGL-fps", level.wind)
        self._model.set("atmosphere/turbulence/milspec/severity", level.severity)

    def step(self) -> None:
        """One period."""
        if self._rises < RISE_S:
            self._rises += DT
            blow(self._model, self._air, smooth(self._rises / RISE_S))
        if self._left > 0.0:
            self._left = max(0.0, self._left - DT)
            self._set_gust(smooth(self._left / CALM_S))

    def _turbulence(self) -> tuple[float, float, float]:
        north, east, down = (self._model.get(f"atmosphere/turb-{axis}-fps") for axis in AXES)
        return north, east, down

    def _blow_gust(self, more: tuple[float, float, float]) -> None:
        """Add a gust to what remains of the last one."""
        share = smooth(self._left / CALM_S)
        north, east, down = (share * old + new for old, new in zip(self._gust, more, strict=True))
        self._gust, self._left = (north, east, down), CALM_S
        self._set_gust(1.0)

    def _set_gust(self, share: float) -> None:
        for axis, speed in zip(AXES, self._gust, strict=True):
            self._model.set(f"atmosphere/gust-{axis}-fps", share * speed)


def blow(model: FlightModel, air: Air, share: float) -> None:
    """Set the wind to a share of its full speed."""
    model.set("atmosphere/wind-north-fps", share * air.wind * math.cos(air.toward) / FOOT)
    model.set("atmosphere/wind-east-fps", -share * air.wind * math.sin(air.toward) / FOOT)


def smooth(x: float) -> float:
    """From 0 to 1 with zero slope at both ends, for x from 0 to 1."""
    x = max(0.0, min(1.0, x))
    return x * x * (3 - 2 * x)
