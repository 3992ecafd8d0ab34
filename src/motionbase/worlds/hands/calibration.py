"""Definitions of the axes of joysticks, from a user's file: for levers, pedals and worn sticks.

Axes are listed in the order of a gamepad: left stick right and down, right stick right and down, triggers.

    [[joystick]]
    name = "Extreme 3D"   # part of the name in `motionbase host sticks`
    axes = [{ of = 0, middle = 0.02 }, { of = 1 }, { of = 2, least = -0.9, most = 0.95 }, { of = 3, turned = true }]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, final

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from motionbase.errors import UsageError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.record.world import AXIS_COUNT

Reading = Annotated[float, Field(ge=-1.0, le=1.0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


@final
class Axis(_Strict):
    """Which axis of the device it is, and its readings at both ends and in its middle."""

    of: int = Field(ge=0, lt=32)
    least: Reading = -1.0
    middle: Reading | None = None
    most: Reading = 1.0
    turned: bool = False

    @model_validator(mode="after")
    def _is_ordered(self) -> Axis:
        if not self.least < self.centre < self.most:
            raise ValueError(f"least, middle and most must ascend; they are {self.least}, {self.centre}, {self.most}")
        return self

    @property
    def centre(self) -> float:
        """The reading in its middle."""
        return (self.least + self.most) / 2.0 if self.middle is None else self.middle

    def value(self, reading: float) -> float:
        """Its position, -1 to 1, from a reading."""
        way = reading - self.centre
        share = way / (self.most - self.centre if way > 0.0 else self.centre - self.least)
        kept = max(-1.0, min(1.0, share))
        return -kept if self.turned else kept


@final
class Calibration(_Strict):
    """The axes of one kind of device."""

    name: str = Field(min_length=1, max_length=100)
    axes: tuple[Axis, ...] = Field(min_length=1, max_length=AXIS_COUNT)

    def axes_of(self, readings: Sequence[float]) -> list[float]:
        """Positions from readings; an axis that the device lacks is 0."""
        return [axis.value(readings[axis.of]) if axis.of < len(readings) else 0.0 for axis in self.axes]


@final
class Calibrations(_Strict):
    """The contents of a file."""

    joystick: tuple[Calibration, ...] = ()

    def of(self, name: str) -> Calibration | None:
        """The entry for a device, by its name; None if there is none."""
        return next((one for one in self.joystick if one.name.casefold() in name.casefold()), None)


def load_calibrations(path: Path) -> Calibrations:
    """Load a file; raises `UsageError` with one sentence if it is not valid."""
    data = TomlSource.read(path).data
    try:
        return Calibrations(**data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
