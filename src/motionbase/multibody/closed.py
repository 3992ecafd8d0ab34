"""Closures at the start and while it runs: a start that meets them, capture where one takes hold, singular places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from motionbase.compile import compile
from motionbase.errors import SimulationError
from motionbase.multibody.integrators.run import Jump, RanAway
from motionbase.multibody.tree.consistency import MET
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.redundancy import RANK_TOLERANCE

Array = NDArray[np.float64]
LARGEST_TRIES = 50
CLOSED = 1e-10  # [m, rad] change of the last Newton step; what is left is its square
MET_AT_ONCE = 1e-14  # [m, rad] residual of a start that needs no Newton step
OPEN = 1e-8  # [m, rad] residual at which a row that was dropped as redundant does not follow from the others
# [m, rad] a closure may be open by when it takes hold in a run. Its correction closes the gap g at speeds of about
# 0.4 omega g, omega = 1 / (20 h): 0.1 m/s for this gap at 1 kHz.
LARGEST_GAP = 5e-3
NEARLY_SINGULAR = 1e-2  # least singular value at which a motion that ran away is put down to a singular place


def held_closures(loops: Loops, inputs: Mapping[str, Any]) -> tuple[bool, ...]:
    """Which closures hold, from the values of their switches."""
    return tuple(
        not c.switchable or bool(np.all(np.asarray(inputs[f"{c.name}_active"]) > 0.5)) for c in loops.model.closures
    )


def closed_start(loops: Loops, q: Array, v: Array, inputs: Mapping[str, Any]) -> tuple[Array, Array]:
    """Coordinates and speeds on the closures that hold, nearest to those given."""
    active = {port.name: np.asarray(inputs[port.name]) for port in loops.switch_ports}
    holding = held_closures(loops, inputs)
    q = _met(loops, q, active, holding)
    least, names = loops.saddle.dependence(q, holding)
    if least < RANK_TOLERANCE:
        raise SimulationError(
            f"model {loops.model.name!r}: the closures are dependent at the start ({', '.join(names)}), a singular "
            "place of the mechanism; start elsewhere, or use redundancy='regularise'"
        )
    return q, compile(loops.velocity_projection())(q=q, v=v, **active)


def _met(loops: Loops, q0: Array, active: Mapping[str, Any], holding: tuple[bool, ...]) -> Array:
    """The nearest coordinates that meet the closures that hold, q0 itself if it does."""
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
    project = compile(loops.position_projection())
    q = q0
    for _ in range(LARGEST_TRIES):
        q, shift = project(q=q, **active)
        if float(shift) < CLOSED or not np.all(np.isfinite(q)):
            break
    residual = geometry.rows(q)[0][rows]
    if not (float(shift) < CLOSED and np.abs(residual).max(initial=0.0) < OPEN):
        q, residual, _ = geometry.newton(q0, rows)  # without pivots: it also comes to singular places
    if not np.abs(residual).max(initial=0.0) < MET:
        worst = int(np.argmax(np.abs(residual)))
        raise SimulationError(
            f"model {loops.model.name!r}: no coordinates near q0 meet the closures; {names[worst]} misses by "
            f"{abs(residual[worst]):.3g}: start nearer to a place that does"
        )
    return q


def captures(loops: Loops, held: Mapping[str, Array], rows: Mapping[str, Array], h: float) -> dict[int, Jump]:
    """For every step at which a closure takes hold: the jump of the speeds that keeps momentum."""
    switched = [port.name for port in loops.switch_ports if port.name in rows]
    if not switched:
        return {}
    on = np.column_stack([rows[name].reshape(len(rows[name])) > 0.5 for name in switched])
    steps = np.flatnonzero((on[1:] & ~on[:-1]).any(axis=1)) + 1

    def jump(k: int) -> Jump:
        taking = [name.removesuffix("_active") for name, new in zip(switched, on[k] & ~on[k - 1], strict=True) if new]

        def captured(q: Array, v: Array) -> Array:
            here = {p.name: rows[p.name][k] if p.name in rows else held[p.name] for p in loops.switch_ports}
            _check_gap(loops, q, taking, k * h)
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


def _check_gap(loops: Loops, q: Array, taking: list[str], t: float) -> None:
    geometry = loops.saddle.geometry
    residual = geometry.rows(q)[0]
    for i, owner in enumerate(geometry.owners):
        if loops.model.closures[owner].name in taking and not abs(residual[i]) < LARGEST_GAP:
            raise SimulationError(
                f"model {loops.model.name!r}: closure {loops.model.closures[owner].name!r} takes hold at t = {t:.6g} s "
                f"while {geometry.names[i]} is {residual[i]:.3g} m or rad open; {LARGEST_GAP:g} is the most: bring its "
                "places together first"
            )


@contextmanager
def singular_places_named(loops: Loops | None, inputs_at: Callable[[float], Mapping[str, Any]]) -> Iterator[None]:
    """Where a motion ran away next to a singular place of the closures, say so; `inputs_at` gives those of a time."""
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
