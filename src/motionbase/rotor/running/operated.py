"""What a run in real time needs of a rotor: its network, its controls, the flight, and what its record shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program
from motionbase.errors import ModelError
from motionbase.multibody.looks import Looks
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.rotor.models.settings import Setting
from motionbase.spatial.rotations import Expr

Observe: TypeAlias = Callable[[ModelNetwork], Kernel | Program]
Correct: TypeAlias = Callable[[Mapping[str, Expr], Mapping[str, Expr], Expr, float], tuple[dict[str, Expr], Expr]]
Seek: TypeAlias = Callable[[Mapping[str, float], Array], None]
Given: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]


@final
@dataclass(frozen=True)
class Output:
    """A channel of the record that `OperatedRotor.observe` gives."""

    name: str
    unit: str
    about: str


@final
@dataclass(frozen=True, eq=False)
class InnerLaw:
    """A law of the rotor itself between settings and what acts.

    Attributes:
        acts: channels of what it gives, in the order of `correct`
        kept: numbers that it keeps from tick to tick, at the start
        correct: (settings by name, outputs by name, kept, step [s]) -> settings as they act, kept next
        settle_s: how long a run is flown before it begins, so that it begins in a steady state [s]
        seek: (outputs by name, kept) changes `kept` in every step meanwhile
    """

    acts: tuple[Output, ...]
    kept: Array
    correct: Correct
    settle_s: float
    seek: Seek


@final
@dataclass(frozen=True, eq=False)
class OperatedRotor:
    """A rotor as a run needs it.

    Attributes:
        summary, illustrative: what it is, and which of its numbers nobody has published
        step: of a run [s]; speed: of the shaft [rad/s]
        controls: that operators or a controller set
        flight: conditions that operators set: airspeed, shaft angle
        at_start: the network at the start, with a step [s]
        firsts: numbers of first steps, and their length over the usual one; the run begins after them
        given: settings by name, numbers or expressions -> inputs of a step by name
        outputs: channels, in the order of `observe`
        observe: (any of nodes, own, rates, kept, q, v, positions, speeds, settings) -> port `outputs`; `settings` are
            controls, then flight
        hub: body that turns with the shaft about its own z
        looks: shapes that viewers draw
        inner: a law between settings and inputs, such as a stabiliser
    """

    name: str
    summary: str
    illustrative: tuple[str, ...]
    model: Model
    step: float
    speed: float
    controls: tuple[Setting, ...]
    flight: tuple[Setting, ...]
    at_start: Callable[[float], Network]
    firsts: tuple[tuple[int, float], ...] = ()
    given: Given = dict
    outputs: tuple[Output, ...] = ()
    observe: Observe | None = None
    hub: str = "hub"
    looks: Looks = field(default_factory=Looks)
    inner: InnerLaw | None = None

    def __post_init__(self) -> None:
        owner = f"rotor {self.name!r}"
        if not self.controls:
            raise ModelError(f"{owner}: there are no controls, one or more are wanted")
        acts = () if self.inner is None else self.inner.acts
        named: tuple[Setting | Output, ...] = (*self.settings, *self.outputs, *acts)
        names = [one.name for one in named]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ModelError(f"{owner}: two controls or outputs are called {twice[0]!r}")
        if bool(self.outputs) != (self.observe is not None):
            raise ModelError(f"{owner}: outputs need `observe`, which gives them, and `observe` needs their names")
        if self.hub not in self.model.index:
            raise ModelError(f"{owner}: hub is {self.hub!r}, which is no body of the model")
        if not abs(round(1 / self.step) * self.step - 1) < 1e-9:
            raise ModelError(f"{owner}: step is {self.step:g} s; a second must be a whole number of steps")

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Controls, then flight."""
        return *self.controls, *self.flight
