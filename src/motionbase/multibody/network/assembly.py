"""Nodes and parts put together: residual and Jacobian of a step, as programs over values and as numbers.

Unknowns and equations stand node by node, then part by part. A node with mass has the unknowns (v, omega, beta_dot,
gamma_dot) and the equations m v = beta, J omega = gamma, beta_dot = forces, gamma_dot = moments; one without mass has
(v, omega) and the last two. A part has its own unknowns and as many rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.compile import for_each
from motionbase.compile.linear.eliminate import scalars
from motionbase.multibody.network.bodies import NodeBody, balance, tangents, tensor
from motionbase.multibody.network.nodes import Correction, Momentum, Place
from motionbase.multibody.network.parts import INTEGRATED, AbstractPart, Own, Routine, routine_of
from motionbase.spatial.rotations import Expr

UNKNOWNS = ("vx", "vy", "vz", "wx", "wy", "wz")
NUMBERS = 3  # place of a part's numbers among the arguments of its routine
WITH_MOMENTUM = tuple(f"{kind}.{axis}" for kind in ("momentum", "spin", "force", "moment") for axis in "xyz")


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
    rows: Indices
    columns: Indices

    @cached_property
    def numbers(self) -> Array:
        """(k, ...) parameters, one row for each part."""
        return np.array([np.asarray(p.numbers, dtype=np.float64) for p in self.parts])

    @cached_property
    def constants(self) -> Array:
        """(k, nonzeros) entries of each part's Jacobian that its numbers alone determine, zeros among them; else NaN.

        A marker along its body's axes makes zeros of many.
        """
        function = self.routine.jacobian
        given = [ca.SX.sym("given", function.size1_in(k)) for k in range(function.n_in())]
        found = np.full((len(self.parts), function.size1_out(0)), np.nan)
        for row, numbers in zip(found, self.numbers, strict=True):
            given[NUMBERS] = ca.SX(ca.DM(numbers))
            for k, entry in enumerate(scalars(ca.densify(function.call(given)[0]))):
                if entry.is_constant():
                    row[k] = float(entry)
        return found

    @cached_property
    def varying(self) -> list[int]:
        """Entries of the Jacobian that are no constants in some part."""
        return [int(k) for k in np.flatnonzero(np.isnan(self.constants).any(axis=0))]


@final
@dataclass(frozen=True, eq=False)
class Assembly:
    """A network as equations.

    Attributes:
        bodies: what stands at each node
        parts: everything else
        gravity: (3,) [m/s^2]
        inputs: names of all inputs, each one number
    """

    bodies: tuple[NodeBody, ...]
    parts: tuple[AbstractPart, ...]
    gravity: Array
    inputs: tuple[str, ...]

    # ---- places in the vectors -------------------------------------------------------------------------------------

    @cached_property
    def node_starts(self) -> tuple[int, ...]:
        """Where each node's unknowns begin; the end of the last is where the parts' begin."""
        return tuple(np.cumsum([0, *(b.unknowns for b in self.bodies)]).tolist())

    @cached_property
    def own_starts(self) -> tuple[int, ...]:
        """Where each part's own unknowns begin among those of all parts."""
        return tuple(np.cumsum([0, *(len(p.own) for p in self.parts)]).tolist())

    @cached_property
    def kept_starts(self) -> tuple[int, ...]:
        """Where what each part keeps begins."""
        return tuple(np.cumsum([0, *(len(p.kept) for p in self.parts)]).tolist())

    @property
    def size(self) -> int:
        """Number of equations."""
        return self.node_starts[-1] + self.own_starts[-1]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the equations."""
        found: list[str] = []
        for body in self.bodies:
            found += [f"{body.name}.{row}" for row in WITH_MOMENTUM[12 - body.unknowns :]]
        return (*found, *(name for part in self.parts for name in part.row_names))

    @cached_property
    def kinds(self) -> tuple[Own, ...]:
        """What every own unknown is."""
        return tuple(kind for part in self.parts for kind in part.own)

    @cached_property
    def integrated(self) -> tuple[bool, ...]:
        """Of every own unknown, whether it is integrated."""
        return tuple(kind in INTEGRATED for kind in self.kinds)

    @cached_property
    def kinked(self) -> bool:
        """Whether any part's force bends sharply; see `AbstractPart.kinked`."""
        return any(part.kinked for part in self.parts)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Parts by kind."""
        kinds: dict[Hashable, list[int]] = {}
        for k, part in enumerate(self.parts):
            kinds.setdefault(part.kind, []).append(k)
        return tuple(self._group(members) for members in kinds.values())

    def _group(self, members: Sequence[int]) -> Group:
        known = {name: k for k, name in enumerate(self.inputs)}
        own_names = {name: k for k, name in enumerate(self.names[self.node_starts[-1] :])}
        parts = tuple(self.parts[k] for k in members)
        nodes, own, kept, inputs, others, rows, columns = [], [], [], [], [], [], []
        for k, part in zip(members, parts, strict=True):
            moving = [n for n in part.nodes if n is not None]
            at_own = list(range(self.own_starts[k], self.own_starts[k + 1]))
            among_all = [self.node_starts[-1] + i for i in at_own]
            balance = [self.node_starts[n + 1] - 6 for n in moving]
            nodes.append(moving)
            own.append(at_own)
            kept.append(list(range(self.kept_starts[k], self.kept_starts[k + 1])))
            inputs.append([known[name] for name in part.inputs])
            others.append([own_names[name] for name in part.reads])
            rows.append([*(start + i for start in balance for i in range(6)), *among_all])
            read = [self.node_starts[-1] + i for i in others[-1]]
            columns.append([*(self.node_starts[n] + i for n in moving for i in range(6)), *among_all, *read])
        tables = (np.array(table, dtype=np.intp) for table in (nodes, own, kept, inputs, others, rows, columns))
        return Group(routine_of(parts[0]), parts, *tables)

    # ---- as programs -----------------------------------------------------------------------------------------------

    def residual(self, c: Expr, places: Place, momenta: Momentum, values: OwnValues, inputs: Expr) -> Expr:
        """(size,) zero when the step is solved; `places` and `momenta` are rows, one for each node."""
        found: list[Any] = [ca.SX(0)] * self.size
        if self.heavy:
            g = ca.DM(self.gravity)

            def alone(R: Expr, v: Expr, omega: Expr, p: Expr, numbers: Expr) -> Expr:
                return balance(ca.reshape(R, 3, 3).T, v, omega, Momentum.of(p), numbers, g)

            at = places.R[self.heavy, :], places.v[self.heavy, :], places.omega[self.heavy, :]
            rows = _turns(alone, *at, momenta.column[self.heavy, :], self._heavy_numbers)
            for k, n in enumerate(self.heavy):
                start = self.node_starts[n]
                found[start : start + 12] = [rows[k, i] for i in range(12)]
        for group in self.groups:
            outputs = _each(group, "residual", places.column, values, inputs, c)
            _add(found, group.rows, outputs)
        return ca.vertcat(*found)

    @cached_property
    def heavy(self) -> list[int]:
        """Nodes with mass."""
        return [n for n, body in enumerate(self.bodies) if body.mass]

    @property
    def _heavy_numbers(self) -> ca.DM:
        return ca.DM(np.array([self.bodies[n].numbers for n in self.heavy]))

    def jacobian(self, c: Expr, places: Place, momenta: Momentum, values: OwnValues, inputs: Expr) -> Expr:
        """(size, size) derivative of the residual by the corrections, where these are zero."""
        entries: dict[tuple[int, int], Any] = {}
        if self.heavy:
            g = ca.DM(self.gravity)

            def turned(R: Expr, p: Expr, numbers: Expr) -> Expr:
                return tangents(ca.reshape(R, 3, 3).T, Momentum.of(p), numbers, g, c)

            parts = _turns(turned, places.R[self.heavy, :], momenta.column[self.heavy, :], self._heavy_numbers)
            for k, n in enumerate(self.heavy):
                self._body_entries(entries, n, c, [parts[k, i] for i in range(9)])
        for group in self.groups:
            outputs = _each(group, "jacobian", places.column, values, inputs, c, taken=group.varying)
            place_of = {entry: place for place, entry in enumerate(group.varying)}
            local_rows, local_columns = group.routine.pattern.get_triplet()
            for k, constants in enumerate(group.constants):
                for i, (row, column) in enumerate(zip(local_rows, local_columns, strict=True)):
                    at = int(group.rows[k, row]), int(group.columns[k, column])
                    entry = outputs[k, place_of[i]] if np.isnan(constants[i]) else float(constants[i])
                    if isinstance(entry, ca.SX) or entry:
                        entries[at] = entries[at] + entry if at in entries else entry
        rows, columns = (list(index) for index in zip(*entries, strict=True))
        return ca.SX.triplet(rows, columns, ca.vertcat(*entries.values()), self.size, self.size)

    def _body_entries(self, entries: dict[tuple[int, int], Any], n: int, c: Any, parts: Sequence[Any]) -> None:
        """Of a body alone; `parts` are those of `tangents`."""
        at, J = self.node_starts[n], np.array(tensor(ca.DM(self.bodies[n].inertia)))
        for i in range(3):
            entries[at + i, at + i] = self.bodies[n].mass
            entries[at + i, at + 6 + i] = entries[at + 3 + i, at + 9 + i] = -c
            entries[at + 6 + i, at + 6 + i] = entries[at + 9 + i, at + 9 + i] = 1.0
        for row, x in ((3, parts[:3]), (6, parts[3:6]), (9, parts[6:9])):
            crossed = {(0, 1): -x[2], (0, 2): x[1], (1, 0): x[2], (1, 2): -x[0], (2, 0): -x[1], (2, 1): x[0]}
            for (i, j), value in crossed.items():
                entries[at + row + i, at + 3 + j] = value + (float(J[i, j]) if row == 3 else 0.0)
        for i in range(3):
            entries[at + 3 + i, at + 3 + i] = float(J[i, i])

    def keep(self, places: Place, values: OwnValues, inputs: Expr) -> Expr:
        """What all parts keep at the end of a step."""
        found: list[Any] = [ca.SX(0)] * self.kept_starts[-1]
        for group in self.groups:
            if group.at_kept.shape[1]:
                outputs = _each(group, "keep", places.column, values, inputs)
                _add(found, group.at_kept, outputs)
        return ca.vertcat(*found) if found else ca.SX(0, 1)

    def corrections(self, d: Expr) -> tuple[Correction, Expr]:
        """Rows of corrections of the nodes, and corrections of the own unknowns."""
        rows = []
        for start, body in zip(self.node_starts, self.bodies, strict=False):
            own = d[start : start + body.unknowns]
            rows.append((own if body.mass else ca.vertcat(own, ca.SX.zeros(6))).T)
        return Correction.of(ca.vertcat(*rows), len(rows)), d[self.node_starts[-1] :]

    # ---- as numbers ------------------------------------------------------------------------------------------------

    def numeric(
        self, what: str, c: float, places: Array, values: Sequence[Array], inputs: Array
    ) -> list[tuple[Group, Array]]:
        """Outputs of every group's routine for numbers; `places` has a row for each node."""
        found = []
        for group in self.groups:
            function, k = getattr(group.routine, what), len(group.parts)
            arguments = [
                ca.DM(np.ascontiguousarray(table.T)) for table in _arguments(group, places, OwnValues(*values), inputs)
            ]
            last = [] if what == "keep" else [ca.DM(np.full((1, k), c))]
            found.append((group, np.array(function.map(k)(*arguments, *last)).T))
        return found

    def numeric_jacobian(
        self, c: float, places: Array, values: Sequence[Array], inputs: Array, momenta: Array | None = None
    ) -> Array:
        """(size, size) the Jacobian as numbers, for the choice of pivots and for starts.

        Args:
            momenta: (nodes, 12) as `Momentum` has them; zeros if None
        """
        J = np.zeros((self.size, self.size))
        entries: dict[tuple[int, int], Any] = {}
        p = np.zeros((len(self.bodies), Momentum.layout.size)) if momenta is None else momenta
        for n in self.heavy:
            R = ca.DM(places[n, 3:12].reshape(3, 3))
            parts = tangents(R, Momentum.of(ca.DM(p[n])), ca.DM(self.bodies[n].numbers), ca.DM(self.gravity), c)
            self._body_entries(entries, n, c, np.array(parts).ravel().tolist())
        for at, value in entries.items():
            J[at] = value
        return J + self.numeric_part_jacobian(c, places, values, inputs)

    def numeric_part_jacobian(self, c: float, places: Array, values: Sequence[Array], inputs: Array) -> Array:
        """(size, size) what the parts contribute, without the bodies' own inertia and weight."""
        J = np.zeros((self.size, self.size))
        for group, outputs in self.numeric("jacobian", c, places, values, inputs):
            rows, columns = group.routine.pattern.get_triplet()
            np.add.at(J, (group.rows[:, rows], group.columns[:, columns]), outputs)
        return J


