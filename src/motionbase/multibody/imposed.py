"""Rates of imposed motions, where the user gives the motion alone: of a drive exactly, of a function by differences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from motionbase.errors import SimulationError
from motionbase.multibody.drives import AbstractDrive
from motionbase.multibody.model import Model

# [s] between the five times at which a function is asked for its rates. Their error is (w DIFFERENCE)^4 / 30 of a rate,
# 3e-10 for motions at w = 10 rad/s, and rounding leaves 5e-10 of the value in a second rate.
DIFFERENCE = 1e-3
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / (12 * DIFFERENCE)
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / (12 * DIFFERENCE**2)


def with_rates(model: Model, given: Any) -> Any:
    """Inputs by name with the rates that closures need beside their positions, angles or speeds."""
    followed = [[port.name for port in closure.inputs] for closure in model.closures if closure.inputs]
    if not followed or not isinstance(given, Mapping):
        return given
    found = dict(given)
    for value, *rates in followed:
        missing = [name for name in rates if name not in found]
        if value not in found or not missing:
            continue
        motion = found[value]
        if isinstance(motion, AbstractDrive):
            found.update({name: motion.rate(k) for k, name in enumerate(rates, start=1) if name in missing})
        elif callable(motion):
            for name, weights in zip(rates, (FIRST, SECOND), strict=False):
                found.setdefault(name, _rate(motion, weights))
        elif np.ndim(motion):
            raise SimulationError(
                f"input {value!r} changes from step to step, so {' and '.join(missing)} must be given too; with a "
                "function of time they are found"
            )
    return found


def _rate(motion: Callable[[float], Any], weights: Any) -> Callable[[float], Any]:
    def rate(t: float) -> Any:
        values = [np.asarray(motion(t + k * DIFFERENCE), dtype=np.float64) for k in range(-2, 3)]
        return sum(w * x for w, x in zip(weights, values, strict=True))

    return rate
