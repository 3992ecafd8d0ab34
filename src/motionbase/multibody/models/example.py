"""A built-in model with the source of its numbers, its assumptions, and an interesting initial state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, final

from motionbase.multibody.body import ZERO, Body, Vector
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import AbstractMotion, revolute
from motionbase.multibody.model import GROUND, Model
from motionbase.multibody.names import Values

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@final
@dataclass(frozen=True)
class Example:
    """A model of the list that `motionbase models` prints.

    Attributes:
        about: one-line description
        source: reference of its numbers
        build: creates the model
        assumptions: values that the source does not give and we supplied
        illustrative: some of its numbers are unpublished
        q0, v0: an initial state with some motion, by name of coordinate or speed
        engines: that take it: where welds are switched, the tree alone has the jump of speeds; friction that sticks is
            for the network
    """

    name: str
    about: str
    source: str
    build: Callable[[], Model]
    assumptions: tuple[str, ...] = ()
    illustrative: bool = False
    q0: Mapping[str, Values] = field(default_factory=dict)
    v0: Mapping[str, Values] = field(default_factory=dict)
    engines: tuple[Literal["tree", "network"], ...] = ("tree", "network")


@final
@dataclass(frozen=True)
class Link:
    """A body and the joint that carries it, in a chain.

    Attributes:
        at: position of its joint in the previous body [m]
        motion: motion of the joint; a vector means a revolute joint about it
        com: centre of mass in its own frame [m]
        inertia: principal moments about the centre of mass [kg m^2]
    """

    joint: str
    body: str
    at: Vector
    motion: AbstractMotion | Vector
    mass: float
    com: Vector
    inertia: Vector
    points: Mapping[str, Vector] = field(default_factory=dict)


def chain(name: str, links: Sequence[Link], gravity: Vector = ZERO, base: str = GROUND) -> Model:
    """Bodies in series; every frame is aligned with the previous one at q = 0."""
    parents = [base, *(link.body for link in links)]
    return Model(
        name,
        tuple(Body(k.body, k.mass, k.com, k.inertia, k.points) for k in links),
        tuple(
            Joint(k.joint, parent, k.body, revolute(k.motion) if isinstance(k.motion, tuple) else k.motion, k.at)
            for parent, k in zip(parents, links, strict=False)
        ),
        gravity,
    )
