"""A library of vehicle manoeuvres: aircraft, cars, boats, and single axes, as rows of `record.vehicle`."""

from motionbase.host.manoeuvres.library import (
    Manoeuvre,
    is_manoeuvre,
    manoeuvre,
    manoeuvre_names,
    manoeuvre_of,
    recipe_of,
)

__all__ = ["Manoeuvre", "is_manoeuvre", "manoeuvre", "manoeuvre_names", "manoeuvre_of", "recipe_of"]
