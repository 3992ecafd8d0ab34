"""Closures at the start and during a run: initial states that meet them, capture when one takes hold, singularities."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.errors import SimulationError
from motionbase.multibody.integrators.run import Jump, RanAway
from motionbase.multibody.lookup import listed
from motionbase.multibody.model import Model
from motionbase.multibody.names import coordinates, speeds
from motionbase.multibody.tree.consistency import MET
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.redundancy import RANK_TOLERANCE

LARGEST_TRIES = 50
CLOSED = 1e-10  # [m, rad] change in the last Newton step; the remaining error is its square
MET_AT_ONCE = 1e-14  # [m, rad] residual of an initial state that needs no Newton step
OPEN = 1e-8  # [m, rad] residual from which a row that was dropped as redundant does not follow from the others
# [m, rad] largest gap of a closure that takes hold during a run. Its correction closes the gap g at speeds of about
# 0.4 omega g, omega = 1 / (20 h): 0.1 m/s for this gap at 1 kHz.
LARGEST_GAP = 5e-3
TOLD = 1e-3  # [rad, m; relative for larger numbers] a start may be moved by this without a warning: rounded input
NEARLY_SINGULAR = 1e-2  # smallest singular value at which a diverging motion is attributed to a singularity


def held_closures(loops: Loops, inputs: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which closures hold, according to their switches."""
    return tuple(
        not c.switchable or bool(np.all(np.asarray(inputs[f"{c.name}_active"]) > 0.5)) for c in loops.model.closures
    )


@final
@dataclass(frozen=True)
class Start:
    """The requested initial state.

    Attributes:
        q, v: coordinates and speeds
        asked_q, asked_v: indices of the values that the user gave; the others are only a first guess
    """

    q: Array
    v: Array
    asked_q: tuple[int, ...] = ()
    asked_v: tuple[int, ...] = ()


def closed_start(loops: Loops, start: Start, inputs: Mapping[str, Any]) -> tuple[Array, Array]:
    """Coordinates and speeds on the closures that hold: with those asked for if there are any, or else the nearest."""
    active = {port.name: np.asarray(inputs[port.name]) for port in loops.closure_ports}
    holding = held_closures(loops, inputs)
    held = _speeds_of(loops.model, start.asked_q)
    q = _met(loops, start.q, held, active, holding)
    least, names = loops.saddle.dependence(q, holding)
    if least < RANK_TOLERANCE:
        raise SimulationError(
            f"model {loops.model.name!r}: the closures are dependent at the start ({', '.join(names)}), a singular "
            "place of the mechanism; start elsewhere, or use redundancy='regularise'"
        )
    v = _rates_met(loops, q, start, holding, active)
    return q, compile(loops.velocity_projection())(q=q, v=start.v if v is None else v, **active)


def moved(model: Model, start: Start, q: Array, v: Array) -> str | None:
    """A sentence about given values that could not be kept; None if all were."""
    changes = []
    for asked, known, old, new in (
        (start.asked_q, coordinates(model), start.q, q),
        (start.asked_v, speeds(model), start.v, v),
    ):
        for k in asked:
            if abs(new[k] - old[k]) > TOLD * max(1.0, abs(old[k])):
                changes.append(f"{known[k].name} from {old[k]:.6g} to {new[k]:.6g} {known[k].unit}".removesuffix(" -"))
    if not changes:
        return None
    return f"model {model.name!r}: no such start was found to meet the closures; it was moved: {listed(changes)}"


def _speeds_of(model: Model, asked: tuple[int, ...]) -> list[int]:
    """Indices in v that move the given coordinates."""
    found: list[int] = []
    for joint, at_q, at_v in zip(model.joints, model.q_slices, model.v_slices, strict=True):
        for k in (k for part in at_q for k in range(part.start, part.stop) if k in asked):
            if not joint.motion.has_quaternion or k >= at_q[0].stop:
                found.append(
                    k - at_q[0].start + at_v[0].start if k < at_q[0].stop else k - at_q[1].start + at_v[1].start
                )
            elif k >= at_q[0].stop - 4:  # the angular speeds come first
                found += range(at_v[0].start, at_v[0].start + 3)
            else:
                found += range(at_v[0].start + 3, at_v[0].stop)
    return sorted(set(found))


def _rates_met(
    loops: Loops, q: Array, start: Start, holding: tuple[bool, ...], inputs: Mapping[str, Any]
) -> Array | None:
    """Speeds that meet the closures with those asked for kept, the others changed least in the metric of M."""
    free = [k for k in range(loops.model.nv) if k not in start.asked_v]
    if not start.asked_v or not free:
        return None
    geometry = loops.saddle.geometry
    rows = geometry.held(holding)
    J = geometry.rows(q)[1][rows]
    still = loops.residuals.function(q, np.zeros(loops.model.nv), *(inputs[p.name] for p in loops.drive_ports))
    rate = np.concatenate([np.array(x).ravel() for x in still[1::2]])[rows]  # of closures that follow inputs
    M = np.array(loops.tree.mass_matrix.function(q))[np.ix_(free, free)]
    scale = 1 / np.sqrt(np.maximum(np.diag(M), 1e-300))
    values, axes = np.linalg.eigh(M * np.outer(scale, scale))
    root = scale[:, None] * axes / np.sqrt(np.maximum(values, 1e-12))  # root root' = M^-1
    v = start.v.copy()
    v[free] -= root @ np.linalg.lstsq(J[:, free] @ root, J @ v + rate, rcond=1e-9)[0]
    return v if np.abs(J @ v + rate).max(initial=0.0) < MET * max(1.0, float(np.abs(v).max())) else None


