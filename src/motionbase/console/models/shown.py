"""Platforms and models as shown, and layouts of pages."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from motionbase.console.models.base import Model
from motionbase.console.models.generators import Limits

MOST_PARTS = 500  # bodies, joints, or shapes of a body
MOST_SHAPES = 5000
MOST_CORNERS = 400_000  # vertices and triangles of all meshes: more than a page can draw thirty times a second
FAR = 1e6  # [m]; single precision ends here
UNIT = 1e-3  # of a quaternion's length
GROUND = "ground"  # the parent of joints that are fixed to the world
SIZES = {"box": 3, "cylinder": 3, "sphere": 1, "capsule": 3, "mesh": 0}
Number: TypeAlias = Annotated[float, Field(ge=-FAR, le=FAR, allow_inf_nan=False)]
Length: TypeAlias = Annotated[float, Field(ge=0, le=FAR, allow_inf_nan=False)]
Corner: TypeAlias = Annotated[int, Field(ge=0)]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=64)]
Point: TypeAlias = tuple[Number, Number, Number]


def _unit(q: tuple[float, ...]) -> tuple[float, ...]:
    if not math.isclose(math.hypot(*q), 1.0, abs_tol=UNIT):
        raise ValueError(f"the quaternion has length {math.hypot(*q):.3g}, it must be 1")
    return q


Turn: TypeAlias = Annotated[tuple[Number, Number, Number, Number], AfterValidator(_unit)]


class Mesh(Model):
    """A user's mesh of a part; `number` identifies it in /api/mesh/NUMBER."""

    number: int
    format: Literal["glb", "stl"]
    part: Literal["base", "platform", "cylinder", "rod"]
    scale: float
    colour: str


class SphereWheel(Model):
    """A wheel at the sphere: unit vectors from the sphere's centre to its contact and along its axle, in P."""

    outward: list[float]
    axle: list[float]
    radius: float
    is_driven: bool


class SphereShape(Model):
    """A sphere that turns on wheels over the platform: centre in P [m], radius [m], named points within it [m]."""

    centre: list[float]
    radius: float
    wheels: list[SphereWheel]
    points: dict[str, list[float]]


class Scene(Model):
    """The platform to scale. Points [m]: base joints in W, platform joints in P; P at neutral is at `p_neutral`."""

    kind: Literal["platform"] = "platform"
    name: str
    summary: str
    illustrative: list[str]
    base: list[list[float]]
    joints: list[list[float]]
    p_neutral: list[float]
    l_min: float
    l_max: float
    hard_min: float
    hard_max: float
    l_down: float
    cylinder_radius: float
    rod_radius: float
    points: dict[str, list[float]]
    limits: Limits
    meshes: list[Mesh]
    sphere: SphereShape | None


class ModelShape(Model):
    """A solid at `p` [m], turned by `q` (w, x, y, z), in the frame of its body.

    `size` [m]: edges of a box; radius of a sphere; of a cylinder or capsule the radii below and above and the length
    along z, without the caps; empty for a mesh with its `vertices` [m] and triangles, `faces`. `color`: null if the
    page may choose it.
    """

    model_config = ConfigDict(extra="ignore")

    type: Literal["box", "cylinder", "sphere", "capsule", "mesh"]
    size: list[Length] = Field(max_length=3)
    p: Point
    q: Turn = (1.0, 0.0, 0.0, 0.0)
    color: str | None = Field(default=None, pattern="^#[0-9a-fA-F]{6}$")
    role: Literal["link", "joint", "inertia", "frame"] = "link"
    vertices: list[Point] = Field(default=[], max_length=MOST_CORNERS)
    faces: list[tuple[Corner, Corner, Corner]] = Field(default=[], max_length=MOST_CORNERS)

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        wanted = SIZES[self.type]
        if len(self.size) != wanted:
            raise ValueError(f"the size of a {self.type} has {wanted} numbers, not {len(self.size)}")
        if self.type == "mesh" and not (self.vertices and self.faces):
            raise ValueError("a mesh needs vertices and faces")
        highest = max((k for face in self.faces for k in face), default=-1)
        if highest >= len(self.vertices):
            raise ValueError(f"a face names vertex {highest}; the mesh has {len(self.vertices)}")
        return self


