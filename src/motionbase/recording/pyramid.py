"""The pyramid: least and largest values of every channel over bins of growing length, in a file beside the recording.

Bins of level k cover BASE * FACTOR^k records. A level is divided into blocks of bins; within a block the bins of a
channel are contiguous, so a picture of one channel reads little, and blocks can be written while records arrive. Values
are float32, rounded outwards: a spike never disappears, and grows by less than a pixel.

    magic | origin | blocks | table: JSON | length (u64) and CRC-32 of the table | magic

A block is float32 (channels, bins, 2) and the CRC-32 of each channel's part. The origin, if there is one, lets another
process continue an unfinished file; see pyramid_write.py.
"""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import numpy as np

from motionbase.arrays import Array, Singles
from motionbase.errors import RecordingError
from motionbase.native.guarded import Mapped

MAGIC = b"MBPYR2\r\n"
BASE, FACTOR, LEVELS, BLOCK = 32, 8, 6, 4096
TAIL = struct.Struct("<QI8s")


class Damaged(ValueError):
    """A part of a pyramid has a wrong checksum."""


def outwards(least: Array, most: Array) -> Singles:
    """(..., 2) bounds in float32 that enclose the given ones; NaN stays NaN."""
    with np.errstate(all="ignore"):  # numbers beyond float32 are meant to become its largest and infinity
        out = np.stack([least, most], axis=-1).astype(np.float32)
        low, high = out[..., 0], out[..., 1]
        out[..., 0] = np.where(low > least, np.nextafter(low, np.float32(-np.inf)), low)
        out[..., 1] = np.where(high < most, np.nextafter(high, np.float32(np.inf)), high)
    return out


def joined(bins: Singles, by: int) -> Singles:
    """(channels, n, 2) to (channels, ceil(n / by), 2): merge each `by` bins; NaN counts only if there is no number."""
    n = bins.shape[1]
    starts = np.arange(0, n, by)
    least = np.fmin.reduceat(bins[..., 0], starts, axis=1)
    most = np.fmax.reduceat(bins[..., 1], starts, axis=1)
    return np.stack([least, most], axis=-1)


@final
@dataclass(frozen=True, eq=False)
class Pyramid:
    """An open pyramid.

    Attributes:
        count: records in it
    """

    count: int
    channels: int
    blocks: list[list[tuple[int, int]]] = field(repr=False)
    _raw: Mapped = field(repr=False)

    @staticmethod
    def open(path: Path, stamp: str, channels: int) -> Pyramid | None:
        """None if it is missing, damaged, or belongs to something else."""
        try:
            with path.open("rb") as file:
                raw = Mapped.of(file.fileno())  # truncation shows in the checksums
            length, crc, magic = TAIL.unpack(raw[-TAIL.size :])
            if raw[: len(MAGIC)] != MAGIC or magic != MAGIC or length > len(raw) - TAIL.size - len(MAGIC):
                return None
            text = raw[len(raw) - TAIL.size - length : len(raw) - TAIL.size]
            table = json.loads(text)
            if zlib.crc32(text) != crc or table["stamp"] != stamp or table["channels"] != channels:
                return None
            blocks = [[(int(at), int(bins)) for at, bins in level] for level in table["blocks"]]
            found = Pyramid(int(table["count"]), channels, blocks, raw)
            return found if found._is_sound() else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError, struct.error):
            return None

    def _is_sound(self) -> bool:
        """Whether every block is in the file and every level has all its bins."""
        if self.count < 0 or len(self.blocks) != LEVELS:
            return False
        for level, blocks in enumerate(self.blocks):
            wanted = -(-self.count // (BASE * FACTOR**level))
            if [bins for _, bins in blocks] != [min(BLOCK, wanted - k) for k in range(0, wanted, BLOCK)]:
                return False
            last = len(self._raw) - TAIL.size
            if any(at < len(MAGIC) or at + self.channels * (8 * bins + 4) > last for at, bins in blocks):
                return False
        return True

    def bins(self, place: int, level: int, first: int, last: int) -> Singles:
        """(last - first, 2) least and largest values of a channel in bins of a level; `Damaged` on a wrong checksum."""
        if not 0 <= place < self.channels:
            raise RecordingError(f"pyramid: channel {place} is not one of {self.channels}")
        parts = []
        for k in range(first // BLOCK, -(-last // BLOCK)):
            at, bins = self.blocks[level][k]
            low, high = max(first - k * BLOCK, 0), min(last - k * BLOCK, bins)
            whole = np.frombuffer(self._raw, np.float32, 2 * bins, at + 8 * place * bins).reshape(-1, 2)
            (crc,) = struct.unpack_from("<I", self._raw, at + self.channels * 8 * bins + 4 * place)
            if zlib.crc32(whole.data) != crc:
                raise Damaged(f"channel {place}, level {level}, block {k}")
            parts.append(whole[low:high].copy())
        return np.concatenate(parts) if parts else np.empty((0, 2), np.float32)

    def close(self) -> None:
        """Close the file."""
        with suppress(BufferError):  # still in use; unmapped with the last view
            self._raw.close()


def level_for(records: int, pixels: int) -> int | None:
    """The coarsest level with at least one bin per pixel; None if records must be read."""
    level = None
    for k in range(LEVELS):
        if BASE * FACTOR**k * pixels <= records:
            level = k
    return level
