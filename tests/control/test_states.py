"""The state machine: kernel against the table, every transition reached, and every abort ends."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from motionbase.compile import kernel
from motionbase.control.states import ENDS_OF_ABORT, MEASURED_FLAGS, source_of, state_step
from motionbase.record.requests import Kind
from motionbase.record.states import FLAGS, MOVING, QUIET, TRANSITIONS, Request, State, following
from tests.control.named import Named
from tests.tier import often

STEP = Named(kernel(state_step))
DT = 0.0005
ON_THE_WAY = (State.ABORT, State.STOPPING)
STOPS = (*ON_THE_WAY, *ENDS_OF_ABORT)
flags_of_a_tick = st.sets(st.sampled_from(MEASURED_FLAGS))
requests = st.sampled_from(list(Request))


def named(request: Request, flags: set[str]) -> set[str]:
    return flags | ({f"request_{request.name.lower()}"} if request else set())


def kernel_step(state: float, ticks: float, request: float, flags: set[str]) -> list[float]:
    values = {name: float(name in flags) for name in MEASURED_FLAGS}
    return [float(x) for x in STEP(dt=DT, state=state, ticks=ticks, request=request, **values)]


@settings(max_examples=often(300), deadline=None)
@given(st.sampled_from(list(State)), st.lists(st.tuples(requests, flags_of_a_tick), min_size=1, max_size=20))
def test_kernel_follows_the_table(state: State, inputs: list[tuple[Request, set[str]]]) -> None:
    ticks = 0.0
    for request, flags in inputs:
        after, entered, ticks_after, time, source, quiet = kernel_step(state, ticks, request, flags)
        wanted = following(state, named(request, flags))
        assert after == wanted
        assert entered == (wanted != state)
        assert ticks_after == (0 if wanted != state else ticks + 1)
        assert time == ticks_after * DT
        assert source == source_of(wanted)
        assert quiet == (wanted in QUIET)
        state, ticks = wanted, ticks_after


@settings(max_examples=often(300), deadline=None)
@given(
    st.sampled_from(list(State)),
    st.lists(st.tuples(requests, flags_of_a_tick), max_size=20),
    st.lists(st.tuples(requests, flags_of_a_tick), min_size=1, max_size=20),
)
def test_abort_ends_from_any_state_whatever_is_asked(
    state: State, before: list[tuple[Request, set[str]]], after: list[tuple[Request, set[str]]]
) -> None:
    """A stop that stays leads to an end within the time limit of abort, and nothing leaves it while the stop stays."""
    for request, flags in before:
        state = following(state, named(request, flags))
    for request, flags in after:
        state = following(state, named(request, flags | {"stop"}))
        assert state in STOPS
    state = following(state, named(after[-1][0], after[-1][1] | {"stop", "expired"}))
    assert state in ENDS_OF_ABORT


SUBSETS = [{name for k, name in enumerate(MEASURED_FLAGS) if bits >> k & 1} for bits in range(1 << len(MEASURED_FLAGS))]


@pytest.mark.parametrize("state", list(State))
def test_every_combination_of_flags_stops(state: State) -> None:
    """All of them: a stop leads at once to abort, stopping or an end, and their time limits to an end."""
    for flags in SUBSETS:
        for request in Request:
            given_now = named(request, flags)
            if "stop" in flags:
                assert following(state, given_now) in STOPS
            if state in ON_THE_WAY:
                assert following(state, given_now) in STOPS
                assert following(state, given_now | {"expired"}) in ENDS_OF_ABORT


@settings(max_examples=often(200), deadline=None)
@given(st.lists(st.tuples(requests, flags_of_a_tick), min_size=1, max_size=30))
def test_abort_cannot_be_undone_by_releasing_the_stop(inputs: list[tuple[Request, set[str]]]) -> None:
    state = State.ABORT
    for request, flags in inputs:
        before, state = state, following(state, named(request, flags))
        if state in ENDS_OF_ABORT:
            return
        assert state in ON_THE_WAY
        assert state is before or before is State.ABORT  # stopping leads nowhere but to held


@pytest.mark.parametrize("number", range(len(TRANSITIONS)))
def test_every_transition_can_happen(number: int) -> None:
    """A row hidden behind an earlier one would never be taken."""
    transition = TRANSITIONS[number]
    held = {name for name in transition.when if not name.startswith("not ")}
    asked = [name for name in held if name.startswith("request_")]
    request = Request[asked[0].removeprefix("request_").upper()] if asked else Request.NONE
    measured = held - set(asked) | ({"movable"} if "not movable" not in transition.when else set())
    for source in transition.sources:
        assert following(source, named(request, measured)) is transition.target
        assert kernel_step(source, 3.0, request, measured)[0] == transition.target


def test_the_way_of_a_session() -> None:
    """off, down, rising, standby, engaging, drive, settling, standby, lowering, down: the order of the design."""
    steps = [
        ("request_down", State.DOWN), ("request_standby", State.RISING), ("arrived", State.STANDBY),
        ("request_drive", State.ENGAGING), ("arrived", State.DRIVE), ("request_settle", State.SETTLING),
        ("arrived", State.STANDBY), ("request_lower", State.LOWERING), ("arrived", State.DOWN),
    ]  # fmt: skip
    state = State.OFF
    for flag, wanted in steps:
        state = following(state, {flag, "ready", "movable", "drivable", "grounded"})
        assert state is wanted


@settings(max_examples=often(300), deadline=None)
@given(st.sampled_from(list(State)), requests, flags_of_a_tick)
def test_down_is_reached_only_where_all_legs_are_down(state: State, request: Request, flags: set[str]) -> None:
    after = following(state, named(request, flags - {"grounded"}))
    assert after is not State.DOWN or state is State.DOWN
    assert after is not State.OFF or state in (*QUIET, State.OFF)  # an abort that is not down does not end in off


def test_the_way_down_from_off_aloft() -> None:
    """Held and then left where it was: not `down`, but it can still be lowered, and the way ends only on the ground."""
    able = {"ready", "movable"}
    state = following(State.HELD, able | {"request_off"})
    assert state is State.OFF
    assert following(state, able | {"request_down"}) is State.OFF
    assert following(state, {"movable", "request_lower"}) is State.OFF  # no pressure
    state = following(state, able | {"request_lower"})
    assert state is State.LOWERING
    assert following(state, able | {"arrived"}) is State.LOWERING
    assert following(state, able | {"arrived", "grounded"}) is State.DOWN
    assert following(State.OFF, able | {"grounded", "request_lower"}) is State.OFF  # it is down


def test_nothing_rises_or_drives_unready() -> None:
    assert following(State.DOWN, {"request_standby", "movable"}) is State.DOWN
    assert following(State.STANDBY, {"request_drive", "movable", "ready"}) is State.STANDBY
    assert following(State.OFF, {"request_down", "ready", "movable", "grounded", "stop"}) is State.OFF


@pytest.mark.parametrize("spoilt", [np.nan, -1.0, 2.5, 99.0])
def test_spoilt_state_is_held(spoilt: float) -> None:
    assert kernel_step(spoilt, 0.0, Request.DRIVE, {"drivable", "ready"})[0] == State.HELD


def test_request_numbers_are_those_of_the_commands() -> None:
    for request in Request:
        if request:
            assert Kind[request.name].value == request.value


def test_unknown_flag_is_refused() -> None:
    with pytest.raises(KeyError, match="no flag 'arived'; flags: request_off"):
        following(State.OFF, {"arived"})


def test_all_moving_states_stop() -> None:
    for state in MOVING:
        assert following(state, {"stop", "movable"}) is State.ABORT
        assert following(state, {"stop"}) is State.STOPPING
    assert following(State.STOPPING, {"stop", "stopped"}) is State.HELD
    assert set(FLAGS) >= set(MEASURED_FLAGS)
