"""Linear systems with coefficients periodic in azimuth: samples, interpolation, average, multiblade coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.analysis.equations import equations_of
from motionbase.multibody.analysis.linearise import linear_about
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, q_of, v_of
from motionbase.rotor.stability.multiblade import fixed_frame_states, multiblade, multiblade_names


@final
@dataclass(frozen=True, eq=False)
class PeriodicSystem:
    """x_dot = A(psi) x, psi = speed t.

    Attributes:
        A: (azimuths, n, n) at psi = 0, 2 pi / azimuths, ...; coordinates first, then their rates
        speed: of the rotor [rad/s]
        states: names
        inertia: (n / 2,) diagonal of the mass matrix, to compare motions of different kinds; ones where not known
    """

    A: Array
    speed: float
    states: tuple[str, ...]
    inertia: Array | None = None

    def __post_init__(self) -> None:
        if self.A.ndim != 3 or self.A.shape[1] != self.A.shape[2] or len(self.states) != self.A.shape[1]:
            raise ModelError(
                f"periodic system: A has shape {self.A.shape} and {len(self.states)} states are named; "
                "(azimuths, n, n) and n names are wanted"
            )

    @property
    def period(self) -> float:
        """Of a revolution [s]."""
        if not (np.isfinite(self.speed) and self.speed != 0):
            raise ModelError(f"periodic system: the rotor turns at {self.speed:g} rad/s, it must turn to have a period")
        return 2 * np.pi / abs(self.speed)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the first half of the states."""
        return self.states[: len(self.states) // 2]

    @property
    def psi(self) -> Array:
        """(azimuths,) of the samples [rad]."""
        return np.asarray(2 * np.pi * np.arange(len(self.A)) / len(self.A))

    @property
    def averaged(self) -> Array:
        """(n, n) mean over a revolution: the constant-coefficient approximation."""
        return np.asarray(self.A.mean(axis=0))

    @property
    def variation(self) -> float:
        """Largest change of an entry with azimuth, over the largest entry; rounding if coefficients are constant."""
        return float(np.abs(self.A - self.averaged).max() / np.abs(self.A).max())

    def at(self, psi: ArrayLike) -> Array:
        """(..., n, n) A at any azimuth [rad], by the trigonometric polynomial through the samples."""
        azimuth, count = np.asarray(psi, dtype=np.float64), len(self.A)
        spectrum = np.fft.rfft(self.A, axis=0) / count
        n = np.arange(len(spectrum))
        weights = np.where((n == 0) | (2 * n == count), 1.0, 2.0)
        waves = weights * np.exp(1j * azimuth[..., None] * n)
        return np.asarray(np.tensordot(waves, spectrum, axes=(-1, 0)).real)

    def in_fixed_frame(self, groups: Sequence[Sequence[str]]) -> PeriodicSystem:
        """The same in multiblade coordinates.

        Args:
            groups: for each kind of blade motion the names of its coordinates, blade 0 first; the multiblade ones are
                called NAME[0], NAME[1c], ... after what the first and last names have in common
        """
        places = [[_place(self.coordinates, name) for name in group] for group in groups]
        names = list(self.coordinates)
        inertia = None if self.inertia is None else self.inertia.copy()
        for group, own in zip(places, groups, strict=True):
            for place, part in zip(group, multiblade_names(len(group)), strict=True):
                names[place] = f"{_stem(own)}[{part}]"
            if inertia is not None:
                squares = np.sum(multiblade(len(group), 0.0) ** 2, axis=0)
                inertia[group] = squares * inertia[group].mean()
        A = fixed_frame_states(self.A, self.psi, self.speed, places)
        return PeriodicSystem(A, self.speed, (*names, *(f"{name}_dot" for name in names)), inertia)


def linearised_rotor(
    model: Model,
    shaft: str,
    speed: float,
    azimuths: int = 16,
    *,
    q: State = None,
    inputs: dict[str, float] | None = None,
) -> PeriodicSystem:
    """Small motions about steady rotation of a model in which blades stand still in the hub, in blade coordinates.

    Args:
        shaft: the joint that turns, at zero azimuth at zero; a closure imposes its speed or angle
        speed: [rad/s]
        azimuths: number of places at which the model is linearised; harmonics of A below half of it are exact
        q: coordinates of all other joints, the same at all azimuths
        inputs: those of the closure and of elements
    """
    turning = [joint.name for joint in model.joints]
    if shaft not in turning:
        raise ModelError(f"model {model.name!r} has no joint {shaft!r}; joints: {listed(turning)}")
    at_shaft = model.q_slices[turning.index(shaft)][0].start
    equations = equations_of(model, inputs)
    coordinates, v = q_of(model, q), v_of(model, {shaft: speed})
    found = []
    for psi in 2 * np.pi * np.arange(azimuths) / azimuths:
        coordinates[at_shaft] = psi
        found.append(linear_about(equations, coordinates.copy(), v))
    if {one.states for one in found} != {found[0].states}:
        raise ModelError(f"model {model.name!r}: other coordinates are independent at other azimuths of {shaft!r}")
    inertia = np.mean([np.diag(one.M) for one in found], axis=0)
    return PeriodicSystem(np.array([one.A for one in found]), speed, found[0].states, inertia)


def _place(states: Sequence[str], name: str) -> int:
    if name not in states:
        raise ModelError(f"multiblade transform: no coordinate {name!r}; coordinates: {listed(states)}")
    return list(states).index(name)


def _stem(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same].rstrip("_0123456789")