def _arguments(group: Group, places: Any, values: OwnValues, inputs: Any) -> list[Any]:
    """Tables of a group's arguments, one row for each part; expressions or arrays."""
    k = len(group.parts)
    if isinstance(places, np.ndarray):
        taken = places[group.nodes].reshape(k, -1)
        own, own_dot = (np.asarray(v)[group.at_own] for v in (values.own, values.own_dot))
        kept, others = np.asarray(values.kept)[group.at_kept], np.asarray(values.own)[group.at_others]
        return [taken, own, own_dot, group.numbers, kept, np.asarray(inputs)[group.at_inputs], others]
    taken = ca.vertcat(*(ca.horzcat(*(places[int(n), :] for n in row)) for row in group.nodes))
    return [  # numbers in place NUMBERS
        taken,
        _taken(values.own, group.at_own),
        _taken(values.own_dot, group.at_own),
        ca.SX(ca.DM(group.numbers)),
        _taken(values.kept, group.at_kept),
        _taken(inputs, group.at_inputs),
        _taken(values.own, group.at_others),
    ]


def _taken(column: Expr, at: Indices) -> Expr:
    """(k, m) elements of a column."""
    if not at.shape[1]:
        return ca.SX(at.shape[0], 0)
    return ca.vertcat(*(column[[int(i) for i in row]].T for row in at))


