"""Both engines on the same model: how far their motions differ, and at which order the difference falls."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, coordinates
from motionbase.multibody.network.methods import MS, Multistep
from motionbase.multibody.simulate import simulate
from motionbase.multibody.watch import SimulationWarning

FINER = 4  # steps of the tree engine in one of the network's: of fourth order, its own error is far smaller


@final
@dataclass(frozen=True)
class Comparison:
    """Largest differences of coordinates over a run [rad, m], by name.

    Attributes:
        coarse, fine: network at a step and at half of it, against the tree
        extrapolated: both network runs together, with the error of second order taken out (Richardson)
        order: at which the difference falls with the step, from the largest ones; nan where both are rounding
    """

    model: str
    names: tuple[str, ...]
    coarse: Array
    fine: Array
    extrapolated: Array

    @property
    def order(self) -> float:
        """log2 of the ratio of the largest differences."""
        coarse, fine = float(self.coarse.max(initial=0.0)), float(self.fine.max(initial=0.0))
        return float(np.log2(coarse / fine)) if fine > 1e-11 else float("nan")

    @property
    def difference(self) -> float:
        """The largest of the extrapolated differences."""
        return float(self.extrapolated.max(initial=0.0))

    def __str__(self) -> str:
        worst = self.names[int(np.argmax(self.extrapolated))] if self.names else "-"
        return (
            f"model {self.model!r}: tree and network differ by {self.fine.max(initial=0.0):.3g} "
            f"(order {self.order:.2f}), by {self.difference:.3g} with the error of second order taken out; "
            f"most in {worst}"
        )


def compare(
    model: Model,
    duration: float,
    dt: float = 1e-3,
    *,
    q0: State = None,
    v0: State = None,
    inputs: Mapping[str, Any] | Any = None,
    method: Multistep = MS,
) -> Comparison:
    """Run both engines from the same start and compare them at every step of the coarser network run.

    Example:
        >>> print(compare(MODELS["pendulum"].build(), 5.0, q0={"pivot": 1.5}))
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)  # a start that was moved is moved alike by both
        common: dict[str, Any] = {"q0": q0, "v0": v0, "inputs": inputs}
        tree = simulate(model, duration, dt / FINER, every=FINER, method="rk4", **common)
        coarse = simulate(model, duration, dt, engine="network", method=method, **common)
        fine = simulate(model, duration, dt / 2, every=2, engine="network", method=method, **common)
    better = (4 * fine.q - coarse.q) / 3
    gaps = [np.abs(q - tree.q).max(axis=0) for q in (coarse.q, fine.q, better)]
    return Comparison(model.name, tuple(c.name for c in coordinates(model)), *gaps)
