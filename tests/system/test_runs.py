"""Fast runs: the same bits as one scan, however they are cut, and every input in its own tick."""

import math
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

from motionbase.compile import scan
from motionbase.errors import KernelError, SimulationError
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.generators import COLUMNS, COUNT, PLACE
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import Mode, Request, State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Run, Runner, Scenario

NAMES = tuple(c.name for c in hexapod_schema().channels)


@cache
def runner() -> Runner:
    return Runner(ClosedLoop.of(load_platform("simona"), NAMES), ("state", "l"))


def swaying(t: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    frame = np.zeros((3, 6))
    frame[:, 1] = 0.1 * np.sin(t), 0.1 * np.cos(t), -0.1 * np.sin(t)
    return frame


def same(a: dict[str, Any], b: dict[str, Any]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        np.testing.assert_array_equal(a[name], b[name], err_msg=name)


def test_pieces_are_one_scan() -> None:
    """1300 ticks are three pieces; the bits are those of a single native loop."""
    loop = runner().loop
    quiet = loop.quiet_inputs() | {"mode": np.array(1.0), "settings_version": np.array(1.0)}
    whole = scan(loop.program, loop.feedback)(1300, **loop.at_rest(), **quiet)
    end = runner().run(Scenario(), 1300 * loop.dt).end
    same({n: end[n] for n in whole}, whole)


def test_going_on_is_not_going_anew() -> None:
    plan = FaultPlan((FaultEvent(FaultKind.SENSOR_OFFSET, 0.45, 2, until=0.55, value=1e-4),))
    scenario = Scenario(faults=plan, host=swaying, requests={0.6: Request.FREEZE}, seed=3)
    whole = runner().run(scenario, 0.8)
    first = runner().run(scenario, 0.5)  # in the middle of the fault
    second = runner().run(scenario, 0.3, first.end)
    same(second.end, whole.end)
    for name in NAMES:
        np.testing.assert_array_equal(np.concatenate([first[name], second[name]]), whole[name], err_msg=name)
    assert second.t[0] == pytest.approx(0.5005)


def test_columns_have_the_channels_of_the_record() -> None:
    run = runner().run(Scenario(), 0.5, every=10)
    assert set(run.columns) == set(NAMES) and all(len(x) == 100 for x in run.columns.values())
    np.testing.assert_allclose(run["t"], 0.005 * np.arange(1, 101), atol=1e-12)
    np.testing.assert_array_equal(run["tick"], 10 * np.arange(1, 101))
    np.testing.assert_array_equal(run["state"], run.outputs["state"])


def test_pieces_are_the_run_and_times_are_exact() -> None:
    """Every third tick: pieces of 498 ticks and a rest."""
    whole = runner().run(Scenario(seed=5), 0.6, every=3)
    pieces = list(runner().pieces(Scenario(seed=5), 0.6, every=3))
    assert [len(p.t) for p in pieces] == [166, 166, 68]
    for name in NAMES:
        np.testing.assert_array_equal(np.concatenate([p[name] for p in pieces]), whole[name], err_msg=name)
    same(pieces[-1].end, whole.end)
    np.testing.assert_array_equal(whole["t"], 3 * np.arange(1, 401) / 2000)  # the nearest doubles
    np.testing.assert_array_equal(whole.t, whole["t"])


def test_the_automatic_operator_steps_back() -> None:
    """Asked to go down while it rises: once a person has taken over it stays there, otherwise it is led up again."""
    for until, last in ((0.3, State.DOWN), (math.inf, State.RISING)):
        seen = runner().run(Scenario(requests={0.3: Request.DOWN}, automatic_until=until), 1.5)["state"]
        changes = [State(int(seen[k])) for k in np.flatnonzero(np.diff(seen)) + 1]
        assert changes[:3] == [State.RISING, State.LOWERING, State.DOWN] and changes[-1] is last


def test_a_fault_acts_in_its_tick() -> None:
    """A lost sensor reads 0 at the end of the tick it is lost in, and the record shows readings a tick later."""
    plan = FaultPlan((FaultEvent(FaultKind.SENSOR_LOST, 0.3, 5),))
    read = runner().run(Scenario(faults=plan), 0.4)["leg5_l_meas"]
    assert np.argmax(read == 0) == 601 and np.all(read[601:] == 0) and np.all(read[:601] > 2.0)


def test_nothing_happens_unless_it_is_asked_for() -> None:
    run = runner().run(Scenario(automatic=False), 0.3)
    assert set(run["state"]) == {State.OFF}
    asked = {0.05: Request.DOWN, 0.1: Request.STANDBY}
    seen = runner().run(Scenario(automatic=False, requests=asked), 0.3)["state"]
    changes = np.flatnonzero(np.diff(seen)) + 1
    assert [State(int(seen[k])) for k in changes] == [State.DOWN, State.RISING]
    np.testing.assert_array_equal(changes, [100, 200])


def test_resets_and_modes_come_in_their_ticks() -> None:
    made = Scenario(resets=(0.05,), modes={0.06: Mode.HOST, 0.08: Mode.MAINTENANCE})
    rows = made.rows(90, 100, 5e-4, 0.0)  # ticks 90 to 189
    assert np.flatnonzero(rows["reset"]).tolist() == [10]
    host = np.arange(90, 190)
    np.testing.assert_array_equal(rows["mode"] == Mode.HOST, (host >= 120) & (host < 160))
    later = made.rows(1000, 10, 5e-4, 0.0)
    assert not later["reset"].any() and set(later["mode"]) == {Mode.MAINTENANCE}
    with pytest.raises(KernelError, match=r"host takes no arguments, it is called with the time \[s\] \("):
        Scenario(host=cast(Any, lambda: np.zeros((3, 6)))).rows(0, 10, 5e-4, 0.0)
    with_host = Scenario(host=swaying).rows(0, 10, 5e-4, 0.0)
    assert set(with_host["mode"]) == {Mode.HOST}


def test_a_base_recovers_from_a_fault_that_is_reset() -> None:
    """A sensor that comes back: without the reset it stays off, with it it can be led up again."""
    plan = FaultPlan((FaultEvent(FaultKind.SENSOR_LOST, 0.5, 2, until=0.6),))
    requests = {2.1: Request.DOWN, 2.2: Request.STANDBY}
    for resets, last in (((), State.OFF), ((2.0,), State.RISING)):
        scenario = Scenario(faults=plan, requests=requests, resets=resets, automatic_until=1.0)
        run = runner().run(scenario, 2.5)
        assert run["fault"][2000] == Fault.MEASUREMENT and run["state"][-1] == last
        assert run["fault"][-1] == (Fault.NONE if resets else Fault.MEASUREMENT)


def test_generators_of_legs_are_told_from_those_of_the_platform() -> None:
    settings = np.zeros((COUNT, len(COLUMNS)))
    settings[0, PLACE["enabled"]] = settings[0, PLACE["space"]] = 1.0
    assert not Scenario().legs_alone and not Scenario(settings=settings).legs_alone
    settings[3, PLACE["enabled"]] = 1.0
    assert Scenario(settings=settings).legs_alone


def test_host_frames_come_at_their_rate_and_stay_away_in_a_dropout() -> None:
    plan = FaultPlan((FaultEvent(FaultKind.HOST_DROPOUT, 0.5),))
    frames = runner().run(Scenario(host=swaying, faults=plan), 1.0)["host_frames"]
    arrived = np.flatnonzero(np.diff(frames)) + 1
    assert frames[0] == 1 and frames[-1] == 30  # at 0, 1/60, ... 29/60 s
    np.testing.assert_array_equal(arrived, np.ceil(np.arange(1, 30) / 60 / 5e-4 - 1e-9))


def test_estop_progress_and_an_early_end() -> None:
    told: list[float] = []
    run: Run = runner().run(
        Scenario(estop_at=0.6), 5.0, progress=told.append, until=lambda rows: bool(rows["state"][-1] == State.ABORT)
    )
    np.testing.assert_allclose(told, [0.25, 0.5, 0.75])
    assert run["estop"][1199] == 0 and run["estop"][1200] == 1
    assert run["state"][-1] == State.ABORT and run.t[-1] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"duration": 0.0}, "duration is 0.0 s, it must be at least a tick, 0.0005 s"),
        ({"duration": float("nan")}, "duration is nan s"),
        ({"duration": 1.0, "every": 0}, "every is 0, it must be at least 1"),
    ],
)
def test_bad_runs(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        runner().run(Scenario(), **arguments)


def test_bad_scenarios() -> None:
    with pytest.raises(SimulationError, match=r"settings have shape \(7, 15\), \(7, 16\) is wanted"):
        Scenario(settings=np.zeros((7, 15)))
    with pytest.raises(SimulationError, match="host_rate is 0.0 Hz, it must be above 0"):
        Scenario(host_rate=0.0)
