"""Checks a run afterwards: were closures solved accurately and kept closed, did bodies bend beyond their modes?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile.linear import GROWTH_ALARM, RESIDUAL_ALARM
from motionbase.multibody.closed import LARGEST_GAP, NEARLY_SINGULAR, held_closures
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.model import Model
from motionbase.multibody.tree.loops import Loops

WATCHED = 2000  # samples examined, evenly over the run
# [m, rad]; drift and correction leave far less if the step suits the speeds (see CORRECTION_STEPS), and a closure
# that takes hold may start with half of it
OPENED = 2 * LARGEST_GAP

# [rad] slope up to which assumed modes describe bending: a cantilever under a load at its tip then deflects by 1.5 %
# less than linear theory says (elastica), and the miss grows with the square of the slope
BENT = 0.2


class SimulationWarning(UserWarning):
    """A motion was computed, but part of it cannot be trusted."""


def doubts(loops: Loops, t: Array, q: Array, v: Array, inputs: Mapping[str, Array]) -> tuple[str, ...]:
    """Sentences about what cannot be trusted; none for a sound run.

    Args:
        t, q, v: (n,), (n, nq), (n, nv) samples
        inputs: of the forward dynamics by name, one row per sample or a constant
    """
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), WATCHED)).astype(int))
    values = {p.name: _rows(inputs[p.name], p.dims, chosen, len(t)) for p in loops.ports[2:]}
    found = (_unsound(loops, t, q, v, values, chosen), _opened(loops, t, q, values, chosen))
    return tuple(sentence for sentence in found if sentence)


def _rows(value: Array, dims: tuple[int, ...], chosen: Indices, count: int) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return (
        array[chosen]
        if array.shape == (count, *dims) and array.shape != dims
        else np.tile(array, (len(chosen), *[1] * len(dims)))
    )


def _unsound(loops: Loops, t: Array, q: Array, v: Array, values: Mapping[str, Array], chosen: Indices) -> str | None:
    """The sample with the worst solution, if it was inaccurate."""
    each = loops.monitors.function.map(len(chosen))
    columns = [q[chosen].T, v[chosen].T]
    for port in loops.ports[2:]:
        symbol = port.symbol()
        rows = values[port.name].reshape(len(chosen), *symbol.shape)
        columns.append(np.concatenate(list(rows), axis=1))
    growth, residual = (np.array(x).ravel() for x in each(*columns))
    alarm = np.maximum(growth / GROWTH_ALARM, residual / RESIDUAL_ALARM)
    k = int(np.argmax(alarm))
    if alarm[k] < 1.0:
        return None
    holding = held_closures(loops, {name: rows[k] for name, rows in values.items()})
    least, names = loops.saddle.dependence(q[chosen[k]], holding)
    said = (
        f"model {loops.model.name!r}: the equations at t = {t[chosen[k]]:.6g} s were not solved soundly (pivot growth "
        f"{growth[k]:.2g}, residual {residual[k]:.2g}), and the motion after it is in doubt: "
    )
    if least > NEARLY_SINGULAR and loops.pivots == "sparse":
        return said + "the pivots chosen by pivots='sparse' vanish there; use pivots='safe'"
    return said + (
        f"the closures are nearly dependent there ({', '.join(names) or 'redundant rows share'}); keep clear of the "
        "place, or use redundancy='regularise'"
    )


def _opened(loops: Loops, t: Array, q: Array, values: Mapping[str, Array], chosen: Indices) -> str | None:
    """The closure that held and had the largest gap, if it was too large."""
    geometry = loops.saddle.geometry
    drives = np.column_stack([np.zeros((len(chosen), 0)), *(values[p.name] for p in loops.drive_ports)])
    residuals = np.abs([geometry.rows(q[k], drives[i])[0] for i, k in enumerate(chosen)])
    switched = [c.name for c in loops.model.closures if c.switchable]
    for i, owner in enumerate(geometry.owners):
        name = loops.model.closures[owner].name
        if name in switched:
            residuals[:, i] *= values[f"{name}_active"].reshape(len(chosen)) > 0.5
    k, row = np.unravel_index(int(np.argmax(residuals)), residuals.shape)
    if residuals[k, row] < OPENED:
        return None
    return (
        f"model {loops.model.name!r}: closure row {geometry.names[int(row)]} was {residuals[k, row]:.2g} m or rad open "
        f"at t = {t[chosen[k]]:.6g} s; take a smaller dt, or redundancy='regularise' if it was dropped as redundant"
    )


def overbent(model: Model, t: Array, q: Array) -> tuple[str, ...]:
    """Sentences about flexible bodies whose slope was more than modes can describe.

    Args:
        t, q: (n,), (n, nq) samples
    """
    found = []
    for body, (_, own) in zip(model.bodies, model.q_slices, strict=True):
        if body.modes is not None and (slope := bending_slopes(body.modes, q[:, own])).max() > BENT:
            k = int(np.argmax(slope))
            found.append(
                f"model {model.name!r}: flexible body {body.name!r} bent to a slope of {slope[k]:.2g} rad at "
                f"t = {t[k]:.6g} s; assumed modes are good to about {BENT:g} rad, beyond it use beams (multibody.beams)"
            )
    return tuple(found)


def bending_slopes(modes: Modes, eta: Array) -> Array:
    """(n,) largest slope of a flexible body for amplitudes (n, modes) [rad], as far as its points tell.

    That of a point, but for twist about the line to the farthest point; or the root mean square along the body up to a
    point, which follows from how far bending draws the point in. The second also sees bodies held at both ends.
    """
    points = list(modes.points.values())
    largest = np.zeros(len(eta))
    if not points:
        return largest
    far = max((p.position for p in points), key=lambda p: float(p @ p))
    axis = far / max(float(np.linalg.norm(far)), 1e-300)
    for point in points:
        turn = eta @ point.slope.T
        across = turn - np.outer(turn @ axis, axis)
        largest = np.maximum(largest, np.linalg.norm(across, axis=1))
        distance = float(np.linalg.norm(point.position))
        if point.shortening is not None and distance > 0.0:
            drawn = np.linalg.norm(np.einsum("ti,aij,tj->ta", eta, point.shortening, eta), axis=1)  # twice the way
            largest = np.maximum(largest, np.sqrt(drawn / distance))
    return largest
