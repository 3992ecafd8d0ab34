"""Natural frequencies of a model about rest or a steady turn, from the linearisation of its network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.analysis.nullspace import allowed
from motionbase.multibody.network.static import Rest

Complex = NDArray[np.complex128]
NOTHING = 1e-10  # of the largest: squares of frequencies below this part belong to motions that nothing holds


@final
@dataclass(frozen=True, eq=False)
class Vibration:
    """Small motions in ascending frequency; one of each pair of eigenvalues.

    Attributes:
        eigenvalues: (n,) [1/s], imaginary part not negative
        shapes: (nodes, 6, n) motion of every node, position then orientation, in axes that turn with the spin; the
            largest part is one
        bodies: names of the nodes
    """

    eigenvalues: Complex
    shapes: Complex
    bodies: tuple[str, ...]

    @property
    def frequencies(self) -> Array:
        """(n,) [rad/s]."""
        return np.asarray(np.abs(self.eigenvalues.imag), dtype=np.float64)

    def along(self, direction: int, share: float = 0.9) -> Array:
        """Frequencies [rad/s] of modes that move nodes mostly along one axis of the world, 0 to 2."""
        size = np.sum(np.abs(self.shapes[:, :3]) ** 2, axis=0)
        chosen = size[direction] > share * np.sum(size, axis=0)
        return np.asarray(self.frequencies[chosen])


def vibration(rest: Rest) -> Vibration:
    """Of an equilibrium or a steady turn that `static` found."""
    at = rest.motion
    count = 6 * len(at.assembly.bodies)
    if len(at.holds) + len(at.modal) < len(at.rows[1]):
        raise ModelError(
            f"model {rest.model.name!r}: frequencies with unknowns other than multipliers of constraints are not known "
            "to the network engine; use analysis.modes"
        )
    *matrices, held = at.with_modes
    N = np.linalg.qr(allowed(held).N)[0]
    M, D, K = (N.T @ matrix @ N for matrix in matrices)
    try:
        L = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        raise ModelError(f"model {rest.model.name!r}: a node without mass can move, it has no frequency") from None
    inverse = np.linalg.inv(L)
    D, K = inverse @ D @ inverse.T, inverse @ K @ inverse.T
    n, eye = len(K), np.eye(len(K))
    # about a shift of the size of the lowest frequency, so that low ones are found to rounding beside very high ones
    squares = np.abs(np.linalg.eigvalsh(0.5 * (K + K.T)))
    shift = float(np.sqrt(squares[squares > NOTHING * squares.max()].min()))
    solved = np.linalg.solve(shift**2 * eye + shift * D + K, np.hstack([2 * shift * eye + D, eye]))
    companion = np.block([[-solved], [eye, np.zeros((n, n))]])
    mu, vectors = np.linalg.eig(companion.astype(np.complex128))
    eigenvalues = np.asarray(shift + 1 / mu, dtype=np.complex128)
    chosen = [k for k in np.argsort(np.abs(eigenvalues)) if eigenvalues[k].imag >= 0]
    shapes = (N @ inverse.T @ vectors[n:, chosen])[:count].reshape(len(at.assembly.bodies), 6, -1)
    flat = shapes.reshape(-1, len(chosen))
    largest = flat[np.argmax(np.abs(flat), axis=0), np.arange(len(chosen))]
    return Vibration(eigenvalues[chosen], shapes / largest, tuple(b.name for b in at.assembly.bodies))
