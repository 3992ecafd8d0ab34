"""Aircraft in the library of worlds: flight://c172x, flight://737, flight://f16."""

from __future__ import annotations

import math
from collections.abc import Mapping

from motionbase.worlds.flight.air import TURBULENCE
from motionbase.worlds.flight.aircraft import AIRCRAFT
from motionbase.worlds.flight.start import STARTS
from motionbase.worlds.option import Choice, Number, Option, Value
from motionbase.worlds.world import World

BY_SCRIPT = "script"
NAMES = {name: one.text for name, one in AIRCRAFT.items()}
FILES = ""
OPTIONS: tuple[Option, ...] = (
    Choice("start", "where the flight begins; by the script, if that is what it says", BY_SCRIPT, (BY_SCRIPT, *STARTS)),
    Number("height", "over the ground, of a flight that begins cruising", 600.0, 100.0, 5000.0, "m"),
    Number("wind", "speed of the wind", 0.0, 0.0, 15.0, "m/s"),
    Number(
        "from", "where the wind comes from: 0 is ahead on the runway, 60 half from the right", 0.0, -60.0, 60.0, "deg"
    ),
    Choice("turbulence", "of the air", "none", tuple(TURBULENCE)),
    Number("random", "number from which turbulence and vibration come", 1.0, 0.0, 1e6),
    Choice("aids", "help for a person at the controls", "on", ("on", "off")),
    Number("shake", "strength of vibration and buffet", 1.0, 0.0, 3.0),
)


def made(name: str, options: Mapping[str, Value]) -> World:
    """The world."""
    from motionbase.worlds.flight.air import Air
    from motionbase.worlds.flight.start import Start
    from motionbase.worlds.flight.world import FlightWorld

    height, kind = float(options["height"]), str(options["start"])
    start = None if kind == BY_SCRIPT else Start(kind, height)
    # from ahead it blows against x; from the right, which is -y, towards y
    toward = math.pi - math.radians(float(options["from"]))
    air = Air(float(options["wind"]), toward, str(options["turbulence"]), int(float(options["random"])))
    return FlightWorld(AIRCRAFT[name], start, air, options["aids"] == "on", float(options["shake"]), height)
