"""Small worlds whose scenes have all that docs/worlds.md names: nothing is simulated, everything is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from motionbase.record.schema import Channel
from motionbase.worlds.felt import felt, quaternion
from motionbase.worlds.scene import shown_controls
from motionbase.worlds.world import Control, Scene, Script

CONTROLS = (Control("wheel", "wheel", keys=("ArrowRight", "ArrowLeft")),)
CHANNELS = (
    Channel("control_wheel", "-", "wheel", "controls"),
    Channel("sample_turn", "rad", "of what turns", "vehicle"),
)
DIALS = [
    {"name": f"turn{k}", "label": "turn", "channel": "sample_turn", "unit": "rad", "look": "dial"}
    | {"scale": 1.0, "low": -3.2, "high": 3.2}
    for k in range(7)
]
"""More than have room beside the keys in a small window."""
SPEED, TURN = 9.0, 0.05  # [m/s], [rad/s]
ROAD_M = SPEED / TURN  # radius: the vehicle keeps on it
HILLS = [[2.0, 0.012, 0.006, 0.4], [1.0, -0.02, 0.015, 1.9]]
WAVES = [[0.4, -0.3, 0.05, 1.72, 0.3], [0.2, -0.5, -0.2, 2.3, 1.0], [0.1, -0.9, 0.4, 3.1, 2.0]]


def box(size: Sequence[float], p: Sequence[float], color: str) -> dict[str, Any]:
    return {"type": "box", "size": list(size), "p": list(p), "q": [1.0, 0.0, 0.0, 0.0], "color": color}


def hill(x: float, y: float) -> float:
    return sum(a * math.cos(kx * x + ky * y + phase) for a, kx, ky, phase in HILLS)


def surroundings(kind: str) -> dict[str, Any]:
    """What is around the vehicle, by the kind of its world."""
    buoy = {"name": "buoy", "shapes": [box((1, 1, 4), (0, 0, 1), "#d03020")], "p": [40.0, 8.0, 0.0], "floats": True}
    course = {"speed": 8.0, "start": 0.0, "length": None, "segments": [[0.0, 120.0, 60.0, 2.6, 0.0]]}
    wake = {"length": 40.0, "beam": 9.0, "draft": 3.0, "speed": 8.0}
    hull = [box((40, 9, 8), (0, 0, 3), "#f0f0f0")]
    ferry = {"shapes": hull, "p": [120.0, 60.0, 0.0], "floats": True, "course": course, "wake": wake}
    if kind == "boat":
        return {"sea": {"waves": WAVES, "significant_height": 1.3, "peak_period": 4.0}, "objects": [buoy, ferry]}
    if kind == "flight":
        tower = {"name": "tower", "shapes": [box((9, 9, 20), (0, 0, 10), "#d9d6cd")], "p": [200.0, 150.0, 0.0]}
        runway = {"p": [600.0, 0.0, 0.0], "heading": 0.0, "length": 1800.0, "width": 45.0}
        return {"ground": {"runway": runway, "elevation": 0.0}, "objects": [tower]}
    turns = [2 * math.pi * k / 200 for k in range(200)]
    ring = [(ROAD_M * math.sin(a), ROAD_M - ROAD_M * math.cos(a)) for a in turns]
    points = [[x, y, hill(x, y)] for x, y in ring]
    bump = {"name": "hump", "heading": 0.0, "length": 4.0, "width": 6.0, "height": 0.1, "p": [20.0, 1.0, hill(20, 1)]}
    return {
        "ground": {"elevation": 0.0, "waves": HILLS},
        "road": {"points": points, "width": 7.0, "closed": True, "bumps": [bump]},
    }


class Sample:
    """A vehicle on a circle."""

    cueing = "drive"
    dt = 0.005
    controls = CONTROLS
    channels = CHANNELS

    def __init__(self, kind: str) -> None:
        self.kind, self.name, self._ticks = kind, f"sample of {kind}", 0

    @property
    def scene(self) -> Scene:
        blade = box((0.1, 2.0, 0.2), (3.0, 0.0, 1.0), "#303030")
        axle = {"p": [3.0, 0.0, 1.0], "axis": [1.0, 0.0, 0.0], "channel": "sample_turn"}
        return {
            "kind": self.kind,
            "name": self.name,
            "captions": {"round": [[0.0, "Round and round"]]},
            "eye": [0.0, 0.3, 1.6],
            "chase": [-14.0, 0.0, 5.0],
            "vehicle": {"shapes": [box((5.0, 2.0, 1.0), (0.0, 0.0, 0.6), "#c02828")]},
            "parts": [{"name": "propeller", "shapes": [blade], **axle}],
            "instruments": DIALS if self.kind == "flight" else [],
            "controls": shown_controls(CONTROLS),
            **surroundings(self.kind),
        }

    @property
    def scripts(self) -> Mapping[str, Callable[[], Script]]:
        return {"round": lambda: lambda t: (0.0,)}

    def reset(self) -> None:
        self._ticks = 0

    def step(self, controls: Sequence[float]) -> None:
        self._ticks += 1

    @property
    def t(self) -> float:
        return self._ticks * self.dt

    @property
    def vehicle(self) -> tuple[float, ...]:
        level = (0.0, 0.0, TURN * self.t)
        return felt(level, (0.0, 0.0, TURN), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))

    @property
    def place(self) -> tuple[float, ...]:
        a, r = TURN * self.t, SPEED / TURN
        x, y = r * math.sin(a), r - r * math.cos(a)
        z = {"boat": 0.0, "flight": 12.0, "drive": hill(x, y)}[self.kind]
        return (x, y, z, *quaternion((0.0, 0.0, a)), SPEED * math.cos(a), SPEED * math.sin(a), 0.0)

    @property
    def told(self) -> tuple[float, ...]:
        return 0.0, math.remainder(30 * self.t, math.tau)
