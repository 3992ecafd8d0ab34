"""Natural frequencies, damping and mode shapes about an equilibrium."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError
from motionbase.multibody.analysis.equations import Inputs, equations_of, tangent_names, tree_of
from motionbase.multibody.analysis.equilibrium import check_balanced
from motionbase.multibody.analysis.linear import LinearModel
from motionbase.multibody.analysis.linearise import check_closed, linear_model
from motionbase.multibody.analysis.nullspace import allowed
from motionbase.multibody.analysis.participation import body_shares, joint_shares
from motionbase.multibody.eigen import rounding, symmetric_modes
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, q_of
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.spatial.equals import ALIKE, first_largest, ranked, runs, settled

Kind = Literal["rigid", "oscillation", "driver", "growth"]
SPAN = 1e-6  # vectors of equal eigenvalues closer than this span no space (a defective matrix)
SAME = 1e-9  # relative difference below which matrices count as equal


@final
@dataclass(frozen=True, eq=False)
class NaturalModes:
    """Modes in ascending frequency: rigid-body motions first, then growing or decaying ones without oscillation.

    Attributes:
        frequencies: (n,) natural frequency [Hz]: |eigenvalue| / 2 pi; 0 for rigid, growing and single decaying modes
        damping: (n,) fraction of critical damping [-], above 1 if a pair does not oscillate; NaN without a frequency
        eigenvalues: (n,) [1/s] of each pair the one with the larger imaginary or real part; 0 for rigid
        kinds: "rigid" no stiffness, "oscillation", "driver" without oscillation, "growth" is unstable
        shapes: (nv, n) small motion of every joint; x* M x = 1, the largest component real and positive
        names: (nv,) names of the rows of shapes
        joints, bodies: share of each (columns) in each mode's motion; each row sums to 1
        linear: the linear model of the modes, for `reduced` and `frequency_response`
    """

    frequencies: Array
    damping: Array
    eigenvalues: Complex
    kinds: tuple[Kind, ...]
    shapes: Complex
    names: tuple[str, ...]
    joints: dict[str, Array]
    bodies: dict[str, Array]
    linear: LinearModel

    def __len__(self) -> int:
        """Number of modes."""
        return len(self.frequencies)


def modes(model: Model | Tree | Loops, q: State = None, inputs: Inputs = None, closures: bool = True) -> NaturalModes:
    """Modes of small motions about an equilibrium.

    Damping that does not couple the undamped modes gives one mode for each coordinate. Otherwise modes are those of the
    damped system: one for each oscillating pair of eigenvalues, and one for each real eigenvalue.

    Args:
        q: coordinates in equilibrium, as from `equilibrium`; neutral by default
        inputs: tau, inputs of the elements, CLOSURE_active by name; zero, and holding, by default
        closures: False removes all closures
    """
    if not closures:
        tree = tree_of(model)
        model = replace(tree, model=replace(tree.model, closures=()))
    equations = equations_of(model, inputs)
    at_q, still = q_of(equations.model, q), np.zeros(equations.model.nv)
    at = equations.values(at_q, still)
    check_closed(equations, at)
    basis = allowed(at.J)
    if not basis.N.shape[1]:
        raise ModelError(f"model {equations.model.name!r}: its closures let nothing move, so it has no modes")
    check_balanced(equations, at_q, at, basis)
    linear = linear_model(equations, at_q, still, at, basis)
    eigenvalues, frequencies, damping, kinds, X = _solved(linear)
    shapes = _normalised(linear.basis @ X, at.M)
    return NaturalModes(
        frequencies, damping, eigenvalues, kinds, shapes, tangent_names(equations.model),
        joint_shares(equations.model, at.M, shapes), body_shares(equations.tree, at_q, shapes), linear,
    )  # fmt: skip


Solved = tuple[Complex, Array, Array, tuple[Kind, ...], Complex]


def _solved(linear: LinearModel) -> Solved:
    """Eigenvalues, frequencies, ratios, kinds and shapes in the coordinates of the linear model, sorted."""
    K, C = linear.stiffness, linear.damping
    kappa, X = symmetric_modes(K, linear.M)
    kappa[np.abs(kappa) <= rounding(K, kappa, X)] = 0.0
    modal_C, modal_K = X.T @ C @ X, X.T @ (0.5 * (K - K.T)) @ X
    size = max(float(np.abs(modal_C).max()), SAME * float(np.sqrt(np.abs(kappa).max())))
    coupled = np.abs(modal_C - np.diag(np.diag(modal_C))) > SAME * size
    coupled |= np.abs(modal_K) > SAME * max(float(np.abs(kappa).max()), 1e-300)
    mixed = coupled.any(axis=0) | coupled.any(axis=1)
    rows = [_single(float(k), float(c)) for k, c in zip(kappa[~mixed], np.diag(modal_C)[~mixed], strict=True)]
    shapes = [X[:, k].astype(np.complex128) for k in np.flatnonzero(~mixed)]
    if mixed.any():
        own = np.ix_(mixed, mixed)
        n = int(mixed.sum())
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(kappa[mixed]) - modal_K[own], -modal_C[own]]])
        values, vectors = _settled(*np.linalg.eig(A))
        for value, vector in zip(values, vectors.T, strict=True):
            if value.imag >= 0:
                rows.append(_damped_row(complex(value), float(np.abs(A).max())))
                shapes.append(X[:, mixed] @ vector[:n])
    order = _sorted(rows)
    found, frequencies, ratios, kinds = zip(*(rows[i] for i in order), strict=True)
    return np.array(found), np.array(frequencies), np.array(ratios), kinds, np.column_stack([shapes[i] for i in order])


Row = tuple[complex, float, float, Kind]


def _sorted(rows: list[Row]) -> list[int]:
    """Sort by frequency, rigid modes first, then by magnitude; the order of equals does not depend on rounding."""
    frequency, size = np.empty(len(rows), dtype=int), np.empty(len(rows), dtype=int)
    for place, values in ((frequency, [row[1] for row in rows]), (size, [abs(row[0]) for row in rows])):
        order = np.argsort(values, kind="stable")
        for k, run in enumerate(runs(np.array(values)[order])):
            place[order[run]] = k
    return sorted(range(len(rows)), key=lambda i: (frequency[i], rows[i][3] != "rigid", size[i], i))


def _settled(values: Complex, vectors: Complex) -> tuple[Complex, Complex]:
    """Eigenvalues and eigenvectors by magnitude, then imaginary part; vectors of equal values are unique."""
    order = np.argsort(np.abs(values), kind="stable")
    for run in runs(np.abs(values[order])):  # of equal magnitude: pairs, and equal pairs
        order[run] = order[run][ranked(values[order[run]].imag)]
    values, vectors = values[order].astype(np.complex128), vectors[:, order].astype(np.complex128)
    apart = np.abs(np.diff(values)) > ALIKE * np.abs(values[1:])
    for group in np.split(np.arange(len(values)), np.flatnonzero(apart) + 1):
        Q, R = np.linalg.qr(vectors[:, group])
        if np.abs(np.diag(R)).min() > SPAN:
            vectors[:, group] = Q @ settled(Q)
    return values, vectors


def _single(kappa: float, c: float) -> Row:
    """s^2 + c s + kappa = 0 of an undamped mode that damping does not couple."""
    omega = np.sqrt(abs(kappa))
    if abs(c) <= 1e-12 * omega:
        c = 0.0
    root = complex(-0.5 * c + np.sqrt(complex(0.25 * c * c - kappa)))
    if kappa == 0.0:
        return 0j, 0.0, float("nan"), "rigid"
    if kappa < 0.0:
        return root, 0.0, float("nan"), "growth"
    ratio = float(c / (2 * omega))
    kind: Kind = "growth" if root.real > 0 and root.imag == 0 else "driver" if root.imag == 0 else "oscillation"
    return root, float(omega / (2 * np.pi)), ratio, kind


def _damped_row(value: complex, size: float) -> Row:
    if value.imag > 1e-13 * size:
        return value, abs(value) / (2 * np.pi), -value.real / abs(value), "oscillation"
    if abs(value) <= 1e-12 * size:
        return 0j, 0.0, float("nan"), "rigid"
    return complex(value.real), 0.0, float("nan"), "growth" if value.real > 0 else "driver"


def _normalised(X: Complex, M: Array) -> Complex:
    """x* M x = 1, largest component real and positive."""
    scaled = X * np.sqrt(np.diag(M))[:, None]
    largest = np.array([column[first_largest(np.abs(column))] for column in scaled.T])
    norm = np.sqrt(np.einsum("ki,kl,li->i", X.conj(), M, X).real)
    return np.asarray(X * (np.abs(largest) / largest / norm))
