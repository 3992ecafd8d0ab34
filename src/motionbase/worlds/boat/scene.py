"""A boat as viewers draw it: hull and what stands on it, instruments, captions of the tour, the sea."""

from __future__ import annotations

import math
from collections.abc import Sequence

from motionbase.worlds.boat.channels import CONTROLS
from motionbase.worlds.boat.looks import parts_of, vehicle_shapes
from motionbase.worlds.boat.scripts import TOUR_S, Leg
from motionbase.worlds.boat.vessel import Vessel
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.sea.choice import ChosenSea, sea_scene
from motionbase.worlds.sea.waves import Waves
from motionbase.worlds.world import Scene

KNOTS = 3600 / 1852


def scene_of(name: str, vessel: Vessel, sea: ChosenSea, waves: Waves, legs: Sequence[Leg]) -> Scene:
    """The scene; axes of the vehicle begin amidships on the keel."""
    length, eye = vessel.length, vessel.helm.eye
    shown = sea_scene(sea, waves)
    shown["waves"] = [[float(f"{x:.9g}") for x in row] for row in shown["waves"]]
    return {
        "kind": "boat",
        "name": name,
        "captions": {"tour": [[leg.begins, leg.text] for leg in legs] + [[TOUR_S, ""]]},
        "eye": list(eye),
        "chase": [-1.7 * length, 0.0, 0.55 * length + 0.4 * eye[2]],
        "vehicle": {"shapes": vehicle_shapes(vessel)},
        "parts": parts_of(vessel),
        "instruments": instruments_of(vessel),
        "controls": shown_controls(CONTROLS),
        "objects": [],
        "sea": shown,
    }


def instruments_of(vessel: Vessel) -> list[dict[str, object]]:
    """Of every vessel; scales go by her speed and rudder."""
    knots = max(5.0, 5.0 * math.ceil(vessel.propulsion.speed * KNOTS / 5.0 * 0.9))
    most = max(math.ceil(vessel.propulsion.turn / 5.0) * 5.0, 5.0)
    turns = vessel.propulsion.kind != "differential"
    rows: list[tuple[str, str, str, str, float, float, float, str]] = [
        ("horizon", "horizon", "world_qw", "deg", 1.0, -45.0, 45.0, "horizon"),
        ("speed", "speed", "boat_speed", "kn", KNOTS, 0.0, knots, "dial"),
        ("heading", "heading", "boat_heading", "deg", -180 / math.pi, 0.0, 360.0, "compass"),
        ("engine", "engine", "boat_engine", "%", 100.0, -100.0, 100.0, "dial"),
        ("throttle", "throttle", "control_throttle", "%", 100.0, -100.0, 100.0, "bar"),
        ("rudder", "rudder", "boat_rudder" if turns else "control_rudder", "deg" if turns else "%",
         -180 / math.pi if turns else -100.0, -most if turns else -100.0, most if turns else 100.0, "bar"),
        ("thrust", "thrust", "boat_thrust", "kN", 1e-3, -0.5e-3 * vessel.propulsion.thrust,
         1e-3 * vessel.propulsion.thrust, "bar"),
    ]  # fmt: skip
    if vessel.planing is not None:
        rows.append(("lift", "planing lift", "boat_lift", "%", 100.0, 0.0, 200.0, "bar"))
    names = ("name", "label", "channel", "unit", "scale", "low", "high", "look")
    return [dict(zip(names, row, strict=True)) for row in rows]
