"""When a step of a network counts as solved: one definition, for numbers of a run and for code in real time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Flags

# Residual before the last correction, over the forces there are, at which a step counts as solved; the last correction
# then leaves about its square.
SOLVED = 1e-6
# Of forces in a step: where they grow more, a residual is judged by what they were before. A state that diverges has
# forces beside which any residual is small.
MOST_GROWTH = 100.0
HUGE = 1e300  # no number of a state is larger
JUDGED = ("one", "own_one")  # states that tell of forces


def forces(state: Mapping[str, Any]) -> Any:
    """The size of forces in the network [N, N m]: rates of momentum and multipliers, at least 1."""
    found = ca.fmax(1, ca.mmax(ca.fabs(state["one"][:, -6:])))
    return ca.fmax(found, ca.mmax(ca.fabs(state["own_one"]))) if state["own_one"].numel() else found


def is_solved(residual: Any, before: Mapping[str, Any], after: Mapping[str, Any]) -> Any:
    """Of one step between two states, as SX or DM; all numbers of the second must be finite."""
    whole = ca.sum1(ca.fabs(ca.vertcat(*(ca.vec(x) for x in after.values())))) < HUGE  # a NaN is not
    bound = SOLVED * ca.fmin(forces(after), MOST_GROWTH * forces(before))
    return ca.logic_and(whole, residual < bound)


def numbers_solved(residual: float, before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """The same for arrays."""
    return bool(is_solved(ca.DM(residual), *({name: ca.DM(x[name]) for name in JUDGED} for x in (before, after))))


def lanes_solved(residual: Array, before: Mapping[str, Array], after: Mapping[str, Array]) -> Flags:
    """(lanes,) the same for arrays with the lanes last, without a call for each lane."""

    def forces_of(state: Mapping[str, Array]) -> Array:
        acting = np.abs(state["one"][:, -6:]).max(axis=(0, 1), initial=1.0)
        return np.asarray(np.maximum(acting, np.abs(state["own_one"]).max(axis=0, initial=0.0)))

    whole = sum(np.abs(after[name]).reshape(-1, len(residual)).sum(axis=0) for name in JUDGED) < HUGE
    bound = SOLVED * np.minimum(forces_of(after), MOST_GROWTH * forces_of(before))
    return np.asarray(whole & (residual < bound))
