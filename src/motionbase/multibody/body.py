"""A body: rigid mass properties, named points, and optionally assumed modes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from motionbase.arrays import AnyArray, Array
from motionbase.errors import ModelError
from motionbase.multibody.flexible.modes import Modes

Vector = tuple[float, float, float]
ZERO: Vector = (0.0, 0.0, 0.0)
GROUND = "ground"  # the name of the fixed frame; no body may have it


def check_name(kind: str, name: str) -> None:
    """Check the name of a body, joint or point: letters, digits and underscores, starting with a letter."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ModelError(f"{kind} {name!r}: a name is letters, digits and underscores, and starts with a letter")


def shown(value: object) -> str:
    """A value for an error message, shortened if it is long."""
    try:
        text = " ".join(repr(value).split())
    except (ValueError, RecursionError):  # an integer with thousands of digits
        text = type(value).__name__
    return text if len(text) <= 80 else f"{text[:70]} ..."


def numbers_of(value: object) -> Array | None:
    """A value as an array; None if it contains anything but numbers, or lists of different lengths."""
    try:
        given = np.asarray(value)
        return None if given.dtype.kind in "OSU" and not _plain(given) else given.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return None


def _plain(given: AnyArray) -> bool:
    """Whether objects are plain numbers, such as integers too large for a machine word."""
    return given.dtype.kind == "O" and all(isinstance(x, int | float) for x in given.flat)


def checked_vector(owner: str, what: str, value: object) -> Vector:
    """Three finite numbers."""
    array = numbers_of(value)
    if array is None or array.shape != (3,) or not np.all(np.isfinite(array)):
        raise ModelError(f"{owner}: {what} is {shown(value)}, three finite numbers are wanted")
    return (float(array[0]), float(array[1]), float(array[2]))


def tensor_of(six: Iterable[float]) -> Array:
    """(3, 3) matrix from xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def checked_inertia(owner: str, value: object) -> tuple[Vector, Vector, Vector]:
    """A physical moment of inertia about the centre of mass: symmetric, not negative, triangle inequality.

    Takes three principal moments, six numbers (xx, yy, zz, xy, xz, yz) or a full matrix.
    """
    array = numbers_of(value)
    if array is None or array.shape not in ((3,), (6,), (3, 3)) or not np.all(np.isfinite(array)):
        raise ModelError(f"{owner}: inertia is {shown(value)}, 3, 6 or 3x3 finite numbers are wanted")
    if array.shape == (3,):
        array = np.diag(array)
    elif array.shape == (6,):
        array = tensor_of(array)
    scale = max(float(np.abs(array).max()), 1e-300)
    if not np.allclose(array, array.T, rtol=0, atol=1e-9 * scale):
        raise ModelError(f"{owner}: inertia is not symmetric")
    a, b, c = sorted(np.linalg.eigvalsh(array))
    tolerance = 1e-9 * scale  # allows for rounding of six entries and their eigenvalues
    if a < -tolerance:
        raise ModelError(f"{owner}: inertia has the negative principal moment {a:.6g} kg m^2")
    if a + b < c - tolerance:
        raise ModelError(
            f"{owner}: principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m^2 break the triangle inequality; "
            "no body has them (is the inertia about the centre of mass?)"
        )
    symmetric = 0.5 * (array + array.T)
    x, y, z = (tuple(float(v) for v in row) for row in symmetric)
    return (x, y, z)  # type: ignore[return-value]


@final
@dataclass(frozen=True)
class Body:
    """A body; its frame is the frame of the joint that carries it.

    Attributes:
        name: letters, digits and underscores
        mass: [kg]; zero for an intermediate body that only connects joints
        com: (3,) centre of mass in the body frame [m]
        inertia: about the centre of mass, in the body frame [kg m^2]; 3, 6 or 3x3 numbers
        points: named points in the body frame [m], for joints, forces, closures and outputs
        modes: assumed modes; mass, inertia and points are then theirs
    """

    name: str
    mass: float = 0.0
    com: Vector = ZERO
    inertia: tuple[Vector, Vector, Vector] | Vector = ZERO
    points: Mapping[str, Vector] = field(default_factory=dict)
    modes: Modes | None = None

    def __post_init__(self) -> None:
        check_name("body", self.name)
        owner = f"body {self.name!r}"
        if self.modes is not None:
            self._take_modes(self.modes, owner)
        mass = None if isinstance(self.mass, bool) else numbers_of(self.mass)
        if mass is None or mass.shape != () or not np.isfinite(mass) or mass < 0:
            raise ModelError(f"{owner}: mass is {shown(self.mass)} kg, it must be a finite number, not negative")
        object.__setattr__(self, "mass", float(mass))
        object.__setattr__(self, "com", checked_vector(owner, "com", self.com))
        object.__setattr__(self, "inertia", checked_inertia(owner, self.inertia))
        if self.mass == 0.0 and np.any(np.asarray(self.inertia)):
            raise ModelError(f"{owner}: a body without mass cannot have inertia")
        if not isinstance(self.points, Mapping):
            raise ModelError(f"{owner}: points are {shown(self.points)}, places by name are wanted")
        for name in self.points:
            check_name(f"{owner}: point", name)
        points = {name: checked_vector(owner, f"point {name!r}", p) for name, p in self.points.items()}
        object.__setattr__(self, "points", points)

    def _take_modes(self, modes: Modes, owner: str) -> None:
        """Mass properties of the undeformed flexible body."""
        if self.mass or self.points:
            raise ModelError(f"{owner}: mass and points come from the modes; give one or the other")
        com = modes.first / modes.mass
        about_com = modes.second - modes.mass * (com @ com * np.eye(3) - np.outer(com, com))
        object.__setattr__(self, "mass", modes.mass)
        object.__setattr__(self, "com", com)
        object.__setattr__(self, "inertia", about_com)
        object.__setattr__(self, "points", {name: p.position for name, p in modes.points.items()})

    @property
    def n_modes(self) -> int:
        """Number of modal amplitudes; zero for a rigid body."""
        return 0 if self.modes is None else self.modes.n
