"""The world in which a host's vehicle moves, as shown: docs/worlds.md describes a scene."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import ConfigDict, Field, model_validator

from motionbase.console.models.base import Model
from motionbase.console.models.shown import (
    MOST_CORNERS,
    MOST_PARTS,
    MOST_SHAPES,
    Length,
    ModelShape,
    Name,
    Number,
    Point,
)
from motionbase.record.world import AXIS_COUNT, BUTTON_COUNT

MOST_WAVES = 4096
MOST_POINTS = 50_000  # of a road
MOST_SEGMENTS = 2000  # of a course
MOST_HILLS = 64
Text: TypeAlias = Annotated[str, Field(max_length=200)]
Wave: TypeAlias = tuple[Number, Number, Number, Number, Number]
Hill: TypeAlias = tuple[Number, Number, Number, Number]
Segment: TypeAlias = tuple[Number, Number, Number, Number, Number]
Channels: TypeAlias = Annotated[str, Field(max_length=64)]


class Shown(Model):
    """What a later version adds is not drawn, and no error."""

    model_config = ConfigDict(extra="ignore")


class WorldVehicle(Shown):
    """The vehicle in its own axes: x forward, y left, z up."""

    shapes: list[ModelShape] = Field(default=[], max_length=MOST_SHAPES)


class WorldPart(Shown):
    """A part of the vehicle: it turns about `axis` through `p` by `channel` [rad], or slides along it by `slide` [m].

    Positive turns follow the right hand. `scale`: what the channel is multiplied by. `on`: the name of an earlier part
    that carries it; `p` and `axis` are in axes of the vehicle all the same, as they are with every channel at 0.
    """

    name: Text = ""
    on: Text | None = None
    shapes: list[ModelShape] = Field(max_length=MOST_PARTS)
    p: Point = (0.0, 0.0, 0.0)
    axis: Point = (0.0, 0.0, 1.0)
    channel: Channels | None = None
    slide: Channels | None = None
    scale: Number = 1.0


class WorldInstrument(Shown):
    """An instrument: it shows scale times the channel."""

    name: Text
    label: Text = ""
    channel: Channels
    unit: Text = ""
    scale: Number = 1.0
    low: Number | None = None
    high: Number | None = None
    look: Text = "number"


class WorldControl(Shown):
    """What a driver moves: with `keys` and `buttons`, to its least and to its most, and an `axis` of a gamepad.

    `springs`: goes back to its `rest` when it is let go. `turned`: the axis moves it the other way.
    """

    name: Text
    label: Text = ""
    channel: Channels
    least: Number = -1.0
    most: Number = 1.0
    rest: Number = 0.0
    springs: bool = True
    keys: list[Text | None] = Field(default=[], max_length=2)
    gamepad: Text = ""
    axis: Annotated[int, Field(ge=0, lt=AXIS_COUNT)] | None = None
    turned: bool = False
    buttons: list[Annotated[int, Field(ge=0, lt=BUTTON_COUNT)] | None] = Field(default=[], max_length=2)


class WorldCourse(Shown):
    """Lines and arcs along which an object goes with `speed` [m/s]; at time 0 it is at `start` [m] along them.

    A segment is (s, x, y, heading, curvature): where it begins, along the course and in the world [m], its heading
    there [rad] and its curvature [1/m]. `length` [m]: of a closed course; null for one that goes on straight.
    """

    speed: Number
    start: Number = 0.0
    length: Annotated[Length, Field(gt=0)] | None = None
    segments: list[Segment] = Field(min_length=1, max_length=MOST_SEGMENTS)


class WorldWake(Shown):
    """The water line of a hull that draws waves behind it [m], and its speed [m/s]."""

    length: Length
    beam: Length
    draft: Length = 0.0
    speed: Number = 0.0


class WorldMoved(Shown):
    """While `channel` has this number, an object stands off its place by the channels `x` and `y`, in the world [m]."""

    number: Number
    channel: Channels
    x: Channels
    y: Channels


class WorldObject(Shown):
    """Another craft, a buoy, a building: at `p` [m] with `heading` [rad] at time 0.

    It moves with `v` [m/s], or along a `course`. `floats`: it goes up and down with the surface. `moved`: pushed away.
    """

    name: Text = ""
    shapes: list[ModelShape] = Field(max_length=MOST_PARTS)
    p: Point
    heading: Number = 0.0
    v: tuple[Number, Number] = (0.0, 0.0)
    course: WorldCourse | None = None
    floats: bool = False
    wake: WorldWake | None = None
    moved: WorldMoved | None = None


class SeedSea(Shown):
    """The sea of the simple mode: (amplitude, kx, ky, turns, phase) of its waves, by the channel `sea_progress`."""

    waves: list[Wave] = Field(max_length=MOST_WAVES)
    loop: Number
    units: Annotated[Number, Field(gt=0)]
    handles: list[Number] = Field(default=[], max_length=16)


class WorldSea(Shown):
    """(amplitude, kx, ky, omega, phase) of its waves [m, rad/m, rad/s, rad], the largest first; or `seed`."""

    waves: list[Wave] = Field(default=[], max_length=MOST_WAVES)
    significant_height: Number = 0.0
    peak_period: Number | None = None
    seed: SeedSea | None = None


class WorldRunway(Shown):
    """Its middle, in which direction it goes [rad], its length and width [m]."""

    p: Point
    heading: Number = 0.0
    length: Number
    width: Number


class WorldGround(Shown):
    """Level ground at `elevation` [m], and (amplitude, kx, ky, phase) of its hills, `waves` [m, rad/m, rad]."""

    runway: WorldRunway | None = None
    elevation: Number = 0.0
    waves: list[Hill] = Field(default=[], max_length=MOST_HILLS)


class WorldBump(Shown):
    """Something to drive over: its middle, the direction of its `length` [rad], `height` above the ground [m]."""

    name: Text = ""
    p: Point
    heading: Number = 0.0
    length: Length
    width: Length
    height: Number


class WorldRoad(Shown):
    """Its middle line and its width [m]; a `closed` one goes on from its last point to its first."""

    points: list[Point] = Field(max_length=MOST_POINTS)
    width: Number = 7.0
    closed: bool = False
    bumps: list[WorldBump] = Field(default=[], max_length=MOST_POINTS)


class WorldScene(Shown):
    """The vehicle and its surroundings; `eye` and `chase` are in axes of the vehicle [m].

    `captions`: by script, times of the world [s] and what is shown from then on.
    """

    kind: Literal["boat", "flight", "drive"]
    name: Name
    script: Text = ""
    captions: dict[Name, list[tuple[Number, Text]]] = {}
    eye: Point = (0.0, 0.0, 1.5)
    chase: Point = (-12.0, 0.0, 4.0)
    vehicle: WorldVehicle = WorldVehicle()
    parts: list[WorldPart] = Field(default=[], max_length=MOST_PARTS)
    instruments: list[WorldInstrument] = Field(default=[], max_length=MOST_PARTS)
    controls: list[WorldControl] = Field(default=[], max_length=MOST_PARTS)
    objects: list[WorldObject] = Field(default=[], max_length=MOST_PARTS)
    sea: WorldSea | None = None
    ground: WorldGround | None = None
    road: WorldRoad | None = None

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        listed = self.vehicle.shapes, *(part.shapes for part in self.parts), *(one.shapes for one in self.objects)
        shapes = [shape for some in listed for shape in some]
        if len(shapes) > MOST_SHAPES:
            raise ValueError(f"{len(shapes)} shapes, a page draws {MOST_SHAPES} at most")
        if (corners := sum(len(s.faces) + len(s.vertices) for s in shapes)) > MOST_CORNERS:
            raise ValueError(f"its meshes have {corners} vertices and faces, a page draws {MOST_CORNERS} at most")
        return self
