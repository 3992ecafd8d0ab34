"""Motions without inertia: found when the equations cannot be solved, and reported by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, SimulationError, SingularSystem
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import Model
from motionbase.multibody.names import speeds
from motionbase.multibody.tree.coordinates import moved_slightly
from motionbase.multibody.tree.dynamics import Tree

SINGULAR = 1e-11  # smallest eigenvalue of the scaled mass matrix; rounding leaves 1e-15 per row
TAKES_PART = 0.05  # of the largest share of a speed in a motion


@contextmanager
def explained(model: Model, q: Array) -> Iterator[None]:
    """If the equations cannot be solved because of the mass matrix, name the speeds involved."""
    try:
        yield
    except (SingularSystem, SimulationError) as e:
        said = massless_motion(model, q)
        if said is None:
            raise
        raise ModelError(said) from e


def massless_motion(model: Model, q: Array) -> str | None:
    """One sentence about motions at coordinates q without inertia; None if there are none."""
    mass_matrix = Tree(model).mass_matrix.function
    away = np.random.default_rng(1).uniform(0.3, 1.0, model.nv)
    elsewhere = moved_slightly(model, ca.DM(q), ca.DM(away))
    if names := _unresisted(model, np.array(mass_matrix(elsewhere))):
        return (
            f"model {model.name!r}: no mass resists a motion of {listed(names)}; "
            "give what moves an inertia, or mass off the axis"
        )
    if names := _unresisted(model, np.array(mass_matrix(q))):
        return f"model {model.name!r}: at the start the motions of {listed(names)} cancel each other; start elsewhere"
    return None


def _unresisted(model: Model, M: Array) -> list[str]:
    """Names of the speeds that take part in a motion without kinetic energy."""
    diagonal = np.diag(M)
    scale = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    values, vectors = np.linalg.eigh(M / np.outer(scale, scale))
    shares = np.linalg.norm(vectors[:, values < SINGULAR], axis=1)
    return [s.name for s, share in zip(speeds(model), shares, strict=True) if share > TAKES_PART]
