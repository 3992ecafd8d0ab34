"""Six numbers as text, from LabVIEW, a spreadsheet or a one-line program."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import Frame, Options
from motionbase.host.formats import FORMATS
from motionbase.host.url import target_of
from tests.host.protocol.frames import STATUS, spoilt
from tests.tier import often

WANTED = (0.1, -0.2, 0.3, 0.01, -0.02, 0.03)
DEGREE = math.pi / 180


def decoded(data: bytes, options: Options | None = None, name: str = "text") -> Frame | None:
    return FORMATS[name].decoder(options or Options(clock=lambda: 0.0)).decode(data)


@pytest.mark.parametrize(
    "text",
    [
        "0.1 -0.2 0.3 0.01 -0.02 0.03",
        "0.1,-0.2,0.3,0.01,-0.02,0.03\r\n",
        "0.1; -0.2; 0.3; 0.01; -0.02; 0.03;",
        "0.1\n-0.2\n0.3\n0.01\n-0.02\n0.03\n",
        "\t+0.1\t-2e-1\t.3\t0.01\t-0.02\t0.03\0",
        "0,1;-0,2;0,3;0,01;-0,02;0,03",  # decimal commas
        "0 0 0 0 0 0\n0.1 -0.2 0.3 0.01 -0.02 0.03\n",  # the last line counts
    ],
)
def test_separators_are_taken_as_they_come(text: str) -> None:
    frame = decoded(text.encode())
    assert frame is not None and frame.row == (*WANTED, *(0.0,) * 12) and frame.stamp is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b" ", b"1 2 3 4 5", b"1 2 3 4 5 6 7 8", b"a b c d e f", b"1 2 3 4 5 nan", b"1 2 3 4 5 inf",
        b"1 2 3 4 5 1e999", b"1_0 2 3 4 5 6", b"1 2 3 4 5 \xd9\xa1", bytes(512), b"0 " * 300,
        b"1 2 3 4 5 6 x", b"1 2 3 4 5 6\n1 2",
    ],
)  # fmt: skip
def test_other_texts_are_no_frame(data: bytes) -> None:
    assert decoded(data) is None


def test_units_and_axes() -> None:
    options = target_of("udp://127.0.0.1?format=text&units=mm,deg&axes=down").options
    frame = decoded(b"100 200 -300 1 2 -3", options)
    wanted = 0.1, -0.2, 0.3, DEGREE, -2 * DEGREE, 3 * DEGREE
    assert frame is not None and frame.row[:6] == pytest.approx(wanted, abs=1e-15)


def test_signs_may_be_turned() -> None:
    options = target_of("udp://127.0.0.1?format=text&axes=down&flip=heave,yaw").options
    frame = decoded(b"1 2 3 0.1 0.2 0.3", options)
    assert frame is not None and frame.row[:6] == (1, -2, 3, 0.1, -0.2, 0.3)


def test_a_seventh_number_is_the_time_of_the_host() -> None:
    """With exact times velocity and acceleration of a parabola are exact, once the start has faded."""
    decoder = FORMATS["text"].decoder(Options(clock=lambda: math.nan))
    for k in range(60):
        t = k / 50
        frame = decoder.decode(f"{0.3 * t * t:.17g} 0 0 0 0 {0.1 * t:.17g} {100 + t:.17g}".encode())
    assert frame is not None and frame.stamp == 100 + t
    assert frame.row[6] == pytest.approx(0.6 * t, rel=1e-6) and frame.row[12] == pytest.approx(0.6, rel=1e-6)
    assert frame.row[11] == pytest.approx(0.1, rel=1e-6)


def test_the_answer_is_a_line_in_the_units_of_the_host() -> None:
    options = target_of("udp://127.0.0.1?format=text&units=mm,deg&axes=down").options
    line = FORMATS["text"].decoder(options).answer(Frame(WANTED), STATUS)
    assert line == b"4.2500 5 0 100 200 -300 0.572958 1.14592 -1.71887\n"
    encoder = FORMATS["text"].encoder
    assert encoder is not None
    told = encoder(options).told(line)
    assert told is not None and told.text == "drive" and told.status is not None
    assert told.status.pose == pytest.approx(STATUS.pose, abs=1e-6)
    assert [bad for bad in (b"", b"1 2 3", line[:20], b"x" * 9, b"1 " * 200) if encoder(options).told(bad)] == []


def test_displacements_of_legs_are_lengths() -> None:
    options = target_of("udp://127.0.0.1?format=text-legs&units=in,rad&zero=retracted").options
    frame = decoded(b"12 0 6 3 2 1", options, "text-legs")
    assert frame is not None and frame.row == pytest.approx([0.0254 * x for x in (12, 0, 6, 3, 2, 1)])


@settings(max_examples=often(200))
@given(numbers=st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6), stamp=st.one_of(st.none(), st.floats(0, 1e6)))
def test_what_is_encoded_is_decoded(numbers: list[float], stamp: float | None) -> None:
    """Nine digits are written."""
    options = Options(units=(0.001, DEGREE), z_up=False, clock=lambda: 0.0)
    encoder = FORMATS["text"].encoder
    assert encoder is not None
    frame = decoded(encoder(options).encode(Frame((*numbers, *(0.0,) * 12), stamp=stamp)), options)
    assert frame is not None
    assert frame.row[:6] == pytest.approx(numbers, rel=1e-8, abs=1e-300)
    assert frame.stamp == (None if stamp is None else pytest.approx(stamp, rel=1e-8))


@settings(max_examples=often(300))
@given(st.one_of(st.binary(max_size=600), st.text("0123456789.,; -+eE\nnaif", max_size=80).map(str.encode)))
def test_random_bytes_raise_nothing(data: bytes) -> None:
    for name in ("text", "text-legs"):
        for cut in (data, *spoilt(data[:20])):
            frame = decoded(cut, name=name)
            assert frame is None or all(map(math.isfinite, frame.row))


def test_every_truncation_is_a_frame_only_where_it_is_one() -> None:
    """A text has no length: cut inside its last number it is a shorter number, cut before that it is no frame."""
    data = b"0.1 -0.2 0.3 0.01 -0.02 0.03"
    assert [k for k in range(len(data)) if decoded(data[:k])] == [k for k in range(25, len(data)) if data[:k] != b""]
