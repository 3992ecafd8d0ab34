"""A rotor that an operator can run in real time: its model, its controls, the flight, and what its record shows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program
from motionbase.errors import ModelError, unknown
from motionbase.multibody.looks import Looks
from motionbase.multibody.model import Model
from motionbase.multibody.network.of_model import ModelNetwork

Observe: TypeAlias = Callable[[ModelNetwork], Kernel | Program]


@final
@dataclass(frozen=True)
class Control:
    """An input of the network's step, one number, that an operator sets.

    Attributes:
        unit: of the input, SI
        about: what it is, for people
        start: its value at the start
        least, most: its bounds
        rate: fastest change [unit/s]
        safe: where a stop sends it; it stays where it is if None
    """

    name: str
    unit: str
    about: str
    start: float
    least: float
    most: float
    rate: float
    safe: float | None = None

    def __post_init__(self) -> None:
        owner = f"control {self.name!r}"
        numbers = self.start, self.least, self.most, self.rate, self.start if self.safe is None else self.safe
        if not all(math.isfinite(x) for x in numbers):
            raise ModelError(f"{owner}: start, least, most, rate and safe must be finite numbers")
        if not self.least < self.most:
            raise ModelError(f"{owner}: least is {self.least:g} and most {self.most:g}, least must be below most")
        if not self.rate > 0:
            raise ModelError(f"{owner}: rate is {self.rate:g} {self.unit}/s, must be positive")
        for what, value in (("start", self.start), ("safe", self.safe)):
            if value is not None and not self.least <= value <= self.most:
                raise ModelError(f"{owner}: {what} is {value:g}, it must be {self.least:g} to {self.most:g}")


@final
@dataclass(frozen=True)
class Output:
    """A channel of the record that `RotorModel.observe` gives."""

    name: str
    unit: str
    about: str


@final
@dataclass(frozen=True, eq=False)
class RotorModel:
    """A rotor for `Network(model, step, q0, v0)`, turning at full speed at the start.

    Attributes:
        summary, illustrative: what it is, and which of its numbers nobody has published
        step: [s]; speed: of the shaft [rad/s]
        q0, v0: coordinates and speeds of the start
        controls: that operators or a controller set
        flight: conditions that operators set: airspeed, shaft angle
        outputs: channels, in the order of `observe`
        observe: (any of nodes, own, rates, q, v, positions, speeds, settings) -> port `outputs`; `settings` are
            controls, then flight
        iterations, jacobians: of a step, as of `Network`
        hub: body that turns with the shaft about its own z
        looks: shapes that viewers draw
    """

    name: str
    summary: str
    illustrative: tuple[str, ...]
    model: Model
    step: float
    speed: float
    q0: Array
    v0: Array
    controls: tuple[Control, ...]
    flight: tuple[Control, ...] = ()
    outputs: tuple[Output, ...] = ()
    observe: Observe | None = None
    iterations: int | None = None
    jacobians: int | None = None
    hub: str = "hub"
    looks: Looks = field(default_factory=Looks)

    def __post_init__(self) -> None:
        owner = f"rotor {self.name!r}"
        if not self.controls:
            raise ModelError(f"{owner}: there are no controls, one or more are wanted")
        names = [*(one.name for one in self.settings), *(one.name for one in self.outputs)]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ModelError(f"{owner}: two controls or outputs are called {twice[0]!r}")
        if bool(self.outputs) != (self.observe is not None):
            raise ModelError(f"{owner}: outputs need `observe`, which gives them, and `observe` needs their names")
        if self.hub not in self.model.index:
            raise ModelError(f"{owner}: hub is {self.hub!r}, which is no body of the model")
        if not (np.shape(self.q0) == (self.model.nq,) and np.shape(self.v0) == (self.model.nv,)):
            raise ModelError(f"{owner}: q0 and v0 have {np.size(self.q0)} and {np.size(self.v0)} numbers, "
                             f"the model has {self.model.nq} and {self.model.nv}")  # fmt: skip
        if not abs(round(1 / self.step) * self.step - 1) < 1e-9:
            raise ModelError(f"{owner}: step is {self.step:g} s; a second must be a whole number of steps")

    @property
    def settings(self) -> tuple[Control, ...]:
        """Controls, then flight."""
        return *self.controls, *self.flight


ROTORS: dict[str, Callable[[], RotorModel]] = {}  # built-in ones by name


def rotor_model(reference: str) -> RotorModel:
    """The built-in rotor of that name."""
    if reference not in ROTORS:
        raise unknown("rotor", reference, ROTORS)
    return ROTORS[reference]()
