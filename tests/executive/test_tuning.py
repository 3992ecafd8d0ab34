"""Live tuning under the executive: what is refused, how values travel, and that a drive is not bumped by them."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.compile import Scan, scan
from motionbase.control.law import ControlLaw
from motionbase.cueing.cueing import Cueing
from motionbase.executive.tuning import RAMP_S, REST, Tuner, parameter_table
from motionbase.platform.load import load_platform
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator, Shape, Space
from motionbase.record.requests import Reason
from motionbase.record.states import State
from motionbase.ring.blocks.parameters import current
from motionbase.ring.writer import Writer
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_loop import CuedLoop
from tests.ring.rings import small_writer

Array = NDArray[np.float64]
LAW = ControlLaw(load_platform("simona"))
TABLE = parameter_table(ClosedLoop.of(load_platform("simona")))
K_P, LIMIT, FIXED = (TABLE.starts[name] for name in ("k_p", "dof_position", "abort_velocity"))
DESIGNED = LAW.parameter_vector()


def tuner(ring: Writer, values: Array | None = None) -> Tuner:
    return Tuner(TABLE, ring, DESIGNED.copy() if values is None else values)


def ring_of() -> Writer:
    return small_writer(parameters=TABLE.json)


def test_the_table_is_the_law_s() -> None:
    assert TABLE.designed == tuple(DESIGNED) and TABLE.law == "control law of simona"
    for parameter, field in zip(TABLE.parameters, LAW.parameters.ports, strict=True):
        assert (parameter.name, parameter.unit, parameter.tunable) == (field.name, field.unit, field.tunable)


@pytest.mark.parametrize(
    ("place", "value", "state", "reason"),
    [
        (K_P, 0.8 * DESIGNED[K_P], State.DRIVE, Reason.NONE),
        (K_P, 50 * DESIGNED[K_P], State.DRIVE, Reason.OUT_OF_RANGE),
        (K_P, np.nan, State.OFF, Reason.OUT_OF_RANGE),
        (K_P, -np.inf, State.OFF, Reason.OUT_OF_RANGE),
        (LIMIT, 0.5 * DESIGNED[LIMIT], State.STANDBY, Reason.NONE),
        (LIMIT, 0.5 * DESIGNED[LIMIT], State.DRIVE, Reason.WRONG_STATE),
        (LIMIT, 0.5 * DESIGNED[LIMIT], State.ABORT, Reason.WRONG_STATE),
        (LIMIT, 1.01 * DESIGNED[LIMIT], State.OFF, Reason.OUT_OF_RANGE),
        (FIXED, DESIGNED[FIXED], State.OFF, Reason.NOT_TUNABLE),
        (TABLE.size, 1.0, State.OFF, Reason.NO_PARAMETER),
        (-1, 1.0, State.OFF, Reason.NO_PARAMETER),
    ],
)
def test_what_may_be_asked_when(place: int, value: float, state: State, reason: Reason) -> None:
    with ring_of() as ring:
        values = DESIGNED.copy()
        one = tuner(ring, values)
        assert one.ask(place, value, 1.0, state) is reason
        one.advance(2.0)
        changed = np.flatnonzero(values != DESIGNED)
        assert changed.tolist() == ([place] if reason is Reason.NONE else [])


def test_gains_are_ramped_and_shown_on_the_way() -> None:
    with ring_of() as ring:
        values, goal = DESIGNED.copy(), 0.5 * DESIGNED[K_P]
        one = tuner(ring, values)
        one.ask(K_P, goal, 3.0, State.DRIVE)
        seen = []
        for t in np.arange(3.0, 3.0 + 1.2 * RAMP_S, 0.01):
            one.advance(float(t))
            found = current(ring.segment, ring.header.layout)
            assert found.values[K_P] == values[K_P] and found.goals[K_P] == goal
            seen.append(values[K_P])
        assert seen[0] == DESIGNED[K_P] and seen[-1] == goal
        assert np.diff(seen).max() <= 0 and np.abs(np.diff(seen)).max() < 1.51 * 0.01 / RAMP_S * goal  # a smooth step
        version = current(ring.segment, ring.header.layout).version
        one.advance(99.0)
        assert current(ring.segment, ring.header.layout).version == version, "at rest nothing is written"


def test_a_new_goal_on_the_way_starts_where_the_value_is() -> None:
    with ring_of() as ring:
        values = DESIGNED.copy()
        one = tuner(ring, values)
        one.ask(K_P, 0.5 * DESIGNED[K_P], 0.0, State.DRIVE)
        one.advance(RAMP_S / 2)
        half = values[K_P]
        one.ask(K_P, DESIGNED[K_P], RAMP_S / 2, State.DRIVE)
        one.advance(RAMP_S / 2 + 0.01)
        assert half == pytest.approx(0.75 * DESIGNED[K_P]) and values[K_P] == pytest.approx(half, rel=0.01)
        one.advance(2.0)
        assert values[K_P] == DESIGNED[K_P]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(-3, TABLE.size + 3),
            st.floats(allow_nan=True, allow_infinity=True) | st.floats(0.0, 2.0),
            st.sampled_from(State),
        ),
        max_size=12,
    )
)
def test_nothing_that_is_asked_leads_out_of_the_bounds(orders: list[tuple[int, float, State]]) -> None:
    least = np.array([p.least[k] if p.tunable else p.designed[k] for p, k in TABLE.places])
    most = np.array([p.most[k] if p.tunable else p.designed[k] for p, k in TABLE.places])
    moving = np.array([p.at_rest for p, _ in TABLE.places])
    with ring_of() as ring:
        values, t = DESIGNED.copy(), 0.0
        one = tuner(ring, values)
        for place, value, state in orders:
            before = values.copy()
            scaled = value * DESIGNED[place] if 0 <= place < TABLE.size and abs(value) <= 2 else value
            one.ask(place, scaled, t, state)
            t += 0.07
            one.advance(t)
            rounding = 1e-12 * np.abs(DESIGNED)
            assert (values >= least - rounding).all() and (values <= most + rounding).all()
            if state not in REST:
                np.testing.assert_array_equal(values[moving], before[moving])


# ---- in a drive ----

HEAVE = Generator(True, Space.DOF, ("heave",), Shape.SINE, 0.2, 0.5, fade_in=2.0, fade_out=2.0)


@cache
def loop() -> ClosedLoop:
    return ClosedLoop(LAW, ClosedLoop.of(load_platform("simona")).plant)


@cache
def code() -> Scan:
    return scan(loop().program, loop().feedback, per_step=["parameters"], record=["V_dot_P_next", "fault", "state"])


def ran(seconds: float, start: dict[str, Any], rows: Array | None = None) -> dict[str, Array]:
    n = round(seconds / loop().dt)
    given: dict[str, Any] = loop().quiet_inputs() | {"mode": np.array(1.0)}
    given |= {"settings": GeneratorSet((HEAVE,)).values, "settings_version": np.array(1.0)} | start
    given["parameters"] = np.repeat(DESIGNED[None], n, axis=0) if rows is None else rows
    made: dict[str, Array] = code()(n, **given)
    assert not made["fault"].any()
    return made


@cache
def driving() -> dict[str, Any]:
    """State in the middle of a heave of 0.2 m, 0.5 Hz."""
    out = ran(12.0, loop().at_rest())
    assert out["state"][-1] == State.DRIVE
    return {name: out[name] for name in loop().feedback}


def disturbance(name: str, value: float, ramped: bool) -> float:
    """Largest change of the platform's acceleration by a change of a parameter, against none [m/s^2]."""
    n, every, dt = round(1.5 / loop().dt), 20, loop().dt
    with ring_of() as ring:
        rows, values = np.empty((n, TABLE.size)), DESIGNED.copy()
        one = tuner(ring, values)
        for k in range(0, n, every):  # as the slow job does
            if k == 10 * every:
                assert one.ask(TABLE.starts[name], value, k * dt, State.DRIVE) is Reason.NONE
            one.advance(k * dt if ramped else 1e3)
            rows[k : k + every] = values
    changed, same = ran(1.5, driving(), rows), ran(1.5, driving())
    return float(np.abs(changed["V_dot_P_next"][:, 3:] - same["V_dot_P_next"][:, 3:]).max())


def test_gains_change_in_a_drive_without_a_bump() -> None:
    """The heave has 2 m/s^2; changes of the loop's gains to their bounds stay within a tenth of that."""
    for name in ("k_p", "k_i", "k_dp"):
        for value in LAW.parameters.find(name).bounds:
            assert disturbance(name, float(value[0]), ramped=True) < 0.2, name


def test_the_ramp_takes_the_bump_out_of_a_large_change() -> None:
    """Without velocity feed-forward the legs lag: asked for at once a blow, ramped the motion of the lag itself."""
    at_once, ramped = (disturbance("ff_velocity", 0.0, ramped=r) for r in (False, True))
    assert ramped < 0.3 * at_once


def test_the_table_says_which_cueing_is_in_use() -> None:
    simona = load_platform("simona")
    loop = CuedLoop(ClosedLoop.of(simona), Cueing.of(simona, "marine", algorithm="adaptive"))
    assert parameter_table(loop).cueing == "motion cueing of simona, adaptive, set marine"
    assert TABLE.cueing == ""
