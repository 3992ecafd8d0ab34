"""The table of manoeuvres: name, one line, source, options; each is a function from options to a story."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from motionbase.host.manoeuvres.rigid import Story

ILLUSTRATIVE = "illustrative"
VEHICLES = ("aircraft", "car", "boat", "axis")


@final
@dataclass(frozen=True)
class Option:
    """A number that a person may change.

    Attributes:
        default, least, most: in `unit`
        text: what it is
    """

    default: float
    unit: str
    text: str
    least: float
    most: float


@final
@dataclass(frozen=True)
class Recipe:
    """One entry of the table.

    Attributes:
        vehicle: one of VEHICLES
        about: one line for people
        source: where shape and numbers come from; "illustrative" where nobody published them
        options: by name; `amplitude` and `duration` are always there
        story: from the options' values, by name
    """

    name: str
    vehicle: str
    about: str
    source: str
    options: dict[str, Option]
    story: Callable[..., Story]


RECIPES: dict[str, Recipe] = {}


def recipe(
    vehicle: str,
    about: str,
    *,
    duration: float,
    amplitude: Option,
    name: str = "",
    source: str = ILLUSTRATIVE,
    **options: Option,
) -> Callable[[Callable[..., Story]], Callable[..., Story]]:
    """Enter a function in the table; it is called with all options but the duration, which cuts or extends."""
    length = Option(duration, "s", "length", 0.1, 3600.0)

    def entered(story: Callable[..., Story]) -> Callable[..., Story]:
        entry = name or story.__name__
        RECIPES[entry] = Recipe(
            entry, vehicle, about, source, {"amplitude": amplitude, "duration": length, **options}, story
        )
        return story

    return entered
