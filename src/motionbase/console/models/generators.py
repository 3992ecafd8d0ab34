"""Function generators: cards, what is armed, and what it would do."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from motionbase.console.models.base import Model, Numbers, OneOf
from motionbase.record.generators import COUNT, SHAPES, SPACES


class Card(Model):
    """One function generator; numbers as in docs/generators.md."""

    enabled: bool = False
    space: Annotated[str, OneOf(map(str, SPACES))] = "dof"
    axes: list[int | str] = []
    shape: Annotated[str, OneOf(map(str, SHAPES))] = "sine"
    amplitude: float = 0.0
    frequency: float = 0.0
    end_frequency: float = 0.0
    phase: float = 0.0
    offset: float = 0.0
    fade_in: float = 0.0
    fade_out: float = 0.0
    start: float = 0.0
    cycles: float = 0.0
    duration: float = 0.0
    tones: int = 0
    seed: int = 0


class CardSet(Model):
    """Seven cards at most, with a name for people."""

    name: str = Field(default="", max_length=64)
    cards: list[Card] = Field(max_length=COUNT)


class Exceeded(Model):
    """A limit that would be exceeded: of what, the largest value, the limit, and when first [s]."""

    what: str
    value: float
    limit: float
    unit: str
    t: float


class Generators(Model):
    """The block of the ring, and whether it may be written now.

    `version`: of what is armed in the block; `exceeded`: the limits that this exceeds, None while nobody can tell, and
    `judged` says for how long it was looked at, or why not. `running_version`: of what the control law took at its
    last transition to drive, None where the ring has no such channel; `last_run`: its cards, None where nothing has
    run or the console never saw them.
    """

    armed: CardSet
    version: int
    author: str
    written_utc: float | None
    exceeded: list[Exceeded] | None
    judged: str
    running_version: int | None
    last_run: CardSet | None
    allowed: bool
    why_not: str


class Apply(Model):
    """`version`: the one that the operator saw; refused if another has been written since.

    `exceeds`: what of `Exceeded` of the limits that the operator knows to be exceeded; refused where there are others.
    """

    cards: CardSet
    version: int
    exceeds: list[str] = Field(default=[], max_length=100)


class PreviewRequest(Model):
    """What the cards would do in so many seconds."""

    cards: CardSet
    seconds: float = Field(default=20.0, gt=0, le=600)


class Limits(Model):
    """Of the platform: largest excursion from neutral, velocity, acceleration by axis, and of the legs [m, m/s]."""

    position: list[float]
    velocity: list[float]
    acceleration: list[float]
    l_min: float
    l_max: float
    leg_velocity: float


class Preview(Model):
    """`dofs`: (6, 3, n) position, velocity, acceleration of the sums; `legs`: (6, n) lengths [m] about neutral."""

    t: list[float]
    dofs: list[list[list[float]]]
    legs: list[Numbers]
    limits: Limits | None
    exceeded: list[Exceeded]
    text: str
