"""The error of a maths function against mpmath, in units in the last place of the correctly rounded result."""

from collections.abc import Callable

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from motionbase.compile.maths import MATHS
from motionbase.compile.render.python import evaluate

Array = NDArray[np.float64]
WORST: dict[str, float] = {}  # the largest error that `ulp_errors` has met, by function, for scripts/maths_table.py
PRECISION = 128  # bits of the reference: 75 more than a double, so its own error is below 1e-20 ulp


def near(points: Array, steps: int = 2) -> Array:
    """Each point and the doubles next to it on both sides."""
    out, up, down = [points], points, points
    for _ in range(steps):
        up, down = np.nextafter(up, np.inf), np.nextafter(down, -np.inf)
        out += [up, down]
    return np.concatenate(out)


def values(name: str, *arguments: Array) -> Array:
    """The maths function `name` at one-dimensional arrays of arguments, by the Python renderer."""
    return evaluate(MATHS[name].block, [np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in arguments])


def ulp_errors(name: str, reference: Callable[..., mp.mpf], *arguments: Array) -> Array:
    """|function - reference| in ulps of the rounded reference, one for each element of the arguments.

    Where the reference is NaN, complex or refuses the argument, the function must be NaN; where it is zero or infinite
    (also by overflow), the function must be equal; the error is then 0, or infinite where they differ. The sign of a
    zero is not looked at, since mpmath has none.
    """
    errors = ulp_distance(values(name, *arguments), reference, *arguments)
    WORST[name] = max(WORST.get(name, 0.0), float(errors.max()))
    return errors


def ulp_distance(got: Array, reference: Callable[..., mp.mpf], *arguments: Array) -> Array:
    """As `ulp_errors`, for values that were computed elsewhere (another target, say)."""
    nearest = np.empty(len(got))
    rest = np.zeros(len(got))  # (reference - nearest) in ulps
    with mp.workprec(PRECISION):
        for k, row in enumerate(zip(*(np.asarray(a, dtype=np.float64).tolist() for a in arguments), strict=True)):
            try:
                exact = reference(*(mp.mpf(x) for x in row))
            except (ValueError, ZeroDivisionError):
                exact = mp.nan
            if isinstance(exact, mp.mpc):
                exact = exact.real if exact.imag == 0 else mp.nan
            nearest[k] = rounded = float(exact)
            if np.isfinite(rounded):
                rest[k] = float((exact - mp.mpf(rounded)) / mp.mpf(float(np.spacing(abs(rounded)))))
    with np.errstate(all="ignore"):
        error = np.abs((got - nearest) / np.spacing(np.abs(nearest)) - rest)
    same = (got == nearest) | (np.isnan(got) & np.isnan(nearest))
    special = ~np.isfinite(got) | ~np.isfinite(nearest)
    return np.where(special, np.where(same, 0.0, np.inf), error)
