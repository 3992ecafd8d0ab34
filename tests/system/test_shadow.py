"""A law beside a base: with the same law it would do what is done; another one differs where it must."""

from __future__ import annotations

from functools import cache

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.control.own_law import OwnLaw
from motionbase.control.ports import INPUTS, OUTPUTS
from motionbase.executive.shadow import News
from motionbase.platform.load import load_platform
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.rig import rigged_schema
from motionbase.record.shadow import done, shadow_schema
from motionbase.record.states import State
from motionbase.system.shadow import SENSED, Shadow, shadow_loop
from tests.control.test_own_law import LAW, PARAMETERS, STATE
from tests.system.test_closed_loop import HEAVE, generators, ran

SCHEMA, SIMONA = hexapod_schema(), load_platform("simona")


@cache
def live() -> Array:
    """A base that rises and drives generators; its records of every tick."""
    return np.asarray(ran(12.0, every=1, **generators(HEAVE))["record"])


def beside(rows: Array, every: int = 1, changes: dict[str, float] | None = None) -> tuple[Shadow, Array]:
    """A shadow over these records, and its own."""
    loop = shadow_loop(SIMONA, SCHEMA)
    starts = loop.parameters.starts
    tuned = {starts[name]: value for name, value in (changes or {}).items()}
    shadow = Shadow(loop, SCHEMA, every, tuned)
    return shadow, np.array([shadow.take(row).copy() for row in rows[every - 1 :: every]])


def column(rows: Array, name: str) -> Array:
    return np.asarray(rows[:, shadow_schema(SCHEMA).index[name]])


def test_the_same_law_would_do_what_is_done() -> None:
    shadow, rows = beside(live())
    assert (shadow.stops, shadow.joined) == (0, True)
    own, base = column(rows, "state"), column(rows, "state_done")
    assert (own != base).sum() <= 3 * 4  # a request is a tick later, in each of three changes
    drive = np.flatnonzero(base == State.DRIVE)[2000:]
    for leg in range(1, 7):
        # the demand comes as frames, which a bridge smooths: a thousandth of the stroke, and of the valve's way a
        # hundredth, which is the integral and the noise of the two laws' own filters
        np.testing.assert_allclose(
            column(rows, f"leg{leg}_l_cmd")[drive], column(rows, done(f"leg{leg}_l_cmd"))[drive], atol=1e-3
        )
        np.testing.assert_allclose(
            column(rows, f"leg{leg}_valve_cmd")[drive], column(rows, done(f"leg{leg}_valve_cmd"))[drive], atol=1e-2
        )


def test_records_that_are_rare_do_as_well() -> None:
    shadow, rows = beside(live(), every=20)
    assert (shadow.stops, shadow.joined) == (0, True)
    drive = column(rows, "state_done") == State.DRIVE
    off = np.abs(column(rows, "leg1_valve_cmd") - column(rows, done("leg1_valve_cmd")))[drive]
    assert off.max() < 0.03 * np.ptp(column(rows, done("leg1_valve_cmd")))


def test_one_that_comes_late_joins_in_drive() -> None:
    rows = live()
    begin = int(np.flatnonzero(rows[:, SCHEMA.index["state"]] == State.DRIVE)[100])
    shadow, own = beside(rows[begin:])
    assert (shadow.joins, shadow.stops, shadow.joined) == (1, 0, True)
    assert column(own, "state")[0] == State.DRIVE
    np.testing.assert_allclose(column(own, "leg2_l_cmd"), column(own, done("leg2_l_cmd")), atol=1e-3)


def test_another_gain_shows_in_the_feedback_alone() -> None:
    rows = live()
    k_p = float(shadow_loop(SIMONA, SCHEMA).law.parameters.find("k_p").start_values[0])
    _, same = beside(rows)
    _, other = beside(rows, changes={"k_p": 0.5 * k_p})
    drive = column(same, "state_done") == State.DRIVE
    same_fb, other_fb = (column(own, "leg1_u_fb")[drive] for own in (same, other))
    np.testing.assert_allclose(column(same, "leg1_u_ff")[drive], column(other, "leg1_u_ff")[drive], atol=1e-12)
    assert np.abs(same_fb - other_fb).max() > 1e-4


def test_a_law_that_would_have_stopped_is_counted() -> None:
    fastest = np.abs(live()[:, SCHEMA.index["leg1_l_dot_meas"]]).max()
    shadow, _ = beside(live(), changes={"speed_max": 0.5 * float(fastest)})
    assert shadow.stops >= 1


def test_a_user_law_may_have_faults_of_its_own() -> None:
    """A number that is no `Fault` is a fault all the same."""

    def failing(p: dict[str, ca.SX]) -> dict[str, ca.SX]:
        return {"x_next": p["x"] + 1, "valve_cmd": ca.SX.zeros(6), "state": p["x"], "fault": 100 + p["x"]}

    loop = shadow_loop(SIMONA, SCHEMA, OwnLaw.of("failing", failing, PARAMETERS, STATE))
    shadow, said = Shadow(loop, SCHEMA, 1), list[str]()
    news = News(said.append)
    for row in live()[:5]:
        shadow.take(row)
        news.look(shadow, float(row[0]))
    assert shadow.stops == 1 and shadow.fault >= 100
    assert any("would have stopped: fault 10" in text for text in said)


def test_a_law_of_ones_own_looks_on() -> None:
    loop = shadow_loop(SIMONA, SCHEMA, LAW)
    shadow = Shadow(loop, SCHEMA, 1)
    for row in live()[:50]:
        assert np.isfinite(shadow.take(row)).all()
    assert isinstance(loop.law, OwnLaw)


def test_legs_of_a_rig_are_looked_at_with_the_law_of_a_rig() -> None:
    assert shadow_loop(SIMONA, rigged_schema(SCHEMA)).guard.brakes
    assert not shadow_loop(SIMONA, SCHEMA).guard.brakes


@pytest.mark.parametrize("port", SENSED, ids=lambda p: p.name)
def test_every_measurement_is_in_the_record(port: object) -> None:
    assert port in INPUTS
    assert port not in OUTPUTS
