"""Wind and turbulence: MIL-F-8785C as JSBSim makes it, begun and ended without a jump of the air."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from motionbase.worlds.flight.aircraft import FOOT
from motionbase.worlds.flight.model import DT, FlightModel

RISE_S = 10.0  # in which the wind rises where a flight begins in the air, which is trimmed in still air
CALM_S = 2.0  # in which a gust fades that is there as turbulence ends
TUSTIN = 4  # of JSBSim's kinds of turbulence: filters that suit the period
AXES = ("north", "east", "down")


@final
class Turbulence(NamedTuple):
    """Wind 20 ft over the ground [ft/s], for low heights, and the severity of the standard's table, for others."""

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
    wind: over the ground [m/s]
    toward: in which direction it blows, from x towards y [rad]
    turbulence: of TURBULENCE
    seed: of its random numbers
    """

    wind: float = 0.0
    toward: float = 0.0
    turbulence: str = "none"
    seed: int = 1


@final
class Weather:
    """The air of a flight that has begun.

    Args:
        blows: whether all of the wind is there already
    """

    def __init__(self, model: FlightModel, air: Air, blows: bool) -> None:
        self._model, self._air = model, air
        self._rises = RISE_S if blows else 0.0
        self._left, self._gust = 0.0, (0.0, 0.0, 0.0)  # time that a gust still lasts [s], and what it was [ft/s]
        self._was = (0.0, 0.0, 0.0)  # turbulence when it last ended, from where JSBSim would go on
        self._level = CALM
        model.set("simulation/randomseed", float(air.seed))
        model.set("atmosphere/turb-type", float(TUSTIN))
        self.stir(air.turbulence)

    def stir(self, turbulence: str) -> None:
        """Let there be turbulence, by name; "" for that of the beginning."""
        level = TURBULENCE[turbulence or self._air.turbulence]
        if level == self._level:
            return
        now = self._turbulence()
        if level == CALM:  # JSBSim has none at once: a gust goes on with what there was
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
        """A gust beside what is left of the last one."""
        share = smooth(self._left / CALM_S)
        north, east, down = (share * old + new for old, new in zip(self._gust, more, strict=True))
        self._gust, self._left = (north, east, down), CALM_S
        self._set_gust(1.0)

    def _set_gust(self, share: float) -> None:
        for axis, speed in zip(AXES, self._gust, strict=True):
            self._model.set(f"atmosphere/gust-{axis}-fps", share * speed)


def blow(model: FlightModel, air: Air, share: float) -> None:
    """Let a share of the wind be in the air."""
    model.set("atmosphere/wind-north-fps", share * air.wind * math.cos(air.toward) / FOOT)
    model.set("atmosphere/wind-east-fps", -share * air.wind * math.sin(air.toward) / FOOT)


def smooth(x: float) -> float:
    """From 0 to 1 with even ends, for x from 0 to 1."""
    x = max(0.0, min(1.0, x))
    return x * x * (3 - 2 * x)
