"""Equilibrium of a model: generalised force zero, closures met."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.analysis.equations import Equations, Inputs, Values, checked_mass, equations_of, tangent_names
from motionbase.multibody.analysis.nullspace import Allowed, allowed
from motionbase.multibody.eigen import symmetric_modes
from motionbase.multibody.model import Model
from motionbase.multibody.names import State, q_of
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops

Search = Literal["stable", "nearest"]
Step = tuple[Array, Array, Array | None]

LONGEST_STEP = 0.5  # [rad, m]
MET = 1e-11  # [m, rad] remaining residual of the closures
SMALL_STEP = 1e-9  # [rad, m] of the last Newton step; the remaining error is about its square
BALANCED = 1e-10  # relative to the cancelling forces, along a motion without stiffness
FLAT = 1e-10  # relative to the largest stiffness: below this there is none
MOST_STEPS = 200
NUDGE = 0.1  # [rad, m] away from an unstable equilibrium


@final
@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium.

    Attributes:
        q: coordinates
        F: force of each closure row on body a [N, N m]; the smallest ones if rows are redundant
        force: largest remaining generalised force [N, N m]
        closure: largest remaining closure residual [m, rad]
        steps: Newton steps taken
    """

    q: Array
    F: Array
    force: float
    closure: float
    steps: int


def equilibrium(
    model: Model | Tree | Loops, q_guess: State = None, inputs: Inputs = None, search: Search = "stable"
) -> Equilibrium:
    """The equilibrium that Newton's method finds from a guess.

    Args:
        q_guess: coordinates, all or some by name; neutral where not given
        inputs: tau, inputs of the elements and closures, CLOSURE_active by name; zero, and holding, where not given
        search: "stable" goes where the forces push, so that it ends in a stable place unless the guess is itself in
            balance (a saddle met on the way is left by a nudge); "nearest" takes plain damped
            Newton steps, to an unstable place too
    """
    if search not in ("stable", "nearest"):
        raise ModelError(f"equilibrium: search is {search!r}, must be 'stable' or 'nearest'")
    equations = equations_of(model, inputs)
    q, at = closed(equations, q_of(equations.model, q_guess))
    for count in range(MOST_STEPS):
        basis = allowed(at.J)
        step, F, fall = newton_step(equations, q, at, basis, search)
        largest = float(np.abs(step).max(initial=0.0))
        if largest < SMALL_STEP and fall is not None and search == "stable" and count:
            largest, step = NUDGE, NUDGE * fall  # a saddle on the way, reached by symmetry
        if largest < SMALL_STEP:
            q, at = closed(equations, equations.moved(q, step))
            left = float(np.abs(at.G + at.J.T @ F).max(initial=0.0))
            return Equilibrium(q, F, left, float(np.abs(at.residual).max(initial=0.0)), count + 1)
        q, at = _damped(equations, q, at, basis, step * min(1.0, LONGEST_STEP / largest))
    force = _free_force(at, allowed(at.J))
    worst = int(np.argmax(np.abs(force)))
    raise ModelError(
        f"model {equations.model.name!r}: no equilibrium found in {MOST_STEPS} steps; the force on "
        f"{tangent_names(equations.model)[worst]!r} is still {force[worst]:.3g} N or N m: perhaps nothing holds it; "
        "otherwise start from another place"
    )


def newton_step(equations: Equations, q: Array, at: Values, basis: Allowed, search: Search) -> Step:
    """(nv,) step along the closures towards balance, the closures' force F, and the falling direction, if unstable."""
    nv = equations.model.nv
    F = -basis.inverse.T @ at.G
    H = equations.derivatives(q, np.zeros(nv), np.zeros(nv), F).balance_x
    N = basis.N
    K, f = -N.T @ H @ N, N.T @ at.G
    kappa, X = symmetric_modes(K, checked_mass(equations, N.T @ at.M @ N, basis.independent))
    largest = float(np.abs(kappa).max(initial=0.0))
    unstable = bool(kappa.min(initial=0.0) < -1e-6 * largest)
    fall = N @ X[:, 0] / np.abs(N @ X[:, 0]).max() if unstable else None
    push = X.T @ f
    flat = np.abs(kappa) <= FLAT * largest
    # a motion without stiffness and force is left alone
    still = flat & (np.abs(push) <= BALANCED * (np.abs(N @ X).T @ (at.size + np.abs(at.J.T @ F))) + 1e-300)
    if not flat.any() and (search == "nearest" or kappa.min(initial=1.0) > 0):
        return N @ np.linalg.solve(K, f), F, fall  # exact, even if K is not symmetric
    stiffness = np.maximum(np.abs(kappa), max(1e-6 * largest, 1e-12))
    if search == "nearest":
        stiffness = np.copysign(stiffness, np.where(flat, 1.0, kappa))
    return N @ (X @ np.where(still, 0.0, push / stiffness)), F, fall


def closed(equations: Equations, q: Array) -> tuple[Array, Values]:
    """The nearest coordinates that meet the closures; joints move before bodies bend."""
    still, weight = np.zeros(equations.model.nv), np.ones(equations.model.nv)
    for _, modes in equations.model.v_slices:
        weight[modes] = 1e-3
    for _ in range(MOST_STEPS):
        at = equations.values(q, still)
        if not all(np.all(np.isfinite(x)) for x in at):
            raise ModelError(
                f"model {equations.model.name!r}: forces or closures are not finite at this place; the two points of a "
                "distance closure must be apart"
            )
        if np.abs(at.residual).max(initial=0.0) < MET:
            return q, at
        step = -weight * (allowed(at.J * weight).inverse @ at.residual)
        q = equations.moved(q, step * min(1.0, LONGEST_STEP / max(float(np.abs(step).max()), 1e-300)))
    names = [f"{c.name}.{row}" for c in equations.held for row in c.rows]
    worst = int(np.argmax(np.abs(at.residual)))
    raise ModelError(
        f"model {equations.model.name!r}: no coordinates near the guess meet the closures; {names[worst]} misses by "
        f"{abs(at.residual[worst]):.3g}: start nearer to a place that does"
    )


def _free_force(at: Values, basis: Allowed) -> Array:
    """(nv,) remaining force after closures have taken what they can."""
    return at.G - at.J.T @ (basis.inverse.T @ at.G)


def _damped(equations: Equations, q: Array, at: Values, basis: Allowed, step: Array) -> tuple[Array, Values]:
    """The step, halved while the force at its end pushes back harder than the force that drove it."""
    drive = float(step @ _free_force(at, basis))
    before = np.linalg.norm(_free_force(at, basis))
    for _ in range(12):
        new, there = closed(equations, equations.moved(q, step))
        force = _free_force(there, allowed(there.J))
        if float(step @ force) >= -0.9 * abs(drive) or np.linalg.norm(force) < before:
            break
        step, drive = 0.5 * step, 0.5 * drive
    return new, there


def check_balanced(equations: Equations, q: Array, at: Values, basis: Allowed) -> Array:
    """F of the closures at rest; raises `ModelError` if the state is not an equilibrium."""
    step, F, _ = newton_step(equations, q, at, basis, "nearest")
    if (largest := float(np.abs(step).max(initial=0.0))) > 1e-5:
        force = _free_force(at, basis)
        worst = int(np.argmax(np.abs(force)))
        raise ModelError(
            f"model {equations.model.name!r} is not at rest here: the force on "
            f"{tangent_names(equations.model)[worst]!r} is {force[worst]:.3g} N or N m (a Newton step of "
            f"{largest:.2g}); take the coordinates that equilibrium() finds"
        )
    return F
