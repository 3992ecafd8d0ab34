"""Symmetric eigenproblems K x = lambda M x, and damping given as a ratio, with NumPy alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.spatial.equals import runs, settled


def settled_eigh(A: Array) -> tuple[Array, Array]:
    """Eigenvalues, ascending, and orthonormal eigenvectors of the symmetric part of A.

    Equal eigenvalues have a space of vectors; the choice among them does not depend on rounding.
    """
    values, X = np.linalg.eigh(0.5 * (A + A.T))
    near = 4 * len(A) * np.finfo(float).eps * np.abs(values).max(initial=0.0)
    return values, X @ settled(X, runs(values, near))


def symmetric_modes(K: Array, M: Array) -> tuple[Array, Array]:
    """kappa [1/s^2], ascending, and shapes (columns, X' M X = 1) of the symmetric part of K; M positive definite.

    Scaled by the diagonal first, so that mixed metres and radians do no harm.
    """
    scale = 1 / np.sqrt(np.diag(M))
    L = np.linalg.cholesky(M * np.outer(scale, scale))
    A = np.linalg.solve(L, np.linalg.solve(L, 0.5 * (K + K.T) * np.outer(scale, scale)).T)
    kappa, X = settled_eigh(A)
    return kappa, scale[:, None] * np.linalg.solve(L.T, X)


def rounding(K: Array, kappa: Array, X: Array) -> Array:
    """Possible effect of rounding on each kappa."""
    cancelled = np.einsum("ki,kl,li->i", np.abs(X), np.abs(K), np.abs(X))
    return np.asarray(np.maximum(1e-11 * cancelled, 4 * len(K) * np.finfo(float).eps * np.abs(kappa).max(initial=0.0)))


def natural_modes(K: Array, M: Array) -> tuple[Array, Array]:
    """All natural frequencies [rad/s], ascending, and mode shapes (columns, X' M X = 1); M positive definite.

    A frequency that is imaginary because of rounding is returned as zero.
    """
    values, X = symmetric_modes(K, M)
    return np.sqrt(np.maximum(values, 0.0)), X


def lowest_modes(K: Array, M: Array, n: int) -> tuple[Array, Array]:
    """The n lowest modes, for positive definite K and possibly singular M (points without rotary inertia, say)."""
    values, X = symmetric_modes(M, K)
    values, X = values[::-1][:n], X[:, ::-1][:, :n]
    found = int(np.sum(values > 1e-14 * values[0])) if n else 0
    if found < n:
        raise ModelError(f"only {found} modes carry mass, {n} are wanted")
    return 1 / np.sqrt(values), X / np.sqrt(values)


def ratio_damping(K: Array, M: Array, ratio: float | Sequence[float]) -> Array:
    """Damping matrix that gives each natural mode of (K, M), in ascending order, a fraction of critical damping [-]."""
    n = len(K)
    zeta = np.broadcast_to(np.asarray(ratio, dtype=np.float64), (n,)) if np.ndim(ratio) == 0 else np.asarray(ratio)
    if zeta.shape != (n,) or not np.all(np.isfinite(zeta)) or np.any(zeta < 0):
        raise ModelError(f"damping ratio is {ratio!r}: one number, or {n} of them, not negative, are wanted")
    omega, X = natural_modes(K, M)
    MX = M @ X
    C: Array = (MX * (2 * zeta * omega)) @ MX.T
    return C
