"""What a person states of drives is checked, and lengths become increments and back."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.errors import UsageError
from motionbase.rig.drives import profile
from motionbase.rig.drives.backend import CanDrives
from motionbase.rig.drives.line import open_bus
from motionbase.rig.drives.settings import settings
from motionbase.rig.drives.setup import Axis, Setup
from tests.rig.drives.bench import setup


def test_increments_by_hand() -> None:
    """A screw of 5 mm behind a gear of 2, 4096 increments a turn: 10 mm are 4 turns of the motor."""
    axis = Axis(1, counts=4096, lead=0.005, gear=2.0, sign=-1, home=1.2)
    assert axis.increments(1.21) == -4 * 4096 and axis.increments(1.2) == 0
    assert axis.length(-4 * 4096) == pytest.approx(1.21, abs=1e-12)
    assert axis.magnitude(0.01) == 4 * 4096


@given(st.floats(0.5, 2.0), st.sampled_from([-1, 1]), st.floats(1e-3, 0.02), st.floats(0.1, 20.0))
def test_lengths_come_back_within_half_an_increment(l: float, sign: int, lead: float, gear: float) -> None:
    axis = Axis(1, counts=10000, lead=lead, gear=gear, sign=sign, home=0.7)
    assert abs(axis.length(axis.increments(l)) - l) <= 0.5 / abs(axis.per_metre) * (1 + 1e-6)


@pytest.mark.parametrize("sign", [-1, 1])
def test_the_drives_own_limits_hold_all_places_of_rest(sign: int) -> None:
    """The lengths, the reference, and at 0.5 m/s and 5 m/s2 another 25 mm behind each end."""
    s = setup(sign=sign)
    for axis in s.axes:
        values = {entry: value for (entry, _), value in settings(axis, s).items()}
        inside = [axis.increments(l) for l in (0.975, 1.125, axis.home)]
        assert values[profile.LEAST_POSITION] < min(inside) and max(inside) < values[profile.MOST_POSITION]


def test_a_bus_of_one_megabit_takes_six_drives_in_two_milliseconds_not_in_one() -> None:
    """Twelve frames of 6 bytes, at worst 115 bits each, and SYNC with 55 are 1435 bits."""
    assert setup(period=0.002).load == pytest.approx(1435 / 2000)
    with pytest.raises(UsageError, match="takes 144 % of a bus with 1e.06 bit/s.* 2 ms would do"):
        setup(period=0.001)
    assert setup(period=0.001, bitrate=None).load == 0


@pytest.mark.parametrize(
    "changes,words",
    [
        ({"period": 0.0}, "period is 0.0"),
        ({"period": 0.0025}, "whole milliseconds"),
        ({"period": float("nan")}, "period is nan"),
        ({"watchdog": 0.005}, "at least three periods"),
        ({"silence": 0.01}, "at most silence"),
        ({"misses": 0}, "misses is 0"),
        ({"jump": 1e-4}, "leg 1: home is 0.999 m"),
        ({"least": np.full(6, 1.2)}, "leg 1: least 1.2 m must be below most 1.1 m"),
        ({"most": np.full(6, np.inf)}, "leg 1: least"),
        ({"least": np.full(5, 1.0)}, "must be six lengths"),
        ({"watchdog": 70.0, "silence": 80.0}, "60 s at most"),
    ],
)
def test_wrong_values_are_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        setup(**changes)


@pytest.mark.parametrize(
    "changes,words",
    [
        ({"node": 127}, "it must be 1 to 126"),
        ({"node": 0}, "it must be 1 to 126"),
        ({"lead": 0.0}, "lead is 0.0"),
        ({"gear": float("inf")}, "gear is inf"),
        ({"sign": 0}, "sign is 0"),
        ({"home": float("nan")}, "home is nan"),
    ],
)
def test_wrong_axes_are_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Axis(**{"node": 1, "counts": 4096, "lead": 0.005} | changes)


@pytest.mark.parametrize(
    "changes,words",
    [
        ({"most": np.full(6, 1e5)}, "drive 1: 607Dh:02 would be 81"),
        ({"following_time": 100.0}, "drive 1: 6066h:00 would be 100000, which it cannot hold"),
        ({"homing_method": 200}, "drive 1: 6098h:00 would be 200"),
    ],
)
def test_values_that_no_drive_can_hold_are_found_before_anything_is_sent(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        CanDrives(setup(**changes), "virtual:settings")


def test_two_drives_of_one_number_are_refused() -> None:
    axes = tuple(Axis(1 + leg % 5, 4096, 0.005, home=1.0) for leg in range(6))
    with pytest.raises(UsageError, match="nodes of the drives are 1, 2, 3, 4, 5, 1"):
        Setup(axes, np.full(6, 1.0), np.full(6, 1.1))


def test_without_python_can_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "can", None)
    with pytest.raises(UsageError, match="install motionbase with its extra 'can'"):
        open_bus("virtual:x")


@pytest.mark.parametrize("url", ["can0", "socketcan:", "nothing:x", "socketcan:no-such-bus"])
def test_a_bus_that_cannot_be_opened_is_named(url: str) -> None:
    with pytest.raises(UsageError, match=f"'{url}'"):
        open_bus(url)
