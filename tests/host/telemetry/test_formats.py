"""Every format of a simulator: physical cases, and bytes that nobody should trust."""

import math
import random
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import NOTHING, Decoder, Frame, Kind, Options
from motionbase.host.formats import HOMES, format_of
from motionbase.host.telemetry.motion import FASTEST_TURN, LARGEST_ALPHA
from tests.host.telemetry.doing import DOINGS, Doing
from tests.host.telemetry.layouts import BEFORE, BUILDERS, LEVEL, T0, world
from tests.tier import often

FORMATS = list(BUILDERS)
Decode = Callable[[bytes], Frame | None]
# Numbers travel as float32, accelerations through degrees and feet besides: 24 bits of about 50 leave 3e-6.
TOLERANCE = 2e-5
# Directions of F1 are 16 bits: 1.5e-5.
# Differences over 1/60 s of unit vectors and of velocities near 20 m/s, both float32, and of float32 stamps near 10 s:
# 60 * 2e-6 m/s^2, and 6e-5 of the acceleration. The first of the vectors' differences leaves half a turn squared; the
# second is that of axes half a step ago: omega x a / 120.
WIDER = {"f1": 5e-5, "codemasters": 5e-3, "custom-udp": 4e-2, "eawrc": 5e-3}
LIMIT = 1e4  # a finite, plausible row at a head near the point has nothing as large


def decoder(name: str, options: Options = Options()) -> Decoder:  # noqa: B008 - frozen
    return format_of(name).decoder(options)


DERIVED = ("codemasters", "custom-udp", "eawrc")  # their attitude is that of vectors, whose differences are the rates


def row_of(name: str, doing: Doing, t: float) -> list[float]:
    """The row without angular acceleration and ground."""
    rates = (doing.rolls_right, -doing.noses_up, -doing.turns_right)
    if name not in DERIVED:
        return [*doing.felt, *rates, doing.right_down, -doing.nose_up, -doing.heading]
    first, now = (np.array(world(doing, at)) for at in (0.0, t - T0))
    a = np.array([doing.forward, doing.left, doing.up]) @ first + [0.0, 9.80665, 0.0]
    ahead, side, up = now
    return [*(now @ a), *rates, math.atan2(side[1], up[1]), -math.asin(ahead[1]), math.atan2(ahead[0], ahead[2])]


def decoded(name: str, decode: Decode, doing: Doing, t: float) -> Frame | None:
    if name in BEFORE:
        assert decode(BEFORE[name](doing, t)) is NOTHING
    return decode(BUILDERS[name](doing, t))


def plausible(frame: Frame | None) -> bool:
    return frame is None or frame is NOTHING or (
        len(frame.row) == 13 and all(math.isfinite(x) and abs(x) < LIMIT for x in frame.row)
    )  # fmt: skip


def test_every_format_of_a_simulator_has_a_builder() -> None:
    assert {name for home, names in HOMES.items() if home.startswith("telemetry") for name in names} == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_statements_say_what_the_numbers_are(name: str) -> None:
    found = format_of(name)
    statement = found.statement
    assert statement is not None and found.name == name and found.kind is Kind.VEHICLE
    assert all((statement.axes, statement.point, statement.source, found.about)) and 1024 < found.port < 65536


@pytest.mark.parametrize("doing", DOINGS.values(), ids=DOINGS)
@pytest.mark.parametrize("name", FORMATS)
def test_physical_cases(name: str, doing: Doing) -> None:
    """At rest 1 g up, nose up a part of it forward, braking backward, in a right turn to the right."""
    decode = decoder(name).decode
    stamps = [T0 + k / 60 for k in range(5)]
    frame = [decoded(name, decode, doing, t) for t in stamps][-1]
    assert frame is not None
    row = np.array(frame.row)
    expected = row_of(name, doing, stamps[-1])
    tolerance = WIDER.get(name, TOLERANCE)
    np.testing.assert_allclose(row[[0, 1, 2, 3, 4, 5, 9, 10, 11]], expected, atol=tolerance)
    np.testing.assert_allclose(row[6:9], 0.0, atol=60 * tolerance)


