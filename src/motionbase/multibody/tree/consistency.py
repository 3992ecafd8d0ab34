"""Places that meet the closures, found by Newton's method: what pivots and redundancy are judged at."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.multibody.model import Model
from motionbase.multibody.tree.coordinates import moved_slightly, unit_coordinates
from motionbase.multibody.tree.dynamics import Tree
from motionbase.spatial.equals import settled

MET = 1e-10  # [m, rad]; residual at which a place counts as consistent
PLACES = 4  # wanted for each combination of active closures
GUESSES = 16
NEWTON_STEPS = 60
LONGEST_STEP = 0.5  # [rad, m] a Newton step is shortened to this
NEAR = 4  # places sought beside the first one, to see which rank of the closures is the usual one there
NEAR_SPREAD = 0.05  # [rad, m]
# From a residual of CLOSE, Newton's method takes four or five steps to MET, squaring the error each time. Where J loses
# rank it only halves the error and leaves coordinates wrong by the root of the residual: nothing is judged there.
CLOSE = 1e-2
SHARP_STEPS = 9
MOST_SWITCHES = 6  # 64 combinations


@final
@dataclass(frozen=True)
class Combination:
    """One setting of the switches.

    Attributes:
        active: for each closure, whether it holds
        places: coordinates that meet those that hold; none found where they exclude each other
        near: which of the places are the first one and its neighbours
        sharp: which of the places Newton's method found at its proper speed, so that ranks can be judged there
        miss: largest residual of the best guess [m, rad], and the row that has it
    """

    active: tuple[bool, ...]
    places: tuple[Array, ...]
    near: tuple[int, ...] = ()
    sharp: tuple[int, ...] = ()
    miss: tuple[float, str] = (0.0, "")


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """The closures of a model as numbers.

    Attributes:
        around: coordinates near which places are sought
    """

    tree: Tree
    around: Array

    @property
    def model(self) -> Model:
        """The tree's model."""
        return self.tree.model

    def __post_init__(self) -> None:
        at = np.asarray(self.around, dtype=np.float64)
        if at.shape != (self.model.nq,) or not np.all(np.isfinite(at)):
            raise ModelError(f"model {self.model.name!r}: around must be {self.model.nq} finite coordinates")
        object.__setattr__(self, "around", at)
        switches = [c.name for c in self.model.closures if c.switchable]
        if len(switches) > MOST_SWITCHES:
            raise ModelError(
                f"model {self.model.name!r}: {len(switches)} closures are switchable; pivots are checked for every "
                f"combination, so {MOST_SWITCHES} is the most"
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """CLOSURE.ROW of every row."""
        return tuple(f"{c.name}.{row}" for c in self.model.closures for row in c.rows)

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The closure each row belongs to."""
        return tuple(k for k, c in enumerate(self.model.closures) for _ in c.rows)

    @cached_property
    def _functions(self) -> tuple[ca.Function, ca.Function]:
        q, dv = ca.SX.sym("q", self.model.nq), ca.SX.sym("dv", self.model.nv)
        state = self.tree.state(q, ca.SX(self.model.nv, 1))
        equations = [c.equations(state) for c in self.model.closures]
        residual = ca.vertcat(*(e.residual for e in equations))
        J = ca.vertcat(*(e.J for e in equations))
        return ca.Function("rows", [q], [residual, J]), ca.Function(
            "moved", [q, dv], [moved_slightly(self.model, q, dv)]
        )

    def rows(self, q: Array) -> tuple[Array, Array]:
        """Residual (rows,) and J (rows, nv) at a place."""
        residual, J = self._functions[0](q)
        return np.array(residual).ravel(), np.array(J)

    def held(self, active: Sequence[bool]) -> list[int]:
        """Rows of the closures that hold."""
        return [i for i, owner in enumerate(self.owners) if active[owner]]

    @cached_property
    def combinations(self) -> tuple[Combination, ...]:
        """Every setting of the switches with places that meet it; all on comes first."""
        settings = itertools.product(*((True, False) if c.switchable else (True,) for c in self.model.closures))
        found = tuple(self._combination(active) for active in settings)
        for one in found:
            # a model whose lasting closures cannot be met is wrong; grapples that exclude each other are not
            grappled = [a and c.switchable for a, c in zip(one.active, self.model.closures, strict=True)]
            if not one.places and not any(grappled):
                raise ModelError(
                    f"model {self.model.name!r}: the closures cannot be met; the best place found misses {one.miss[1]} "
                    f"by {one.miss[0]:.3g}: check the geometry, or give coordinates nearer to it as `around`"
                )
        return found

    def _combination(self, active: tuple[bool, ...]) -> Combination:
        rows = self.held(active)
        rng = np.random.default_rng(0)
        places: list[Array] = []
        near: list[int] = []
        sharp: list[int] = []
        miss = (np.inf, "")

        def keep(q: Array, residual: Array, is_sharp: bool) -> bool:
            nonlocal miss
            worst = float(np.abs(residual).max(initial=0.0))
            if worst < MET:
                sharp.extend([len(places)] if is_sharp else [])
                places.append(q)
            elif worst < miss[0]:
                miss = (worst, self.names[rows[int(np.abs(residual).argmax())]])
            return worst < MET

        wide = 0
        for k in range(GUESSES):
            spread = 0.0 if k == 0 else 0.1 + 0.05 * k
            q = self.around + spread * rng.standard_normal(self.model.nq)
            for _, at_modes in self.model.q_slices:
                q[at_modes] = self.around[at_modes]
            wide += keep(*self.newton(self._unit(q), rows))
            if places and not near:
                near = [0, *(len(places) - 1 for found in self._beside(places[0], rows) if keep(*found))]
            if wide == PLACES:
                break
        return Combination(active, tuple(places), tuple(near), tuple(sharp), miss)

    def _unit(self, q: Array) -> Array:
        return np.array(unit_coordinates(self.model, ca.DM(q))).ravel()

    def _beside(self, q: Array, rows: list[int]) -> Iterator[tuple[Array, Array, bool]]:
        """Places a little along the motions that a place allows, as `newton` returns them.

        Beside a place that meets redundant rows these are dependent but for a remainder, which the short steps leave
        out: it would throw them along the motion. Steps with all of J where that does not meet the closures.
        """
        rng = np.random.default_rng(1)
        _, sizes, V = np.linalg.svd(self.rows(q)[1][rows])
        allowed = V[int(np.sum(sizes > 1e-7 * sizes.max(initial=0.0))) :].T
        allowed = allowed @ settled(allowed)
        for _, at_modes in self.model.v_slices:
            allowed[at_modes] = 0.0
        for _ in range(NEAR):
            dv = NEAR_SPREAD * allowed @ rng.standard_normal(allowed.shape[1])
            guess = np.array(self._functions[1](q, dv)).ravel()
            found = self.newton(guess, rows, rcond=0.02)
            yield found if np.abs(found[1]).max(initial=0.0) < MET else self.newton(guess, rows)

    def newton(
        self, q: Array, rows: list[int], rcond: float = 1e-9, held: Sequence[int] = ()
    ) -> tuple[Array, Array, bool]:
        """Newton steps of least length in the speeds, but for those held; redundant rows are no hindrance.

        Returns the place, the residual of the rows (inf where it is not defined), and whether steps were few.
        """
        stiff = np.ones(self.model.nv)
        for _, at_modes in self.model.v_slices:
            stiff[at_modes] = 1e-3  # joints move before bodies bend
        stiff[list(held)] = 0.0
        residual, J = self.rows(q)
        last = 0
        for _ in range(NEWTON_STEPS):
            miss = np.abs(residual[rows]).max(initial=0.0)
            if miss < 0.01 * MET or not (np.all(np.isfinite(residual[rows])) and np.all(np.isfinite(J[rows]))):
                break
            last += bool(miss < CLOSE)
            dv = -stiff * np.linalg.lstsq(J[rows] * stiff, residual[rows], rcond=rcond)[0]
            dv *= min(1.0, LONGEST_STEP / max(float(np.abs(dv).max(initial=0.0)), 1e-300))
            q = np.array(self._functions[1](q, dv)).ravel()
            residual, J = self.rows(q)
        if not np.all(np.isfinite(J[rows])):
            return q, np.full(len(rows), np.inf), False
        return q, np.nan_to_num(residual[rows], nan=np.inf), last <= SHARP_STEPS
