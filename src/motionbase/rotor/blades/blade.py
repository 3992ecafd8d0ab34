"""A blade's structure: mass, inertia, stiffness and offsets along the radius, and the hinges that carry it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.beams.profile import Profile
from motionbase.multibody.lookup import checked_number
from motionbase.platform.table import Table

STIFF = ("EA", "GJ", "EI_flap", "EI_lag")
PER_LENGTH = ("mass", "inertia_flap", "inertia_lag")
LINES = (*PER_LENGTH, *STIFF, "cg", "elastic_axis", "twist")
KEYS = ("root", *LINES, "shear", "lag", "flap", "pitch")
NEEDED = ("root", *PER_LENGTH, *STIFF)
GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(4)  # exact up to the seventh power


@final
@dataclass(frozen=True)
class Hinge:
    """A hinge or bearing of a blade.

    Attributes:
        at: radius [m]
        stiffness: [N m/rad]
        damping: [N m s/rad]
    """

    at: float
    stiffness: float = 0.0
    damping: float = 0.0

    def __post_init__(self) -> None:
        for key, unit in (("at", "m"), ("stiffness", "N m/rad"), ("damping", "N m s/rad")):
            checked_number("hinge", key, getattr(self, key), unit, least=0.0)


class Rigid(NamedTuple):
    """Part of a blade as a rigid body, in blade axes: x outward from the shaft, y to the leading edge, z up.

    Attributes:
        mass: [kg]
        com: (3,) [m], from the shaft's axis
        inertia: (3, 3) about the centre of mass [kg m^2]
    """

    mass: float
    com: Array
    inertia: Array


@final
@dataclass(frozen=True, eq=False)
class Blade:
    """A blade's structure; lines are (n, 2) radius [m] and value, straight between points and constant beyond them.

    Two points at one radius make a step. Offsets are from the pitch axis towards the leading edge.

    Attributes:
        root, radius: where the blade begins and ends [m]
        mass: per length [kg/m]
        inertia_flap, inertia_lag: of a slice about the chord line and across it, per length [kg m]
        EA: [N]
        GJ, EI_flap, EI_lag: [N m^2], bending out of the plane of the chord and in it
        cg, elastic_axis: offsets of the centre of gravity and of the line about which sections turn [m]
        twist: of the section's axes, nose-up, beside the collective pitch [rad]
        shear: shear stiffness as a part of EA, in both directions
        lag, flap, pitch: hinges; the blade is stiff in the directions that have none
    """

    name: str
    root: float
    radius: float
    mass: Array
    inertia_flap: Array
    inertia_lag: Array
    EA: Array
    GJ: Array
    EI_flap: Array
    EI_lag: Array
    cg: Array
    elastic_axis: Array
    twist: Array
    shear: float = 1 / 3
    lag: Hinge | None = None
    flap: Hinge | None = None
    pitch: Hinge | None = None

    def __post_init__(self) -> None:
        owner = f"blade {self.name!r}"
        if not 0 <= self.root < self.radius < np.inf:
            raise ModelError(f"{owner}: root is {self.root:g} m, must be from 0 to the radius, {self.radius:g} m")
        if not 0 < self.shear < np.inf:
            raise ModelError(f"{owner}: shear is {self.shear:g}, must be positive")
        for key in LINES:
            line = getattr(self, key)
            check_line(owner, key, line, steps=True)
            if line[0, 0] < 0 or line[-1, 0] > self.radius * (1 + 1e-9):
                raise ModelError(f"{owner}: {key} has a point outside 0 to {self.radius:g} m; are radii in metres?")
            if key in STIFF and not np.all(line[:, 1] > 0):
                raise ModelError(f"{owner}: {key} must be positive everywhere")
            if key in PER_LENGTH and not np.all(line[:, 1] >= 0):
                raise ModelError(f"{owner}: {key} must not be negative anywhere")
        for kind, hinge in self.hinges:
            if not self.root <= hinge.at < self.radius:
                raise ModelError(
                    f"{owner}: {kind} hinge is at {hinge.at:g} m, must be from {self.root:g} to {self.radius:g} m"
                )
        if not self.integral(lambda r: self.at("mass", r), self.clamp, self.radius) > 0:
            raise ModelError(f"{owner}: mass is zero outboard of {self.clamp:g} m, some is needed")

    @property
    def hinges(self) -> tuple[tuple[str, Hinge], ...]:
        """Kind and hinge, from the shaft outward; at one radius in the order lag, flap, pitch."""
        found = [(kind, hinge) for kind in ("lag", "flap", "pitch") if (hinge := getattr(self, kind)) is not None]
        return tuple(sorted(found, key=lambda one: one[1].at))

    @property
    def clamp(self) -> float:
        """Radius from which the blade is elastic: of the outermost hinge, or its root [m]."""
        return max([self.root, *(hinge.at for _, hinge in self.hinges)])

    def at(self, key: str, r: ArrayLike) -> Array:
        """A line's value at radii [m]."""
        line = getattr(self, key)
        return np.asarray(np.interp(np.asarray(r, np.float64), line[:, 0], line[:, 1]))

    def integral(self, f: Callable[[Array], Array], inner: float, outer: float) -> Array:
        """Of f(r) over a part of the radius [m]; exact for products of the lines up to the seventh power.

        Args:
            f: (..., n) for n radii
        """
        breaks = np.unique(np.concatenate([[inner, outer], *(getattr(self, key)[:, 0] for key in LINES)]))
        breaks = breaks[(breaks >= inner) & (breaks <= outer)]
        half, middle = np.diff(breaks) / 2, (breaks[1:] + breaks[:-1]) / 2
        r = (middle[:, None] + half[:, None] * GAUSS).ravel()
        return np.asarray(f(r) @ (half[:, None] * WEIGHTS).ravel())

    def rigid(self, inner: float, outer: float | None = None) -> Rigid:
        """The part from a radius outward to another, or to the tip, as one rigid body at zero collective pitch."""
        outer = self.radius if outer is None else outer
        if not self.root <= inner < outer <= self.radius:
            raise ModelError(
                f"blade {self.name!r}: no part from {inner:g} to {outer:g} m, it is from {self.root:g} to "
                f"{self.radius:g} m"
            )

        def moments(r: Array) -> Array:
            m, c, s = self.at("mass", r), np.cos(self.at("twist", r)), np.sin(self.at("twist", r))
            p = np.stack([r, self.at("cg", r) * c, self.at("cg", r) * s])
            flap, lag = self.at("inertia_flap", r), self.at("inertia_lag", r)
            # integrals of p p' dm: a slice spreads along its chord by what makes lag, across it by what makes flap
            spread = np.zeros((3, 3, len(r)))
            spread[1, 1], spread[2, 2] = lag * c * c + flap * s * s, lag * s * s + flap * c * c
            spread[1, 2] = spread[2, 1] = (lag - flap) * c * s
            return np.concatenate([m[None], m * p, (m * p[:, None] * p[None] + spread).reshape(9, -1)])

        found = self.integral(moments, inner, outer)
        mass, second = float(found[0]), found[4:].reshape(3, 3)
        com = found[1:4] / mass if mass else np.array([inner, 0.0, 0.0])
        second = second - mass * np.outer(com, com)
        return Rigid(mass, com, np.trace(second) * np.eye(3) - second)

    def profile_at(self, r: float) -> Profile:
        """Section of a beam, x outward, y to the leading edge, z up."""
        EA, GJ, EI_flap, EI_lag, flap, lag = (
            float(self.at(key, r)) for key in (*STIFF, "inertia_flap", "inertia_lag")
        )  # fmt: skip
        stiffness = (EA, self.shear * EA, self.shear * EA, GJ, EI_flap, EI_lag)
        return Profile(stiffness, float(self.at("mass", r)), (flap + lag, flap, lag))


