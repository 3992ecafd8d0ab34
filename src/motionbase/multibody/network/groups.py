"""Parts of one kind, and loops over them: groups on the same nodes share a loop and what they have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile import for_each
from motionbase.compile.linear.eliminate import scalars
from motionbase.multibody.network.parts import AbstractPart, Routine
from motionbase.spatial.rotations import Expr

NUMBERS = 3  # place of a part's numbers among the arguments of its routine


class OwnValues(NamedTuple):
    """Own unknowns of all parts, their rates, and what parts keep; one after the other."""

    own: Expr
    own_dot: Expr
    kept: Expr


@final
@dataclass(frozen=True, eq=False)
class Group:
    """All parts of one kind.

    Attributes:
        at_own, at_kept: (k, ...) where each part's own unknowns and kept values stand among all
        at_inputs: (k, ...) where its inputs stand among all
        at_others: (k, ...) where the unknowns of other parts that it reads stand among all own unknowns
        at_told: (k, ...) where what it tells stands among what all exchanges learn
        rows: (k, ...) places of its residual among all equations
        columns: (k, ...) places of its unknowns among all
    """

    routine: Routine
    parts: tuple[AbstractPart, ...]
    nodes: Indices
    at_own: Indices
    at_kept: Indices
    at_inputs: Indices
    at_others: Indices
    at_told: Indices
    rows: Indices
    columns: Indices
    _constants: dict[str, Array] = field(default_factory=dict, init=False)

    @cached_property
    def numbers(self) -> Array:
        """(k, ...) parameters, one row for each part."""
        return np.array([np.asarray(p.numbers, dtype=np.float64) for p in self.parts])

    def constants(self, what: str) -> Array:
        """(k, outputs) of a function of the routine, where a part's numbers alone determine them; else NaN.

        A marker along its body's axes makes zeros of many.
        """
        if what not in self._constants:
            found = {row.tobytes(): _folded(getattr(self.routine, what), row) for row in self.numbers}
            self._constants[what] = np.array([found[row.tobytes()] for row in self.numbers])
        return self._constants[what]

    def varying(self, what: str) -> list[int]:
        """Outputs that are no constants in some part."""
        return [int(k) for k in np.flatnonzero(np.isnan(self.constants(what)).any(axis=0))]

    def arguments(self, places: Array, values: Sequence[Array], inputs: Array) -> list[Array]:
        """Tables of the routine's arguments as numbers, one row for each part."""
        own, own_dot, kept = (np.asarray(v) for v in values)
        taken = places[self.nodes].reshape(len(self.parts), -1)
        return [
            taken, own[self.at_own], own_dot[self.at_own], self.numbers, kept[self.at_kept],
            np.asarray(inputs)[self.at_inputs], own[self.at_others],
        ]  # fmt: skip

    def numeric(self, what: str, c: float, places: Array, values: Sequence[Array], inputs: Array) -> Array:
        """(k, outputs) of a function of the routine."""
        k, tabled = len(self.parts), self.routine.tabled
        given = [ca.DM(np.ascontiguousarray(t.T)) for t in self.arguments(places, values, inputs)]
        last = ca.DM(np.full((1, k), c))

        def of(what: str, looked_up: Sequence[Any]) -> Array:
            function: ca.Function = getattr(self.routine, what)
            return np.array(function.map(k)(*given, *looked_up, last)).T.reshape(k, -1)

        looked_up = [ca.DM(size, k) for size in (0, 0)] if tabled is None else [ca.DM.zeros(n, k) for n in tabled.sizes]
        if tabled is not None:
            asked = of("asked", looked_up).reshape(k * tabled.points, -1)
            looked_up = [ca.DM(found.reshape(k, -1).T) for found in tabled.numbers(asked)]
        return of(what, looked_up)


def _folded(function: ca.Function, numbers: Array) -> Array:
    """(outputs,) those that are constants for these numbers, else NaN."""
    given = [ca.SX.sym("given", function.size1_in(k)) for k in range(function.n_in())]
    given[NUMBERS] = ca.SX(ca.DM(numbers))
    entries = scalars(ca.densify(function.call(given)[0])) if function.size1_out(0) else []
    return np.array([float(entry) if entry.is_constant() else np.nan for entry in entries])


