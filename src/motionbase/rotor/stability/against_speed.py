"""Stability against rotor speed: modes of a periodic system at many speeds, named by what moves, and unstable zones."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, final

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError
from motionbase.rotor.stability.floquet import damping_ratio, exponents
from motionbase.rotor.stability.monodromy import STEPS, monodromy
from motionbase.rotor.stability.periodic import PeriodicSystem
from motionbase.spatial.equals import first_largest, ranked

Method = Literal["multiblade", "floquet"]
METHODS: tuple[Method, ...] = ("multiblade", "floquet")
SystemAt: TypeAlias = Callable[[float], PeriodicSystem]
ROUNDING = 1e-6  # relative: growth below this is that of an undamped double root
PART = re.compile(r"^(.*)\[(0|d|(\d+)[cs])\]$")


@final
@dataclass(frozen=True, eq=False)
class SpeedModes:
    """Modes at one speed, one of each complex pair, in ascending frequency.

    Attributes:
        speed: of the rotor [rad/s]; of the air [m/s] where that of the rotor is held
        exponents: (modes,) growth rate [1/s] and frequency [rad/s], as a complex number
        kinds: what moves most: a coordinate of the fixed frame, or the blades' collective, differential, regressing
            (below the rotor's speed) or progressing motion
        variation: largest change of the coefficients with azimuth, relative; not counted by the multiblade method
    """

    speed: float
    exponents: Complex
    kinds: tuple[str, ...]
    variation: float

    @property
    def growth(self) -> Array:
        """(modes,) [1/s]."""
        return self.exponents.real

    @property
    def frequency(self) -> Array:
        """(modes,) [rad/s]."""
        return self.exponents.imag

    @property
    def damping_ratio(self) -> Array:
        """(modes,) see `floquet.damping_ratio`."""
        return damping_ratio(self.exponents)

    @property
    def worst(self) -> int:
        """The mode that grows most, or decays least."""
        return first_largest(self.growth)

    @property
    def largest_growth(self) -> float:
        """[1/s]; 0 for what rounding makes of motions without damping."""
        found = float(self.growth[self.worst])
        return 0.0 if abs(found) <= ROUNDING * float(np.abs(self.exponents).max()) else found


@final
@dataclass(frozen=True, eq=False)
class Stability:
    """Modes at ascending speeds, by "multiblade" (coefficients averaged over a revolution) or "floquet"."""

    method: Method
    points: tuple[SpeedModes, ...]

    @property
    def speeds(self) -> Array:
        """(n,) [rad/s or m/s]."""
        return np.array([point.speed for point in self.points])

    @property
    def growth(self) -> Array:
        """(n,) largest at each speed [1/s]."""
        return np.array([point.largest_growth for point in self.points])

    @property
    def variation(self) -> float:
        """Largest relative change of coefficients with azimuth, of all speeds."""
        return max(point.variation for point in self.points)

    @property
    def unstable(self) -> list[tuple[float, float]]:
        """Zones of speeds in which a motion grows; their ends lie between two speeds, on a straight line."""
        x, y = self.speeds, self.growth
        grows = y > 0
        zones: list[tuple[float, float]] = []
        for k in np.flatnonzero(grows):
            low = x[k] if k == 0 else _crossing(x[k - 1 : k + 1], y[k - 1 : k + 1])
            high = x[k] if k + 1 == len(x) else _crossing(x[k : k + 2], y[k : k + 2])
            if k and grows[k - 1]:
                zones[-1] = (zones[-1][0], high)
            else:
                zones.append((low, high))
        return zones


def stability(
    system_at: SystemAt,
    speeds: Sequence[float],
    method: Method = "multiblade",
    *,
    steps: int = STEPS,
    progress: Callable[[float], None] | None = None,
) -> Stability:
    """Modes at every speed.

    Args:
        system_at: the system in coordinates of the fixed frame at a speed [rad/s]
        speeds: [rad/s], ascending, not negative; at rest the rotor stands at azimuth zero
        method: "multiblade" averages the coefficients over a revolution, exact where they are constant; "floquet" takes
            them as they are
        steps: of Floquet's method in a revolution
        progress: called with the fraction done
    """
    if method not in METHODS:
        raise ModelError(f"stability: method is {method!r}; methods: {', '.join(METHODS)}")
    wanted, points = checked_speeds("stability: speeds", speeds), []
    for k, speed in enumerate(wanted):
        points.append(_modes(system_at(speed), method, steps))
        if progress:
            progress((k + 1) / len(wanted))
    return Stability(method, tuple(points))


def checked_speeds(what: str, speeds: Sequence[float]) -> list[float]:
    """Speeds of the rotor or the air; refused unless finite, not negative, ascending, and at least one."""
    wanted = np.asarray(speeds, dtype=np.float64)
    if wanted.ndim != 1 or not len(wanted) or not np.all(np.isfinite(wanted)) or wanted.min() < 0:
        raise ModelError(f"{what} must be finite, not negative, and at least one")
    if not np.all(np.diff(wanted) > 0):
        raise ModelError(f"{what} must be ascending")
    return [float(speed) for speed in wanted]


def _modes(system: PeriodicSystem, method: Method, steps: int) -> SpeedModes:
    still = system.speed == 0
    values, vectors = np.linalg.eig(system.A[0] if still else system.averaged)
    s, X = values.astype(np.complex128), vectors.astype(np.complex128)
    if method == "floquet" and not still:
        found = exponents(monodromy(system, steps), s)
        s, X = found.exponents, found.vectors
    else:
        one = s.imag >= 0
        s, X = s[one], X[:, one]
        order = ranked(s.imag)
        s, X = s[order], X[:, order]
    kinds = tuple(_kind(system, value, vector) for value, vector in zip(s, X.T, strict=True))
    return SpeedModes(system.speed, s, kinds, 0.0 if still else system.variation)


def _kind(system: PeriodicSystem, value: complex, vector: Complex) -> str:
    names = system.coordinates
    inertia = np.ones(len(names)) if system.inertia is None else system.inertia
    shares: dict[str, float] = {}
    for name, share in zip(names, inertia * np.abs(vector[: len(names)]) ** 2, strict=True):
        found = PART.match(name)
        if found is None:
            kind = name.replace("_", " ")
        elif found[3] is None:
            kind = f"{found[1]} {'collective' if found[2] == '0' else 'differential'}"
        else:
            order = "" if found[3] == "1" else f" {found[3]}"
            kind = f"{found[1]}{order} {'regressing' if value.imag < int(found[3]) * system.speed else 'progressing'}"
        shares[kind] = shares.get(kind, 0.0) + float(share)
    return list(shares)[first_largest(list(shares.values()))]


def _crossing(x: Array, y: Array) -> float:
    """Where a straight line through two points is zero, one of which is above."""
    if (y > 0).all():
        return float(x[1])
    return float(x[0] - y[0] * (x[1] - x[0]) / (y[1] - y[0]))
