"""Who steers, and how controls move: against what a person would expect, in closed form."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.record.world import (
    AXIS_COUNT,
    BUTTON_COUNT,
    GAMEPAD,
    JOYSTICK,
    KEY_PLACES,
    KEYBOARD,
    KEYS,
    NOBODY,
    SCRIPT,
    Hand,
)
from motionbase.worlds.hands.mover import SPRING
from motionbase.worlds.hands.response import RESPONSES
from motionbase.worlds.hands.steering import GIVING_S, SILENT_S, TAKING_S, UNTOUCHED_S, Steering
from motionbase.worlds.world import Control
from tests.tier import often

DT = 0.005
RUDDER = Control("rudder", "Rudder", -0.5, 0.5, 0.0, ("ArrowLeft", "ArrowRight"), 0, seconds=1.0)
THROTTLE = Control(
    "throttle", "Throttle", -1.0, 1.0, 0.0, ("ArrowDown", "ArrowUp"), 1,
    turned=True, buttons=(0, 1), springs=False, seconds=2.0,
)  # fmt: skip
BRAKE = Control("brake", "Brake", 0.0, 1.0, 0.0, (None, "Space"), None, buttons=(None, 7), seconds=0.5)
CONTROLS = (RUDDER, THROTTLE, BRAKE)


class Helm:
    """A steering with a clock; every device that was told goes on to say the same."""

    def __init__(self, controls: tuple[Control, ...] = CONTROLS) -> None:
        self.steering, self.ticks = Steering(controls), itertools.count()
        self.now, self.said = 0.0, dict[str, Hand]()
        self.script: tuple[float, ...] = (0.2, 0.6, 0.0)

    def go(self, seconds: float) -> tuple[float, ...]:
        for _ in range(round(seconds / DT)):
            self.now = next(self.ticks) * DT
            for who, hand in self.said.items():
                self.steering.hear(who, hand, self.now)
            values = self.steering.step(self.now, DT, self.script or None)
        return values


def keys(*names: str) -> Hand:
    return Hand(KEYBOARD, keys=sum(1 << KEY_PLACES[name] for name in names))


def axes(*values: float, device: int = GAMEPAD, buttons: int = 0) -> Hand:
    return Hand(device, (*values, *(0.0,) * (AXIS_COUNT - len(values))), buttons)


def test_without_anybody_the_script_has_the_controls_exactly_and_without_one_they_rest() -> None:
    helm = Helm()
    assert helm.go(DT) == (0.2, 0.6, 0.0)
    assert helm.steering.hand == SCRIPT
    helm.script = ()
    assert helm.go(GIVING_S + DT) == (0.0, 0.0, 0.0)
    assert helm.steering.hand == NOBODY


def test_keys_push_in_the_time_of_the_control_and_let_go_it_springs_or_stays() -> None:
    helm = Helm()
    helm.script = ()
    helm.said["page"] = keys("ArrowRight", "ArrowUp")
    rudder, throttle, _ = helm.go(0.25)
    assert helm.steering.hand == KEYBOARD
    assert rudder == pytest.approx(0.25)  # a quarter of the way from end to end, which is 1 rad in 1 s
    assert throttle == pytest.approx(0.25)  # an eighth of 2 in 2 s
    assert helm.go(1.0)[0] == 0.5
    helm.said["page"] = keys()
    assert helm.go(0.1)[0] == pytest.approx(0.5 - 0.1 * SPRING)
    rudder, throttle, _ = helm.go(1.0)
    assert (rudder, throttle) == pytest.approx((0.0, 1.0))
    helm.said["page"] = keys("ArrowLeft", "ArrowRight")
    assert helm.go(0.5)[0] == 0.0


def test_a_stick_places_what_springs_and_pushes_what_stays() -> None:
    helm = Helm()
    helm.script = ()
    helm.said["pad"] = axes(1.0, -1.0)
    helm.go(TAKING_S)
    assert helm.go(DT)[0] == 0.5
    helm.said["pad"] = axes(0.5)
    rudder, throttle, _ = helm.go(DT)
    assert rudder == 0.5 * RESPONSES[GAMEPAD](0.5)  # at once, as nobody took over
    assert throttle == pytest.approx(TAKING_S + DT, abs=1.5 * DT)  # 1 a second as long as the stick was up
    assert helm.go(1.0)[1] == throttle


def test_triggers_say_how_far_and_buttons_push() -> None:
    helm = Helm()
    helm.script = ()
    helm.said["pad"] = axes(0, 0, 0, 0, 0, 0.52, buttons=0b10)
    *_, throttle, brake = helm.go(TAKING_S + DT)
    assert brake == pytest.approx(0.5)  # beyond a dead zone of 0.04
    assert throttle == pytest.approx(TAKING_S, abs=2 * DT)
    helm.said["pad"] = axes(buttons=1 << 7)  # a trigger that is only a button is one
    assert helm.go(1.0)[2] == 1.0


def test_a_person_takes_over_at_once_and_without_a_jump() -> None:
    helm = Helm()
    before = helm.go(1.0)
    helm.said["pad"] = axes(0.1)
    helm.go(1.0)
    assert helm.steering.hand == SCRIPT  # within the dead band
    helm.said["pad"] = axes(-0.8)
    first = helm.go(DT)
    assert helm.steering.hand == GAMEPAD
    assert first == pytest.approx(before, abs=0.005)  # the fade of 0.6 s has begun, 1e-4 of it; the throttle stays
    here = helm.go(DT)[0]
    helm.said["pad"] = axes(-1.0)
    assert here - helm.go(DT)[0] > 0.5 * (1 - RESPONSES[GAMEPAD](0.8))  # and what the stick does acts whole
    assert helm.go(TAKING_S)[0] == -0.5


def test_the_script_goes_on_after_twenty_seconds_or_on_request() -> None:
    helm = Helm()
    helm.said["page"] = keys("ArrowLeft")
    helm.go(30.0)
    assert helm.steering.hand == KEYBOARD  # a key that is held is a hand
    helm.said["page"] = keys()
    helm.go(UNTOUCHED_S - 0.1)
    assert helm.steering.hand == KEYBOARD
    last = helm.go(0.2)
    assert helm.steering.hand == SCRIPT
    assert last[0] == pytest.approx(0.0, abs=0.01)  # no jump to the script's rudder
    assert helm.go(GIVING_S) == (0.2, 0.6, 0.0)
    helm.said["page"] = keys("ArrowUp")
    helm.go(0.5)
    helm.said["page"] = Hand(SCRIPT)
    helm.go(DT)
    assert helm.steering.hand == SCRIPT


@pytest.mark.parametrize("hand", [keys("ArrowUp"), axes(0.0, -1.0)])
def test_a_device_that_is_silent_is_nobody(hand: Hand) -> None:
    helm = Helm()
    helm.said["page"] = hand
    helm.go(1.0)
    helm.said.clear()
    helm.go(SILENT_S - DT)
    assert helm.steering.hand == hand.device
    helm.go(3 * DT)
    assert helm.steering.hand == SCRIPT


def test_of_several_devices_the_one_that_moved_last_wins() -> None:
    helm = Helm()
    helm.said["page"] = keys("ArrowRight")
    helm.go(1.0)
    helm.said["stick"] = axes(-1.0)
    helm.go(1.0)
    assert (helm.steering.hand, helm.steering.values[0]) == (GAMEPAD, -0.5)
    helm.said["page"] = keys()
    helm.go(0.5)
    assert helm.steering.hand == KEYBOARD
    del helm.said["page"]
    helm.go(2 * SILENT_S)
    assert helm.steering.hand == GAMEPAD  # which is still held


def test_a_request_for_the_script_outlasts_a_hand_that_holds_on() -> None:
    helm = Helm()
    helm.said["stick"] = axes(-1.0)
    helm.go(1.0)
    helm.steering.hear("page", Hand(), helm.now)
    helm.go(5.0)
    assert helm.steering.hand == GAMEPAD  # a page that goes is no request
    helm.steering.hear("page", Hand(SCRIPT), helm.now)
    helm.go(5.0)
    assert helm.steering.hand == SCRIPT
    helm.said["stick"] = axes(-0.7)
    helm.go(DT)
    assert helm.steering.hand == GAMEPAD


def test_a_lever_acts_once_it_is_moved_and_what_rests_at_an_end_is_a_pedal() -> None:
    pedal = Control("pedal", "Pedal", 0.0, 1.0, 0.0, axis=2)
    helm = Helm((RUDDER, THROTTLE, pedal))
    helm.said["stick"] = axes(0.0, 0.9, -1.0, device=JOYSTICK)
    helm.go(1.0)
    assert helm.steering.hand == SCRIPT  # nothing has moved
    helm.said["stick"] = axes(0.5, 0.9, 0.0, device=JOYSTICK)
    rudder, throttle, at = helm.go(1.0)
    response = RESPONSES[JOYSTICK]
    assert (rudder, throttle, at) == pytest.approx((0.5 * response(0.5), 0.6, response(0.5)))
    helm.said["stick"] = axes(0.5, -0.5, 0.0, device=JOYSTICK)
    assert helm.go(DT)[1] == pytest.approx(0.6, abs=0.01)
    assert helm.go(TAKING_S)[1] == 0.5


reading = st.floats(-1.0, 1.0)
hands = st.builds(
    Hand,
    st.sampled_from((NOBODY, SCRIPT, KEYBOARD, GAMEPAD, JOYSTICK)),
    st.tuples(*[reading] * AXIS_COUNT),
    st.integers(0, (1 << BUTTON_COUNT) - 1),
    st.integers(0, (1 << len(KEYS)) - 1),
)
events = st.lists(st.tuples(st.sampled_from("abc"), hands, st.floats(0.005, 3.0)), max_size=8)


@given(events)
@settings(max_examples=often(60), deadline=None)
def test_controls_stay_within_their_ends_and_a_change_of_hands_is_no_jump(said: list[tuple[str, Hand, float]]) -> None:
    helm = Helm()
    ends = [(c.least, c.most) for c in CONTROLS]
    for who, hand, seconds in said:
        before, steered, leader = helm.steering.values, helm.steering.hand, helm.steering._leader
        helm.said = {who: hand}
        values = helm.go(DT)
        if helm.steering._leader != leader and leader is not None:
            # at most what keys push, or a fade has gone, in one period
            most = [(c.most - c.least) * (SPRING * DT / c.seconds + 3 * (DT / TAKING_S) ** 2) for c in CONTROLS]
            assert all(abs(x - y) <= m + 1e-12 for x, y, m in zip(values, before, most, strict=True)), (steered, hand)
        values = helm.go(seconds)
        assert all(a <= x <= b for x, (a, b) in zip(values, ends, strict=True))
