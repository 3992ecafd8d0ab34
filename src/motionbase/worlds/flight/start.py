"""Where a flight begins: on the runway, on final approach, or cruising; and the runway."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

from motionbase.worlds.flight.air import Air, blow
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


def begun(aircraft: Aircraft, start: Start, air: Air) -> tuple[FlightModel, Surfaces]:
    """An aircraft at its begin, and where its controls are then; in the air it is trimmed without wind."""
    return _on_runway(aircraft, air) if start.kind == RUNWAY else _in_the_air(aircraft, start)


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
