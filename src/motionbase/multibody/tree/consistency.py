"""Configurations that meet the closures, found by Newton's method: samples for pivots and redundancy."""

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
from motionbase.multibody.closures.abstract import imposed_equations
from motionbase.multibody.model import Model
from motionbase.multibody.tree.coordinates import moved_slightly, unit_coordinates
from motionbase.multibody.tree.dynamics import Tree
from motionbase.spatial.equals import settled

MET = 1e-10  # [m, rad]; residual below which a configuration is consistent
PLACES = 4  # number of configurations for each combination of active closures
GUESSES = 16
NEWTON_STEPS = 60
LONGEST_STEP = 0.5  # [rad, m] limit of a Newton step
NEAR = 4  # configurations sought near the first one, to find the usual rank of the closures there
NEAR_SPREAD = 0.05  # [rad, m]
# From a residual of CLOSE, Newton's method needs four or five steps to MET, squaring the error each time. Where J loses
# rank it only halves the error and leaves coordinates wrong by the root of the residual: these are not judged.
CLOSE = 1e-2
SHARP_STEPS = 9
MOST_SWITCHES = 6  # 64 combinations


@final
@dataclass(frozen=True)
class Combination:
    """One setting of the switches.

    Attributes:
        active: for each closure, whether it holds
        places: coordinates that meet the active closures; empty if they exclude each other
        near: indices of the first configuration and its neighbours
        sharp: configurations with quadratic convergence of Newton's method, so that ranks can be judged there
        miss: largest residual of the best guess [m, rad], and its row
    """

    active: tuple[bool, ...]
    places: tuple[Array, ...]
    near: tuple[int, ...] = ()
    sharp: tuple[int, ...] = ()
    miss: tuple[float, str] = (0.0, "")


@final
@dataclass(frozen=True, eq=False)
class Geometry:
    """The closures of a model, evaluated numerically.

    Attributes:
        around: coordinates near which places are sought
        drives: values of the inputs that closures follow; zeros if None
    """

    tree: Tree
    around: Array
    drives: Array | None = None

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
        """Index of the closure of each row."""
        return tuple(k for k, c in enumerate(self.model.closures) for _ in c.rows)

    @cached_property
    def _functions(self) -> tuple[ca.Function, ca.Function]:
        q, dv = ca.SX.sym("q", self.model.nq), ca.SX.sym("dv", self.model.nv)
        state = self.tree.state(q, ca.SX(self.model.nv, 1))
        drives = ca.SX.sym("drives", sum(len(c.inputs) for c in self.model.closures))
        equations = imposed_equations(self.model, state, ca.vertsplit(drives) if drives.numel() else [])
        residual = ca.vertcat(*(e.residual for e in equations))
        J = ca.vertcat(*(e.J for e in equations))
        return ca.Function("rows", [q, drives], [residual, J]), ca.Function(
            "moved", [q, dv], [moved_slightly(self.model, q, dv)]
        )

    def rows(self, q: Array, drives: Array | None = None) -> tuple[Array, Array]:
        """Residual (rows,) and J (rows, nv) at a place, for these inputs of closures or those of the start."""
        given = self.drives if drives is None else drives
        residual, J = self._functions[0](q, 0.0 if given is None else given)
        return np.array(residual).ravel(), np.array(J)

    def held(self, active: Sequence[bool]) -> list[int]:
        """Rows of the active closures."""
        return [i for i, owner in enumerate(self.owners) if active[owner]]

    @cached_property
    def combinations(self) -> tuple[Combination, ...]:
        """Every setting of the switches with configurations that meet it; all on comes first."""
        settings = itertools.product(*((True, False) if c.switchable else (True,) for c in self.model.closures))
        found = tuple(self._combination(active) for active in settings)
        for one in found:
            # permanent closures that cannot be met are an error; grapples that exclude each other are not
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
        """Configurations a small step along the permitted motions, as `newton` returns them.

        Near a configuration with redundant rows these are dependent except for a remainder, which the short steps
        ignore, because it would throw them along the motion. If that fails, steps with all of J are used.
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
        """Newton steps of least length in the speeds, except those held; redundant rows are permitted.

        Returns the coordinates, the residual of the rows (inf if not defined), and whether few steps were needed.
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
