"""The tables [gimbals] and [shape] of a platform file; both are optional."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.body import numbers_of
from motionbase.platform.gimbals import Gimbals
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.layout import renumbered
from motionbase.platform.own_shape import Cabin, OwnShape
from motionbase.platform.shape import check_fit
from motionbase.platform.table import Table

Convert = Callable[[Array], Array]
RANGES, AXES = ("base_deg", "platform_deg"), ("base_axes", "platform_axes")


def gimbals_of(table: Table, convert: Convert, legs: list[int]) -> Gimbals:
    """Ranges in degrees; axes of the first bearings in the file's axes and numbering.

    Args:
        convert: from the file's axes to ours
        legs: the file's numbers of our legs
    """
    table.check_keys((*RANGES, *AXES), ())
    values: dict[str, Any] = {}
    for key in RANGES:
        if key in table.data:
            degrees = table.numbers(key, (2,))
            if not np.all((degrees > 0) & (degrees <= 90)):
                table.refuse(key, "two angles above 0 and up to 90 degrees, of the first and the second bearing, each")
            values[key.removesuffix("_deg")] = tuple(np.radians(degrees).tolist())
    for key in AXES:
        if key in table.data:
            values[key] = tuple(map(tuple, convert(renumbered(table.numbers(key, (6, 3)), legs)).tolist()))
    return table.made(Gimbals, **values)


def own_shape_of(table: Table, convert: Convert) -> OwnShape:
    """Dimensions in metres; heights count upwards whatever the file's axes, points are in its axes."""
    table.check_keys((field.name for field in fields(OwnShape)), ())
    values: dict[str, Any] = {}
    for key in table.data:
        if key == "cabin":
            box = table.table("cabin")
            box.check_keys(("size", "at"), ("size", "at"))
            size, at = box.numbers("size", (3,)), convert(box.numbers("at", (3,)))
            values[key] = box.made(Cabin, size=tuple(size.tolist()), at=tuple(at.tolist()))
        elif key == "catwalk_outline":
            corners = numbers_of(table.data[key])
            if corners is None or corners.ndim != 2 or corners.shape[1] != 2:
                table.refuse(key, "a list of corners [x, y]")
            flat = convert(np.column_stack([corners, np.zeros(len(corners))]))[:, :2]
            values[key] = tuple(map(tuple, flat.tolist()))
        elif key == "block":
            values[key] = tuple(table.numbers(key, (3,)).tolist())
        else:
            values[key] = table.number(key)
    return table.made(OwnShape, **values)


def checked_fit(hexapod: Hexapod, table: Table) -> None:
    """Refuse dimensions with which no leg could be built, here where their line is known."""
    try:
        check_fit(hexapod)
    except ModelError as e:
        words = str(e).replace(":", " ").replace(",", " ").split()
        table.complain(next((word for word in words if word in table.data), ""), str(e))
