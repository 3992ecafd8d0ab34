"""Ticks that follow plans: exactly, back to the washout without a jolt when there are none, and never garbage."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Scan, scan
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import Plan, Planner
from motionbase.cueing.predictive.plans import LASTS, lead, no_plan
from motionbase.cueing.predictive.rows import row_of, where_of
from motionbase.cueing.run import cue, planner_for
from motionbase.record.cueing import Follows
from tests.cueing.predictive.rig import planner, simona, vehicle

DT = 0.005
EVERY = lead(DT)
DEMAND = vehicle(3.0, (0, 2.0, 0.3, 1.5, 0.3), (1, 1.0, 0.6, 2.0, 0.4), (3, 0.1, 0.5, 1.0, 0.2))
ROWS = np.zeros((len(DEMAND), 13))
ROWS[:, :6] = DEMAND
TIMES = PERIOD * np.arange(len(DEMAND))


@cache
def cueing(algorithm: str = "predictive") -> Cueing:
    return Cueing.of(simona(), "simona", algorithm=algorithm, dt=DT)


@cache
def loop() -> Scan:
    record = ["host_frame", "cue_follows", "cue_late", "where", "felt_cue", "stroke_left"]
    return scan(cueing().program, {"x": "x_next"}, per_step=["vehicle", "vehicle_count"], record=record)


class Bench:
    """A loop and a planner, step by step."""

    def __init__(self, made: Planner | None = None) -> None:
        self.planner = made or planner()
        self.x, self.plan = cueing().initial_state(), no_plan()
        self.told: list[Plan] = []
        self.rows: list[dict[str, Array]] = []
        self.count = 0

    def piece(self) -> dict[str, Array]:
        """A hundredth of a second, with the newest plan."""
        sample = ROWS[min(self.count, len(ROWS) - 1)]
        self.count += 1
        made = loop()(
            EVERY, parameters=cueing().parameter_vector(), x=self.x, plan=self.plan,
            vehicle=np.tile(sample, (EVERY, 1)), vehicle_count=np.full(EVERY, float(self.count)),
        )  # fmt: skip
        self.x = made.pop("x")
        self.rows.append(made)
        return made

    def planned(self) -> tuple[Array, Plan]:
        """An answer to where it stands."""
        where = self.rows[-1]["where"][-1]
        plan = self.planner.plan(where_of(where, DT))
        assert plan is not None
        return row_of(plan, where[0]), plan

    def run(self, seconds: float, plans: bool = True) -> None:
        for _ in range(round(seconds / PERIOD)):
            self.piece()
            if plans:
                self.plan, plan = self.planned()
                self.told.append(plan)

    def all(self, name: str) -> Array:
        return np.concatenate([row[name] for row in self.rows])


def test_demand_is_the_plans_motion() -> None:
    """From tick to tick of its beginning on, to rounding."""
    bench = Bench()
    bench.run(1.0)
    assert (bench.all("cue_follows")[3 * EVERY :] == Follows.PREDICTIVE).all()
    frames = bench.all("host_frame")
    for k in range(60, 98):  # long after the bridge from the washout, which is at its end after 0.4 s
        plan = bench.told[k]
        first = round(plan.t / DT) - 1  # rows begin with tick 1
        for tick in range(EVERY):
            np.testing.assert_allclose(frames[first + tick], plan.motion(tick * DT), atol=1e-12)
    assert bench.all("cue_late")[-1] == 0


def test_position_velocity_and_acceleration_are_one_motion() -> None:
    """From the beginning to a fallback and back: the velocity is the integral of the acceleration, and so on."""
    bench = Bench()
    for plans in (True, False, True):
        bench.run(0.9, plans)
    p, v, a = bench.all("host_frame").transpose(1, 0, 2)
    # trapezoids of the acceleration miss what its second derivative adds in a tick, h^3 / 12 times 2e3 m/s^4
    np.testing.assert_allclose(np.diff(v, axis=0), DT * (a[1:] + a[:-1]) / 2, atol=4e-4)
    np.testing.assert_allclose(np.diff(p, axis=0), DT * (v[1:] + v[:-1]) / 2, atol=1e-5)


def test_without_plans_it_is_the_washout_again_without_a_jolt() -> None:
    bench = Bench()
    bench.run(1.0)
    bench.run(1.2, plans=False)
    follows = bench.all("cue_follows")
    end = round((1.0 + LASTS) / DT)
    assert (follows[20:end] == Follows.PREDICTIVE).all() and (follows[end + 2 * EVERY :] == Follows.WASHOUT).all()
    assert bench.all("cue_late")[-1] == pytest.approx(1.2 / PERIOD, abs=2)  # none of them came
    changes = np.abs(np.diff(bench.all("host_frame")[:, 2], axis=0))
    before, after = changes[100:end].max(), changes[end - 1 :].max()
    assert after < max(2 * before, 0.2)  # [m/s^2] a tick: nothing that the plans did not do as well
    bench.run(0.8)
    assert bench.all("cue_follows")[-1] == Follows.PREDICTIVE
    assert np.abs(np.diff(bench.all("host_frame")[:, 2], axis=0)).max() < 0.5


def test_a_late_plan_is_met_without_a_jump() -> None:
    """Two of three do not come."""
    bench = Bench()
    bench.run(0.5)
    for k in range(90):
        bench.piece()
        if k % 3 == 0:
            bench.plan, _ = bench.planned()
    assert (bench.all("cue_follows")[20:] == Follows.PREDICTIVE).all()
    assert 50 <= bench.all("cue_late")[-1] <= 62
    assert np.abs(np.diff(bench.all("host_frame")[:, 2], axis=0)).max() < 0.3


@pytest.mark.parametrize("periods", [8, 15])
def test_a_planner_that_cannot_keep_up_moves_the_platform_gently(periods: int) -> None:
    """Its plans are of a state that is long over; accelerations stay near those of plans in time, below 2 m/s^2."""
    bench, waiting = Bench(), list[tuple[int, Array]]()
    bench.run(0.5)
    for k in range(150):
        bench.piece()
        if k % periods == 0:
            waiting.append((k + periods, bench.planned()[0]))
        if waiting and waiting[0][0] <= k + 1:
            bench.plan = waiting.pop(0)[1]
    assert bench.all("cue_late")[-1] > 100
    assert np.abs(bench.all("host_frame")[:, 2]).max() < 4.0  # bridges of a fixed time asked for 40


def spoilt(row: Array, kind: str) -> Array:
    """An answer that is no plan."""
    out = row.copy()
    if kind == "nan":
        out[7] = np.nan
    elif kind == "infinite":
        out[0] = np.inf
    elif kind == "huge":
        out[5] = 1e6
    elif kind == "elsewhere":
        out[1] += 0.5
    elif kind == "fraction":
        out[0] += 0.5
    elif kind == "future":
        out[0] += 1e6
    elif kind == "noise":
        out[1:] = np.random.default_rng(1).normal(size=out.size - 1) * 1e3
    return out


@pytest.mark.parametrize("kind", ["nan", "infinite", "huge", "elsewhere", "fraction", "future", "noise"])
def test_garbage_is_no_plan(kind: str) -> None:
    bench = Bench()
    bench.run(0.6)
    for _ in range(50):
        bench.piece()
        bench.plan = spoilt(bench.planned()[0], kind)
    frames = bench.all("host_frame")
    assert np.isfinite(frames).all() and np.isfinite(bench.x).all()
    assert bench.all("cue_follows")[-1] == Follows.WASHOUT
    assert np.abs(np.diff(frames[:, 2], axis=0)).max() < 0.5
    bench.run(0.6)
    assert bench.all("cue_follows")[-1] == Follows.PREDICTIVE


def test_without_any_plan_it_is_the_classical_washout() -> None:
    """To the bit."""
    plain = cue(cueing("classical"), TIMES, ROWS)
    bench = Bench()
    bench.run(len(ROWS) * PERIOD, plans=False)
    frames = bench.all("host_frame")
    assert frames[: len(plain.t)].tobytes() == plain.outputs["host_frame"].tobytes()


def test_series_are_cued_as_in_real_time() -> None:
    """`cue` puts a planner between pieces of the loop; a bench does the same."""
    parts: list[float] = []
    found = cue(cueing(), TIMES, ROWS, planner=planner(), progress=parts.append)
    assert parts[-1] == 1.0 and np.all(np.diff(parts) > 0)
    bench = Bench()
    bench.run(1.0)
    np.testing.assert_array_equal(found.outputs["host_frame"][:190], bench.all("host_frame")[:190])
    assert found["cue_follows"][-1] == Follows.PREDICTIVE and found["cue_late"][-1] == 0


def test_a_preview_is_better_than_a_guess() -> None:
    errors = []
    for forecast in ("driver", "preview"):
        found = cue(cueing(), TIMES, ROWS, planner=planner_for(cueing(), forecast, TIMES, ROWS))
        errors.append(np.sqrt(np.mean(found["cue_error"] ** 2)))
    assert errors[1] < 0.8 * errors[0]
    assert planner_for(cueing("classical"), "driver", TIMES, ROWS) is None


def test_silence_brings_it_back_to_neutral() -> None:
    """The host stops; the demand fades to rest, and the planner returns the platform."""
    bench: Any = Bench()
    bench.run(1.0)
    bench.count = 1000  # the last row for ever, but with the same number
    sample, number = ROWS[100], 2000.0
    for _ in range(700):
        made = loop()(
            EVERY, parameters=cueing().parameter_vector(), x=bench.x, plan=bench.plan,
            vehicle=np.tile(sample, (EVERY, 1)), vehicle_count=np.full(EVERY, number),
        )  # fmt: skip
        bench.x = made.pop("x")
        bench.rows.append(made)
        bench.plan, _ = bench.planned()
    moved = np.abs(bench.all("host_frame")[:, 0]).max()
    assert np.abs(bench.rows[-1]["host_frame"][-1, 0]).max() < 0.5 * moved
