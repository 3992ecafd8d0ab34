"""Our own frames, built here with `struct` from docs/host.md."""

import math
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.host.format import Frame, Kind, Options
from motionbase.host.formats import FORMATS
from motionbase.host.protocol.own import answer_of, encoded
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator, Shape, Space
from motionbase.record.requests import Kind as Request
from tests.host.protocol.frames import NOT_FINITE, STATUS, assert_only_whole
from tests.tier import often

POSE = tuple(0.01 * k for k in range(18))
VEHICLE = (0.1, 0.2, 9.8, *(0.01 * k for k in range(9)), 1.0)
ROWS = GeneratorSet((Generator(True, Space.DOF, ("heave",), Shape.SINE, 0.05, 0.5),)).values
WHOLE = st.floats(allow_nan=False, allow_infinity=False)
NUMBER = st.integers(0, 2**64 - 1)


def page(magic: bytes, numbers: tuple[float, ...], request: int = 0) -> bytes:
    """A frame as docs/host.md tells it."""
    return struct.pack("<4sHHQQdII", magic, 1, len(numbers), 77, 5, 1.5, request, 0) + struct.pack(
        f"<{len(numbers)}d", *numbers
    )


HEADS = (b"", b"MBHP\1\0\x12\0", b"MBHV\1\0\r\0", b"MBHG\1\0p\0", page(b"MBHV", VEHICLE))
PREVIEW = tuple((0.05 * k, 0.1 * k, -0.2, 9.8, 0.01 * k, 0.02, -0.03) for k in range(1, 24))


def with_preview(rows: tuple[tuple[float, ...], ...], zero: int = 0, count: int | None = None) -> bytes:
    """A vehicle's frame that tells what comes, as docs/host.md tells it."""
    more = struct.pack("<II", len(rows) if count is None else count, zero)
    return page(b"MBHV", VEHICLE) + more + b"".join(struct.pack("<7d", *row) for row in rows)


