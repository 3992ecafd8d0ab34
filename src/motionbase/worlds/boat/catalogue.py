"""Boats in six degrees of freedom in the library of worlds: boat://launch?sea=4, boat://my_boat.toml."""

from __future__ import annotations

from collections.abc import Mapping

from motionbase.worlds.option import Number, Option, Text, Value
from motionbase.worlds.sea.options import OPTIONS as SEA
from motionbase.worlds.world import World

NAMES = {
    "launch": "planing launch of 7.5 m with an outboard: fast, jumps from waves",
    "skiff": "small open boat of 4 m with an outboard of 6 kW",
    "otter": "unmanned catamaran of 2 m and 55 kg, steered by its two propellers; size and drafts of an Otter",
    "container": "container ship of 175 m with the main particulars of the S175",
}
FILES = ".toml"
SHIP = 20.0  # [m] vessels of this length and more have no traffic by default
USUAL_SEA = 3  # default sea state: a small boat can be driven fast in it


def _usual(option: Option) -> Option:
    return option._replace(usual=USUAL_SEA) if isinstance(option, Number) and option.name == "sea" else option


OPTIONS: tuple[Option, ...] = (
    *(_usual(option) for option in SEA),
    Text("traffic", "other craft, buoys and piers: none, harbour (default for small craft), regatta, or a TOML file"),
    Number("load", "load on board, at the place the vessel has for it", 0, 0, 1e5, "kg"),
)


def made(name: str, options: Mapping[str, Value]) -> World:
    """The world."""
    from motionbase.worlds.boat.traffic.sets import traffic_named
    from motionbase.worlds.boat.vessel import load_vessel
    from motionbase.worlds.boat.world import BoatWorld
    from motionbase.worlds.sea.choice import chosen_sea

    vessel = load_vessel(name).loaded(float(options["load"]))
    traffic = str(options["traffic"]) or ("harbour" if vessel.length < SHIP else "none")
    return BoatWorld(vessel, chosen_sea(options), traffic_named(traffic))
