"""Worlds by name: boat://VESSEL?sea=4&script=cruise, flight://AIRCRAFT, drive://CAR, world://FILE.py:NAME.

A kind has catalogues: modules with vehicles by name. They are imported when one of their vehicles is asked for, so that
naming a world costs nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast, final
from urllib.parse import unquote

from motionbase.errors import UsageError, unknown
from motionbase.record.schema import Channel
from motionbase.record.urls import url_parts
from motionbase.worlds.option import Option, Value, read_options
from motionbase.worlds.world import World

CATALOGUES: dict[str, tuple[str, ...]] = {
    "boat": ("motionbase.worlds.boat.catalogue", "motionbase.worlds.seed.catalogue"),
    "flight": ("motionbase.worlds.flight.catalogue",),
    "drive": ("motionbase.worlds.drive.catalogue",),
}
"""Modules of each kind, each a `Catalogue`; the first vehicle of the first is the usual one."""

OWN = "world"
SCRIPT, NO_SCRIPT = "script", "none"
VEHICLES = {"boat": "vessel", "flight": "aircraft", "drive": "car"}


class Catalogue(Protocol):
    """What a module of `CATALOGUES` has.

    Attributes:
        NAMES: vehicles by name, each with a line for people
        OPTIONS: of their URLs; `script` is known to all
        FILES: ending of files that describe a vehicle, such as .toml; "" if there are none
    """

    NAMES: Mapping[str, str]
    OPTIONS: tuple[Option, ...]
    FILES: str

    def made(self, name: str, options: Mapping[str, Value]) -> World:
        """The world of a vehicle of `NAMES`, or of a file. It is made quickly: what takes long waits for `reset`."""


@final
@dataclass(frozen=True)
class WorldUrl:
    """A world that is meant; `script` steers it while no person does, "" is the usual one."""

    text: str
    kind: str
    vehicle: str
    options: tuple[tuple[str, str], ...] = ()
    script: str = ""

    def made(self) -> World:
        """The world; raises `UsageError` with one sentence where it cannot be made."""
        if self.kind == OWN:
            from motionbase.worlds.own import own_world

            world = own_world(self.vehicle, dict(self.options))
        else:
            catalogue = catalogue_of(self.kind, self.vehicle)
            world = catalogue.made(self.vehicle, read_options(f"{self.text!r}", catalogue.OPTIONS, dict(self.options)))
        if self.script not in ("", NO_SCRIPT, *world.scripts):
            raise UsageError(f"{self.text!r}: {unknown('script', self.script, (*world.scripts, NO_SCRIPT))}")
        return world


@final
@dataclass(frozen=True)
class Described:
    """What a base must know of a world, without the world itself.

    Attributes:
        channels: of its own
        text: the scene, as JSON
        cueing: name of the set of cueing parameters that suits it
    """

    name: str
    channels: tuple[Channel, ...]
    text: str
    cueing: str

    @staticmethod
    def of(world: World, script: str = "") -> Described:
        """Of a world that a script steers; "" is the usual one."""
        scene = {**world.scene, "script": script_of(world, script)}
        return Described(world.name, world.channels, json.dumps(scene, allow_nan=False), world.cueing)


def script_of(world: World, wanted: str) -> str:
    """Name of the script that steers a world; "" if none does."""
    return "" if wanted == NO_SCRIPT else wanted or next(iter(world.scripts), "")


def world_url(text: str) -> WorldUrl | None:
    """The world that a URL or a kind's name means; None if it is something else.

    Raises `UsageError` with one sentence for a vehicle or an option that nobody knows.
    """
    if text in CATALOGUES:
        text = f"{text}://"
    if text.partition("://")[0] not in (*CATALOGUES, OWN) or "://" not in text:
        return None
    kind, rest, given = url_parts(text, (*CATALOGUES, OWN), "boat://")
    script, vehicle = given.pop(SCRIPT, ""), unquote(rest)
    if kind == OWN:
        return WorldUrl(text, kind, vehicle, tuple(given.items()), script)
    vehicle = vehicle or usual(kind)
    read_options(f"{text!r}", catalogue_of(kind, vehicle).OPTIONS, given)
    return WorldUrl(text, kind, vehicle, tuple(given.items()), script)


def usual(kind: str) -> str:
    """The vehicle of a kind that is meant by its name alone."""
    for catalogue in catalogues(kind):
        return next(iter(catalogue.NAMES))
    raise UsageError(f"there are no worlds of kind {kind!r} in this version")


def catalogues(kind: str) -> list[Catalogue]:
    """Of a kind."""
    return [cast(Catalogue, import_module(name)) for name in CATALOGUES[kind]]


def catalogue_of(kind: str, vehicle: str) -> Catalogue:
    """The catalogue that has a vehicle, or reads its file."""
    there = catalogues(kind)
    for catalogue in there:
        if vehicle in catalogue.NAMES or (catalogue.FILES and vehicle.endswith(catalogue.FILES)):
            return catalogue
    names = [name for catalogue in there for name in catalogue.NAMES]
    raise unknown(VEHICLES[kind], vehicle, names, f"{VEHICLES[kind]}s" if kind != "flight" else "aircraft")
