"""Axes of sticks and pedals: dead zones, curves, calibration."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionbase.errors import MotionBaseError
from motionbase.worlds.hands.calibration import load_calibrations
from motionbase.worlds.hands.response import Response, pressed_share, rest_of


def test_a_dead_zone_does_not_shorten_the_way_and_a_curve_is_gentle_in_the_middle() -> None:
    answer = Response(0.1, 0.5)
    assert [answer(x) for x in (-1.0, -0.1, 0.0, 0.1, 1.0)] == [-1.0, 0.0, 0.0, 0.0, 1.0]
    assert answer(0.55) == -answer(-0.55) == pytest.approx(0.5 * 0.5 + 0.5 * 0.125)  # half of its way
    assert answer(0.1 + 1e-9) == pytest.approx(0.0, abs=1e-8)  # without a step


def test_axes_rest_in_the_middle_or_at_an_end() -> None:
    assert [rest_of(x) for x in (-1.0, -0.96, -0.2, 0.0, 0.3, 1.0)] == [-1.0, -1.0, 0.0, 0.0, 0.0, 1.0]
    assert pressed_share(-1.0, -1.0) == pressed_share(1.0, 1.0) == 0.0
    assert pressed_share(1.0, -1.0) == pressed_share(-1.0, 1.0) == 1.0


def test_a_file_says_what_the_axes_of_a_joystick_are(tmp_path: Path) -> None:
    path = tmp_path / "sticks.toml"
    path.write_text("""
        [[joystick]]
        name = "extreme 3d"
        axes = [{of = 3, turned = true}, {of = 0, least = -0.5, middle = 0.1, most = 0.6}, {of = 9}]
    """)
    found = load_calibrations(path).of("Logitech Extreme 3D Pro")
    assert found is not None
    assert found.axes_of([0.35, 0.0, 0.0, 0.25]) == [-0.25, pytest.approx(0.5), 0.0]
    assert found.axes_of([-0.2, 0.0, 0.0, 0.0])[1] == pytest.approx(-0.5)
    assert found.axes_of([-1.0, 0.0, 0.0, 0.0])[1] == -1.0
    assert load_calibrations(path).of("Saitek") is None


STICK = '[[joystick]]\nname = "a"\naxes = '


@pytest.mark.parametrize(
    "text",
    ["[[joystick]]", "x = 1", "[", f"{STICK}[]", f"{STICK}[{{of = -1}}]", f"{STICK}[{{of = 1, least = 2.0}}]"],
)  # fmt: skip
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sticks.toml"
    path.write_text(text)
    with pytest.raises(MotionBaseError, match=r"sticks\.toml"):
        load_calibrations(path)
    with pytest.raises(MotionBaseError, match=r"none\.toml"):
        load_calibrations(tmp_path / "none.toml")
