"""The real path through SDL, with virtual devices: found, heard, told apart, unplugged and plugged in again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import pytest

from motionbase.errors import UsageError
from motionbase.record.world import GAMEPAD, JOYSTICK, Hand
from motionbase.worlds.hands import sdl
from motionbase.worlds.hands.calibration import Axis, Calibration, Calibrations
from motionbase.worlds.hands.joysticks import Joysticks
from tests.worlds.hands.virtual import FLIGHT_STICK, Virtual

try:
    sdl.sdl()
except UsageError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture
def sticks() -> Iterator[Joysticks]:
    with Joysticks("virtual") as made:
        yield made


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def said(sticks: Joysticks, number: int) -> Hand | None:
    return next((hand for found, hand in sticks.told if found.number == number), None)


def pressing(sticks: Joysticks, stick: Virtual, buttons: int) -> Hand:
    """What it says as soon as it says these buttons, which were pressed last."""
    until(lambda: (hand := said(sticks, stick.number)) and hand.buttons == buttons)
    hand = said(sticks, stick.number)
    assert hand is not None
    return hand


def test_a_gamepad_speaks_in_the_standard_layout(sticks: Joysticks) -> None:
    pad = Virtual()
    until(lambda: said(sticks, pad.number))
    found = next(found for found, _ in sticks.told if found.number == pad.number)
    assert (found.is_gamepad, found.axes, found.calibrated) == (True, 6, False)
    for k, value in enumerate((0.5, -1.0, 0.25, 1.0, 1.0, -1.0)):
        pad.axis(k, value)
    pad.button(0, True)
    pad.button(9, True)  # left shoulder: 4 in the standard layout
    pad.button(14, True)  # right of the cross: 15
    hand = pressing(sticks, pad, 1 | 1 << 4 | 1 << 15 | 1 << 6)
    assert hand.device == GAMEPAD
    assert hand.axes[:6] == pytest.approx((0.5, -1.0, 0.25, 1.0, 1.0, 0.0), abs=1e-4)
    pad.unplug()


def test_a_flight_stick_speaks_as_it_is_or_as_the_file_says() -> None:
    file = Calibrations(joystick=(Calibration(name="virtual", axes=(Axis(of=2, turned=True), Axis(of=0, most=0.5))),))
    for calibrations, wanted in ((Calibrations(), (0.5, 0.0, -0.25)), (file, (0.25, 0.9999695))):
        with Joysticks("virtual", calibrations) as sticks:
            stick = Virtual(FLIGHT_STICK, axes=4, buttons=16, hats=1)
            stick.axis(0, 0.5)
            stick.axis(2, -0.25)
            stick.button(1, True)
            stick.button(13, True)
            stick.hat(0x08)  # left
            hand = pressing(sticks, stick, 1 << 1 | 1 << 14 | 1 << 17)
            assert hand.device == JOYSTICK
            assert hand.axes[: len(wanted)] == pytest.approx(wanted, abs=2e-3)
            stick.unplug()


def test_devices_come_and_go_and_are_told_apart(sticks: Joysticks) -> None:
    one, two = Virtual(), Virtual()
    until(lambda: len(sticks.told) == 2)
    two.axis(0, 1.0)
    until(lambda: (hand := said(sticks, two.number)) and hand.axes[0] == 1.0)
    one.unplug()
    until(lambda: len(sticks.told) == 1)
    again = Virtual()
    until(lambda: len(sticks.told) == 2)
    assert len({one.number, two.number, again.number}) == 3
    assert {found.number for found, _ in sticks.told} == {two.number, again.number}
    two.unplug()
    again.unplug()
    until(lambda: not sticks.told)


def test_only_the_one_that_is_wanted_is_opened() -> None:
    with Joysticks("a name that no joystick has") as sticks:
        pad = Virtual()
        until(lambda: sticks.polls > 3)
        assert sticks.told == ()
        pad.unplug()


def test_without_sdl_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdl, "places", lambda: iter(("/nonexistent/libSDL2.so",)))
    with pytest.raises(UsageError, match=r"motionbase\[joystick\]"):
        sdl.sdl.__wrapped__()
    assert sys.modules.get("sdl2dll") is None  # its import would print warnings of its own
