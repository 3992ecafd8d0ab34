"""The last record of a recording, found from its end, so that a long unfinished file need not be searched through."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import NamedTuple

import numpy as np

from motionbase.errors import RecordingError, SchemaError
from motionbase.record.schema import Schema
from motionbase.recording.mapping import mapped
from motionbase.recording.mcap.chunks import BEFORE_BYTES, CHUNK, CHUNK_FIELDS, MARK, chunk_at, indexed, unpacked
from motionbase.recording.mcap.read import beginning
from motionbase.recording.mcap.records import HEAD, MAGIC, Cut, Op
from motionbase.recording.mcap.rows import RowLayout

MOST_TRIES = 10_000  # offsets tried, from the end backwards, that look like a chunk


class Tail(NamedTuple):
    """How a recording ends.

    Attributes:
        about: metadata of the file
        sequence: number of the last record since the writer's epoch, modulo 2^32; None if there are no records
        utc_ns: of the last record; t: its first channel [s]
        ended: whether the file has its index, so that its writer was not killed
    """

    about: dict[str, str]
    sequence: int | None
    utc_ns: int
    t: float
    ended: bool


def tail(path: Path) -> Tail | None:
    """How a recording ends; None if it is not one of ours, or its beginning is damaged."""
    try:
        raw = mapped(path)
    except RecordingError:
        return None
    with raw:
        about, first = beginning(raw) if raw[: len(MAGIC)] == MAGIC else (None, 0)
        if about is None:
            return None
        try:
            layout = RowLayout(Schema.from_json(about["schema"]))
        except (KeyError, SchemaError):
            return None
        index = indexed(raw)
        found = _last_indexed(raw, index, layout) if index is not None else _last_searched(raw, first, layout)
    if found is None:
        return Tail(about, None, 0, 0.0, index is not None)
    return Tail(about, *found, index is not None)


def _last_indexed(raw: mmap.mmap, index: np.ndarray, layout: RowLayout) -> tuple[int, int, float] | None:
    for chunk in index[index["channel"] != layout.event_channel][::-1]:
        try:
            return _last_row(raw, chunk, layout)
        except Cut:
            continue
    return None


def _last_searched(raw: mmap.mmap, first: int, layout: RowLayout) -> tuple[int, int, float] | None:
    """The last complete chunk, searched backwards; an unfinished one is skipped."""
    at = len(raw)
    for _ in range(MOST_TRIES):
        mark = raw.rfind(MARK, first, at)
        if mark < 0:
            return None
        at, begin = mark, mark - CHUNK_FIELDS.size - HEAD.size
        if begin < first or raw[begin] != Op.CHUNK:
            continue
        try:
            length = HEAD.unpack_from(raw, begin)[1]
            if length < BEFORE_BYTES - HEAD.size or begin + HEAD.size + length > len(raw):
                continue
            chunk = np.array([chunk_at(raw, begin, length, layout)], CHUNK)[0]
            if chunk["channel"] != layout.event_channel:
                return _last_row(raw, chunk, layout)
        except Cut:
            continue
    return None


def _last_row(raw: mmap.mmap, chunk: np.void, layout: RowLayout) -> tuple[int, int, float]:
    last = layout.decode(unpacked(raw, chunk))[-1]
    t = np.empty((1, 1))
    layout.columns(last[None], [0], t)
    return int(last["group0"]["sequence"]), int(last["group0"]["log_time"]), float(t[0, 0])
