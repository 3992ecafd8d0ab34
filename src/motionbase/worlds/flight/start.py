"""Starts of a flight: on the runway, on final approach, or in cruise; and the runway."""

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
LENGTH, WIDTH = 3000.0, 45.0  # of the runway, which starts at x = 0 and runs along x [m]
LINE_UP = 60.0  # x of the start of a take-off [m]
AIM = 300.0  # x of the aiming point of an approach [m]
SLOPE = math.radians(3.0)  # of an approach
SETTLE_S = 4.0  # with idle engines, in which the aircraft settles on its wheels


@final
@dataclass(frozen=True)
class Start:
    """Where a flight starts.

    Attributes:
        kind: one of STARTS
        height: above the ground, in cruise [m]
        seconds: time of flight from the start of an approach to its aiming point
    """

    kind: str = RUNWAY
    height: float = 600.0
    seconds: float = 45.0


def begun(aircraft: Aircraft, start: Start, air: Air) -> tuple[FlightModel, Surfaces]:
    """An aircraft at its start, and its controls there; in the air it is trimmed without wind."""
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
    initial = {  # in this order: JSBSim computes the climb from the speed set so far
        "ic/long-gc-rad": 0.0, "ic/psi-true-rad": 0.0, "ic/lat-geod-rad": latitude_at(x), "ic/h-agl-ft": height / FOOT,
        "ic/vc-kts": speed / KNOT, "ic/gamma-rad": slope,
    }  # fmt: skip
    running = {
        "fcs/flap-cmd-norm": flaps, "fcs/flap-pos-norm": flaps, "gear/gear-cmd-norm": gear, "gear/gear-pos-norm": gear,
    }  # fmt: skip
    model = FlightModel(aircraft, initial, running)
    return model, model.trimmed()