def evaluated(
    groups: Sequence[Group], what: str, places: Expr, values: OwnValues, inputs: Expr, c: Expr
) -> Iterator[tuple[Group, list[list[Any]]]]:
    """Every group with what its routine gives for each part: expressions, and floats where they are constants."""
    together: dict[bytes, list[Group]] = {}
    for group in groups:
        if group.routine.size(what):
            together.setdefault(repr(group.nodes.tolist()).encode(), []).append(group)
    for on_same_nodes in together.values():
        yield from zip(on_same_nodes, _loop(on_same_nodes, what, places, values, inputs, c), strict=True)


def _loop(
    groups: Sequence[Group], what: str, places: Expr, values: OwnValues, inputs: Expr, c: Expr
) -> list[list[list[Any]]]:
    """One loop over the parts of all groups, part by part."""
    count, taken = len(groups[0].parts), [group.varying(what) for group in groups]
    tables = [ca.vertcat(*(places[int(n), :] for n in column)) for column in groups[0].nodes.T]
    numbers, columns = _shared([group.numbers for group in groups])
    tables.append(ca.SX(ca.DM(numbers)))
    for group in groups:
        tables += [
            _taken(values.own, group.at_own),
            _taken(values.own_dot, group.at_own),
            _taken(values.kept, group.at_kept),
            _taken(inputs, group.at_inputs),
            _taken(values.own, group.at_others),
        ]
    given = [k for k, table in enumerate(tables) if table.shape[1]]

    def called(*rows: Expr) -> Expr:
        by_place = dict(zip(given, rows, strict=True))
        row = [by_place.get(k, ca.SX(0, 1)) for k in range(len(tables))]
        nodes, at = groups[0].nodes.shape[1], groups[0].nodes.shape[1] + 1
        place, number, found = ca.vertcat(*row[:nodes]), ca.vec(row[nodes]), []
        for k, group in enumerate(groups):
            own, own_dot, kept, inputs, others = row[at + 5 * k : at + 5 * k + 5]
            arguments = [place, own, own_dot, number[columns[k]], kept, inputs, others]
            looked_up = group.routine.looked_up(what, arguments, c)
            found.append(getattr(group.routine, what).call([*arguments, *looked_up, c])[0][taken[k]])
        return ca.vertcat(*found)

    outputs = turns(called, *(tables[k] for k in given)) if any(taken) else ca.SX(count, 0)
    ends = np.cumsum([0, *(len(some) for some in taken)])
    return [
        _filled(group.constants(what), some, outputs[:, int(a) : int(b)])
        for group, some, a, b in zip(groups, taken, ends[:-1], ends[1:], strict=True)
    ]


def _filled(constants: Array, varying: list[int], outputs: Expr) -> list[list[Any]]:
    """Constants, with what was computed where they are none."""
    place_of = {entry: place for place, entry in enumerate(varying)}
    return [
        [outputs[k, place_of[i]] if np.isnan(x) else float(x) for i, x in enumerate(row)]
        for k, row in enumerate(constants)
    ]


def _shared(tables: Sequence[Array]) -> tuple[Array, list[list[int]]]:
    """The columns of all tables, equal ones once (markers of a joint, say), and where those of each table are."""
    columns = {column.tobytes(): column for table in tables for column in table.T}
    at = {key: k for k, key in enumerate(columns)}
    together = np.array(list(columns.values())).T.reshape(len(tables[0]), -1)
    return together, [[at[column.tobytes()] for column in table.T] for table in tables]


def _taken(column: Expr, at: Indices) -> Expr:
    """(k, m) elements of a column."""
    if not at.shape[1]:
        return ca.SX(at.shape[0], 0)
    return ca.vertcat(*(column[[int(i) for i in row]].T for row in at))


def turns(function: Callable[..., Expr], *tables: Expr) -> Expr:
    """(k, outputs) a function for each row of the tables; a loop where there are several rows."""
    if tables[0].shape[0] == 1:
        return ca.densify(function(*(ca.SX(table).T for table in tables))).T
    return for_each(function, *tables)
