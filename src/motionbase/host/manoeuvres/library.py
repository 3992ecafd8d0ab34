"""Manoeuvres by name, with options: rows of a vehicle's motion at any rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import UsageError, unknown
from motionbase.host.manoeuvres import aircraft, axes, boat, car  # noqa: F401  they enter their recipes
from motionbase.host.manoeuvres.table import RECIPES, VEHICLES, Recipe

RATE = 200.0  # [Hz]
SLOWEST, FASTEST = 10.0, 20_000.0  # [Hz]
MOST_SAMPLES = 20_000_000


@final
@dataclass(frozen=True, eq=False)
class Manoeuvre:
    """Motion of a vehicle over time.

    Attributes:
        options: all of them, with the values that were used
        t: (n,) from 0 on [s]
        rows: (n, 13) in the order of `record.vehicle.VEHICLE`
    """

    recipe: Recipe
    options: dict[str, float]
    t: Array
    rows: Array

    @property
    def name(self) -> str:
        """As in `manoeuvre_names`."""
        return self.recipe.name


def manoeuvre_names(vehicle: str | None = None) -> tuple[str, ...]:
    """Names of all manoeuvres, or those of "aircraft", "car", "boat" or single "axis"."""
    if vehicle is not None and vehicle not in VEHICLES:
        raise unknown("vehicle", vehicle, VEHICLES)
    return tuple(
        name for kind in VEHICLES for name, r in RECIPES.items() if r.vehicle == kind and vehicle in (None, kind)
    )


def is_manoeuvre(text: str) -> bool:
    """Whether a text that may also be a file names a manoeuvre; raises `UsageError` if it can be neither."""
    name, path = text.partition("?")[0], Path(text)
    if path.exists():
        return False
    if name not in RECIPES and not path.suffix:
        raise unknown("manoeuvre or file", text, manoeuvre_names(), "manoeuvres")
    return name in RECIPES


def recipe_of(name: str) -> Recipe:
    """What a manoeuvre is, without making it."""
    if name not in RECIPES:
        raise unknown("manoeuvre", name, manoeuvre_names())
    return RECIPES[name]


def manoeuvre(name: str, rate: float = RATE, **options: float) -> Manoeuvre:
    """A manoeuvre sampled at `rate` [Hz].

    Args:
        options: by name; every manoeuvre has `amplitude` and `duration`
    """
    recipe = recipe_of(name)
    if not (math.isfinite(rate) and SLOWEST <= rate <= FASTEST):
        raise UsageError(f"rate of manoeuvre {name!r} is {rate:g} Hz, it must be {SLOWEST:g} to {FASTEST:g} Hz")
    used = {key: option.default for key, option in recipe.options.items()} | checked(recipe, options)
    story = recipe.story(**{key: value for key, value in used.items() if key != "duration"})
    count = round(used["duration"] * rate) + 1
    if count > MOST_SAMPLES:
        raise UsageError(f"manoeuvre {name!r} would have {count} samples, at most {MOST_SAMPLES} can be made")
    t = np.arange(count) / rate
    return Manoeuvre(recipe, used, t, story.rows(t))


def manoeuvre_of(text: str, rate: float = RATE) -> Manoeuvre:
    """A manoeuvre named in a text, as people write it: `landing` or `landing?sink=2&duration=20`."""
    name, _, rest = text.removeprefix("manoeuvre://").partition("?")
    given: dict[str, float] = {}
    for part in rest.split("&") if rest else ():
        key, equals, value = part.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not (key and equals) or math.isnan(number):
            raise UsageError(f"manoeuvre {name!r}: {part!r:.60} is no option such as amplitude=2")
        if key in given:
            raise UsageError(f"manoeuvre {name!r}: option {key!r} is given twice")
        given[key] = number
    return manoeuvre(name, rate, **given)


def checked(recipe: Recipe, options: dict[str, float]) -> dict[str, float]:
    """The options, refused if the recipe does not have them or a value is out of bounds."""
    for key, value in options.items():
        if key not in recipe.options:
            raise unknown("option", key, recipe.options, f"options of {recipe.name}")
        option = recipe.options[key]
        if not option.least <= value <= option.most:
            unit = "" if option.unit == "-" else f" {option.unit}"
            raise UsageError(
                f"manoeuvre {recipe.name!r}: {key} is {value:g}{unit}, "
                f"it must be {option.least:g} to {option.most:g}{unit}"
            )
    return {key: float(value) for key, value in options.items()}
