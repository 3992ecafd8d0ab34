"""The platform as shown, and layouts of pages."""

from __future__ import annotations

from typing import Literal

from motionbase.console.models.base import Model
from motionbase.console.models.generators import Limits


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


class Layout(Model):
    """A layout of the page by name; its content is known only to the page."""

    name: str
    body: dict[str, object]