def read_blade(table: Table, name: str, radius: float, twist: Array) -> Blade:
    """A blade from the table [blade] of a rotor's file; its twist is the rotor's unless it has one."""
    table.check_keys(KEYS, NEEDED)
    lines = {key: read_line(table, key) for key in LINES if key in table.data and key != "twist"}
    for key in ("cg", "elastic_axis"):
        lines.setdefault(key, np.zeros((1, 2)))
    lines["twist"] = read_line(table, "twist", np.pi / 180) if "twist" in table.data else twist
    hinges = {kind: table.table(kind).part(Hinge) for kind in ("lag", "flap", "pitch") if kind in table.data}
    numbers = {key: table.number(key) for key in ("root", "shear") if key in table.data}
    return table.made(Blade, name=name, radius=radius, **numbers, **lines, **hinges)


def read_line(table: Table, key: str, unit: float = 1.0) -> Array:
    """A number for the whole blade, or pairs of radius and number."""
    if not isinstance(table.data[key], list):
        return np.array([[0.0, unit * table.number(key)]])
    return table.numbers(key, (len(table.data[key]), 2)) * [1.0, unit]


def check_line(owner: str, key: str, line: Array, *, steps: bool = False) -> None:
    """Check that a line is pairs with rising radius; with steps, two neighbours may share one."""
    rise = np.diff(line[:, 0]) if line.ndim == 2 and line.shape[1:] == (2,) and len(line) else np.array([np.nan])
    stands = rise == 0
    twice = np.any(stands[1:] & stands[:-1]) if steps else np.any(stands)
    if not np.all(np.isfinite(line)) or not np.all(rise >= 0) or twice:
        more = ", at most two at one radius" if steps else ""
        raise ModelError(f"{owner}: {key} must be pairs of numbers with increasing radius{more}")
