"""A linear model x_dot = A x + B u, y = C x + D u with names, and the analyses of its matrices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError
from motionbase.multibody.body import numbers_of, shown
from motionbase.multibody.eigen import symmetric_modes
from motionbase.multibody.lookup import listed


@final
@dataclass(frozen=True, eq=False)
class LinearModel:
    """Small motions about a state: x has n coordinates, then their n rates; deviations from that state, SI units.

    Attributes:
        A, B, C, D: (2n, 2n), (2n, inputs), (outputs, 2n), (outputs, inputs)
        states, inputs, outputs: names
        M: (n, n) mass matrix of the coordinates [kg, kg m, kg m^2]
        basis: (nv, n) small motion of all joints for each coordinate; the identity without closures
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    M: Array
    basis: Array

    @property
    def n(self) -> int:
        """Number of coordinates: half the states."""
        return len(self.A) // 2

    @property
    def stiffness(self) -> Array:
        """(n, n) K of M x_ddot + C x_dot + K x = 0."""
        return -self.M @ self.A[self.n :, : self.n]

    @property
    def damping(self) -> Array:
        """(n, n) C of M x_ddot + C x_dot + K x = 0, including gyroscopic terms."""
        return -self.M @ self.A[self.n :, self.n :]

    @property
    def eigenvalues(self) -> Complex:
        """(2n,) eigenvalues of A [1/s]."""
        return np.linalg.eigvals(self.A).astype(np.complex128)

    def select(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> LinearModel:
        """The same with only some inputs and outputs, by name."""
        i = _places("input", self.inputs, self.inputs if inputs is None else inputs)
        o = _places("output", self.outputs, self.outputs if outputs is None else outputs)
        return replace(
            self,
            B=self.B[:, i],
            C=self.C[o],
            D=self.D[np.ix_(o, i)],
            inputs=tuple(self.inputs[k] for k in i),
            outputs=tuple(self.outputs[k] for k in o),
        )

    def frequency_response(self, frequencies: ArrayLike) -> Complex:
        """(frequencies, outputs, inputs) complex amplitude of each output for a unit sine of each input.

        Args:
            frequencies: [Hz], not negative
        """
        given = numbers_of(frequencies)
        f = np.atleast_1d(given) if given is not None else np.empty((0, 0))
        if f.ndim != 1 or not np.all(np.isfinite(f)) or np.any(f < 0):
            raise ModelError(
                f"frequency response: frequencies are {shown(frequencies)}; finite numbers [Hz], not negative, "
                "are wanted"
            )
        s = 2j * np.pi * f[:, None, None]
        try:
            return np.asarray(self.C @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B[None]) + self.D)
        except np.linalg.LinAlgError:
            poles = np.linalg.eigvals(self.A)
            worst = f[int(np.argmin(np.abs(2j * np.pi * f[:, None] - poles).min(axis=1)))]
            raise ModelError(
                f"frequency response: the response at {worst:g} Hz is infinite, an undamped motion has that frequency"
            ) from None

    def reduced(self, keep: int | Sequence[int], static: bool = False) -> LinearModel:
        """The same in some of its undamped modes: coordinates are modal amplitudes of unit mass.

        Args:
            keep: number of lowest modes, or a list of modes (0 is the lowest; ascending stiffness over mass)
            static: add the static response of the omitted modes to D; they must be stable
        """
        kappa, X = symmetric_modes(self.stiffness, self.M)
        chosen = _mode_numbers(keep)
        if not chosen or len(set(chosen)) < len(chosen) or not all(0 <= k < self.n for k in chosen):
            raise ModelError(f"modal reduction: keep is {keep!r}; the model has modes 0 to {self.n - 1}")
        left = self._in(X[:, chosen], tuple(f"mode{k + 1}" for k in chosen))
        rest = [k for k in range(self.n) if k not in chosen]
        if not static or not rest:
            return left
        if kappa[rest].min() <= 0:
            raise ModelError(
                f"modal reduction: mode {rest[int(np.argmin(kappa[rest]))]} has no static response; keep it"
            )
        out = self._in(X[:, rest], tuple(f"mode{k + 1}" for k in rest))
        return replace(left, D=self.D - out.C @ np.linalg.solve(out.A, out.B))

    def _in(self, X: Array, names: tuple[str, ...]) -> LinearModel:
        """Projection on shapes with X' M X = 1."""
        pair = np.eye(2)
        to, back = np.kron(pair, X), np.kron(pair, X.T @ self.M)
        return replace(
            self,
            A=back @ self.A @ to,
            B=back @ self.B,
            C=self.C @ to,
            states=(*names, *(f"{name}_dot" for name in names)),
            M=np.eye(X.shape[1]),
            basis=self.basis @ X,
        )


def _mode_numbers(keep: object) -> list[int]:
    """The lowest modes up to a number, or those listed; empty for anything else."""
    if isinstance(keep, int | np.integer) and not isinstance(keep, bool):
        return list(range(int(keep)))
    listed = numbers_of(keep)
    if listed is None or listed.ndim != 1 or not np.all(listed == np.round(listed)):
        return []
    return [int(k) for k in listed]


def _places(kind: str, known: Sequence[str], wanted: Sequence[str]) -> list[int]:
    for name in wanted:
        if name not in known:
            raise ModelError(f"linear model: no {kind} {name!r}; {kind}s: {listed(known)}")
    return [list(known).index(name) for name in wanted]
