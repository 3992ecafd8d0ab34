"""`motionbase host sticks` with virtual devices: what is shown, and the file of axes that it proposes."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator

import pytest
from rich.console import Console

from motionbase.cli.host_sticks import Seen, bar, picture
from motionbase.cli.main import main
from motionbase.errors import UsageError
from motionbase.worlds.hands import sdl
from motionbase.worlds.hands.calibration import Calibrations
from motionbase.worlds.hands.joysticks import Joysticks
from tests.ring.ring_processes import until
from tests.worlds.hands.virtual import FLIGHT_STICK, Virtual

try:
    sdl.sdl()
except UsageError as error:
    pytest.skip(str(error), allow_module_level=True)


@pytest.fixture
def seen() -> Seen:
    return Seen()


@pytest.fixture
def sticks(seen: Seen) -> Iterator[Joysticks]:
    made = Joysticks("virtual", looked=lambda: seen.look(made), reads=True)
    with made:
        yield made


def test_what_an_axis_reaches_becomes_a_file(sticks: Joysticks, seen: Seen) -> None:
    stick = Virtual(FLIGHT_STICK, axes=3, buttons=4, hats=1)
    until(lambda: stick.number in seen.last, "the joystick")
    assert "move its axes to both ends" in seen.sentences()[1]
    for k, value in ((0, -0.9), (0, 0.8), (0, 0.1), (1, -1.0), (1, 1.0), (1, 0.0)):
        stick.axis(k, value)
        until(lambda k=k, value=value: abs(seen.last[stick.number][k] - value) < 1e-3, f"{k} at {value}")  # type: ignore[misc]
    stick.button(2, True)
    until(lambda: sticks.told[0][1].buttons == 4, "the button")
    title, *file = seen.sentences()
    assert title.endswith(": 3 axes, 4 buttons, 1 hats")
    axes = Calibrations(**tomllib.loads("\n".join(file))).joystick[0].axes
    assert [(a.of, a.least, a.middle, a.most) for a in axes] == [
        (0, -0.9, 0.1, 0.8),
        (1, -1, None, 1),
        (2, -1, None, 1),
    ]
    assert axes[0].value(-0.9) == -1.0 and axes[0].value(0.1) == 0.0 and axes[0].value(0.8) == 1.0
    screen = Console(width=120)
    with screen.capture() as shown:
        screen.print(picture(sticks, seen))
    text = shown.get()
    assert "left stick right" in text and "0.100" in text and "buttons" in text
    assert seen.data()[0]["axes"][0] == {"of": 0, "least": -0.9, "most": 0.8, "now": 0.1}
    stick.unplug()
    until(lambda: not sticks.told, "its end")


def test_a_gamepad_needs_no_file(sticks: Joysticks, seen: Seen) -> None:
    pad = Virtual()
    until(lambda: pad.number in seen.last, "the gamepad")
    assert "needs no file" in seen.sentences()[1]
    pad.unplug()
    until(lambda: not sticks.told, "its end")


def test_a_device_is_shown_from_its_first_complete_look(sticks: Joysticks, seen: Seen) -> None:
    """The thread tells of it before its readings are kept: a table in between must not fail."""
    pad = Virtual()
    until(lambda: pad.number in seen.last, "the gamepad")
    with Console(width=120).capture():
        picture(sticks, Seen())
    pad.unplug()
    until(lambda: not sticks.told, "its end")


def test_a_position_is_a_bar() -> None:
    assert bar(-1.0)[0] == bar(1.0)[-1] == bar(0.0)[10] == "█" and bar(1.0)[10] == "┼" and len(bar(0.3)) == 21


def test_without_devices_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["host", "sticks", "--joystick", "no such name", "--duration", "0.1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert main(["host", "sticks", "--joystick", "no such name", "--duration", "0.1"]) == 0
    assert "no joystick or gamepad is connected" in capsys.readouterr().out
