"""What arrives: statistics, the guess, the rest test, unknown numbers, floods."""

import random
import struct

import numpy as np
import pytest

from motionbase.host.formats import format_of
from motionbase.host.heard import MOST_SENDERS, MOST_SIZES, Heard
from tests.host.telemetry.doing import Doing
from tests.host.telemetry.layouts import BEFORE, BUILDERS

SENDER = ("127.0.0.1", 5000)
STANDS = Doing(nose_up=0.1, heading=0.3)


def told(heard: Heard, name: str, count: int = 120) -> Heard:
    for k in range(count):
        t = 10 + k / 60
        if name in BEFORE:
            heard.take(BEFORE[name](STANDS, t), SENDER, t)
        heard.take(BUILDERS[name](STANDS, t), SENDER, t)
    return heard


@pytest.mark.parametrize("name", ["beamng", "f1", "codemasters"])
def test_the_format_is_found_and_nothing_is_lost(name: str) -> None:
    heard = told(Heard(), name)
    each = 2 if name in BEFORE else 1
    assert heard.form is not None and heard.form.name == name
    assert heard.receiver is not None and heard.receiver.counts[0] == 120
    assert heard.count == 120 * each and heard.rate == pytest.approx(60.0 * each, rel=0.02)
    assert heard.frame is not None and heard.frame.row[2] == pytest.approx(9.76, abs=0.1)
    rest = heard.rest()
    assert (rest.still, rest.gravity, rest.query) == (True, name == "f1", "")


def test_a_format_that_is_given_is_not_guessed() -> None:
    heard = told(Heard(format_of("forza")), "beamng")
    heard.guess()
    assert heard.form is format_of("forza") and heard.guesses == [] and heard.frame is None
    assert heard.receiver is not None and heard.receiver.counts[4] == 120  # malformed


def test_times_between() -> None:
    heard = Heard()
    for k in range(100):
        heard.take(b"x", SENDER, 0.02 * k + (0.5 if k >= 50 else 0.0))
    assert heard.largest_gap == pytest.approx(0.52) and heard.silence(3.0) == pytest.approx(3.0 - 2.48)
    assert heard.jitter == pytest.approx(0.05, abs=0.001)  # one interval of 0.52 among 98 of 0.02


def test_unknown_numbers() -> None:
    """Big-endian floats behind a name of three letters; 5 to 7 are an accelerometer in m/s^2 with z up."""
    rng = np.random.default_rng(4)
    heard = Heard()
    for k in range(100):
        numbers = [*rng.normal(size=5) * 100, 0.1, -0.2, 9.8 + 0.01 * rng.normal(), *rng.normal(size=9)]
        heard.take(b"abc" + struct.pack(">17f", *numbers), SENDER, k / 60)
    heard.guess()
    kind, byte, found = heard.unknown_gravity()[0]
    assert heard.form is None and (kind, byte) == (">f", 3 + 5 * 4) and (found.axis, found.sign) == (2, 1)


def test_what_tells_no_motion_is_neither_good_nor_malformed() -> None:
    heard = Heard()
    for k in range(60):
        heard.take(bytes(324), SENDER, k / 60)  # Forza in a menu
    heard.guess()
    assert heard.form is None and "tell no motion" in heard.guesses[0].why and heard.guesses[0].form.name == "forza"


def test_a_flood_takes_no_memory() -> None:
    chance = random.Random(5)
    heard = Heard(format_of("beamng"))
    for k in range(3000):
        heard.take(chance.randbytes(chance.randrange(400)), ("127.0.0.1", k), k * 1e-5)
    assert heard.count == 3000 and len(heard.sizes) <= MOST_SIZES and len(heard.senders) <= MOST_SENDERS
    assert heard.frame is None
