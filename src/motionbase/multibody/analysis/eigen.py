"""K x = kappa M x for symmetric K of any sign, with NumPy alone."""

from __future__ import annotations

import numpy as np

from motionbase.arrays import Array
from motionbase.multibody.flexible.eigen import settled_eigh


def symmetric_modes(K: Array, M: Array) -> tuple[Array, Array]:
    """kappa [1/s^2], ascending, and shapes (columns, X' M X = 1) of the symmetric part of K; M positive definite.

    Scaled by the diagonal first, so that metres beside radians do no harm.
    """
    scale = 1 / np.sqrt(np.diag(M))
    L = np.linalg.cholesky(M * np.outer(scale, scale))
    A = np.linalg.solve(L, np.linalg.solve(L, 0.5 * (K + K.T) * np.outer(scale, scale)).T)
    kappa, X = settled_eigh(A)
    return kappa, scale[:, None] * np.linalg.solve(L.T, X)


def rounding(K: Array, kappa: Array, X: Array) -> Array:
    """How far from zero rounding may have moved each kappa."""
    cancelled = np.einsum("ki,kl,li->i", np.abs(X), np.abs(K), np.abs(X))
    return np.asarray(np.maximum(1e-11 * cancelled, 4 * len(K) * np.finfo(float).eps * np.abs(kappa).max(initial=0.0)))
