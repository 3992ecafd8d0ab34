"""The simple mode as viewers draw it: an open boat on the surface."""

from __future__ import annotations

import math
from collections.abc import Sequence

from motionbase.worlds.felt import Vector
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.seed.boat import Boat
from motionbase.worlds.seed.wave import Wave
from motionbase.worlds.world import Control, Scene


def scene_of(name: str, boat: Boat, wave: Wave, controls: Sequence[Control], eye: Vector) -> Scene:
    """A plain open boat on the surface."""
    length, beam, dark, light, glass = boat.length, boat.beam, "#27506e", "#e8e4d8", "#9fb6c4"
    box = {"type": "box", "q": [1.0, 0.0, 0.0, 0.0]}
    return {
        "kind": "boat",
        "name": name,
        "eye": list(eye),
        "chase": [-2.6 * length, 0.0, 1.1 * length],
        "vehicle": {
            "shapes": [
                _hull(length, beam, 0.8, dark),
                {**box, "size": [0.7 * length, 0.8 * beam, 0.06], "p": [-0.06 * length, 0.0, 0.32], "color": light},
                *_windscreen(0.1 * length, 0.7 * beam, glass),
                {**box, "size": [0.5, 0.5, 0.5], "p": [-0.2 * length, 0.0, 0.55], "color": light},
                {**box, "size": [0.35, 0.3, 0.8], "p": [-0.52 * length, 0.0, 0.55], "color": "#333a40"},
            ]
        },
        "parts": [],
        "instruments": [
            {"name": "speed", "label": "speed", "channel": "boat_speed", "unit": "kn", "scale": 1.943844, "low": 0.0,
             "high": 16.0, "look": "dial"},
            {"name": "heading", "label": "heading", "channel": "boat_heading", "unit": "deg", "scale": -180 / math.pi,
             "low": 0.0, "high": 360.0, "look": "compass"},
            {"name": "throttle", "label": "throttle", "channel": "control_throttle", "unit": "%", "scale": 100.0,
             "low": -100.0, "high": 100.0, "look": "bar"},
            {"name": "rudder", "label": "rudder", "channel": "control_rudder", "unit": "%", "scale": -100.0,
             "low": -100.0, "high": 100.0, "look": "bar"},
        ],
        "controls": shown_controls(controls),
        "objects": [],
        "sea": {
            "seed": {
                "waves": [[float(f"{x:.9g}") for x in row] for row in wave.components.tolist()],
                "loop": wave.progression.loop,
                "units": wave.progression.units,
                "handles": list(wave.progression.handles),
            },
            "significant_height": wave.height,
        },
    }  # fmt: skip


def _windscreen(x: float, width: float, color: str) -> list[dict[str, object]]:
    """Its frame: who sits at the wheel looks through it."""
    bar: dict[str, object] = {"type": "box", "q": [1.0, 0.0, 0.0, 0.0], "color": color}
    posts = [{**bar, "size": [0.05, 0.05, 0.36], "p": [x, side * width / 2, 0.83]} for side in (-1, 1)]
    return [{**bar, "size": [0.05, width + 0.05, 0.05], "p": [x, 0.0, z]} for z in (0.67, 1.01)] + posts


def _hull(length: float, beam: float, height: float, color: str) -> dict[str, object]:
    """A wedge at the bow, straight sides, a flat bottom."""
    bow, shoulder, stern = 0.62 * length, 0.2 * length, -0.5 * length
    top = [(bow, 0.0), (shoulder, beam / 2), (stern, beam / 2), (stern, -beam / 2), (shoulder, -beam / 2)]
    low = [
        (0.42 * length, 0.0),
        (shoulder, 0.36 * beam),
        (stern, 0.4 * beam),
        (stern, -0.4 * beam),
        (shoulder, -0.36 * beam),
    ]
    vertices = [[x, y, height if k else height + 0.25] for k, (x, y) in enumerate(top)]
    vertices += [[x, y, 0.0 if k else 0.12] for k, (x, y) in enumerate(low)]
    faces = [[5, 7, 6], [5, 8, 7], [5, 9, 8]]
    for k in range(5):
        n = (k + 1) % 5
        faces += [[k, 5 + k, n], [n, 5 + k, 5 + n]]
    plain = {"type": "mesh", "size": [], "p": [0.0, 0.0, 0.0], "q": [1.0, 0.0, 0.0, 0.0]}
    return {**plain, "vertices": vertices, "faces": faces, "color": color}
