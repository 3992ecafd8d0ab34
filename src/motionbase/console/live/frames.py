"""Binary frames: a JSON header, padded so that the numbers after it are aligned, and columns of float64."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.console.live.history import Window
from motionbase.errors import MotionBaseError

ALIGNED = 8
LARGEST_HEADER = 1 << 20


class Frame(NamedTuple):
    """A decoded frame: the header and all numbers in order."""

    header: dict[str, Any]
    numbers: Array

    def columns(self) -> dict[str, Array]:
        """The columns: newest, t, and (channels, count) least and most, which are equal if b is 1."""
        channels, count = len(self.header["channels"]), int(self.header["count"])
        at, found = 0, {}
        exact = self.header["kind"] == "window" and self.header["bucket"] == 1
        for name, size in (("newest", int(self.header.get("width", 0))), ("t", count)):
            found[name] = self.numbers[at : at + size]
            at += size
        pairs = self.numbers[at:].reshape(channels, 1 if exact else 2, count)
        return {**found, "least": pairs[:, 0], "most": pairs[:, -1]}


def head(header: dict[str, Any]) -> bytes:
    """Length and header, padded to a multiple of eight bytes."""
    text = json.dumps(header, separators=(",", ":"), allow_nan=False).encode()
    padded = text + b" " * (-(4 + len(text)) % ALIGNED)
    return len(padded).to_bytes(4, "little") + padded


def body(*columns: Array) -> bytes:
    """The numbers as bytes, in order."""
    return b"".join(np.ascontiguousarray(column, "<f8").tobytes() for column in columns)


def paired(least: Array, most: Array) -> Array:
    """(channels, 2, count): least, then largest, of each channel."""
    return np.stack((least, most), axis=1)


def window_frame(number: int, generation: int, channels: Sequence[int], asked: tuple[float, float],
                 window: Window) -> bytes:  # fmt: skip
    """The frame that answers a request for a stretch of time."""
    header = {
        "kind": "window", "id": number, "generation": generation, "bucket": window.size, "count": len(window.t),
        "channels": list(channels), "from": asked[0], "to": asked[1], "first_t": _or_none(window.first_t),
        "last_t": _or_none(window.last_t),
    }  # fmt: skip
    columns = window.least if window.size == 1 else paired(window.least, window.most)
    return head(header) + body(window.t, columns)


def decode(frame: bytes) -> Frame:
    """Decode a frame; refuses anything else."""
    length = int.from_bytes(frame[:4], "little")
    if len(frame) < 4 or length > LARGEST_HEADER or (4 + length) % ALIGNED or 4 + length > len(frame):
        raise MotionBaseError(f"frame of {len(frame)} bytes: its header is said to have {length}")
    try:
        header = json.loads(frame[4 : 4 + length])
    except ValueError as error:
        raise MotionBaseError(f"frame of {len(frame)} bytes: its header is not JSON: {error}") from None
    if not isinstance(header, dict) or (len(frame) - 4 - length) % ALIGNED:
        raise MotionBaseError(f"frame of {len(frame)} bytes is not a header and whole numbers")
    return Frame(header, np.frombuffer(frame, "<f8", offset=4 + length))


def _or_none(value: float) -> float | None:
    return value if np.isfinite(value) else None
