"""The scene of a flight for viewers: aircraft, runway, buildings, instruments and captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from motionbase.worlds.flight.aircraft import FOOT, KNOT, Aircraft
from motionbase.worlds.flight.looks import look_of
from motionbase.worlds.flight.scripts import captions
from motionbase.worlds.flight.shapes import Shape, body, box, rod
from motionbase.worlds.flight.start import AIM, LENGTH, WIDTH
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.world import Control, Scene

DEGREES = 180 / math.pi
FEET = 1 / FOOT


def scene_of(name: str, aircraft: Aircraft, controls: Sequence[Control], begins_on_runway: bool) -> Scene:
    """The scene; the tour has captions only if it begins on the runway."""
    look = look_of(aircraft)
    return {
        "kind": "flight",
        "name": name,
        "captions": {"tour": [[t, text] for t, text in captions(aircraft)]} if begins_on_runway else {},
        "eye": list(aircraft.to_body(aircraft.eye)),
        "chase": list(look.chase),
        "vehicle": {"shapes": look.shapes},
        "parts": look.parts,
        "instruments": instruments(aircraft),
        "controls": shown_controls(controls),
        "objects": [*_field(), *_lights()],
        "ground": {
            "runway": {"p": [LENGTH / 2, 0.0, 0.0], "heading": 0.0, "length": LENGTH, "width": WIDTH},
            "elevation": 0.0,
        },
    }


def instruments(aircraft: Aircraft) -> list[dict[str, Any]]:
    """Laid out as a panel: speed, attitude and height above; turn, heading and climb below; then engine and lamps."""
    fast = math.ceil(aircraft.speeds.cruise / KNOT * 1.7 / 50) * 50.0
    climbs = 2000.0 if aircraft.propeller else 6000.0
    engine = ("engine", "rpm", 60.0, 3000.0) if aircraft.propeller else ("engine", "%", 100.0, 110.0)
    gear = [_shown("gear", "gear down", "", 1.0, 0.0, 1.0, "lamp")] if aircraft.retracts else []
    return [
        _shown("airspeed", "airspeed", "kn", 1 / KNOT, 0.0, fast, "dial"),
        {"name": "attitude", "label": "attitude", "channel": "world_qw", "unit": "", "scale": 1.0, "look": "horizon"},
        _shown("altitude", "height", "ft", FEET, 0.0, 10000.0, "tape", "height"),
        _shown("vario", "climb", "ft/min", 60 * FEET, -climbs, climbs, "dial", "climb"),
        _shown("heading", "heading", "deg", DEGREES, 0.0, 360.0, "compass"),
        _shown("turn", "turn", "deg/s", DEGREES, -6.0, 6.0, "bar"),
        _shown("rpm", *engine[:2], engine[2], 0.0, engine[3], "dial", "engine"),
        _shown("load", "load", "g", 1.0, -2.0, 9.0 if aircraft.name == "f16" else 4.0, "number"),
        _shown("stall", "stall", "", 1.0, 0.0, 1.0, "lamp"),
        *gear,
    ]


def _shown(
    name: str, label: str, unit: str, scale: float, low: float, high: float, look: str, channel: str = ""
) -> dict[str, Any]:
    return {
        "name": name, "label": label, "channel": f"flight_{channel or name}", "unit": unit, "scale": scale, "low": low,
        "high": high, "look": look,
    }  # fmt: skip


def _object(name: str, shapes: list[Shape], x: float, y: float, heading: float = 0.0) -> dict[str, Any]:
    return {"name": name, "shapes": shapes, "p": [x, y, 0.0], "heading": heading}


def _field() -> list[dict[str, Any]]:
    """A small airport to the left of the runway."""
    tower = [
        rod((0.0, 0.0, 0.0), (0.0, 0.0, 22.0), 3.0, "#d5d2c8", 2.6),
        rod((0.0, 0.0, 22.0), (0.0, 0.0, 26.5), 4.2, "#2c3c48", 5.0),
        rod((0.0, 0.0, 26.5), (0.0, 0.0, 27.3), 5.3, "#b9413a"),
        rod((0.0, 0.0, 27.3), (0.0, 0.0, 33.0), 0.15, "#d5d2c8"),
    ]  # fmt: skip
    hall = [
        body([(30.0, -9.0, 13.0, 24.0), (-30.0, -9.0, 13.0, 24.0)], "#8fa3ad", 2.6),
        box((0.6, 34.0, 9.0), (30.2, 0.0, 4.5), "#54626b"),
        box((0.6, 34.0, 9.0), (-30.2, 0.0, 4.5), "#54626b"),
    ]  # fmt: skip
    terminal = [
        box((110.0, 26.0, 9.0), (0.0, 0.0, 4.5), "#cfd3d4"), box((112.0, 0.8, 4.0), (0.0, -13.2, 5.5), "#2c4a63"),
        box((116.0, 30.0, 0.8), (0.0, 0.0, 9.4), "#7d8890"),
    ]  # fmt: skip
    apron = [
        box((420.0, 90.0, 0.06), (0.0, 0.0, 0.03), "#8b8d8c"),
        box((24.0, 140.0, 0.05), (-150.0, -110.0, 0.025), "#8b8d8c"),
    ]
    sock = [
        rod((0.0, 0.0, 0.0), (0.0, 0.0, 7.0), 0.08, "#e6e6e6"),
        rod((0.0, 0.0, 6.8), (-1.4, 0.3, 6.5), 0.45, "#e2641e", 0.36),
        rod((-1.4, 0.3, 6.5), (-2.8, 0.6, 6.1), 0.36, "#f3f3f3", 0.26),
        rod((-2.8, 0.6, 6.1), (-4.0, 0.9, 5.6), 0.26, "#e2641e", 0.16),
    ]  # fmt: skip
    return [
        _object("apron", apron, 900.0, 220.0), _object("terminal", terminal, 900.0, 290.0),
        _object("tower", tower, 770.0, 300.0),
        _object("hangar", hall, 1060.0, 300.0, math.pi / 2), _object("hangar", hall, 1125.0, 300.0, math.pi / 2),
        _object("wind sock", sock, AIM + 60.0, -60.0),
    ]  # fmt: skip


def _lights() -> list[dict[str, Any]]:
    """Approach light bars before the threshold, and the four slope lights beside the aiming point."""
    bars = [box((0.5, 24.0, 0.5), (-60.0 * k, 0.0, 0.6), "#f4ecd0") for k in range(1, 8)]
    bars += [box((0.5, 2.0, 0.5), (-30.0 * k, 0.0, 0.6), "#f4ecd0") for k in range(1, 20)]
    boxes = [box((0.8, 1.2, 0.8), (0.0, 9.0 * k, 0.6), "#f6f4ec" if k < 2 else "#c8281e") for k in range(4)]
    return [_object("approach lights", bars, 0.0, 0.0), _object("slope lights", boxes, AIM, WIDTH / 2 + 15.0)]
