"""Interpolation along a line of elements: deflection with or without shear, stretch and twist, all cubic.

Everything is a matrix of rows, one per station, that multiplies nodal unknowns; mass and stiffness are then sums of
weight times row' row. Four Gauss points per element are exact for products of two cubics and a linear property.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array, Indices

GAUSS = 4


def gauss_stations(nodes: Array) -> tuple[Array, Array]:
    """Stations [m] and weights [m] of four Gauss points in every element."""
    x, w = np.polynomial.legendre.leggauss(GAUSS)
    half = 0.5 * np.diff(nodes)[:, None]
    middle = 0.5 * (nodes[1:] + nodes[:-1])[:, None]
    return (middle + half * x).ravel(), (half * w).ravel()


def mesh(length: float, elements: int, stations: Array) -> Array:
    """Nodes [m] of elements no longer than length / elements, with one at every given station."""
    ends = np.unique(np.concatenate([[0.0, length], stations]))
    ends = ends[np.concatenate([[True], np.diff(ends) > 1e-9 * length])]
    ends[-1] = length
    parts = [np.linspace(a, b, int(np.ceil((b - a) / length * elements - 1e-9)) + 1)[:-1] for a, b in _pairs(ends)]
    return np.concatenate([*parts, [length]])


def _pairs(ends: Array) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in zip(ends[:-1], ends[1:], strict=True)]


def _elements(x: Array, nodes: Array) -> tuple[Indices, Array, Array]:
    """Element of each station, its length, and the relative position in it, 0 to 1."""
    e = np.clip(np.searchsorted(nodes, x, side="right") - 1, 0, len(nodes) - 2)
    h = np.diff(nodes)[e]
    return e, h, (x - nodes[e]) / h


def lagrange_rows(x: Array, nodes: Array, order: int) -> tuple[Array, Array]:
    """u and u' by polynomials through order + 1 places in every element, ends included; each (p, order N + 1)."""
    e, h, s = _elements(x, nodes)
    places = np.linspace(0, 1, order + 1)
    u, du = [], []
    for k, own in enumerate(places):
        polynomial = np.polynomial.Polynomial.fromroots(np.delete(places, k))
        polynomial = polynomial / polynomial(own)
        u.append(polynomial(s))
        du.append(polynomial.deriv()(s) / h)
    columns = order * e[:, None] + np.arange(order + 1)
    size = order * (len(nodes) - 1) + 1
    return _spread(u, columns, size), _spread(du, columns, size)


@final
@dataclass(frozen=True)
class Bending:
    """Rows of deflection w, its slope, the section's rotation psi and its slope; each (p, unknowns).

    Attributes:
        ends: indices of deflection and rotation at the root, then at the tip
    """

    w: Array
    dw: Array
    psi: Array
    dpsi: Array
    ends: tuple[int, int, int, int]


def bending_rows(x: Array, nodes: Array, shears: bool) -> Bending:
    """Without shear, Hermite cubics with psi = w'; with shear, cubic w and independent quadratic psi.

    For a beam that is stiff in shear the second kind tends to the first, so it does not lock.
    """
    if shears:
        (w, dw), (psi, dpsi) = lagrange_rows(x, nodes, 3), lagrange_rows(x, nodes, 2)
        m, n = w.shape[1], psi.shape[1]
        after, before = np.zeros((len(x), n)), np.zeros((len(x), m))
        rows = [np.hstack([w, after]), np.hstack([dw, after]), np.hstack([before, psi]), np.hstack([before, dpsi])]
        return Bending(rows[0], rows[1], rows[2], rows[3], (0, m, m - 1, m + n - 1))
    e, h, s = _elements(x, nodes)
    values = [2 * s**3 - 3 * s**2 + 1, h * (s**3 - 2 * s**2 + s), 3 * s**2 - 2 * s**3, h * (s**3 - s**2)]
    slopes = [(6 * s**2 - 6 * s) / h, 3 * s**2 - 4 * s + 1, (6 * s - 6 * s**2) / h, 3 * s**2 - 2 * s]
    curvatures = [(12 * s - 6) / h**2, (6 * s - 4) / h, (6 - 12 * s) / h**2, (6 * s - 2) / h]
    columns, size = 2 * e[:, None] + np.arange(4), 2 * len(nodes)
    w, dw, d2w = (_spread(v, columns, size) for v in (values, slopes, curvatures))
    return Bending(w, dw, dw, d2w, (0, 1, size - 2, size - 1))


def _spread(values: list[Array], columns: Indices, size: int) -> Array:
    rows = np.zeros((len(columns), size))
    np.put_along_axis(rows, columns, np.stack(values, axis=1), axis=1)
    return rows
