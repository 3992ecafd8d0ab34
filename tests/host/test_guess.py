"""Guesses of formats, for every format, and for what is none."""

import random
import struct

import numpy as np
import pytest

from motionbase.host.guess import agreement, guessed
from tests.host.telemetry.doing import Doing
from tests.host.telemetry.layouts import BEFORE, BUILDERS


def moving(name: str, count: int = 90) -> list[bytes]:
    """A vehicle that rolls to and fro at 0.5 Hz by 0.15 rad, with pitch and heading at rest."""
    datagrams = []
    for k in range(count):
        t = 10 + k / 60
        phase = np.pi * t
        doing = Doing(right_down=0.15 * np.sin(phase), rolls_right=0.15 * np.pi * np.cos(phase), heading=0.4)
        datagrams += [BEFORE[name](doing, t)] if name in BEFORE else []
        datagrams.append(BUILDERS[name](doing, t))
    return datagrams


@pytest.mark.parametrize("name", sorted(set(BUILDERS) - {"codemasters", "custom-udp", "eawrc"}))
def test_every_format_is_found_in_motion(name: str) -> None:
    found = guessed(moving(name))
    assert found[0].form.name == name and found[0].score > 0.9
    assert all(other.score < 0.8 for other in found[1:])  # X-Plane 11 and 12 differ in their rates alone


@pytest.mark.parametrize("name", BUILDERS)
def test_every_format_is_found_at_rest(name: str) -> None:
    """One datagram is enough, but for the two of X-Plane, which are alike at rest."""
    found = guessed([BUILDERS[name](Doing(heading=0.3), 10.0)] * 1)
    assert found[0].score > 0.9
    assert found[0].form.name in ({name} if "xplane" not in name else {"xplane", "xplane11"})
    assert "9.81" in found[0].why


def test_other_datagrams_are_none() -> None:
    chance = random.Random(1)
    noise = [chance.randbytes(size) for size in (64, 88, 128, 232, 237, 264, 280, 408)]
    for data in (b"", b"hello", b"A12B-5C8", b"\0" * 232, b"\xff" * 264, struct.pack("<66f", *range(66)), *noise):
        assert all(g.score < 0.35 for g in guessed([data] * 5)), data[:8]
    assert guessed([]) == []


def test_rates_that_are_those_of_the_angles() -> None:
    t = np.arange(120) / 60
    rows = np.zeros((120, 13))
    rows[:, 9], rows[:, 3] = 0.2 * np.sin(3 * t), 0.6 * np.cos(3 * t)
    assert agreement(rows, t) == pytest.approx(1.0, abs=0.05)
    rows[:, 3] *= -1
    assert agreement(rows, t) == 0.0
    rows[:, 3], rows[:, 9] = 0.0, 0.1
    assert agreement(rows, t) is None
