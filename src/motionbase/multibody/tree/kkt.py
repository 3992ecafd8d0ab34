"""The saddle-point system of a tree with closures, regular for every setting of their switches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile.linear import Factorization, Precedence, factorize
from motionbase.errors import ModelError
from motionbase.multibody.model import Model
from motionbase.multibody.tree.consistency import Combination, Geometry
from motionbase.multibody.tree.coordinates import speed_rows
from motionbase.multibody.tree.redundancy import (
    Independent,
    Redundancy,
    dependent_rows,
    explain,
    independent_rows,
)
from motionbase.spatial.rotations import Expr

Weight = Literal["mass", "plain"]
Pivots = Literal["safe", "sparse"]


@final
@dataclass(frozen=True, eq=False)
class Saddle:
    """[[M, (S J)'], [S J, -(1 - S) - S epsilon]] with S = diag(s), s a row's 0 or 1.

    A row that is switched off reads -lambda = 0: it holds nothing, and its pivot is always -1.

    Attributes:
        redundancy: "drop" rows that follow from others, "regularise" all rows with epsilon, or "raise" an error
        epsilon: relative: each row yields by epsilon times its own compliance diag(J M^-1 J')
        pivots: "safe" eliminates speeds first and a closure row only after all speeds it constrains. Its pivot is then
            minus a diagonal entry of the Schur complement of rows with full rank, so it vanishes where the mechanism is
            singular and nowhere else. "sparse" takes any 1x1 or 2x2 pivots that are good at the sample configurations:
            fewer operations, but a pair of a row and a speed may vanish elsewhere, without a singularity
    """

    geometry: Geometry
    redundancy: Literal["drop", "regularise", "raise"]
    epsilon: float
    pivots: Pivots = "safe"

    @property
    def model(self) -> Model:
        """The model with these closures."""
        return self.geometry.model

    # ---- which rows ------------------------------------------------------------------------------------------------

    @cached_property
    def _chosen(self) -> tuple[tuple[Combination, tuple[int, ...], tuple[int, ...]], ...]:
        """For each combination that can be met: the rows kept, and the regular configurations."""
        found = []
        for one in self.geometry.combinations:
            if not one.places:
                continue
            rows = self.geometry.held(one.active)
            samples = [self.geometry.rows(q)[1][rows] for q in one.places]
            names = [self.geometry.names[i] for i in rows]
            try:
                choice = independent_rows(samples, names, one.near, one.sharp)
            except ModelError as e:
                if self.redundancy != "regularise":
                    raise ModelError(f"model {self.model.name!r}: {e}") from None
                choice = Independent(tuple(range(len(rows))), tuple(range(len(samples))))
            apart = tuple(k for k in choice.regular if k not in one.near[1:])  # neighbours say nothing about pivots
            found.append((one, tuple(rows[i] for i in choice.kept), apart or choice.regular))
        return tuple(found)

    @cached_property
    def redundant(self) -> tuple[Redundancy, ...]:
        """Rows that follow from others while all closures that can hold do, or in another combination."""
        found: dict[str, Redundancy] = {}
        for one, kept, regular in self._chosen:
            dropped = [i for i in self.geometry.held(one.active) if i not in kept]
            J = self.geometry.rows(one.places[regular[0]])[1]
            for item in explain(J, kept, dropped, self.geometry.names):
                found.setdefault(item.row, item)
        return tuple(found.values())

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """Rows that are part of the system."""
        if self.redundancy == "raise" and self.redundant:
            raise ModelError(
                f"model {self.model.name!r}: redundant closure rows: {'; '.join(map(str, self.redundant))}"
            )
        if self.redundancy == "regularise":
            return tuple(range(len(self.geometry.names)))
        excluded = [one for one in self.geometry.combinations if not one.places]
        ever = {i for _, kept, _ in self._chosen for i in kept}
        met = {i for one, _, _ in self._chosen for i in self.geometry.held(one.active)}
        # rows of a closure that could never be met stay: there is no evidence against them
        return tuple(sorted(ever | ({i for one in excluded for i in self.geometry.held(one.active)} - met)))

    def dependence(self, q: Array, active: Sequence[bool]) -> tuple[float, tuple[str, ...]]:
        """Distance of the active rows from dependence at a configuration, and the rows involved; 1 if compliant."""
        if self.redundancy == "regularise":
            return 1.0, ()
        held = set(self.geometry.held(active)) & set(self.rows)
        kept = next((set(kept) for one, kept, _ in self._chosen if one.active == tuple(active)), held)
        rows = sorted(held & kept)
        J = self.geometry.rows(q)[1] / self._usual_lengths[:, None]
        return dependent_rows(J[rows], [self.geometry.names[i] for i in rows])

    @cached_property
    def _usual_lengths(self) -> Array:
        """(rows,) largest length of each row of J over all configurations."""
        places = (q for one in self.geometry.combinations for q in one.places)
        longest = np.max([np.linalg.norm(self.geometry.rows(q)[1], axis=1) for q in places], axis=0)
        return np.where(longest > 0, longest, 1.0)

    def switches(self, active: Sequence[Expr]) -> list[Expr]:
        """s of each row in the system; `active` has an expression, above 0.5 for on, for each switchable closure."""
        on: list[Expr] = []
        given = iter(active)
        for closure in self.model.closures:
            on.append(next(given) > 0.5 if closure.switchable else ca.SX(1))
        return [self._switch(i, on) for i in self.rows]

    def _switch(self, row: int, on: list[Expr]) -> Expr:
        """The switch of a row: on with its closure, except in combinations in which the row is redundant."""
        owner = self.geometry.owners[row]
        s = on[owner]
        if self.redundancy == "regularise":
            return s
        for one, kept, _ in self._chosen:
            if one.active[owner] and row not in kept:
                here: Expr = ca.SX(1)
                for closure, x, value in zip(self.model.closures, on, one.active, strict=True):
                    if closure.switchable:
                        here = here * (x if value else 1 - x)
                s = s * (1 - here)
        return s

    # ---- the system ------------------------------------------------------------------------------------------------

    def matrix(self, M: Expr, J: Expr, s: list[Expr]) -> Expr:
        """The system's matrix; J has all rows of all closures (equations 27 and 28, symmetric)."""
        rows = list(self.rows)
        held = ca.vertcat(*(s[k] * J[i, :] for k, i in enumerate(rows))) if rows else ca.SX(0, self.model.nv)
        corner = ca.SX(len(rows), len(rows))
        for k, i in enumerate(rows):
            value = s[k] - 1 - (s[k] * self.compliance[i] if self.redundancy == "regularise" else 0)
            if not ca.SX(value).is_zero():
                corner[k, k] = value
        return ca.vertcat(ca.horzcat(M, held.T), ca.horzcat(held, corner))

    @cached_property
    def compliance(self) -> Array:
        """(rows,) compliance of each row: epsilon times the mean of diag(J M^-1 J')."""
        own = []
        for one, _, regular in self._chosen:
            for k in regular:
                J, M = self.geometry.rows(one.places[k])[1], self._mass(one.places[k])
                own.append(np.einsum("ij,ji->i", J, np.linalg.solve(M, J.T)))
        mean = np.mean(own, axis=0)
        return np.asarray(self.epsilon * np.maximum(mean, 1e-3 * mean.max()))  # zero rows need some, too

    def _mass(self, q: Array) -> Array:
        return np.array(self.geometry.tree.mass_matrix.function(q))

    def factors(self, M: Expr, J: Expr, s: list[Expr], weight: Weight = "mass") -> Factorization:
        """Generated elimination of the system, in an order that is good in every combination."""
        names = [*speed_rows(self.model), *(self.geometry.names[i] for i in self.rows)]
        A = self.matrix(M, J, s)
        after = _speeds_first(A, self.model.nv) if self.pivots == "safe" else None
        found = factorize(A, self._samples(weight), symmetric=True, names=names, after=after)
        if found.order.singular_samples:
            raise ModelError(
                f"model {self.model.name!r}: the closed-loop system is singular for a combination of active closures "
                f"({len(found.order.singular_samples)} of {len(self._samples(weight))} samples)"
            )
        return found

    def _samples(self, weight: Weight) -> list[Array]:
        """The matrix at every regular configuration of every combination."""
        M, J = ca.SX.sym("M", self.model.nv, self.model.nv), ca.SX.sym("J", len(self.geometry.names), self.model.nv)
        on = [ca.SX.sym("on") for c in self.model.closures if c.switchable]
        build = ca.Function("kkt", [M, J, *on], [self.matrix(M, J, self.switches(on))])
        found = []
        for one, _, regular in self._chosen:
            settings = [float(a) for a, c in zip(one.active, self.model.closures, strict=True) if c.switchable]
            for k in regular:
                mass = self._mass(one.places[k]) if weight == "mass" else np.eye(self.model.nv)
                found.append(np.array(build(mass, self.geometry.rows(one.places[k])[1], *settings)))
        return found


def _speeds_first(A: Expr, nv: int) -> Precedence:
    """Each closure row waits for the speeds it constrains."""
    waits: dict[int, list[int]] = {row: [] for row in range(nv, A.shape[0])}
    for i, j, value in zip(*A.sparsity().get_triplet(), A.nonzeros(), strict=True):
        if i >= nv > j and not ca.SX(value).is_zero():
            waits[i].append(j)
    return waits
