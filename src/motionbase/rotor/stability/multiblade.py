"""Multiblade coordinates (Coleman & Feingold 1958; Hohenemser & Yin 1972): what N blades do together, seen by the hub.

Blade k of N stands at psi_k = psi + 2 pi k / N, and its coordinate is

    zeta_k = zeta_0 + sum_n (zeta_nc cos n psi_k + zeta_ns sin n psi_k) + zeta_d (-1)^k,

n up to (N - 1) / 2 for odd N; up to N / 2 - 1 and with the differential coordinate zeta_d for even N.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.errors import ModelError

FEWEST = 3  # two blades have no cosine and sine of their own


def multiblade_names(blades: int) -> tuple[str, ...]:
    """Of the N coordinates, in order: "0", "1c", "1s", "2c", ..., and "d" for even N."""
    waves = [f"{n}{part}" for n in range(1, _highest(blades) + 1) for part in "cs"]
    return ("0", *waves, *(["d"] if blades % 2 == 0 else []))


def multiblade(blades: int, psi: ArrayLike, derivative: int = 0) -> Array:
    """(..., N, N) matrix T(psi) of zeta = T z, z in the order of `multiblade_names`; or a derivative by psi.

    Args:
        psi: azimuth of blade 0 [rad], any shape
        derivative: 0 for T, 1 for dT/dpsi, 2 for the second
    """
    azimuth = np.asarray(psi, dtype=np.float64)[..., None] + 2 * np.pi * np.arange(blades) / blades
    flat = np.full(azimuth.shape, float(derivative == 0))
    columns = [flat]
    for n in range(1, _highest(blades) + 1):
        turned = n * azimuth + derivative * np.pi / 2  # each derivative turns by a quarter
        columns += [n**derivative * np.cos(turned), n**derivative * np.sin(turned)]
    if blades % 2 == 0:
        columns.append(flat * (-1.0) ** np.arange(blades))
    return np.stack(columns, axis=-1)


def multiblade_inverse(blades: int, psi: ArrayLike) -> Array:
    """(..., N, N) inverse of T(psi): its columns are orthogonal, so it is its scaled transpose."""
    T = multiblade(blades, psi)
    share = np.full(blades, 2.0 / blades)
    share[0] = 1.0 / blades
    if blades % 2 == 0:
        share[-1] = 1.0 / blades
    return np.asarray(np.swapaxes(T, -1, -2) * share[:, None])


def multiblade_history(coordinates: ArrayLike, psi: ArrayLike) -> Array:
    """(n, N) multiblade coordinates of (n, N) blade coordinates at (n,) azimuths of blade 0 [rad]."""
    zeta = np.asarray(coordinates, dtype=np.float64)
    azimuth = np.asarray(psi, dtype=np.float64)
    if zeta.ndim != 2 or azimuth.shape != zeta.shape[:1]:
        raise ModelError(
            f"multiblade transform: {zeta.shape} coordinates and {azimuth.shape} azimuths, must be (n, blades) and (n,)"
        )
    return np.asarray(np.einsum("tij,tj->ti", multiblade_inverse(zeta.shape[1], azimuth), zeta))


def blade_history(harmonics: ArrayLike, psi: ArrayLike) -> Array:
    """(n, N) blade coordinates of (n, N) multiblade coordinates: the inverse of `multiblade_history`."""
    z = np.asarray(harmonics, dtype=np.float64)
    return np.asarray(np.einsum("tij,tj->ti", multiblade(z.shape[1], np.asarray(psi, dtype=np.float64)), z))


class SecondOrder(NamedTuple):
    """(..., n, n) matrices of M x_ddot + C x_dot + K x = 0, one for each azimuth."""

    M: Array
    C: Array
    K: Array


def fixed_frame(system: SecondOrder, psi: ArrayLike, speed: float, groups: Sequence[Sequence[int]]) -> SecondOrder:
    """The system in multiblade coordinates, row by row too, at constant rotor speed.

    Args:
        psi: azimuths of blade 0 of the matrices [rad]
        speed: of the rotor [rad/s]
        groups: for each kind of blade motion the N places of its coordinates, blade 0 first; they become the multiblade
            coordinates in the order of `multiblade_names`. All other coordinates stay
    """
    n = system.M.shape[-1]
    T, T1, T2 = (_blockwise(n, psi, groups, d) for d in range(3))
    back = _blockwise_inverse(n, psi, groups)
    M, C, K = system
    return SecondOrder(
        back @ M @ T,
        back @ (C @ T + 2 * speed * M @ T1),
        back @ (K @ T + speed * C @ T1 + speed**2 * M @ T2),
    )


def fixed_frame_states(A: Array, psi: ArrayLike, speed: float, groups: Sequence[Sequence[int]]) -> Array:
    """(..., 2n, 2n) A of x = (coordinates, rates) in multiblade coordinates and their rates; see `fixed_frame`."""
    n = A.shape[-1] // 2
    T, T1, T2 = (_blockwise(n, psi, groups, d) for d in range(3))
    back = _blockwise_inverse(n, psi, groups)
    zero = np.zeros_like(T)
    P = np.block([[T, zero], [speed * T1, T]])
    P_dot = speed * np.block([[T1, zero], [speed * T2, T1]])
    inverse = np.block([[back, zero], [-speed * back @ T1 @ back, back]])
    return np.asarray(inverse @ (A @ P - P_dot))


def _highest(blades: int) -> int:
    if blades < FEWEST:
        raise ModelError(f"multiblade transform: {blades} blades, it needs at least {FEWEST}; take floquet instead")
    return (blades - 1) // 2


def _blockwise(n: int, psi: ArrayLike, groups: Sequence[Sequence[int]], derivative: int) -> Array:
    """(..., n, n) T on each group; ones on the diagonal, or their derivative, elsewhere."""
    found = np.zeros((*np.shape(psi), n, n))
    found[...] = np.eye(n) * (derivative == 0)
    for group in _checked(n, groups):
        found[..., np.array(group)[:, None], np.array(group)] = multiblade(len(group), psi, derivative)
    return found


def _blockwise_inverse(n: int, psi: ArrayLike, groups: Sequence[Sequence[int]]) -> Array:
    found = np.zeros((*np.shape(psi), n, n))
    found[...] = np.eye(n)
    for group in groups:
        found[..., np.array(group)[:, None], np.array(group)] = multiblade_inverse(len(group), psi)
    return found


def _checked(n: int, groups: Sequence[Sequence[int]]) -> Sequence[Sequence[int]]:
    places = [place for group in groups for place in group]
    if len(set(places)) < len(places) or not all(0 <= place < n for place in places):
        raise ModelError(
            f"multiblade transform: the groups name coordinates {places}; 0 to {n - 1}, once each, are there"
        )
    return groups
