"""Scores of vectors of parameters: perceived error and stroke used over manoeuvres, on lanes and all cores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Program, Scan, Struct, q, scan
from motionbase.compile.flow import call
from motionbase.cueing.cueing import PREFIXES, Cueing
from motionbase.cueing.ports import COUNT, FRAME, VEHICLE, Vehicle
from motionbase.cueing.run import FED, LANES, fed, groups_of, on_lanes, others
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.errors import UsageError
from motionbase.platform.leg_motion import legs_moved
from motionbase.platform.sizing.forces import LegMotion, Motion
from motionbase.record.vehicle import G

SX = ca.SX
MOST_TICKS = 2_000_000  # of all cases: 1.5 GB on eight lanes
FAR = 1e3  # [m] more than any stroke
FELT = 0.5  # [thresholds] root mean square from which an axis counts as felt


class Tally(Struct):
    """Sums over the ticks of a run."""

    squares: SX = q("-", 6, "of the differences of the feelings, in thresholds")
    left: SX = q("m", text="least way of a leg to an end of its stroke", start=FAR)
    fastest: SX = q("m/s", text="largest rate of a leg")


class Case(NamedTuple):
    """A manoeuvre to tune for.

    Attributes:
        t: (n,) times of the samples [s]; rows: (n, 13) as in `record.vehicle.VEHICLE`
    """

    name: str
    t: Array
    rows: Array


class Scores(NamedTuple):
    """Of m vectors over k cases.

    Attributes:
        errors: (m, k) perceived error, over that of a platform at rest
        strokes: (m, k) largest share that a leg uses of its way from neutral to the nearer end
        left: (m,) least way of a leg to an end [m]
        fastest: (m,) largest rate of a leg [m/s]
    """

    errors: Array
    strokes: Array
    left: Array
    fastest: Array

    @property
    def goals(self) -> Array:
        """(m, 2) what is to be small: mean error and largest stroke over the cases."""
        return np.stack([self.errors.mean(axis=1), self.strokes.max(axis=1)], axis=1)


@final
@dataclass(frozen=True, eq=False)
class Judge:
    """Runs a cueing over cases with many vectors of parameters.

    Attributes:
        alike: whether all axes that are felt count alike; otherwise each counts as strongly as it is felt
        threads: native loops at a time; all cores by default. Results do not depend on it
    """

    cueing: Cueing
    cases: tuple[Case, ...]
    alike: bool = False
    threads: int = 0

    def __post_init__(self) -> None:
        if not self.cases:
            raise UsageError("there is no manoeuvre to tune for")
        ticks = sum((case.t[-1] - case.t[0]) / self.cueing.dt for case in self.cases)
        if ticks > MOST_TICKS:
            raise UsageError(
                f"the manoeuvres have {ticks:.3g} ticks of the cueing, at most {MOST_TICKS} can be tuned for: choose "
                "shorter ones, or fewer ticks a second"
            )
        quiet = [c.name for c, whole in zip(self.cases, self._at_rest, strict=True) if not whole.any()]
        if quiet:
            raise UsageError(f"manoeuvre {quiet[0]!r} has nothing to feel: there is no error to reduce")

    @cached_property
    def _scored(self) -> Scan:
        """The cueing's loop with sums over its ticks instead of rows."""
        tick = self.cueing.program
        ports = {p.name: p for p in tick.inputs}
        more = [p for p in tick.inputs if p.name not in ("parameters", "x", *FED)]

        def expr(parameters: Any, x: Any, tally: Tally, vehicle: Vehicle, count: SX, *rest: Any) -> Any:
            given = {"parameters": parameters, "x": x, VEHICLE.name: vehicle, COUNT.name: count}
            given |= {p.name: value for p, value in zip(more, rest, strict=True)}
            results = call(tick, [given[p.name] for p in tick.inputs], {})
            known = dict(zip((p.name for p in tick.outputs), results, strict=True))
            gap = (known["felt_vehicle"] - known["felt_cue"]) / ca.DM(THRESHOLDS)
            l_dot = legs_moved(self.cueing.platform, known[FRAME.name].T).legs[:, 1]
            return known["x_next"], Tally(
                squares=tally.squares + gap**2, left=ca.fmin(tally.left, known["stroke_left"]),
                fastest=ca.fmax(tally.fastest, ca.mmax(ca.fabs(l_dot))),
            )  # fmt: skip

        outputs = (next(p for p in tick.outputs if p.name == "x_next"), Tally.port("tally_next"))
        inputs = (ports["parameters"], ports["x"], Tally.port("tally"), VEHICLE, COUNT, *more)
        program = Program("scored_cueing", inputs, outputs, expr, f"{tick.description}, with its score")
        return scan(program, {"x": "x_next", "tally": "tally_next"}, per_step=list(FED), lanes=LANES)

    @cached_property
    def _heard(self) -> tuple[dict[str, Any], ...]:
        """Rows of each case on all lanes."""
        heard = [fed(case.t, case.rows, self.cueing.dt) for case in self.cases]
        return tuple({"vehicle": on_lanes(h.vehicle), "vehicle_count": on_lanes(h.number)} for h in heard)

    @cached_property
    def _held(self) -> dict[str, Any]:
        """Inputs that are the same in all runs."""
        start = {"x": self.cueing.initial_state(), "tally": Tally.layout.vector(), **others(self.cueing)}
        return {name: on_lanes(x) for name, x in start.items()}

    @cached_property
    def _at_rest(self) -> Array:
        """(k, 6) mean squares that a platform at rest leaves, in thresholds."""
        still = self.cueing.parameter_vector(**{f"{prefix}gain": 0.0 for prefix in PREFIXES.values()})
        return np.array([self._tally(k, still[None])[0, :6] for k in range(len(self.cases))])

    @cached_property
    def _weights(self) -> Array:
        """(k, 6) weights of the mean squares, with which those of a platform at rest have the sum 1."""
        weights = 1 / np.maximum(self._at_rest, FELT**2) if self.alike else np.ones_like(self._at_rest)
        return np.asarray(weights / (weights * self._at_rest).sum(axis=1, keepdims=True))

    @cached_property
    def _way(self) -> float:
        """From neutral to the nearer end of the stroke [m]."""
        platform, stroke = self.cueing.platform, self.cueing.platform.stroke
        l = LegMotion(platform, Motion.of_dof(platform, np.zeros(6))).lengths
        return float(np.minimum(l - stroke.l_min, stroke.l_max - l).min())

    @cached_property
    def largest(self) -> dict[str, Array]:
        """(6,) largest deviation of the samples from rest in each situation, over all cases; SI."""
        rest = np.array([0.0, 0.0, G, 0.0, 0.0, 0.0])
        found = {situation: np.zeros(6) for situation in PREFIXES}
        for case in self.cases:
            for situation, inside in (("air", case.rows[:, 12] < 1), ("ground", case.rows[:, 12] > 0)):
                if inside.any():
                    peaks = np.abs(case.rows[inside, :6] - rest).max(axis=0)
                    found[situation] = np.maximum(found[situation], peaks)
        return found

    @property
    def situations(self) -> tuple[str, ...]:
        """Those that occur in the cases."""
        return tuple(name for name, peaks in self.largest.items() if peaks.any())

    @property
    def ten_second_runs(self) -> float:
        """Length of all cases in runs of ten seconds."""
        return sum(float(case.t[-1] - case.t[0]) for case in self.cases) / 10

    def _tally(self, k: int, group: Array) -> Array:
        """(m, 8) mean squares of the axes, least way and largest rate of vectors on lanes, in case k."""
        rows = self._heard[k]
        steps = len(rows["vehicle"])
        (lanes,) = groups_of(group)
        out = self._scored(steps, parameters=np.ascontiguousarray(lanes.T), **self._held, **rows)
        tally = out["tally"][:, : len(group)].T
        squares = Tally.layout.part(tally, "squares") / steps
        return np.concatenate([squares, *(Tally.layout.part(tally, name) for name in ("left", "fastest"))], axis=1)

    def scores(self, vectors: Array) -> Scores:
        """Of (m, parameters) vectors."""
        groups = range(0, len(vectors), LANES)
        work = [(k, first) for k in range(len(self.cases)) for first in groups]

        def one(item: tuple[int, int]) -> Array:
            k, first = item
            return self._tally(k, vectors[first : first + LANES])

        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:  # native loops run without Python's lock
            found = list(pool.map(one, work))
        by_case = [np.concatenate(found[k * len(groups) : (k + 1) * len(groups)]) for k in range(len(self.cases))]
        found_of = np.stack(by_case, axis=1)
        left, fastest = found_of[:, :, 6], found_of[:, :, 7]
        errors = np.sqrt((found_of[:, :, :6] * self._weights).sum(axis=2))
        return Scores(errors, 1 - left / self._way, left.min(axis=1), fastest.max(axis=1))


def cases_of(named: Sequence[tuple[str, Array, Array]]) -> tuple[Case, ...]:
    """Cases from (name, times, rows)."""
    return tuple(Case(*one) for one in named)
