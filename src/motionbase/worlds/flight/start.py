"""Where a flight begins: on the runway, on final approach, or cruising; the runway; wind and turbulence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, final

from motionbase.worlds.flight.aircraft import FOOT, KNOT, Aircraft
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.model import DT, FlightModel
from motionbase.worlds.flight.place import latitude_at

RUNWAY, FINAL, CRUISE = STARTS = ("runway", "final", "cruise")
LENGTH, WIDTH = 3000.0, 45.0  # of the runway, which begins at x = 0 and goes along x [m]
LINE_UP = 60.0  # a take-off begins so far behind the threshold [m]
AIM = 300.0  # and an approach aims so far behind it [m]
SLOPE = math.radians(3.0)  # of an approach
SETTLE_S = 4.0  # on the wheels and with engines idle, before a flight on the runway begins
RISE_S = 10.0  # in which the wind rises where a flight begins in the air, which is trimmed in still air


@final
@dataclass(frozen=True)
class Start:
    """A begin.

    Attributes:
        kind: of STARTS
        height: of a cruise over the ground [m]
        seconds: until an approach is at its aim
    """

    kind: str = RUNWAY
    height: float = 600.0
    seconds: float = 45.0


@final
class Turbulence(NamedTuple):
    """Of MIL-F-8785C, as JSBSim makes it: wind 20 ft over the ground [ft/s], and its table's column of severity."""

    wind: float
    severity: float


TURBULENCE = {
    "none": Turbulence(0.0, 0.0), "light": Turbulence(25.0, 3.0), "moderate": Turbulence(50.0, 4.0),
    "severe": Turbulence(75.0, 6.0),
}  # fmt: skip
TUSTIN = 4  # the same spectra, with filters that suit the period better


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


def begun(aircraft: Aircraft, start: Start, air: Air) -> tuple[FlightModel, Surfaces]:
    """An aircraft at its begin, and where its controls are then."""
    model, rest = _on_runway(aircraft, air) if start.kind == RUNWAY else _in_the_air(aircraft, start)
    model.set("simulation/randomseed", float(air.seed))
    model.set("atmosphere/turb-type", float(TUSTIN))
    blow(model, air, 1.0 if start.kind == RUNWAY else 0.0)
    return model, rest


def _on_runway(aircraft: Aircraft, air: Air) -> tuple[FlightModel, Surfaces]:
    at = latitude_at(LINE_UP)
    initial = {
        "ic/lat-geod-rad": at, "ic/long-gc-rad": 0.0, "ic/h-agl-ft": aircraft.tall / FOOT, "ic/psi-true-rad": 0.0,
        "ic/u-fps": 0.0,
    }  # fmt: skip
    flaps = aircraft.flaps[0]
    model = FlightModel(aircraft, initial, {"fcs/flap-cmd-norm": flaps, "fcs/flap-pos-norm": flaps})
    rest = Surfaces(flaps=flaps)
    blow(model, air, 1.0)
    for _ in range(round(SETTLE_S / DT)):
        model.step(rest._replace(brakes=1.0))
    return model, rest


def _in_the_air(aircraft: Aircraft, start: Start) -> tuple[FlightModel, Surfaces]:
    if start.kind == FINAL:
        speed, flaps, gear, slope = aircraft.speeds.approach, aircraft.flaps[1], 1.0, -SLOPE
        away = speed * start.seconds
        x, height = AIM - away, aircraft.tall + away * math.tan(SLOPE)
    else:
        speed, flaps, gear, slope = aircraft.speeds.cruise, 0.0, 0.0 if aircraft.retracts else 1.0, 0.0
        x, height = 0.0, start.height
    initial = {  # in this order: JSBSim makes a climb of the speed that it knows by then
        "ic/long-gc-rad": 0.0, "ic/psi-true-rad": 0.0, "ic/lat-geod-rad": latitude_at(x), "ic/h-agl-ft": height / FOOT,
        "ic/vc-kts": speed / KNOT, "ic/gamma-rad": slope,
    }  # fmt: skip
    running = {
        "fcs/flap-cmd-norm": flaps, "fcs/flap-pos-norm": flaps, "gear/gear-cmd-norm": gear, "gear/gear-pos-norm": gear,
    }  # fmt: skip
    model = FlightModel(aircraft, initial, running)
    return model, model.trimmed()


def blow(model: FlightModel, air: Air, share: float) -> None:
    """Let a share of the wind and of the turbulence be in the air."""
    model.set("atmosphere/wind-north-fps", share * air.wind * math.cos(air.toward) / FOOT)
    model.set("atmosphere/wind-east-fps", -share * air.wind * math.sin(air.toward) / FOOT)
    level = TURBULENCE[air.turbulence]
    model.set("atmosphere/turbulence/milspec/windspeed_at_20ft_AGL-fps", share * level.wind)
    model.set("atmosphere/turbulence/milspec/severity", level.severity)
