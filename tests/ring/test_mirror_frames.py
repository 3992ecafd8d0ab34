"""The mirror's frames: round trips are exact to the bit, and everything else is refused."""

import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from motionbase.errors import MirrorError
from motionbase.record.schema import Channel, Schema
from motionbase.ring.layout import Layout
from motionbase.ring.mirror.frames import (
    CRC,
    LARGEST_HELLO,
    MAGIC,
    START,
    VERSION,
    Begin,
    Frame,
    Hello,
    Kind,
    Records,
    Ring,
    State,
    encoded,
    read_frame,
    refused,
    sentence_of,
)
from motionbase.ring.reader import ReaderState

NUMBER = st.integers(0, 2**64 - 1)
SCHEMA = Schema("pair", (Channel("t", "s", "time", "time"), Channel("x", "m", "Länge", "time")))
ROWS = np.array([[0.0, 1.0], [np.nan, np.inf], [-0.0, 5e-324]])
WHOLE = [
    Hello(Begin.RESUME, 12, 34).encoded(),
    Ring(Layout(SCHEMA, 100, 0.0005, 20, "[platform]"), 2, -3, 4, "dcu").encoded(),
    Records(7, 3, ROWS).encoded(),
    State(ReaderState.LIVE, 9).encoded(),
    refused("it is full"),
]


class Ended(Exception):
    """The bytes are used up: a connection that closes here."""


def read(data: bytes, largest: int = 1 << 20) -> Frame:
    stream = io.BytesIO(data)

    def receive(count: int) -> bytes:
        part = stream.read(count)
        if len(part) < count:
            raise Ended
        return part

    return read_frame(receive, largest)


def decoded(frame: Frame) -> object:
    """As the one that gets it would; the records have two channels."""
    match frame.kind:
        case Kind.HELLO:
            return Hello.decoded(frame.payload)
        case Kind.RING:
            return Ring.decoded(frame.payload)
        case Kind.RECORDS:
            return Records.decoded(frame.payload, 2)
        case Kind.STATE:
            return State.decoded(frame.payload)
    return sentence_of(frame.payload)


@given(begin=st.sampled_from(Begin), epoch=NUMBER, following=NUMBER)
def test_hello_comes_back(begin: Begin, epoch: int, following: int) -> None:
    hello = Hello(begin, epoch, following)
    assert decoded(read(hello.encoded(), LARGEST_HELLO)) == hello


def test_a_ring_comes_back_with_its_schema_platform_and_time_base() -> None:
    ring = Ring(
        Layout(SCHEMA, 100, 0.0005, 20, "[platform]\nname = 'Größe'", world='{"kind": "böat"}'), 2, -3, 4, "dcu"
    )
    assert decoded(read(ring.encoded())) == ring


@given(
    first=NUMBER,
    lost=NUMBER,
    rows=hnp.arrays(np.float64, st.tuples(st.integers(0, 6), st.just(2)), elements=st.floats(allow_nan=True)),
)
def test_records_come_back_to_the_bit(
    first: int, lost: int, rows: np.ndarray[tuple[int, int], np.dtype[np.float64]]
) -> None:
    back = decoded(read(Records(first, lost, rows).encoded()))
    assert isinstance(back, Records) and (back.first, back.lost) == (first, lost)
    assert back.rows.tobytes() == rows.tobytes() and back.rows.shape == rows.shape


@pytest.mark.parametrize("state", ReaderState)
def test_a_state_comes_back(state: ReaderState) -> None:
    assert decoded(read(State(state, 5).encoded())) == State(state, 5)


