"""Component modes (Craig & Bampton 1968): static deformations by an interface, and modes with the interface held."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.eigen import lowest_modes, natural_modes, ratio_damping
from motionbase.multibody.flexible.finite_elements import FiniteElements
from motionbase.multibody.flexible.modes import ModalPoint, Modes

Nodes = int | Sequence[int]


def craig_bampton(
    body: FiniteElements,
    *,
    fixed_modes: int,
    interface: Mapping[str, Nodes],
    root: Nodes | None = None,
    origin: Sequence[float] | None = None,
    keep: int | None = None,
    damping: float | Sequence[float] | None = None,
) -> Modes:
    """Static deformations for unit displacements of the interface and the lowest modes with the interface held.

    With a `root` its nodes are fixed in the body frame. Without one the body frame is a mean frame: the six motions
    without deformation are removed. Both sets together are then replaced by the natural modes that they span, in
    ascending frequency (of the body held at its root, or free), each with a largest nodal displacement of 1 m. A rigid
    interface needs nodes with rotations, or three displaced nodes that are not on a line; one node with displacements
    alone transmits forces, but no moments.

    Args:
        fixed_modes: number of modes with the interface held
        interface: nodes that other bodies attach to, by the name of their point
        root: node or nodes that carry the body frame
        origin: origin of the body frame in the elements' frame [m]; by default the middle of the root, or the elements'
        keep: number of modes to keep, all by default; few keep the highest frequency low, all keep statics exact
        damping: fraction of critical damping of all modes, or of each in ascending frequency [-]
    """
    patches = {name: _nodes(body, f"interface {name!r}", nodes) for name, nodes in interface.items()}
    held = _nodes(body, "root", root) if root is not None else []
    for name, nodes in patches.items():
        if set(nodes) & set(held):
            raise ModelError(f"Craig-Bampton: interface {name!r} has nodes of the root; those stand still")
    at = _origin(body, held, origin)
    basis = _component_modes(body, held, sorted({n for nodes in patches.values() for n in nodes}), fixed_modes)
    omega, Y = _natural(basis.T @ body.stiffness @ basis, basis.T @ body.mass @ basis)
    if not held:
        if len(omega) <= 6 or omega[5] > 1e-3 * omega[6]:
            raise ModelError("Craig-Bampton: without a root six motions without deformation must be left, they are not")
        Y = Y[:, 6:]
    n = Y.shape[1] if keep is None else keep
    if not 0 < n <= Y.shape[1]:
        raise ModelError(f"Craig-Bampton: keep is {keep!r}; 1 to {Y.shape[1]} modes are there")
    X = _scaled(body, basis @ Y[:, :n])
    K, M = X.T @ body.stiffness @ X, X.T @ body.mass @ X
    C = None if damping is None else ratio_damping(0.5 * (K + K.T), 0.5 * (M + M.T), damping)
    return body.modes(X, at, C, {name: _point(body, nodes, X, at) for name, nodes in patches.items()})


def _nodes(body: FiniteElements, what: str, nodes: Nodes) -> list[int]:
    found = [nodes] if isinstance(nodes, int | np.integer) else list(nodes)
    count = len(body.positions)
    wrong = [n for n in found if not isinstance(n, int | np.integer) or not 0 <= n < count]
    if wrong or not found or len(set(found)) < len(found):
        raise ModelError(f"Craig-Bampton: {what} is {nodes!r}; different nodes from 0 to {count - 1} are wanted")
    return [int(n) for n in found]


def _origin(body: FiniteElements, held: list[int], origin: Sequence[float] | None) -> Array:
    if origin is None:
        return body.positions[held].mean(axis=0) if held else np.zeros(3)
    at = np.asarray(origin, dtype=np.float64)
    if at.shape != (3,) or not np.all(np.isfinite(at)):
        raise ModelError(f"Craig-Bampton: origin is {origin!r}, three finite numbers are wanted")
    return at


def _component_modes(body: FiniteElements, held: list[int], boundary: list[int], fixed_modes: int) -> Array:
    """(dof, n) constraint modes, then fixed-interface modes."""
    k = body.per_node
    b = np.array([k * n + i for n in boundary for i in range(k)], dtype=int)
    h = np.array([k * n + i for n in held for i in range(k)], dtype=int)
    i = np.setdiff1d(np.arange(len(body.mass)), np.concatenate([b, h]))
    if not isinstance(fixed_modes, int) or not 0 <= fixed_modes <= len(i) or fixed_modes + len(b) == 0:
        raise ModelError(f"Craig-Bampton: fixed_modes is {fixed_modes!r}; 0 to {len(i)}, or an interface, are wanted")
    K_ii = body.stiffness[np.ix_(i, i)]
    if len(i):
        if _smallest_pivot(K_ii) < 1e-12:  # rounding leaves about 1e-14 of a pivot that should be zero
            raise ModelError(
                "Craig-Bampton: with root and interface held the body can still move without deforming (or a node has "
                "no stiffness); hold more nodes"
            )
    basis = np.zeros((len(body.mass), len(b) + fixed_modes))
    basis[b, np.arange(len(b))] = 1
    basis[i, : len(b)] = -np.linalg.solve(K_ii, body.stiffness[np.ix_(i, b)])
    basis[i, len(b) :] = lowest_modes(K_ii, body.mass[np.ix_(i, i)], fixed_modes)[1]
    return basis


def _smallest_pivot(K: Array) -> float:
    """Smallest pivot of the matrix scaled to a unit diagonal; zero if it is not positive definite."""
    scale = 1 / np.sqrt(np.maximum(np.diag(K), 1e-300))
    try:
        return float(np.diag(np.linalg.cholesky(K * np.outer(scale, scale))).min()) ** 2
    except np.linalg.LinAlgError:
        return 0.0


def _natural(K: Array, M: Array) -> tuple[Array, Array]:
    try:
        return natural_modes(0.5 * (K + K.T), 0.5 * (M + M.T))
    except np.linalg.LinAlgError:
        raise ModelError(
            "Craig-Bampton: mass is not positive for the modes; does every interface node have some?"
        ) from None


def _scaled(body: FiniteElements, X: Array) -> Array:
    """Largest nodal displacement 1 m, or rotation 1 rad if a mode only rotates its nodes."""
    at = X.reshape(len(body.positions), body.per_node // 3, 3, -1)
    peak = np.abs(at[:, 0]).max(axis=(0, 1))
    if body.per_node == 6:
        rotation = np.abs(at[:, 1]).max(axis=(0, 1))
        peak = np.where(peak > 1e-6 * rotation * body.extent, peak, rotation)
    scaled: Array = X / peak
    return scaled


def _point(body: FiniteElements, nodes: list[int], X: Array, origin: Array) -> ModalPoint:
    """Middle of the nodes, and the rigid motion that fits theirs best."""
    at = X.reshape(len(body.positions), body.per_node, -1)[nodes]
    r = body.positions[nodes]
    middle = r.mean(axis=0)
    shape = at[:, :3].mean(axis=0)
    if body.per_node == 6:
        slope = at[:, 3:].mean(axis=0)
    else:
        turn = np.concatenate([np.cross(np.eye(3), p).T for p in r - middle])  # displacement = turn @ rotation
        moved = (at[:, :3] - shape).reshape(3 * len(nodes), -1)
        slope = np.linalg.pinv(turn, rcond=1e-9) @ moved
    return ModalPoint(middle - origin, shape, slope)
