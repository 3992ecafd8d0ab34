"""The border to data acquisition: six analogue inputs, twelve digital outputs, and throttles where there are some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError, UsageError

LEGS, LINES = 6, 12
SHUT = (False,) * LINES


class AcquisitionError(MotionBaseError):
    """The device did not do what it was asked; `code` is its own number for the reason."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class Reader(Protocol):
    """A device with six analogue inputs; `read` raises `AcquisitionError`."""

    @property
    def name(self) -> str:
        """For people, with the device."""
        ...

    def read(self, now: float) -> Array:
        """(6,) voltages of the inputs, measured at this time or as soon after it as the device can [V]."""
        ...

    def close(self) -> None:
        """Release the device, with all outputs of valves at 0 V; a second call does nothing."""
        ...


class Acquisition(Reader, Protocol):
    """A device with twelve digital outputs besides; `write` raises `AcquisitionError`."""

    def write(self, lines: Sequence[bool]) -> None:
        """Set all twelve outputs in one operation; True is 5 V."""
        ...


@runtime_checkable
class Throttles(Protocol):
    """A device that also sets six flow-control valves."""

    def throttle(self, openings: Array) -> None:
        """(6,) openings from 0, shut, to 1."""
        ...


@runtime_checkable
class CutsPower(Protocol):
    """A device that also opens a relay in the supply of all valves."""

    def cut(self) -> None:
        """Open it, without waiting; may be called again and again, from any thread."""
        ...


@final
@dataclass(frozen=True)
class Wiring:
    """Which input and which outputs belong to a leg, legs counted from 0.

    Attributes:
        inputs: analogue input of each leg's potentiometer
        extend, retract: output of the solenoid that extends or retracts the leg
    """

    inputs: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    extend: tuple[int, ...] = (0, 2, 4, 6, 8, 10)
    retract: tuple[int, ...] = (1, 3, 5, 7, 9, 11)

    def __post_init__(self) -> None:
        _all_used("analogue inputs", self.inputs, LEGS)
        _all_used("digital outputs", (*self.extend, *self.retract), LINES)

    def lines(self, u: Array) -> tuple[bool, ...]:
        """The twelve outputs for six commands: -1 retract, 0 hold, 1 extend."""
        out = [False] * LINES
        for leg, command in enumerate(u):
            out[self.extend[leg]], out[self.retract[leg]] = bool(command > 0.5), bool(command < -0.5)
        return tuple(out)

    def of_legs(self, volts: Array) -> Array:
        """Voltages in the order of the legs."""
        return volts[list(self.inputs)]

    def commands(self, lines: Sequence[bool]) -> Array:
        """Commands of six legs for twelve outputs; with both solenoids on, the spool stays in its middle."""
        return np.array([float(lines[e]) - float(lines[r]) for e, r in zip(self.extend, self.retract, strict=True)])


def _all_used(what: str, given: tuple[int, ...], count: int) -> None:
    if sorted(given) != list(range(count)):
        listed = ", ".join(map(str, given))
        raise UsageError(f"wiring: {what} are {listed}; each of 0 to {count - 1} must appear once")
