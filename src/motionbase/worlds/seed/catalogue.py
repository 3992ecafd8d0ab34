"""The simple mode in the library of worlds: boat://seed."""

from __future__ import annotations

import math
from collections.abc import Mapping

from motionbase.worlds.option import Number, Option, Value
from motionbase.worlds.world import World

NAMES = {"seed": "the simple mode: a boat whose bounding box is kept on a wave that loops every 10 s"}
FILES = ""
OPTIONS: tuple[Option, ...] = (
    Number("height", "significant height of the waves", 0.8, 0.0, 5.0, "m"),
    Number("direction", "into which the waves travel; 180: head sea at the start", 180.0, -360.0, 360.0, "deg"),
    Number("loop", "time after which the waves repeat", 10.0, 2.0, 120.0, "s"),
    Number("slope", "slope of the progression at its ends, over its mean; 1 is uniform", 0.5, 0.0, 2.0),
    Number("random", "seed of wavelengths, directions and phases", 1.0, 0.0, 1e6),
    Number("length", "of the boat's bounding box", 4.0, 0.5, 100.0, "m"),
    Number("beam", "of the boat's bounding box", 1.8, 0.2, 50.0, "m"),
    Number("speed", "at full throttle", 6.0, 0.5, 30.0, "m/s"),
)


def made(name: str, options: Mapping[str, Value]) -> World:
    """The world."""
    from motionbase.worlds.seed.boat import Boat
    from motionbase.worlds.seed.wave import Progression, Wave
    from motionbase.worlds.seed.world import SeedWorld

    o = {key: float(value) for key, value in options.items()}
    wave = Wave(o["height"], math.radians(o["direction"]), int(o["random"]), Progression(o["loop"], slope=o["slope"]))
    return SeedWorld(Boat(o["length"], o["beam"], o["speed"]), wave)