def test_a_refusal_is_one_printable_line() -> None:
    assert decoded(read(refused("no\n\x1b[2Jmore"))) == "no  [2Jmore"
    assert len(str(decoded(read(refused("x" * 5000))))) == 1000


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (b"GET / HTTP/1.1\r\n", "does not speak the mirror's protocol: it began with b'GET '"),
        (START.pack(MAGIC, 9, 4, 0, 0), "speaks version 9 of the mirror's protocol, this program 2"),
        (START.pack(MAGIC, VERSION, 77, 0, 0), "unknown kind 77"),
        (START.pack(MAGIC, VERSION, 4, 1, 0), "unknown kind 4"),
        (START.pack(MAGIC, VERSION, 3, 0, 2**32 - 1), "a frame RECORDS of 4294967295 bytes came, 1048576 at most"),
        (START.pack(MAGIC, VERSION, 4, 0, 0) + CRC.pack(1), "wrong checksum"),
    ],
)
def test_a_malformed_frame_is_one_sentence(frame: bytes, said: str) -> None:
    """A length is checked before more is received: each frame ends where the error must come."""
    with pytest.raises(MirrorError) as error:
        read(frame)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("kind", "payload", "said"),
    [
        (Kind.HELLO, Hello.FORM.pack(3, 0, 0), "asked to begin at 3, it must be 0 to 2"),
        (Kind.HELLO, b"", "a frame HELLO has 0 bytes, 17 are wanted"),
        (Kind.STATE, State.FORM.pack(99, 0), "says state 99"),
        (Kind.RECORDS, Records.FORM.pack(0, 0, 2) + bytes(24), "24 bytes of rows, 2 of 2 channels are announced"),
        (Kind.RECORDS, Records.FORM.pack(0, 0, 2**32 - 1), "0 bytes of rows, 4294967295 of 2 channels are announced"),
        (Kind.RECORDS, b"short", "a frame RECORDS has 5 bytes"),
        (Kind.RING, Ring.FORM.pack(0, 0, 0, 0.01, 1, 100, 0, 9, 0, 0) + b"short", "5 bytes of text, it says 9"),
        (Kind.RING, Ring.FORM.pack(0, 0, 0, 0.01, 1, 100, 1, 0, 0, 0) + b"\xff", "a frame RING is not well formed"),
        (Kind.RING, Ring.FORM.pack(0, 0, 0, 0.01, 1, 100, 0, 2, 0, 0) + b"{}", "a frame RING is not well formed"),
        (
            Kind.RING,
            Ring.FORM.pack(0, 0, 0, float("nan"), 1, 100, 0, len(SCHEMA.json), 0, 0) + SCHEMA.json.encode(),
            "dt is nan s",
        ),
    ],
)
def test_a_payload_that_is_wrong_inside_is_one_sentence(kind: Kind, payload: bytes, said: str) -> None:
    with pytest.raises(MirrorError) as error:
        decoded(read(encoded(kind, payload)))
    assert said in str(error.value)


@given(st.binary(max_size=200))
def test_noise_is_refused_or_incomplete(noise: bytes) -> None:
    with pytest.raises((MirrorError, Ended)):
        read(noise)


@given(kind=st.sampled_from(Kind), payload=st.binary(max_size=120))
def test_any_payload_is_decoded_or_refused(kind: Kind, payload: bytes) -> None:
    """With a right checksum, as a hostile peer would send it."""
    try:
        decoded(read(encoded(kind, payload)))
    except MirrorError:
        pass


@given(
    head=st.tuples(NUMBER, st.integers(-(2**63), 2**63 - 1), NUMBER, st.floats(), NUMBER, NUMBER),
    sizes=st.tuples(
        st.integers(0, 2**16 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)
    ),
    text=st.sampled_from([b"", SCHEMA.json.encode(), b"\xff" * 9, b'{"name":"a","channels":[]}', b"[" * 500]),
    honest=st.booleans(),
)
def test_any_ring_is_decoded_or_refused(
    head: tuple[int, int, int, float, int, int], sizes: tuple[int, int, int, int], text: bytes, honest: bool
) -> None:
    lengths = (0, len(text), 0, 0) if honest else sizes
    try:
        decoded(read(encoded(Kind.RING, Ring.FORM.pack(*head, *lengths) + text)))
    except MirrorError:
        pass


@given(which=st.integers(0, len(WHOLE) - 1), at=st.integers(min_value=0), flip=st.integers(1, 255))
def test_no_changed_byte_passes(which: int, at: int, flip: int) -> None:
    """The checksum covers everything: one wrong byte anywhere, and the frame is refused or never whole."""
    frame = bytearray(WHOLE[which])
    frame[at % len(frame)] ^= flip
    with pytest.raises((MirrorError, Ended)):
        read(bytes(frame))


def test_the_checksum_is_the_usual_one() -> None:
    """So that others can write a client: CRC-32 as in zip files, over the start and the payload."""
    frame = encoded(Kind.STATE, b"abc")
    assert struct.unpack_from("<I", frame, 12)[0] == zlib.crc32(frame[:12] + b"abc")
