"""Assumed modes of a wing that carries a pylon at its tip: uniform cantilever beams with a mass at the end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.lookup import checked_number, checked_positive

GAUSS, WEIGHTS = np.polynomial.legendre.leggauss(40)
X, WIDTH = (GAUSS + 1) / 2, WEIGHTS / 2  # over a span of 1
GRID = np.linspace(0.0, 1.0, 401)
MODES = "beam", "chord", "torsion", "beam 2"


@final
@dataclass(frozen=True)
class WingBeam:
    """A uniform wing from the wall along +y, with a pylon at its tip that is a point mass with a moment of inertia.

    Attributes:
        semispan: [m]
        mass, inertia: per length [kg/m], and about the elastic axis [kg m]
        EI_beam, EI_chord, GJ: against bending up and down, bending forward and back, and torsion [N m^2]
        pylon_mass, pylon_inertia: of what does not turn with the rotor [kg], and about the elastic axis [kg m^2]
        damping: ratio of every mode [-]
    """

    semispan: float
    mass: float
    inertia: float
    EI_beam: float
    EI_chord: float
    GJ: float
    pylon_mass: float
    pylon_inertia: float
    damping: float = 0.01

    def __post_init__(self) -> None:
        units = {"semispan": "m", "mass": "kg/m", "inertia": "kg m", "EI_beam": "N m^2", "EI_chord": "N m^2",
                 "GJ": "N m^2", "pylon_mass": "kg", "pylon_inertia": "kg m^2"}  # fmt: skip
        for what, unit in units.items():
            checked_positive("wing", what, getattr(self, what), unit)
        checked_number("wing", "damping", self.damping, "-", least=0.0)


@final
@dataclass(frozen=True, eq=False)
class WingModes:
    """Modes of a clamped wing; axes x forward, y along the span, z up.

    Attributes:
        names: of the modes
        tip: (6, n) displacement, then rotation, of the tip for a unit of each amplitude
        mass: (n, n) [kg or kg m^2]
        stiffness: (n, n) [N/m or N m/rad]
        damping: (n, n) [N s/m or N m s/rad]
        first: (n, 3) integral of the displacement over the mass, by which gravity pushes [kg]
    """

    names: tuple[str, ...]
    tip: Array
    mass: Array
    stiffness: Array
    damping: Array
    first: Array

    def __post_init__(self) -> None:
        n = len(self.names)
        shapes = {"tip": (6, n), "mass": (n, n), "stiffness": (n, n), "damping": (n, n), "first": (n, 3)}
        for what, shape in shapes.items():
            if np.shape(value := getattr(self, what)) != shape or not np.all(np.isfinite(value)):
                raise ModelError(f"wing: {what} must be {' x '.join(map(str, shape))} finite numbers")
        for what in ("mass", "stiffness"):
            A = getattr(self, what)
            if not np.allclose(A, A.T) or not np.linalg.eigvalsh(A).min(initial=1.0) > 0:
                raise ModelError(f"wing: {what} of the modes must be symmetric and positive definite")

    @property
    def frequencies(self) -> Array:
        """(n,) of the wing with its pylon and without what else it carries, ascending [rad/s]."""
        squares = np.linalg.eigvals(np.linalg.solve(self.mass, self.stiffness)).real
        return np.asarray(np.sqrt(np.sort(squares)))

    @property
    def critical(self) -> Array:
        """(n, n) damping that makes each mode critical: 2 sqrt(K M) of the diagonals."""
        return np.diag(2 * np.sqrt(np.diag(self.mass) * np.diag(self.stiffness)))


def wing_modes(beam: WingBeam) -> WingModes:
    """First bending up, bending forward, torsion, second bending up; the largest value of each shape is 1 [m or rad].

    Bending: with mu = tip mass over the beam's, 1 + cos l cosh l + mu l (cos l sinh l - sin l cosh l) = 0; torsion:
    l tan l = the beam's inertia over the tip's. Both are the exact modes of a uniform beam, with the pylon a point mass
    in bending, so that mass and stiffness are diagonal.
    """
    L, m = beam.semispan, beam.mass
    mu = beam.pylon_mass / (m * L)
    shapes = []
    for name, axis, order, EI in (
        ("beam", 2, 0, beam.EI_beam), ("chord", 0, 0, beam.EI_chord), ("beam 2", 2, 1, beam.EI_beam),
    ):  # fmt: skip
        root = bending_roots(mu, 2)[order]
        w, slope = _bending(root)
        modal = m * L * float(WIDTH @ w(X) ** 2) + beam.pylon_mass * float(w(1.0)) ** 2
        tip, first = np.zeros(6), np.zeros(3)
        tip[axis] = w(1.0)
        tip[3 if axis == 2 else 5] = (1 if axis == 2 else -1) * slope(1.0) / L
        first[axis] = m * L * float(WIDTH @ w(X)) + beam.pylon_mass * float(w(1.0))
        shapes.append((name, tip, modal, root**4 * EI / (m * L**4) * modal, first))
    root = torsion_root(beam.inertia * L / beam.pylon_inertia)
    modal = beam.inertia * L * float(WIDTH @ np.sin(root * X) ** 2) / math.sin(root) ** 2 + beam.pylon_inertia
    twist = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0])
    shapes.append(("torsion", twist, modal, root**2 * beam.GJ / (beam.inertia * L**2) * modal, np.zeros(3)))
    shapes.sort(key=lambda shape: MODES.index(shape[0]))
    mass, stiffness = (np.array([shape[k] for shape in shapes]) for k in (2, 3))
    damping = 2 * beam.damping * np.sqrt(mass * stiffness)
    tip, first = np.array([shape[1] for shape in shapes]).T, np.array([shape[4] for shape in shapes])
    return WingModes(MODES, tip, np.diag(mass), np.diag(stiffness), np.diag(damping), first)


def bending_roots(mu: float, count: int) -> Array:
    """(count,) the lowest l of a uniform cantilever with a tip mass of mu times its own."""

    def left(l: float) -> float:  # over cosh l, which overflows
        t = math.tanh(l)
        return 1 / math.cosh(l) + math.cos(l) + mu * l * (math.cos(l) * t - math.sin(l))

    # a root between each pair of (0, pi, 2 pi, ...): the ends have opposite signs
    return np.array([_root(left, k * math.pi + 1e-9, (k + 1) * math.pi) for k in range(count)])


def torsion_root(ratio: float) -> float:
    """The lowest l of a uniform shaft with a disk at its end: l tan l = inertia of the shaft over the disk's."""
    return _root(lambda l: l * math.sin(l) - ratio * math.cos(l), 0.0, math.pi / 2)


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """By bisection."""
    above = f(high) > 0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if (f(middle) > 0) == above else (middle, high)
    return 0.5 * (low + high)


def _bending(l: float) -> tuple[Callable[..., Array], Callable[..., Array]]:
    """Shape over 0 to 1 whose largest value is 1, and its slope; the tip has no moment."""
    s = (math.cosh(l) + math.cos(l)) / (math.sinh(l) + math.sin(l))

    def raw(x: Array | float) -> Array:
        return np.asarray(np.cosh(l * x) - np.cos(l * x) - s * (np.sinh(l * x) - np.sin(l * x)))

    largest = float(raw(GRID)[np.abs(raw(GRID)).argmax()])

    def slope(x: Array | float) -> Array:
        return np.asarray(l * (np.sinh(l * x) + np.sin(l * x) - s * (np.cosh(l * x) - np.cos(l * x))) / largest)

    return lambda x: raw(x) / largest, slope
