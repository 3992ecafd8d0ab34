"""A look back at a run with closures: was every system solved soundly, and did the closures stay closed?"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from motionbase.arrays import Array
from motionbase.compile.linear import GROWTH_ALARM, RESIDUAL_ALARM
from motionbase.multibody.closed import LARGEST_GAP, NEARLY_SINGULAR, held_closures
from motionbase.multibody.tree.loops import Loops

WATCHED = 2000  # samples looked at, evenly over the run
# [m, rad]; drift and correction leave far less in a run whose step suits its speeds (see CORRECTION_STEPS), and a
# closure that takes hold may begin with half of it
OPENED = 2 * LARGEST_GAP


class SimulationWarning(UserWarning):
    """A motion was computed, but not all of it can be trusted."""


def doubts(loops: Loops, t: Array, q: Array, v: Array, inputs: Mapping[str, Array]) -> tuple[str, ...]:
    """Sentences about what cannot be trusted; none for a sound run.

    Args:
        t, q, v: (n,), (n, nq), (n, nv) samples
        inputs: of the forward dynamics by name, one row a sample or a constant
    """
    chosen = np.unique(np.linspace(0, len(t) - 1, min(len(t), WATCHED)).astype(int))
    values = {p.name: _rows(inputs[p.name], p.dims, chosen, len(t)) for p in loops.ports[2:]}
    found = (_unsound(loops, t, q, v, values, chosen), _opened(loops, t, q, values, chosen))
    return tuple(sentence for sentence in found if sentence)


def _rows(value: Array, dims: tuple[int, ...], chosen: NDArray[np.intp], count: int) -> Array:
    array = np.asarray(value, dtype=np.float64)
    return (
        array[chosen]
        if array.shape == (count, *dims) and array.shape != dims
        else np.tile(array, (len(chosen), *[1] * len(dims)))
    )


def _unsound(
    loops: Loops, t: Array, q: Array, v: Array, values: Mapping[str, Array], chosen: NDArray[np.intp]
) -> str | None:
    """The sample at which the solve was worst, if it was bad."""
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


def _opened(loops: Loops, t: Array, q: Array, values: Mapping[str, Array], chosen: NDArray[np.intp]) -> str | None:
    """The closure that held and was open most, if it was."""
    geometry = loops.saddle.geometry
    residuals = np.abs([geometry.rows(q[k])[0] for k in chosen])
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
