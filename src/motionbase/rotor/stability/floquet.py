"""Floquet analysis: characteristic exponents of a periodic motion, with frequencies resolved to whole harmonics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Complex, Ints
from motionbase.errors import ModelError
from motionbase.rotor.stability.monodromy import Monodromy
from motionbase.spatial.equals import first_largest_of_rows, ranked

GONE = 1e-12  # multipliers below this fraction of the largest have lost their digits to rounding
HIGHEST = 20  # harmonics of the rotor among which frequencies are sought


@final
@dataclass(frozen=True, eq=False)
class Exponents:
    """Characteristic exponents of a periodic motion, one of each complex pair, in ascending frequency.

    Attributes:
        multipliers: (modes,) eigenvalues of the monodromy matrix
        exponents: (modes,) [1/s]: growth rate and resolved frequency [rad/s]; exp(exponent period) is the multiplier
        harmonics: (modes,) multiples of the rotor's speed that were added to the principal frequency, which is that
            within half of the speed
        vectors: (n, modes) the part of each state at the resolved frequency; without a path of the monodromy matrix,
            the states at azimuth zero; the largest is 1
        lost: number of multipliers at zero: motions that die within a revolution, or of states that follow others
    """

    multipliers: Complex
    exponents: Complex
    harmonics: Ints
    vectors: Complex
    lost: int

    @property
    def growth(self) -> Array:
        """(modes,) [1/s], positive where the motion is unstable."""
        return self.exponents.real

    @property
    def frequency(self) -> Array:
        """(modes,) [rad/s]."""
        return self.exponents.imag

    @property
    def damping_ratio(self) -> Array:
        """(modes,) see `damping_ratio`."""
        return damping_ratio(self.exponents)

    @property
    def stable(self) -> bool:
        """Whether everything decays."""
        return bool(np.all(self.growth < 0))


def damping_ratio(exponents: Complex) -> Array:
    """Fraction of critical damping of each exponent [-]; 1 or -1 without oscillation, 0 for a motion that stays."""
    size = np.abs(exponents)
    return np.asarray(-exponents.real / np.where(size > 0, size, 1.0))


def exponents(
    found: Monodromy, reference: ArrayLike | None = None, weights: ArrayLike = 1.0, gone: float = GONE
) -> Exponents:
    """The characteristic exponents s = ln(multiplier) / period + i n speed.

    The integer n is resolved by a reference; or else by the largest harmonic of the periodic part of the mode, if the
    monodromy matrix knows its path; or else it is 0.

    Args:
        reference: eigenvalues of a similar system [1/s] (its average over a revolution, or the same rotor at a speed
            nearby), each for the mode whose multiplier is nearest; one number is a frequency [rad/s] for all modes
        weights: of the states in the search for the largest harmonic: a number, or (n,) numbers
        gone: multipliers below this fraction of the largest are counted as lost; differences of a map, above all in
            redundant coordinates, leave more than rounding: give the error of the matrix
    """
    speed = 2 * np.pi / found.period
    values, vectors = np.linalg.eig(found.matrix)
    alive = np.abs(values) > gone * np.abs(values).max(initial=0.0)
    pair = alive & (values.imag >= 0)
    mu, X = values[pair].astype(np.complex128), vectors[:, pair].astype(np.complex128)
    principal = np.log(mu) / found.period
    if reference is not None:
        n = _by_reference(principal, np.atleast_1d(np.asarray(reference)), speed)
    elif found.path is not None:
        n = _by_largest_harmonic(principal, X, found, np.asarray(weights, dtype=np.float64))
    else:
        n = np.zeros(len(mu), dtype=np.int64)
    s = principal + 1j * n * speed
    if found.path is not None:
        X = _motion(s, X, found).mean(axis=0)
    turned = s.imag < -1e-9 * speed  # the other of the pair has the positive frequency
    s, mu, n = np.where(turned, s.conj(), s), np.where(turned, mu.conj(), mu), np.where(turned, -n, n)
    X = np.where(turned, X.conj(), X)
    X = X / X[first_largest_of_rows(np.abs(X.T)), np.arange(X.shape[1])]
    order = np.lexsort((s.real, _places(s.imag, speed)))
    return Exponents(mu[order], s[order], n[order], X[:, order], int(np.sum(~alive)))


def _places(frequency: Array, speed: float) -> Array:
    """Rank of each frequency, equal ones alike."""
    order = ranked(frequency, 1e-9 * speed)
    apart = np.concatenate([[0], np.cumsum(np.diff(frequency[order]) > 1e-9 * speed)])
    found = np.empty(len(frequency))
    found[order] = apart
    return found


def _by_reference(principal: Complex, reference: Complex, speed: float) -> Ints:
    """Whole multiples of the speed that bring each exponent to its reference."""
    if not np.all(np.isfinite(reference)):
        raise ModelError("Floquet analysis: the reference is not finite")
    if reference.size == 1 and np.isrealobj(reference):
        return _nearest(principal.imag, float(reference[0]), speed)
    known = reference[reference.imag >= -1e-9 * speed]
    # exp(s period) is the same for s + i n speed: compare decay and the angle of the multiplier, both ways round
    n = np.zeros(len(principal), dtype=np.int64)
    apart = np.full((2, len(principal), len(known)), np.inf)
    for way, s in enumerate((principal, principal.conj())):
        angle = np.angle(np.exp(2j * np.pi * (s.imag[:, None] - known.imag) / speed)) * speed / (2 * np.pi)
        apart[way] = np.hypot(s.real[:, None] - known.real, angle)
    while np.isfinite(apart).any():
        way, mode, at = (int(k) for k in np.unravel_index(int(np.argmin(apart)), apart.shape))
        own = principal[mode].imag if way == 0 else -principal[mode].imag
        turns = int(np.round((known[at].imag - own) / speed))
        n[mode] = turns if way == 0 else -turns
        apart[:, mode, :] = apart[:, :, at] = np.inf
    return n


def _nearest(frequency: Array, wanted: float, speed: float) -> Ints:
    """Multiples that bring a frequency, or its opposite, nearest to the wanted one."""
    up = np.round((wanted - frequency) / speed)
    down = np.round((-wanted - frequency) / speed)
    better = np.abs(frequency + up * speed - wanted) <= np.abs(frequency + down * speed + wanted)
    return np.where(better, up, down).astype(np.int64)


def _by_largest_harmonic(principal: Complex, X: Complex, found: Monodromy, weights: Array) -> Ints:
    """Harmonic with most of the periodic part exp(-s t) x(t), summed over the states."""
    motion = _motion(principal, X, found)
    steps = len(motion)
    parts = np.fft.fft(motion, axis=0) * np.broadcast_to(weights, (X.shape[0],))[:, None]
    size = np.sum(np.abs(parts) ** 2, axis=1)
    n = np.round(np.fft.fftfreq(steps) * steps).astype(np.int64)
    near = np.abs(n) <= HIGHEST
    return np.asarray(n[near][size[near].argmax(axis=0)])


def _motion(s: Complex, X: Complex, found: Monodromy) -> Complex:
    """(steps, n, modes) exp(-s t) x(t), which is periodic."""
    assert found.path is not None
    t = found.period * np.arange(len(found.path) - 1) / (len(found.path) - 1)
    return np.asarray(found.path[:-1] @ X * np.exp(-np.outer(t, s))[:, None, :])