def _each(
    group: Group, what: str, places: Expr, values: OwnValues, inputs: Expr, *more: Expr, taken: list[int] | None = None
) -> Expr:
    """(k, outputs) the routine for each part, all of its outputs or those taken: a loop where there are several."""
    function: ca.Function = getattr(group.routine, what)
    tables = _arguments(group, places, values, inputs)
    given = [k for k, table in enumerate(tables) if table.shape[1]]

    def called(*rows: Expr) -> Expr:
        by_place: Mapping[int, Expr] = dict(zip(given, rows, strict=True))
        outputs = function.call([by_place.get(k, ca.SX(0, 1)) for k in range(len(tables))] + list(more))[0]
        return outputs if taken is None else outputs[taken]

    return _turns(called, *(tables[k] for k in given))


def _turns(function: Callable[..., Expr], *tables: Expr) -> Expr:
    """(k, outputs) a function for each row of the tables; a loop where there are several rows."""
    if tables[0].shape[0] == 1:
        return ca.densify(function(*(ca.SX(table).T for table in tables))).T
    return for_each(function, *tables)


def _add(found: list[Any], at: Indices, outputs: Expr) -> None:
    for k, row in enumerate(at):
        for i, place in enumerate(row):
            found[int(place)] = found[int(place)] + outputs[k, i]
