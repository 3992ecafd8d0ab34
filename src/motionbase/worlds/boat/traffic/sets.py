"""Sets of traffic by name, as TOML files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, UsageError, WorldError, unknown
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.table import Table
from motionbase.worlds.boat.traffic.step import BUOYS, WALLS, Traffic
from motionbase.worlds.boat.traffic.step import Buoy as BuoyRow
from motionbase.worlds.boat.traffic.step import Wall as WallRow
from motionbase.worlds.boat.traffic.things import Buoy, Craft, Wall
from motionbase.worlds.boat.traffic.wake import SHIPS, no_ship

FOLDER = Path(__file__).parent / "sets"
NONE = "none"
AWAY = 1e9  # [m] place of unused rows

Thing = TypeVar("Thing", Wall, Buoy, Craft)


@final
@dataclass(frozen=True)
class TrafficSet:
    """A set of traffic.

    Attributes:
        summary: one line of description
    """

    name: str
    summary: str
    walls: tuple[Wall, ...] = ()
    buoys: tuple[Buoy, ...] = ()
    craft: tuple[Craft, ...] = ()

    def __post_init__(self) -> None:
        for kind, found, most in (
            ("walls", self.walls, WALLS), ("buoys", self.buoys, BUOYS), ("craft", self.craft, SHIPS),
        ):  # fmt: skip
            if len(found) > most:
                raise WorldError(f"traffic {self.name!r} has {len(found)} {kind}, there can be {most}")
            names = [thing.name for thing in found]
            if len(set(names)) < len(names):
                raise WorldError(f"traffic {self.name!r}: two {kind} have the same name")

    @property
    def is_empty(self) -> bool:
        """Whether the set has nothing in it."""
        return not (self.walls or self.buoys or self.craft)

    @property
    def parameters(self) -> Array:
        """`Traffic` of the compiled step, as one vector."""
        no_wall, no_buoy = WallRow.layout.vector({"x": AWAY}), BuoyRow.layout.vector({"x": AWAY})
        return Traffic.layout.vector(
            {
                "ships": _filled([c.row for c in self.craft], SHIPS, no_ship()),
                "walls": _filled([w.row for w in self.walls], WALLS, no_wall),
                "buoys": _filled([b.row for b in self.buoys], BUOYS, no_buoy),
            }
        )


NOTHING = TrafficSet(NONE, "nothing else is on the water")


def _filled(rows: list[Array], count: int, other: Array) -> Array:
    return np.array([*rows, *[other] * (count - len(rows))])


def traffic_names() -> dict[str, str]:
    """Sets of the package, each with its summary; `none` first."""
    found = {path.stem: TomlSource.read(path).data["summary"] for path in sorted(FOLDER.glob("*.toml"))}
    return {NONE: "nothing else is on the water", **found}


def traffic_named(reference: str) -> TrafficSet:
    """The set of that name, or in that TOML file; errors name the file, the line and the key."""
    if reference == NONE:
        return NOTHING
    if Path(reference).suffix.lower() == ".toml":
        path = Path(reference)
    elif reference in (names := traffic_names()):
        path = FOLDER / f"{reference}.toml"
    else:
        raise unknown("traffic", reference, [*names, "a .toml file"], "traffic")
    try:
        source = TomlSource.read(path)
        return _traffic(Table(source, (), source.data), path.stem)
    except (ModelError, WorldError) as e:
        raise UsageError(str(e)) from None


def _traffic(top: Table, name: str) -> TrafficSet:
    top.check_keys(("summary", "illustrative", "wall", "buoy", "craft"), ("summary",))
    return top.made(
        TrafficSet, name=name, summary=top.text("summary"), walls=_list(top, "wall", Wall),
        buoys=_list(top, "buoy", Buoy), craft=_list(top, "craft", Craft),
    )  # fmt: skip


def _list(top: Table, key: str, kind: type[Thing]) -> tuple[Thing, ...]:
    """All things of a kind."""
    rows = top.data.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        top.refuse(key, f"a list of tables, [[{key}]],")
    return tuple(_thing(Table(top.source, (key, str(k)), row), kind) for k, row in enumerate(rows))


def _thing(table: Table, kind: type[Thing]) -> Thing:
    if kind is not Craft or "corners" not in table.data:
        return table.part(kind)
    corners: Any = table.data["corners"]
    count = len(corners) if isinstance(corners, list) else 3
    places = tuple(tuple(place) for place in table.numbers("corners", (count, 2)).tolist())
    return table.part(kind, besides=("corners",), corners=places)
