"""Checked data of a beam: properties along its length, supports of its ends, and named stations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError

Table = Callable[[Array], Array]
Property = float | Sequence[tuple[float, float]]

HELD = {"clamped": (True, True), "pinned": (True, False), "sliding": (False, True), "free": (False, False)}
"""Whether an end's deflection and rotation are fixed."""
BARS = ("fixed-free", "free-fixed", "free-free")


def checked_number(name: str, value: float, positive: bool = False) -> float:
    """A finite number, not negative."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0 or (positive and number == 0):
        wanted = "a finite number above zero" if positive else "a finite number, not negative,"
        raise ModelError(f"beam: {name} is {value!r}; {wanted} is wanted")
    return number


def checked_counts(bending: tuple[int, int], axial: int, torsion: int) -> tuple[int, int, int, int]:
    """Number of modes along y, along z, of stretch and of twist."""
    pair = tuple(bending) if isinstance(bending, Sequence) else (bending,)
    counts = (*pair, axial, torsion)
    if len(counts) != 4 or any(not isinstance(n, int) or n < 0 for n in counts) or not any(counts):
        raise ModelError(
            f"beam: bending={bending!r}, axial={axial!r}, torsion={torsion!r}; whole numbers of modes, two for "
            "bending, not all zero, are wanted"
        )
    return (counts[0], counts[1], axial, torsion)


def table(name: str, value: Property | None, length: float, positive: bool = True) -> tuple[Table, list[float]]:
    """A property along the beam and the stations where it has a corner."""
    if value is None:
        raise ModelError(f"beam: {name} is not given, but a requested mode needs it")
    if isinstance(value, int | float):
        number = checked_number(name, value, positive)
        return (lambda x: np.full(len(x), number)), []
    try:
        pairs = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        pairs = np.empty(0)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or len(pairs) < 2 or not np.all(np.isfinite(pairs)):
        raise ModelError(f"beam: {name} must be a number, or at least two pairs (station [m], value)")
    x, y = pairs.T
    if np.any(np.diff(x) < 0) or not math.isclose(x[0], 0.0, abs_tol=1e-9) or not math.isclose(x[-1], length):
        raise ModelError(f"beam: {name}: stations must ascend from 0 to {length:.6g} m, they are {x.tolist()}")
    if np.any(y < 0) or (positive and np.any(y == 0)):
        raise ModelError(f"beam: {name}: every value must be {'above zero' if positive else 'zero or more'}")
    return (lambda at: np.interp(at, x, y)), [float(s) for s in x]


def checked_boundary(boundary: str) -> tuple[str, str]:
    """Supports of bending at root and tip."""
    ends = boundary.split("-") if isinstance(boundary, str) else []
    if len(ends) != 2 or any(end not in HELD for end in ends):
        raise ModelError(f"beam: boundary {boundary!r} is not known; write root-tip, each {', '.join(HELD)}")
    return ends[0], ends[1]


def checked_bar(name: str, given: str | None, boundary: str) -> tuple[str, str]:
    """Supports of stretch or twist at root and tip."""
    chosen = given if given is not None else ("free-free" if boundary == "free-free" else "fixed-free")
    if chosen not in BARS:
        raise ModelError(f"beam: {name} {given!r} is not known; {', '.join(BARS)}")
    root, tip = chosen.split("-")
    return root, tip


def checked_stations(points: Mapping[str, float] | None, length: float) -> dict[str, float]:
    """Named stations, including root and tip."""
    found = {"root": 0.0, "tip": length}
    for name, x in (points or {}).items():
        at = checked_number(f"point {name!r}", x)
        if at > length * (1 + 1e-12):
            raise ModelError(f"beam: point {name!r} is at {at:.6g} m; the beam is {length:.6g} m long")
        found[name] = min(at, length)
    return found
