"""The scene of a car and its road for viewers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from motionbase.worlds.drive.car import FRONT, Car
from motionbase.worlds.drive.chassis import AXLE, SIDE, WHEELS, Chassis
from motionbase.worlds.drive.looks import Shape, cone, shell_shapes, wheel_shapes
from motionbase.worlds.drive.surface import Surface
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.world import Control, Scene

POINT_EVERY = 4.0  # spacing of points of the centre line [m]
TOUR = (  # time at which the default car gets there [s], caption
    (0.0, "Full throttle: the car squats and shifts up"),
    (5.0, "Slalom between cones"),
    (16.0, "A long bend to the left"),
    (26.0, "A rough road: two classes of ISO 8608 worse"),
    (32.5, "A bend to the right"),
    (39.5, "Three speed bumps: the front axle, then the rear axle"),
    (48.0, "A tight bend, then full throttle"),
    (60.0, "Emergency stop with ABS"),
    (65.5, "The script goes on with laps; steer yourself at any time"),
    (72.0, ""),
)
PACE = {"sports": 0.965}  # factor on these times for other cars


def scene_of(name: str, car: Car, surface: Surface, controls: Sequence[Control]) -> Scene:
    """The scene: docs/worlds.md."""
    length = car.body.size[0]
    return {
        "kind": "drive",
        "name": name,
        "captions": {"tour": [[round(PACE.get(car.name, 1.0) * t, 1), text] for t, text in TOUR]}
        if surface.road.cones
        else {},
        "eye": list(car.body.eye),
        "chase": [-1.9 * length, 0.0, 0.68 * length],
        "vehicle": {"shapes": shell_shapes(car)},
        "parts": _parts(car),
        "instruments": _instruments(car),
        "controls": shown_controls(controls),
        "objects": _cones(surface),
        "ground": {"elevation": 0.0, "waves": _rounded(surface.waves.tolist())},
        "road": {
            "points": _points(surface),
            "width": surface.road.course.width,
            "closed": surface.road.course.closed,
            "bumps": [
                {"name": "speed bump", "p": [x, y, surface.height(x, y)[0]], "heading": heading, "length": along,
                 "width": surface.road.course.width, "height": height}
                for _, x, y, heading, along, height in surface.bumps
            ],
        },
    }  # fmt: skip


def _rounded(rows: list[list[float]]) -> list[list[float]]:
    return [[float(f"{x:.9g}") for x in row] for row in rows]


def _points(surface: Surface) -> list[list[float]]:
    course = surface.road.course
    count = max(2, round(course.length / POINT_EVERY))
    places = [course.at(course.length * k / count) for k in range(count if course.closed else count + 1)]
    return [[round(x, 3), round(y, 3), round(surface.height(x, y)[0], 3)] for x, y, _ in places]


def _parts(car: Car) -> list[dict[str, Any]]:
    """Wheels: all slide and spin, the front ones are steered."""
    chassis, parts = Chassis(car), []
    for k, wheel in enumerate(WHEELS):
        p = list(chassis.centre(k))
        at = {"p": p, "shapes": list[Shape]()}
        parts.append(
            {**at, "name": f"travel_{wheel}", "axis": list(chassis.slide(k)), "slide": f"wheel_travel_{wheel}"}
        )
        on = f"travel_{wheel}"
        if AXLE[k] == FRONT:
            parts.append({**at, "name": f"steer_{wheel}", "on": on, "axis": [0.0, 0.0, 1.0],
                          "channel": f"wheel_angle_{wheel}"})  # fmt: skip
            on = f"steer_{wheel}"
        parts.append({"name": f"wheel_{wheel}", "on": on, "p": p, "axis": [0.0, 1.0, 0.0],
                      "channel": f"wheel_spin_{wheel}", "shapes": wheel_shapes(car, p, SIDE[k])})  # fmt: skip
    return parts


def _instruments(car: Car) -> list[dict[str, Any]]:
    def shown(name: str, channel: str, unit: str, scale: float, low: float, high: float, look: str) -> dict[str, Any]:
        return {"name": name.replace(" ", "_"), "label": name, "channel": channel, "unit": unit, "scale": scale,
                "low": low, "high": high, "look": look}  # fmt: skip

    engine = car.engine
    return [
        shown("speed", "car_speed", "km/h", 3.6, 0.0, 240.0 if engine.up > 6500 else 200.0, "dial"),
        shown("engine", "car_rpm", "1000/min", 1e-3, 0.0, math.ceil(engine.most / 1000) + 1.0, "dial"),
        shown("gear", "car_gear", "", 1.0, -1.0, float(len(engine.gears)), "number"),
        shown("steering", "control_steer", "%", -100.0, -100.0, 100.0, "bar"),
        shown("throttle", "control_throttle", "%", 100.0, 0.0, 100.0, "bar"),
        shown("brake", "control_brake", "%", 100.0, 0.0, 100.0, "bar"),
        shown("hand brake", "control_handbrake", "", 1.0, 0.0, 1.0, "lamp"),
        shown("ABS", "car_abs", "", 1.0, 0.0, 1.0, "lamp"),
    ]


def _cones(surface: Surface) -> list[dict[str, Any]]:
    """Cones of the slalom, on the centre line; cars pass through them."""
    found = []
    for k, s in enumerate(surface.road.cones):
        x, y, heading = surface.road.course.at(s)
        found.append({"name": f"cone {k + 1}", "p": [x, y, surface.height(x, y)[0]], "heading": heading,
                      "shapes": cone()})  # fmt: skip
    return found
