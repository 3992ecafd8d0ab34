"""What a cueing algorithm is: the motion it wants from a vehicle's signals, and how it goes on after a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, final

import casadi as ca

from motionbase.compile import Struct, for_each, q
from motionbase.cueing.samples import Heard
from motionbase.cueing.tuning import Tuning

SX = ca.SX


class Desired(NamedTuple):
    """Motion that an algorithm wants, or what the limits leave of it."""

    along: SX  # (3, 3) position, velocity, acceleration of the pivot, in W, from its place at neutral
    angles: SX  # (3, 3) roll, pitch, yaw, with their derivatives


class Parameters(Struct):
    """All parameters; users see the names of the inner quantities."""

    air: Tuning = q(of=Tuning)
    ground: Tuning = q(of=Tuning)


class Step(Protocol):
    """(period, tuning in use, all parameters, state, signals) -> state, motion wanted."""

    def __call__(self, h: SX, tuning: Tuning, p: Any, x: Any, heard: Heard, /) -> tuple[Any, Desired]: ...


class Onward(Protocol):
    """(tuning in use, state after a step, motion that became of it) -> state from which it goes on."""

    def __call__(self, tuning: Tuning, x: Any, actual: Desired, /) -> Any: ...


@final
@dataclass(frozen=True)
class Algorithm:
    """A cueing algorithm.

    Attributes:
        state: its state between ticks
        parameters: `Parameters`, and those of the algorithm
    """

    state: type[Struct]
    step: Step
    onward: Onward
    parameters: type[Parameters] = Parameters


def beyond(x: SX, band: SX) -> SX:
    """A signal after a dead band: zero within the band, less twice the band from three times the band on.

    Between the two it is a parabola, because at a corner the platform's acceleration would jump.
    """
    over = ca.fmax(ca.fabs(x) - band, 0.0)
    part = ca.fmin(over, 2 * band)
    return ca.sign(x) * (over - part + part**2 / ca.fmax(4 * band, 1e-9))


def scaled(p: Tuning, heard: Heard) -> tuple[SX, SX]:
    """Differences of specific force and angular rates after dead band, gain and saturation; faded in silence."""

    def axis(x: SX, gain: SX, band: SX, most: SX) -> SX:
        wanted = heard.weight * gain * beyond(x, band)
        return ca.fmin(ca.fmax(wanted, -most), most)

    made: SX = for_each(axis, ca.vertcat(heard.d, heard.omega), p.gain, p.dead_band, p.saturation)
    return made[:3], made[3:]