def _met(loops: Loops, q0: Array, held: list[int], active: Mapping[str, Any], holding: tuple[bool, ...]) -> Array:
    """Coordinates that meet the closures: q0 itself, or with some coordinates held, or the nearest."""
    geometry = loops.saddle.geometry
    rows = geometry.held(holding)
    names = [geometry.names[i] for i in rows]
    residual = geometry.rows(q0)[0][rows]
    if not np.all(np.isfinite(residual)) or not np.all(np.isfinite(geometry.rows(q0)[1][rows])):
        closure = names[int(np.argmax(~np.all(np.isfinite(geometry.rows(q0)[1][rows]), axis=1)))].split(".")[0]
        raise SimulationError(
            f"model {loops.model.name!r}: closure {closure!r} has no direction at the start, its two points are in one "
            "place; start with them apart"
        )
    if np.abs(residual).max(initial=0.0) < MET_AT_ONCE:
        return q0
    if held and len(held) < loops.model.nv:
        q, left, _ = geometry.newton(q0, rows, held=held)
        if np.abs(left).max(initial=0.0) < MET:
            return q
    project = compile(loops.position_projection())
    q = q0
    for _ in range(LARGEST_TRIES):
        q, shift = project(q=q, **active)
        if float(shift) < CLOSED or not np.all(np.isfinite(q)):
            break
    residual = geometry.rows(q)[0][rows]
    if not (float(shift) < CLOSED and np.abs(residual).max(initial=0.0) < OPEN):
        q, residual, _ = geometry.newton(q0, rows)  # without pivots, so it also converges to singular configurations
    if not np.abs(residual).max(initial=0.0) < MET:
        worst = int(np.argmax(np.abs(residual)))
        raise SimulationError(
            f"model {loops.model.name!r}: no coordinates near q0 meet the closures; {names[worst]} misses by "
            f"{abs(residual[worst]):.3g}: start nearer to a place that does"
        )
    return q


def captures(loops: Loops, held: Mapping[str, Array], rows: Mapping[str, Array], h: float) -> dict[int, Jump]:
    """For every step at which a closure takes hold: the jump of the speeds that conserves momentum."""
    switched = [port.name for port in loops.switch_ports if port.name in rows]
    if not switched:
        return {}
    on = np.column_stack([rows[name].reshape(len(rows[name])) > 0.5 for name in switched])
    steps = np.flatnonzero((on[1:] & ~on[:-1]).any(axis=1)) + 1

    def jump(k: int) -> Jump:
        taking = [name.removesuffix("_active") for name, new in zip(switched, on[k] & ~on[k - 1], strict=True) if new]

        def captured(q: Array, v: Array) -> Array:
            here = {p.name: rows[p.name][k] if p.name in rows else held[p.name] for p in loops.closure_ports}
            _check_gap(loops, q, taking, k * h, np.array([float(here[p.name]) for p in loops.drive_ports]))
            v_plus = compile(loops.capture)(q=q, v=v, **here)[0]
            if not np.all(np.isfinite(v_plus)):
                least, names = loops.saddle.dependence(q, held_closures(loops, here))
                raise SimulationError(
                    f"model {loops.model.name!r}: at t = {k * h:.6g} s, where {', '.join(taking)} takes hold, the "
                    f"closures are dependent ({', '.join(names)}: {least:.2g}); use redundancy='regularise'"
                )
            return np.asarray(v_plus)

        return captured

    return {int(k): jump(int(k)) for k in steps}


def _check_gap(loops: Loops, q: Array, taking: list[str], t: float, drives: Array) -> None:
    geometry = loops.saddle.geometry
    residual = geometry.rows(q, drives)[0]
    for i, owner in enumerate(geometry.owners):
        if loops.model.closures[owner].name in taking and not abs(residual[i]) < LARGEST_GAP:
            raise SimulationError(
                f"model {loops.model.name!r}: closure {loops.model.closures[owner].name!r} takes hold at t = {t:.6g} s "
                f"while {geometry.names[i]} is {residual[i]:.3g} m or rad open; {LARGEST_GAP:g} is the most: bring its "
                "places together first"
            )


@contextmanager
def singular_places_named(loops: Loops | None, inputs_at: Callable[[float], Mapping[str, Any]]) -> Iterator[None]:
    """Report a diverging motion next to a singularity of the closures; `inputs_at` gives the inputs at a time."""
    try:
        yield
    except RanAway as e:
        if loops is None:
            raise
        least, names = loops.saddle.dependence(e.q, held_closures(loops, inputs_at(e.t)))
        if least > NEARLY_SINGULAR:
            raise
        raise SimulationError(
            f"model {loops.model.name!r}: at t = {e.t:.6g} s the closures are dependent ({', '.join(names)}), a "
            "singular place of the mechanism, and the motion cannot be followed; use redundancy='regularise', or a "
            "motion that keeps clear of it"
        ) from e
