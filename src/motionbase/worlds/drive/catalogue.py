"""Cars in the library of worlds: drive://hatchback?road=B."""

from __future__ import annotations

from collections.abc import Mapping

from motionbase.worlds.drive.car import car_names, load_car
from motionbase.worlds.option import Choice, Number, Option, Value
from motionbase.worlds.world import World

NAMES = car_names()
FILES = ".toml"
OPTIONS: tuple[Option, ...] = (
    Choice("road", "roughness class of ISO 8608", "A", ("A", "B", "C", "D", "E")),
    Choice("course", "which road", "circuit", ("circuit", "oval", "pad")),
    Number("grip", "relative to a dry road: about 0.7 wet, 0.3 snow", 1.0, 0.05, 1.5),
    Number("bumps", "factor on the height of speed bumps; 0 for none", 1.0, 0.0, 3.0),
    Number("hills", "factor on the height of hills; 0 for a level road", 1.0, 0.0, 2.5),
    Number("speed", "at the start", 0.0, 0.0, 60.0, "m/s"),
    Choice("assist", "reduce the steering lock at speed", "on", ("on", "off")),
)


def made(name: str, options: Mapping[str, Value]) -> World:
    """The world."""
    from motionbase.worlds.drive.roads import road_of
    from motionbase.worlds.drive.surface import Surface
    from motionbase.worlds.drive.world import DriveWorld

    car, course, quality = load_car(name), str(options["course"]), str(options["road"])
    grip, bumps, hills = (float(options[key]) for key in ("grip", "bumps", "hills"))

    def surface() -> Surface:
        return Surface(road_of(course), quality, grip, bumps, hills)

    title = f"{car.name} on the {course}, road of class {quality}"
    return DriveWorld(car, title, surface, float(options["speed"]), options["assist"] == "on")