@pytest.mark.parametrize("name", FORMATS)
def test_gravity_may_be_told(name: str) -> None:
    """With gravity=no, 1 g is added to what comes; with gravity=yes nothing is."""
    data = BUILDERS[name](LEVEL, 1.0)
    added, told = (decoder(name, Options(gravity=gravity)).decode(data) for gravity in (False, True))
    assert added is not None and told is not None
    assert added.row[2] - told.row[2] == pytest.approx(9.80665)


@pytest.mark.parametrize("name", FORMATS)
def test_cut_and_longer_datagrams(name: str) -> None:
    """Every truncation and every extension is refused, or is another size of the same format."""
    whole = BUILDERS[name](DOINGS["everything"], 3.0)
    assert decoder(name).decode(whole) is not None
    for size in range(len(whole)):
        assert plausible(decoder(name).decode(whole[:size]))
    if name != "dcs":  # a text, whose last number, which nobody uses, may be shorter
        assert [decoder(name).decode(whole[:-k]) for k in (1, 2, 3, 4)] == [None] * 4
    for more in (1, 3, 4, 400, 70_000):
        assert plausible(decoder(name).decode(whole + bytes(more)))
    assert decoder(name).decode(whole + bytes(70_000)) is None


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e38, -1e30], ids=str)
def test_numbers_that_are_none(name: str, bad: float) -> None:
    """Each place of the datagram in turn holds a bad number, in either byte order."""
    whole = BUILDERS[name](DOINGS["everything"], 3.0)
    decode = decoder(name, Options(lever=(0.5, 0.2, 1.0))).decode
    for at in range(0, len(whole) - 3):
        for order in "<>":
            data = bytearray(whole)
            struct.pack_into(f"{order}f", data, at, bad)
            assert plausible(decode(bytes(data)))


@pytest.mark.parametrize("name", FORMATS)
def test_flipped_bits(name: str) -> None:
    chance = random.Random(name)
    decode = decoder(name, Options(lever=(1.0, -1.0, 1.0))).decode
    for k in range(often(900)):
        data = bytearray(BUILDERS[name](DOINGS["everything"], k / 60))
        for _ in range(chance.choice((1, 2, 8))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert plausible(decode(bytes(data)))


@settings(max_examples=often(300))
@given(st.binary(max_size=450), st.sampled_from(FORMATS))
def test_random_bytes(data: bytes, name: str) -> None:
    whole = BUILDERS[name](LEVEL, 1.0)
    decode = decoder(name).decode
    assert plausible(decode(data))
    assert plausible(decode(whole[:8] + data))  # its name may be right
    assert plausible(decode((whole[:8] + data).ljust(len(whole), b"\xff")[: len(whole)]))


@pytest.mark.parametrize("name", sorted(set(FORMATS) - set(DERIVED)))
def test_implausible_motion_is_refused(name: str) -> None:
    for doing in (Doing(forward=2000.0), Doing(turns_right=2 * FASTEST_TURN)):
        assert decoded(name, decoder(name).decode, doing, 1.0) is None


@pytest.mark.parametrize("name", FORMATS)
def test_the_lever_reaches_the_head(name: str) -> None:
    """A head 2 m ahead of the point, in a steady turn at 0.5 rad/s: 2 * 0.25 m/s^2 towards the point."""
    decode = decoder(name, Options(lever=(2.0, 0.0, 0.0))).decode
    frame = [decoded(name, decode, Doing(turns_right=0.5), T0 + k / 60) for k in range(5)][-1]
    assert frame is not None
    np.testing.assert_allclose(frame.row[:3], (-0.5, 0.0, 9.80665), atol=10 * WIDER.get(name, TOLERANCE))


def test_alpha_is_bounded() -> None:
    decode = decoder("forza").decode
    rows = [decode(BUILDERS["forza"](Doing(turns_right=(-1) ** k * 50.0), k / 60)) for k in range(9)]
    assert all(r is not None and abs(r.row[8]) <= LARGEST_ALPHA for r in rows)
