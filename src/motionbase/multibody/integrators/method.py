"""What every method gives: a step that can be compiled, scanned and run on lanes."""

from __future__ import annotations

from abc import ABC, abstractmethod

from motionbase.compile import Unit
from motionbase.multibody.integrators.system import System


class AbstractMethod(ABC):
    """A one-step method as data."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Short name, letters and digits."""

    @property
    @abstractmethod
    def order(self) -> int:
        """The error after a fixed time falls like h to this power."""

    @property
    @abstractmethod
    def source(self) -> str:
        """Who published it."""

    @abstractmethod
    def step(self, system: System) -> Unit:
        """(h, q, v, inputs ...) -> (q_next, v_next)."""


class EmbeddedMethod(AbstractMethod):
    """A method that can also tell its error."""

    @property
    @abstractmethod
    def order_hat(self) -> int:
        """Order of the embedded result."""

    @abstractmethod
    def step_with_error(self, system: System) -> Unit:
        """(h, q, v, inputs ...) -> (q_next, v_next, e_xi, e_v): errors of the local coordinates and the speeds."""
