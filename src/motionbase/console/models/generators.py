"""Function generators: cards, the armed set, and previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, create_model

from motionbase.console.models.base import Model, Numbers, OneOf
from motionbase.record.generators import COLUMNS, COUNT, SHAPES, SPACES

_CODED: dict[str, Any] = {  # numbers in a row of the ring, words here
    "enabled": (bool, False),
    "space": (Annotated[str, OneOf(map(str, SPACES))], "dof"),
    "axes": (list[int | str], []),
    "shape": (Annotated[str, OneOf(map(str, SHAPES))], "sine"),
}
_NUMBERS: dict[str, Any] = {
    c.name: (int if c.whole else float, Field(default=0 if c.whole else 0.0, description=f"[{c.unit}] {c.description}"))
    for c in COLUMNS[len(_CODED) :]
}
assert [*_CODED, *_NUMBERS] == [c.name for c in COLUMNS]

if TYPE_CHECKING:

    class Card(Model):
        """One function generator, with the settings of `record.generators.COLUMNS`."""

else:
    Card = create_model(
        "Card",
        __base__=Model,
        __module__=__name__,
        __doc__="One function generator; docs/generators.md describes its settings.",
        **_CODED,
        **_NUMBERS,
    )


class CardSet(Model):
    """Up to seven cards, with a name."""

    name: str = Field(default="", max_length=64)
    cards: list[Card] = Field(max_length=COUNT)


class Exceeded(Model):
    """A limit that would be exceeded: its quantity, the largest value, the limit, and the first time [s]."""

    what: str
    value: float
    limit: float
    unit: str
    t: float


class Generators(Model):
    """The generators of the ring, and whether they may be changed now.

    `version`: of the armed set; `exceeded`: limits that it exceeds, None if unknown; `judged`: the time judged, or why
    it was not. `running_version`: of the set that the control law read at its last transition to drive, None if the
    ring has no such channel; `last_run`: its cards, None if nothing has run or the console never read them.
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
    """Request to arm cards. `version`: the one that the operator saw; refused if another has been written since.

    `exceeds`: `what` of each exceeded limit that the operator has accepted; refused if there are others.
    """

    cards: CardSet
    version: int
    exceeds: list[str] = Field(default=[], max_length=100)


class PreviewRequest(Model):
    """Request for a preview of cards over so many seconds."""

    cards: CardSet
    seconds: float = Field(default=20.0, gt=0, le=600)


class Limits(Model):
    """Limits of the platform: excursion from neutral, velocity, acceleration by axis, and of the legs [m, m/s]."""

    position: list[float]
    velocity: list[float]
    acceleration: list[float]
    l_min: float
    l_max: float
    leg_velocity: float


class Preview(Model):
    """A preview. `dofs`: (6, 3, n) position, velocity, acceleration; `legs`: (6, n) lengths [m] about neutral."""

    t: list[float]
    dofs: list[list[list[float]]]
    legs: list[Numbers]
    limits: Limits | None
    exceeded: list[Exceeded]
    text: str
