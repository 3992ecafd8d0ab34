"""Nodes and parts put together: residual and Jacobian of a step, as programs over values and as numbers.

Unknowns and equations stand node by node, then part by part. A node with mass has the unknowns (v, omega, beta_dot,
gamma_dot) and the equations m v = beta, J omega = gamma, beta_dot = forces, gamma_dot = moments; one without mass has
(v, omega) and the last two. A part has its own unknowns and as many rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.multibody.network.bodies import NodeBody, balance, tangents, tensor
from motionbase.multibody.network.exchange import AbstractExchange, End
from motionbase.multibody.network.groups import Group, OwnValues, evaluated, turns
from motionbase.multibody.network.nodes import Correction, Momentum, Place, Weights
from motionbase.multibody.network.parts import GROUND_PLACE, INTEGRATED, AbstractPart, Own, routine_of
from motionbase.spatial.rotations import Expr

UNKNOWNS = ("vx", "vy", "vz", "wx", "wy", "wz")
WITH_MOMENTUM = tuple(f"{kind}.{axis}" for kind in ("momentum", "spin", "force", "moment") for axis in "xyz")


@final
@dataclass(frozen=True, eq=False)
class Assembly:
    """A network as equations.

    Attributes:
        bodies: what stands at each node
        parts: everything else
        gravity: (3,) [m/s^2]
        given: names of all inputs from outside, each one number
        exchanges: what parts share from step to step; their numbers stand behind those that parts keep
    """

    bodies: tuple[NodeBody, ...]
    parts: tuple[AbstractPart, ...]
    gravity: Array
    given: tuple[str, ...]
    exchanges: tuple[AbstractExchange, ...] = ()

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Names of all inputs of parts: those given, then those of exchanges."""
        return (*self.given, *(name for exchange in self.exchanges for name in exchange.shared))

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

    @cached_property
    def shared_starts(self) -> tuple[int, ...]:
        """Where the numbers of each exchange begin among those kept: what parts read, then its memory."""
        sizes = [len(exchange.shared) + len(exchange.memory) for exchange in self.exchanges]
        return tuple(np.cumsum([self.kept_starts[-1], *sizes]).tolist())

    @cached_property
    def shared_places(self) -> list[int]:
        """Places of what parts read of exchanges, among the numbers kept."""
        pairs = zip(self.exchanges, self.shared_starts, strict=False)
        return [start + k for exchange, start in pairs for k in range(len(exchange.shared))]

    @cached_property
    def told_starts(self) -> tuple[int, ...]:
        """Where what each exchange learns begins."""
        return tuple(np.cumsum([0, *(exchange.learns for exchange in self.exchanges)]).tolist())

    @property
    def kept_start(self) -> Array:
        """What parts and exchanges keep, at the start."""
        kept = [p.kept for p in self.parts]
        kept += [(*exchange.shared.values(), *exchange.memory) for exchange in self.exchanges]
        return np.concatenate([np.asarray(some, dtype=np.float64) for some in kept] or [np.empty(0)])

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
    def kinked_rows(self) -> tuple[int, ...] | None:
        """Equations that have all kinks in them; None if some stand in none of their own."""
        found: list[int] = []
        for part, start in zip(self.parts, self.own_starts, strict=False):
            if part.kinked and not part.kinked_rows:
                return None
            found += [self.node_starts[-1] + start + k for k in part.kinked_rows]
        return tuple(found)

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
        exchange = {exchange.name: k for k, exchange in enumerate(self.exchanges)}
        nodes, own, kept, inputs, others, told, rows, columns = [], [], [], [], [], [], [], []
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
            to = None if part.tells is None else exchange[part.tells]
            told.append([] if to is None else list(range(self.told_starts[to], self.told_starts[to + 1])))
            rows.append([*(start + i for start in balance for i in range(6)), *among_all])
            read = [self.node_starts[-1] + i for i in others[-1]]
            columns.append([*(self.node_starts[n] + i for n in moving for i in range(6)), *among_all, *read])
        found = nodes, own, kept, inputs, others, told, rows, columns
        tables = (np.array(table, dtype=np.intp) for table in found)
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
            rows = turns(alone, *at, momenta.column[self.heavy, :], self._heavy_numbers)
            for k, n in enumerate(self.heavy):
                start = self.node_starts[n]
                found[start : start + 12] = [rows[k, i] for i in range(12)]
        inputs = self._all_inputs(inputs, values.kept)
        for group, outputs in evaluated(self.groups, "residual", places.column, values, inputs, c):
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

            parts = turns(turned, places.R[self.heavy, :], momenta.column[self.heavy, :], self._heavy_numbers)
            for k, n in enumerate(self.heavy):
                self._body_entries(entries, n, c, [parts[k, i] for i in range(9)])
        inputs = self._all_inputs(inputs, values.kept)
        for group, outputs in evaluated(self.groups, "jacobian", places.column, values, inputs, c):
            local_rows, local_columns = group.routine.pattern.get_triplet()
            for k, part in enumerate(outputs):
                for row, column, entry in zip(local_rows, local_columns, part, strict=True):
                    at = int(group.rows[k, row]), int(group.columns[k, column])
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

    def keep(self, w: Weights, places: Place, values: OwnValues, given: Expr) -> Expr:
        """What all parts and exchanges keep at the end of a step."""
        found: list[Any] = [ca.SX(0)] * self.kept_starts[-1]
        inputs = self._all_inputs(given, values.kept)
        for group, outputs in evaluated(self.groups, "keep", places.column, values, inputs, w.c):
            _add(found, group.at_kept, outputs)
        if self.exchanges:
            told: list[Any] = [ca.SX(0)] * self.told_starts[-1]
            for group, outputs in evaluated(self.groups, "tell", places.column, values, inputs, w.c):
                _add(told, group.at_told, outputs)
            for k in range(len(self.exchanges)):
                found.append(self._shared_next(k, w.h, ca.vertcat(*told), places, given, values.kept))
        return ca.vertcat(*found) if found else ca.SX(0, 1)

    def _shared_next(self, k: int, h: Expr, told: Expr, places: Place, given: Expr, kept: Expr) -> Expr:
        """The numbers of one exchange at the end of a step."""
        exchange, start, end = self.exchanges[k], self.shared_starts[k], self.shared_starts[k + 1]
        known = {name: i for i, name in enumerate(self.given)}
        middle = start + len(exchange.shared)
        place = GROUND_PLACE if exchange.node is None else Place.of(places.column[exchange.node, :].T)
        inputs = given[[known[name] for name in exchange.inputs]] if exchange.inputs else ca.SX(0, 1)
        learnt = told[self.told_starts[k] : self.told_starts[k + 1]]
        return ca.vertcat(*exchange.after(End(h, learnt, place, inputs, kept[start:middle], kept[middle:end])))

    def _all_inputs(self, given: Any, kept: Any) -> Any:
        """Inputs of parts: those given, then those of exchanges."""
        if not self.exchanges:
            return given
        return ca.vertcat(given, kept[self.shared_places])

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
        if self.exchanges:
            inputs = np.concatenate([inputs, np.asarray(values[2])[self.shared_places]])
        found = []
        for group in self.groups:
            outputs, constants = group.numeric(what, c, places, values, inputs), group.constants(what)
            found.append((group, np.where(np.isnan(constants), outputs, constants)))  # no rounding where code has none
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


def _add(found: list[Any], at: Indices, outputs: Sequence[Sequence[Any]]) -> None:
    for places, values in zip(at, outputs, strict=True):
        for place, value in zip(places, values, strict=True):
            if isinstance(value, ca.SX) or value:
                found[int(place)] = found[int(place)] + value