class ModelBody(Model):
    """A body; its pose in the world is in the channels CHANNEL_x, _y, _z [m] and CHANNEL_qw, _qx, _qy, _qz."""

    model_config = ConfigDict(extra="ignore")

    name: Name
    channel: Name
    shapes: list[ModelShape] = Field(max_length=MOST_PARTS)


class ModelJoint(Model):
    """A coordinate of a joint, or a joint without one: then `axis`, `channel` and `unit` are null.

    `p` [m] and `q`: the joint's frame in that of its parent; `axis`: in the joint's frame.
    """

    model_config = ConfigDict(extra="ignore")

    name: Name
    type: str = Field(max_length=64)
    parent: Name
    child: Name
    p: Point
    q: Turn = (1.0, 0.0, 0.0, 0.0)
    axis: Point | None = None
    channel: Name | None = None
    unit: Literal["rad", "m"] | None = None


class ModelGround(Model):
    """What stands still, in the world."""

    model_config = ConfigDict(extra="ignore")

    shapes: list[ModelShape] = Field(max_length=MOST_PARTS)


class ModelRod(Model):
    """A rod of `radius` [m] between points of two bodies, in their frames [m], or of one and the ground."""

    model_config = ConfigDict(extra="ignore")

    bodies: tuple[Name, Name]
    points: tuple[Point, Point]
    radius: Length


class ModelRotor(Model):
    """That the model is a rotor: the body that turns with the shaft about its z, and what operators set."""

    model_config = ConfigDict(extra="ignore")

    hub: Name
    summary: str = Field(default="", max_length=1000)
    illustrative: list[str] = Field(default=[], max_length=MOST_PARTS)
    controls: list[Name] = Field(max_length=MOST_PARTS)
    flight: list[Name] = Field(default=[], max_length=MOST_PARTS)


class ModelScene(Model):
    """The bodies and joints of a multibody model, to scale; the last body is the end of a chain.

    `limits`: least and largest value of coordinates [rad, m], by the names of `joints`; null where one end is open.
    """

    model_config = ConfigDict(extra="ignore")

    kind: Literal["model"]
    name: Name
    bodies: list[ModelBody] = Field(min_length=1, max_length=MOST_PARTS)
    joints: list[ModelJoint] = Field(default=[], max_length=MOST_PARTS)
    ground: ModelGround = ModelGround(shapes=[])
    limits: dict[Name, tuple[Number | None, Number | None]] = {}
    rods: list[ModelRod] = Field(default=[], max_length=MOST_PARTS)
    rotor: ModelRotor | None = None

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        names = [body.name for body in self.bodies]
        if len(set(names)) < len(names):
            raise ValueError(f"two bodies are called {next(n for n in names if names.count(n) > 1)!r}")
        known = {*names, GROUND}
        for joint in self.joints:
            for body in (joint.parent, joint.child):
                if body not in known:
                    raise ValueError(f"joint {joint.name!r} names body {body!r}, which is not there")
        ends = [("a rod", body) for rod in self.rods for body in rod.bodies]
        for what, body in [*ends, *([("the rotor", self.rotor.hub)] if self.rotor else [])]:
            if body not in known:
                raise ValueError(f"{what} names body {body!r}, which is not there")
        shapes = [*self.ground.shapes, *(shape for body in self.bodies for shape in body.shapes)]
        if len(shapes) > MOST_SHAPES:
            raise ValueError(f"{len(shapes)} shapes, a page draws {MOST_SHAPES} at most")
        if (corners := sum(len(s.faces) + len(s.vertices) for s in shapes)) > MOST_CORNERS:
            raise ValueError(f"its meshes have {corners} vertices and faces, a page draws {MOST_CORNERS} at most")
        return self


class Layout(Model):
    """A layout of the page by name; its content is known only to the page."""

    name: str
    body: dict[str, object]
