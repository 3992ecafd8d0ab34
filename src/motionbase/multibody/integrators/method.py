"""Interface of integration methods: a step that can be compiled, scanned and run on lanes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import casadi as ca

from motionbase.compile import Program
from motionbase.multibody.integrators.system import System
from motionbase.multibody.integrators.tableau import ButcherTableau, RosenbrockTableau
from motionbase.spatial.rotations import Expr


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
        """Reference of the method."""

    @abstractmethod
    def step(self, system: System) -> Program:
        """(h, q, v, inputs ...) -> (q_next, v_next)."""


class EmbeddedMethod(AbstractMethod):
    """A method given by a table of coefficients, with an error estimate."""

    @abstractmethod
    def _tableau(self) -> ButcherTableau | RosenbrockTableau:
        """The table of coefficients."""

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._tableau().name

    @property
    def order(self) -> int:
        """Order of the table."""
        return self._tableau().order

    @property
    def order_hat(self) -> int:
        """Order of the embedded result; 0 without one."""
        return self._tableau().order_hat

    @property
    def source(self) -> str:
        """Reference of the table."""
        return self._tableau().source

    @abstractmethod
    def step_with_error(self, system: System) -> Program:
        """(h, q, v, inputs ...) -> (q_next, v_next, e_xi, e_v): errors of the local coordinates and the speeds."""


def mix(weights: Iterable[float], slopes: Sequence[Expr]) -> Expr:
    """Weighted sum of the slopes so far."""
    return sum((w * k for w, k in zip(weights, slopes, strict=False) if w), ca.SX(0))
