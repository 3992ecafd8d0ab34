"""Search for the worst errors of the maths functions of one argument, by cells and then again in the worst cells.

Example: uv run python scripts/search_maths.py              (all, a minute or two)
         uv run python scripts/search_maths.py log erfinv

The reference is 80-bit arithmetic (x86 only; its own error is below 0.001 ulp), and mpmath for erf and erfinv. The exit
code is 1 if an error exceeds the registered bound.
"""

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from motionbase.compile.maths import MATHS
from motionbase.compile.render.python import evaluate

Array = NDArray[np.float64]
RNG = np.random.default_rng(77)


class Range(NamedTuple):
    """Arguments to(t) for t in [low, high]."""

    low: float
    high: float
    to: Callable[[Array], Array] = lambda t: t


def below_one(t: Array) -> Array:
    """1 - e^t."""
    return 1.0 - np.exp(t)


def above_one(t: Array) -> Array:
    """1 + e^t."""
    return 1.0 + np.exp(t)


EXP = [Range(-0.36, 0.36), Range(-5, 5), Range(-708, 709.7)]
LOG = [Range(0.5, 2.1), Range(0.9, 1.1), Range(-30, 30, np.exp)]
HYPERBOLIC = [Range(0, 1.5), Range(0, 6), Range(15, 22), Range(0, 700)]
TURNS = [Range(0, 1.6), Range(0, 10), Range(0, 2.0**27)]
REDUCED = [Range(0, 0.785398)]
RANGES: dict[str, tuple[str, Sequence[Range]]] = {
    "sin": ("sin", TURNS),
    "cos": ("cos", TURNS),
    "tan": ("tan", TURNS),
    "fast_sin": ("sin", REDUCED),
    "fast_cos": ("cos", REDUCED),
    "asin": ("arcsin", [Range(0, 1), Range(0.4, 0.6)]),
    "acos": ("arccos", [Range(-1, 1), Range(0.4, 0.6), Range(-0.6, -0.4), Range(-30, 0, below_one)]),
    "atan": ("arctan", [Range(0, 2), Range(0, 10), Range(-8, 8, np.exp)]),
    "exp": ("exp", [*EXP, Range(-745, -708)]),
    "fast_exp": ("exp", EXP),
    "expm1": ("expm1", [Range(-1.2, 1.2), Range(-5, 5), Range(-40, 60), Range(-9, 0, np.exp)]),
    "log": ("log", LOG),
    "fast_log": ("log", LOG),
    "log1p": ("log1p", [Range(-0.5, 0.6), Range(-0.95, 3), Range(-9, 5, np.exp)]),
    "sinh": ("sinh", HYPERBOLIC),
    "cosh": ("cosh", HYPERBOLIC),
    "tanh": ("tanh", [Range(0, 1.5), Range(0, 6), Range(5, 22), Range(-9, 0, np.exp)]),
    "asinh": ("arcsinh", [Range(0, 1), Range(0, 4), Range(-9, 12, np.exp)]),
    "acosh": ("arccosh", [Range(1, 1.06), Range(1, 4), Range(-27, 0, above_one), Range(0, 12, np.exp)]),
    "atanh": ("arctanh", [Range(0, 0.7), Range(0, 1), Range(-30, 0, below_one)]),
    "erf": ("", [Range(0, 0.9375), Range(0.9375, 6)]),
    "erfinv": ("", [Range(0, 0.97), Range(0.82, 0.8427), Range(0.965, 0.9954), Range(-36.7, -3.4, below_one)]),
}


def errors(name: str, x: Array) -> Array:
    """In ulp of the rounded reference; 0 where that is not finite."""
    got = evaluate(MATHS[name].block, [x])
    numpy_name = RANGES[name][0]
    with np.errstate(all="ignore"):
        if numpy_name:
            exact = getattr(np, numpy_name)(x.astype(np.longdouble))
            error = np.abs((got - exact) / np.spacing(np.abs(exact.astype(np.float64))))
        else:
            rest = np.array([float(_excess(name, *pair)) for pair in zip(x.tolist(), got.tolist(), strict=True)])
            error = np.abs(rest / np.spacing(np.abs(got)))
        return np.where(np.isfinite(error), error, 0.0).astype(np.float64)


def _excess(name: str, x: float, got: float) -> mp.mpf:
    """got minus the exact value; for erfinv by a Newton step from got, whose own error is the square of that."""
    with mp.workprec(120):
        y = mp.mpf(got)
        if name == "erf":
            return y - mp.erf(x)
        behind = (1 - mp.mpf(x)) - mp.erfc(y) if x > 0.9 else mp.erf(y) - x
        return behind * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)


def search(name: str, where: Range) -> tuple[float, float]:
    """The worst error and its argument: all cells first, then the dozen worst more finely."""
    cells, samples, worst_cells, fine = (600, 400, 12, 40_000) if RANGES[name][0] else (150, 80, 6, 5_000)
    edges = np.linspace(where.low, where.high, cells + 1)
    t = edges[:-1, None] + (edges[1:] - edges[:-1])[:, None] * RNG.random((cells, samples))
    coarse = errors(name, where.to(t.ravel())).reshape(cells, samples).max(axis=1)
    found = []
    for cell in np.argsort(coarse)[-worst_cells:]:
        x = where.to(RNG.uniform(edges[cell], edges[cell + 1], fine))
        error = errors(name, x)
        found.append((float(error.max()), float(x[error.argmax()])))
    return max(found)


def main(names: Sequence[str]) -> int:
    """Search the named functions, or all, and print one line each."""
    unknown = [name for name in names if name not in RANGES]
    if unknown:
        print(f"search_maths: no {', '.join(unknown)}; there are {', '.join(RANGES)}", file=sys.stderr)
        return 2
    if np.finfo(np.longdouble).nmant < 63:
        print("search_maths: this machine has no 80-bit arithmetic", file=sys.stderr)
        return 2
    over = 0
    for name in names or RANGES:
        worst, x = max(search(name, where) for where in RANGES[name][1])
        bound = MATHS[name].ulp
        over += worst > bound
        print(f"{name:10} {worst:.3f} of {bound} ulp at {x!r}{'   OVER' if worst > bound else ''}", flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
