"""Uncoupled modes of a rotating, inextensible blade by finite elements: independent of the project's beams."""

import numpy as np
from scipy.linalg import eigh

from motionbase.arrays import Array
from motionbase.rotor.blades.blade import Blade

X, W = np.polynomial.legendre.leggauss(4)


def _points(blade: Blade, a: float, b: float) -> tuple[Array, Array]:
    """Gauss points and weights between two radii, with borders where a line of the blade has a point."""
    lines = blade.mass, blade.inertia_flap, blade.inertia_lag, blade.GJ, blade.EI_flap, blade.EI_lag
    edges = np.unique(np.concatenate([[a, b], *(line[:, 0] for line in lines)]))
    edges = edges[(edges >= a) & (edges <= b)]
    half = np.diff(edges) / 2
    return ((edges[1:] + edges[:-1]) / 2 + X[:, None] * half).ravel(), (W[:, None] * half).ravel()


def bending(blade: Blade, speed: float, lag: bool, elements: int = 200, modes: int = 4) -> Array:
    """[rad/s] in the plane of rotation or out of it: cubic elements outboard of the outermost hinge, rigid to the own.

    (EI v'')'' - (T v')' + m v_tt - (I v_tt')' = m Omega^2 v in the plane, 0 out of it, T = Omega^2 int_r^R m r dr.
    """
    own, clamp = (blade.lag if lag else blade.flap), blade.clamp
    r = np.linspace(clamp, blade.radius, elements + 1)
    h, size = r[1] - r[0], 2 * elements + 2
    K, M = np.zeros((size, size)), np.zeros((size, size))

    def pull(x: Array) -> Array:
        """T / Omega^2."""
        found = (_points(blade, float(a), blade.radius) for a in x)
        return np.array([w @ (blade.at("mass", p) * p) for p, w in found])

    for k in range(elements):
        p, w = _points(blade, r[k], r[k + 1])
        x, at = (p - r[k]) / h, slice(2 * k, 2 * k + 4)
        N = np.stack([1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3, h * (x**3 - x**2)])
        slope = np.stack([6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2, h * (3 * x**2 - 2 * x)]) / h
        curvature = np.stack([12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)]) / h**2
        heavy = (N * (w * blade.at("mass", p))) @ N.T
        rotary = blade.at("inertia_lag" if lag else "inertia_flap", p)
        M[at, at] += heavy + (slope * (w * rotary)) @ slope.T
        K[at, at] += (curvature * (w * blade.at("EI_lag" if lag else "EI_flap", p))) @ curvature.T
        K[at, at] += speed**2 * ((slope * (w * pull(p))) @ slope.T - lag * heavy)
    if own is None:
        K, M = K[2:, 2:], M[2:, 2:]
    else:  # the first two coordinates follow the hinge's angle, as does the rigid piece up to the clamp
        P = np.zeros((size, size - 1))
        P[0, 0], P[1, 0], P[2:, 1:] = clamp - own.at, 1.0, np.eye(size - 2)
        K, M = P.T @ K @ P, P.T @ M @ P
        if clamp > own.at:
            p, w = _points(blade, own.at, clamp)
            inertia = w @ (blade.at("mass", p) * (p - own.at) ** 2)
            K[0, 0] += speed**2 * (w @ pull(p) - lag * inertia)
            M[0, 0] += inertia
        K[0, 0] += own.stiffness
    squares = eigh(K, M, eigvals_only=True, subset_by_index=[0, modes - 1])
    return np.asarray(np.sqrt(np.abs(squares)))


def torsion(blade: Blade, speed: float, elements: int = 200, modes: int = 2) -> Array:
    """[rad/s]: (GJ t')' = (I_flap + I_lag) t_tt + Omega^2 (I_lag - I_flap) t, on the spring of the pitch bearing."""
    r = np.linspace(blade.clamp, blade.radius, elements + 1)
    h = r[1] - r[0]
    K, M = np.zeros((elements + 1, elements + 1)), np.zeros((elements + 1, elements + 1))
    for k in range(elements):
        p, w = _points(blade, r[k], r[k + 1])
        x, at = (p - r[k]) / h, slice(k, k + 2)
        N, slope = np.stack([1 - x, x]), np.array([[-1.0], [1.0]]) / h
        flap, lag = blade.at("inertia_flap", p), blade.at("inertia_lag", p)
        M[at, at] += (N * (w * (flap + lag))) @ N.T
        K[at, at] += slope @ slope.T * (w @ blade.at("GJ", p)) + speed**2 * (N * (w * (lag - flap))) @ N.T
    if blade.pitch is None:
        K, M = K[1:, 1:], M[1:, 1:]
    else:
        K[0, 0] += blade.pitch.stiffness
    return np.asarray(np.sqrt(eigh(K, M, eigvals_only=True, subset_by_index=[0, modes - 1])))
