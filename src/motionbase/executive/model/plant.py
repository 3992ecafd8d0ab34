"""What differs between the models of a run: what an operator sets, what moves them, and what their record shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from motionbase.arrays import Array
from motionbase.compile import Kernel, Program
from motionbase.executive.model.frames import Form
from motionbase.executive.model.orders import Timing
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.of_model import ModelNetwork
from motionbase.record.parameters import ParameterTable
from motionbase.record.schema import Schema


@final
@dataclass(frozen=True, eq=False)
class Settling:
    """What is flown before a run begins.

    Attributes:
        seconds: how long
        seek: changes arrays before each tick
        keeps: arrays that the run goes on with, besides states
    """

    seconds: float
    seek: Callable[[Mapping[str, Array]], None]
    keeps: tuple[str, ...]


class AbstractPlant(ABC):
    """A model that is run in real time; arrays of a run have the names of the ports of its kernels."""

    @property
    @abstractmethod
    def name(self) -> str:
        """For people."""

    @property
    @abstractmethod
    def model(self) -> Model:
        """As the engine steps it."""

    @property
    @abstractmethod
    def form(self) -> Form:
        """What it and a controller tell each other."""

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What it has, for people: `6 driven joints`."""

    @property
    @abstractmethod
    def parameters(self) -> ParameterTable:
        """What an operator may change."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Of the record."""

    @property
    @abstractmethod
    def scene(self) -> dict[str, Any]:
        """Shapes for viewers, as `multibody.scene` has them."""

    @property
    @abstractmethod
    def groups(self) -> Mapping[str, str]:
        """Group of channels -> the array that they show."""

    @property
    @abstractmethod
    def shown(self) -> tuple[str, ...]:
        """Channels in the array `shown`."""

    @property
    @abstractmethod
    def starts(self) -> Mapping[str, Array]:
        """Arrays that are not zero at the start, besides those of the step."""

    @property
    @abstractmethod
    def inputs(self) -> Mapping[str, tuple[str, int]]:
        """Input of the step, one number -> the array and the place that it is taken from."""

    @property
    @abstractmethod
    def firsts(self) -> tuple[tuple[int, float], ...]:
        """Numbers of first steps, and their length over the usual one, after which a run begins; () for none."""

    @property
    @abstractmethod
    def partner_form(self) -> Form | None:
        """Of the exchange with a tail rotor in another process, if it has one."""

    @property
    @abstractmethod
    def settling(self) -> Settling | None:
        """Until it is in a steady state; None if it starts in one."""

    @abstractmethod
    def network(self, dt: float) -> Network:
        """From the start, with a step of `dt` [s]."""

    @abstractmethod
    def observers(self, network: ModelNetwork) -> tuple[Kernel | Program, ...]:
        """Kernels that look at a state, in order: `q`, `positions`, `speeds`, `poses` and what else is shown."""

    @abstractmethod
    def command(self, timing: Timing) -> Kernel:
        """Orders, answers and the motion -> inputs of the step, `memory_next`, `shown`, `sent`."""

    @abstractmethod
    def rest(self, arrays: Mapping[str, Array]) -> None:
        """As the last record shows it, when the loop has ended."""

    @property
    @abstractmethod
    def kept(self) -> Mapping[str, str]:
        """Inputs of the command that are its outputs of the tick before."""