FRAMES = {
    "motionbase": (b"MBHP", POSE, 184),
    "motionbase-vehicle": (b"MBHV", VEHICLE, 144),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_what_the_page_says(name: str) -> None:
    magic, numbers, size = FRAMES[name]
    decoder, data = FORMATS[name].decoder(Options()), page(magic, numbers, 4)
    assert len(data) == size
    wanted = Frame(numbers, 5, 1.5, 77, Request.DRIVE)
    assert decoder.decode(data) == wanted
    assert encoded(wanted, FORMATS[name].kind) == data
    assert_only_whole(decoder, data)


def test_each_format_takes_its_own_kind_of_motion() -> None:
    for name, other in (("motionbase", "motionbase-vehicle"), ("motionbase-vehicle", "motionbase")):
        magic, numbers, _ = FRAMES[other]
        assert FORMATS[name].decoder(Options()).decode(page(magic, numbers)) is None


@pytest.mark.parametrize("name", FRAMES)
def test_generators_come_in_a_frame_of_their_own(name: str) -> None:
    numbers = tuple(ROWS.ravel().tolist())
    decoder, data = FORMATS[name].decoder(Options()), page(b"MBHG", numbers, 4)
    frame = decoder.decode(data)
    assert len(data) == 936
    assert frame is not None and frame.row == () and frame.request is Request.DRIVE
    assert frame.generators == tuple(map(tuple, ROWS.tolist()))
    assert encoded(frame, FORMATS[name].kind) == data
    assert_only_whole(decoder, data)


@pytest.mark.parametrize(("place", "value"), [(0, 2.0), (4, 1e9), (2, 0.5)])
def test_generators_that_nobody_could_set_are_no_frame(place: int, value: float) -> None:
    numbers = ROWS.ravel().copy()
    numbers[place] = value
    assert FORMATS["motionbase"].decoder(Options()).decode(page(b"MBHG", tuple(numbers.tolist()))) is None


@pytest.mark.parametrize("value", NOT_FINITE)
def test_numbers_that_are_not_finite_are_no_frame(value: float) -> None:
    for name, (magic, numbers, _) in FRAMES.items():
        decoder = FORMATS[name].decoder(Options())
        for k in range(len(numbers)):
            assert decoder.decode(page(magic, (*numbers[:k], value, *numbers[k + 1 :]))) is None
        stamped = bytearray(page(magic, numbers))
        stamped[24:32] = struct.pack("<d", value)
        assert decoder.decode(bytes(stamped)) is None


@pytest.mark.parametrize(
    ("at", "form", "value"),
    [(0, "4s", b"MBHX"), (4, "H", 2), (6, "H", 13), (32, "I", 10), (32, "I", 2**32 - 1), (36, "I", 1)],
)
def test_other_heads_are_no_frame(at: int, form: str, value: object) -> None:
    data = bytearray(page(b"MBHP", POSE))
    struct.pack_into(f"<{form}", data, at, value)
    assert FORMATS["motionbase"].decoder(Options()).decode(bytes(data)) is None


@settings(max_examples=often(300))
@given(
    row=st.lists(WHOLE, min_size=18, max_size=18).map(tuple), sequence=NUMBER, run=NUMBER, stamp=WHOLE,
    request=st.one_of(st.none(), st.sampled_from(Request).filter(lambda kind: kind <= Request.RESET_FAULT)),
)  # fmt: skip
def test_what_is_encoded_is_decoded(
    row: tuple[float, ...], sequence: int, run: int, stamp: float, request: Request | None
) -> None:
    frame = Frame(row, sequence, stamp, run, request)
    assert FORMATS["motionbase"].decoder(Options()).decode(encoded(frame, Kind.POSE)) == frame


def test_a_vehicle_may_tell_what_comes() -> None:
    """One packet of Ethernet at most; without it a frame is as it is."""
    decoder, whole = FORMATS["motionbase-vehicle"].decoder(Options()), with_preview(PREVIEW)
    assert len(whole) == 144 + 8 + 56 * 23 <= 1500 - 40 - 8
    for rows in (PREVIEW, PREVIEW[:1]):
        data, wanted = with_preview(rows), Frame(VEHICLE, 5, 1.5, 77, preview=rows)
        assert decoder.decode(data) == wanted and encoded(wanted, Kind.VEHICLE) == data
        cuts = [decoder.decode(data[:k]) for k in range(len(data))]
        assert [k for k, frame in enumerate(cuts) if frame is not None] == [144]  # all of a frame without it
        assert [more for more in (b"\0", bytes(56), data, bytes(60_000)) if decoder.decode(data + more)] == []


ROW = PREVIEW[0]


@pytest.mark.parametrize(
    "data",
    [
        with_preview(()),
        with_preview(PREVIEW, zero=1),
        with_preview(PREVIEW, count=22),
        with_preview(PREVIEW, count=2**32 - 1),
        with_preview((*PREVIEW, (2.0, *ROW[1:]))),
        with_preview((ROW, ROW)),
        with_preview(((0.0, *ROW[1:]),)),
        with_preview(((-1.0, *ROW[1:]),)),
        with_preview(((11.0, *ROW[1:]),)),
        page(b"MBHP", POSE) + with_preview(PREVIEW)[144:],
        page(b"MBHG", tuple(ROWS.ravel().tolist())) + with_preview(PREVIEW)[144:],
    ],
    ids=["no rows", "not 0", "fewer", "very many", "24 rows", "twice", "now", "before", "far", "pose", "generators"],
)
def test_other_previews_are_no_frame(data: bytes) -> None:
    for form in FRAMES:
        assert FORMATS[form].decoder(Options()).decode(data) is None


@pytest.mark.parametrize("value", [*NOT_FINITE, 1e5, -1e300])
def test_previews_that_are_no_motion_are_no_frame(value: float) -> None:
    decoder = FORMATS["motionbase-vehicle"].decoder(Options())
    for place in range(7):
        row = (*ROW[:place], value, *ROW[place + 1 :])
        assert decoder.decode(with_preview((row, *PREVIEW[1:]))) is None


@settings(max_examples=often(300))
@given(
    data=st.binary(max_size=1000),
    head=st.sampled_from(HEADS),
)
def test_random_bytes_raise_nothing(data: bytes, head: bytes) -> None:
    for name in FRAMES:
        frame = FORMATS[name].decoder(Options()).decode(head + data)
        assert frame is None or all(map(math.isfinite, frame.row))


def test_the_answer_is_what_the_page_says() -> None:
    decoder = FORMATS["motionbase"].decoder(Options())
    data = decoder.answer(Frame(POSE, 5, 1.5, 77), STATUS)
    head = struct.pack("<4sHHQQdQdIIII", b"MBHA", 1, 12, 77, 5, 1.5, STATUS.tick, STATUS.t, 5, 0, 3, 0)
    assert data == head + struct.pack("<12d", *STATUS.pose, *STATUS.velocity)
    assert data is not None and len(data) == 160
    assert answer_of(data) == (77, 5, 1.5, STATUS)
    assert [bad for bad in (data[:-1], data + b"\0", b"MBHP" + data[4:], b"") if answer_of(bad)] == []
