"""Worlds by name: boat://VESSEL?sea=4&script=cruise, flight://AIRCRAFT, drive://CAR, world://FILE.py:NAME.

Each kind has catalogues: modules that list vehicles by name. They are imported only when a world of that kind is named.
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
"""Modules of each kind, each a `Catalogue`; the first vehicle of the first is the default."""

OWN = "world"
SCRIPT, NO_SCRIPT = "script", "none"
VEHICLES = {"boat": "vessel", "flight": "aircraft", "drive": "car"}


class Catalogue(Protocol):
    """The members of a module of `CATALOGUES`.

    Attributes:
        NAMES: vehicles by name, each with one line of description
        OPTIONS: of their URLs, besides `script`
        FILES: extension of files that describe a vehicle, such as .toml; "" if it reads none
    """

    NAMES: Mapping[str, str]
    OPTIONS: tuple[Option, ...]
    FILES: str

    def made(self, name: str, options: Mapping[str, Value]) -> World:
        """The world of a vehicle of `NAMES`, or of a file. It must be quick: anything slow belongs into `reset`."""


@final
@dataclass(frozen=True)
class WorldUrl:
    """A world by its URL; `script` steers it while no person does, "" is its default one."""

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
    """What a base needs to know about a world, without the world itself.

    Attributes:
        channels: its own
        text: the scene, as JSON
        cueing: name of the set of cueing parameters to use unless another one is given
    """

    name: str
    channels: tuple[Channel, ...]
    text: str
    cueing: str

    @staticmethod
    def of(world: World, script: str = "") -> Described:
        """Of a world that a script steers; "" is its default one. Raises `UsageError` for a scene that is no JSON."""
        try:
            text = json.dumps({**world.scene, "script": script_of(world, script)}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(f"the scene of world {world.name!r} cannot be written as JSON: {error}") from None
        return Described(world.name, tuple(world.channels), text, world.cueing)


def script_of(world: World, wanted: str) -> str:
    """Name of the script that steers a world; "" if none does."""
    return "" if wanted == NO_SCRIPT else wanted or next(iter(world.scripts), "")


def world_url(text: str) -> WorldUrl | None:
    """The world named by a URL or by a kind alone; None if the text names no world.

    Raises `UsageError` with one sentence for an unknown vehicle or option.
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
    """The default vehicle of a kind."""
    for catalogue in catalogues(kind):
        return next(iter(catalogue.NAMES))
    raise UsageError(f"there are no worlds of kind {kind!r} in this version")


def catalogues(kind: str) -> list[Catalogue]:
    """All catalogues of a kind."""
    return [cast(Catalogue, import_module(name)) for name in CATALOGUES[kind]]


def catalogue_of(kind: str, vehicle: str) -> Catalogue:
    """The catalogue that lists a vehicle, or reads its file."""
    there = catalogues(kind)
    for catalogue in there:
        if vehicle in catalogue.NAMES or (catalogue.FILES and vehicle.endswith(catalogue.FILES)):
            return catalogue
    names = [name for catalogue in there for name in catalogue.NAMES]
    raise unknown(VEHICLES[kind], vehicle, names, f"{VEHICLES[kind]}s" if kind != "flight" else "aircraft")
