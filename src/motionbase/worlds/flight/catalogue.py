"""Aircraft in the library of worlds: flight://c172x, flight://737, flight://f16."""

from __future__ import annotations

import math
from collections.abc import Mapping

from motionbase.errors import UsageError
from motionbase.worlds.flight.air import TURBULENCE
from motionbase.worlds.flight.aircraft import AIRCRAFT
from motionbase.worlds.flight.start import STARTS
from motionbase.worlds.option import Choice, Number, Option, Value
from motionbase.worlds.world import World

BY_SCRIPT = "script"
NAMES = {name: one.text for name, one in AIRCRAFT.items()}
FILES = ""
OPTIONS: tuple[Option, ...] = (
    Choice("start", "where the flight starts; script: where the script starts", BY_SCRIPT, (BY_SCRIPT, *STARTS)),
    Number("height", "above the ground, of a start in cruise", 600.0, 100.0, 5000.0, "m"),
    Number("wind", "wind speed", 0.0, 0.0, 15.0, "m/s"),
    Number("from", "where the wind comes from: 0 is ahead on the runway, positive is right", 0.0, -60.0, 60.0, "deg"),
    Choice("turbulence", "its strength", "none", tuple(TURBULENCE)),
    Number("random", "seed of turbulence and vibration", 1.0, 0.0, 1e6),
    Choice("aids", "pilot aids for a person at the controls", "on", ("on", "off")),
    Number("shake", "strength of vibration and buffet", 1.0, 0.0, 3.0),
)


def made(name: str, options: Mapping[str, Value]) -> World:
    """The world."""
    from motionbase.worlds.flight.air import Air
    from motionbase.worlds.flight.start import Start
    from motionbase.worlds.flight.world import FlightWorld

    height, kind, aircraft = float(options["height"]), str(options["start"]), AIRCRAFT[name]
    if height > aircraft.ceiling:
        raise UsageError(f"height is {height:g} m, the {name} can cruise up to {aircraft.ceiling:g} m")
    start = None if kind == BY_SCRIPT else Start(kind, height)
    # a headwind blows along -x; from the right, which is -y, it blows towards y
    toward = math.pi - math.radians(float(options["from"]))
    air = Air(float(options["wind"]), toward, str(options["turbulence"]), int(float(options["random"])))
    return FlightWorld(aircraft, start, air, options["aids"] == "on", float(options["shake"]), height)
