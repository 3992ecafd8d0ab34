"""Recordings for tests: schemas of any shape, numbers of any kind, files of every format."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from motionbase.record.schema import Channel, Schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording

Rows = NDArray[np.float64]
EPOCH = 1_700_000_000_000_000_000  # [ns of UTC]
NOTES = (Event(0.02, "note", "begin"), Event(0.5, "note", "größer: 5 µm"))

OLD = Path(__file__).parent / "old_estop"
OLD_ESTOP = OLD / "20261115T152444.848Z_rig.estop"  # written by version 0.1, a stop in record 200 of 50 to 299


def old_numbered() -> bytes:
    """An ESTOP file of version 0.1 with records 100 to 999 of 64 channels, each of which holds the record's number."""
    return gzip.decompress((OLD / "numbered.estop.gz").read_bytes())


def all_values(path: Path) -> Rows:
    """(records, channels)"""
    with open_recording(path) as found:
        columns = found.columns()
        return np.array([columns[name] for name in found.schema.index]).T


def schema_of(channels: int = 6, groups: int = 3, seed: int = 0) -> Schema:
    """`t`, and channels whose groups take turns in an order of their own."""
    order = np.random.default_rng(seed).integers(0, groups, channels)
    rest = (
        Channel(f"x{k}", ("m", "N", "-")[k % 3], f"number {k}", f"group{order[k]}", leg=k % 6 + 1)
        for k in range(1, channels)
    )
    return Schema("test", (Channel("t", "s", "time", "time"), *rest))


def waves(schema: Schema, count: int, dt: float = 0.001, first: int = 0) -> Rows:
    """Records of a sine each, with noise, and `t`."""
    k = np.arange(first, first + count)
    rng = np.random.default_rng(first)
    out = np.sin(np.outer(k, np.arange(len(schema.channels)) * 1e-3)) + 1e-3 * rng.standard_normal((count, 1))
    out[:, 0] = k / round(1 / dt)
    return out


def bits(values: Rows) -> NDArray[np.uint64]:
    """For comparisons in which NaN equals itself and -0 does not equal 0."""
    return np.ascontiguousarray(values).view(np.uint64)


def write_mcap(
    path: Path, schema: Schema, rows: Rows, chunk: int = 100, events: tuple[Event, ...] = NOTES, epoch: int = EPOCH
) -> Path:
    """A whole recording."""
    with McapWriter(path, schema, {"epoch_utc_ns": str(epoch), "ring": "test"}) as writer:
        for at in range(0, len(rows), chunk):
            part = rows[at : at + chunk]
            writer.write_rows(part, at, log_times(epoch, part[:, 0]))
        writer.write_events(events, [epoch + round(e.t * 1e9) for e in events])
    return path
