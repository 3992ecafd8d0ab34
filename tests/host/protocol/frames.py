"""What tests of wire formats share: a status, and everything that is not a frame."""

import math
from collections.abc import Iterator

from motionbase.host.format import Decoder, Status

STATUS = Status(
    tick=2**33 + 5, t=4.25, pose=(0.1, -0.2, 0.3, 0.01, -0.02, 0.03), velocity=(1.0, 2.0, 3.0, 0.4, 0.5, 0.6),
    state=5, fault=0, warning=3, mode=0,
)  # fmt: skip
NOT_FINITE = (math.nan, math.inf, -math.inf)


def spoilt(data: bytes) -> Iterator[bytes]:
    """Every truncation of a frame, and some longer ones."""
    yield from (data[:k] for k in range(len(data)))
    yield from (data + b"\0", data + data, data + bytes(65536 - len(data)))


def assert_only_whole(decoder: Decoder, data: bytes) -> None:
    """The frame is decoded, and nothing that is shorter or longer."""
    assert decoder.decode(data) is not None
    assert [bad for bad in spoilt(data) if decoder.decode(bad) is not None] == []
