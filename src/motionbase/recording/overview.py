"""Finds or builds a recording's pyramid: beside the file or, if that folder is read only, in the user's cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np

from motionbase import private
from motionbase.arrays import Array
from motionbase.errors import RecordingError
from motionbase.record.schema import Schema
from motionbase.recording.pyramid import Pyramid
from motionbase.recording.pyramid_write import PyramidWriter
from motionbase.recording.sources.mcap import McapSource
from motionbase.recording.whole import sweep
from motionbase.ring.parts import parts

Progress: TypeAlias = Callable[[int, int], None]
RUN = 32  # chunks read as one piece


def pyramid_paths(path: Path) -> tuple[Path, Path]:
    """Paths beside the recording and in the cache (`$XDG_CACHE_HOME` or `~/.cache`), by the recording's full path."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return path.with_name(f"{path.name}.pyramid"), cache / "motionbase" / "pyramids" / f"{key}.pyramid"


def stamp_of(path: Path, count: int, schema: Schema) -> str:
    """Stamp that ties a pyramid to one state of one file."""
    state = path.stat()
    return f"{state.st_size} {state.st_mtime_ns} {count} {schema.hash.hex()}"


def found_pyramid(path: Path, stamp: str, channels: int) -> Pyramid | None:
    """The existing pyramid of a file; None if it is missing, stale or damaged."""
    opened = (Pyramid.open(place, stamp, channels) for place in pyramid_paths(path))
    return next((pyramid for pyramid in opened if pyramid is not None), None)


def built_pyramid(
    path: Path, stamp: str, channels: int, rows: Callable[[], Iterable[Array]], count: int, progress: Progress | None
) -> Pyramid:
    """Build it from all records, (n, channels) piece by piece, or continue one that a recorder left unfinished."""
    reasons = []
    for place in pyramid_paths(path):
        try:
            if place.parent != path.parent:
                private.make_folder(place.parent)
            left = _resumed(place, path, channels, count)
            sweep(place)
            if left is None:
                _build(PyramidWriter(place, channels), stamp, rows(), count, progress)
            else:
                _build(left, stamp, _rows_after(path, left.count, channels), count, progress)
        except OSError as e:
            reasons.append(f"{str(place.parent)!r}: {e.strerror or e}")
            continue
        if (found := Pyramid.open(place, stamp, channels)) is not None:
            return found
        reasons.append(f"{str(place)!r} was changed by another process")
    raise RecordingError(f"recording {path.name!r}: its overview cannot be written ({'; '.join(reasons)})")


def _build(writer: PyramidWriter, stamp: str, rows: Iterable[Array], count: int, progress: Progress | None) -> None:
    try:
        for some in rows:
            writer.add(some)
            if progress is not None:
                progress(writer.count, count)
        writer.finish(stamp)
    except BaseException:
        with suppress(OSError):
            writer.abandon()
        raise


def _resumed(place: Path, path: Path, channels: int, count: int) -> PyramidWriter | None:
    for part in parts(place):
        found = PyramidWriter.resumed(part, place, channels, path)
        if found is not None and found.count <= count:
            return found
        if found is not None:
            found.abandon()
    return None


def _rows_after(path: Path, first: int, channels: int) -> Iterator[Array]:
    """Records of an MCAP recording from number `first` on."""
    source = McapSource(path)
    try:
        starts, places = source.starts, range(channels)
        block = max(0, int(np.searchsorted(starts, first, "right")) - 1)
        while block < len(starts) - 1:
            last = min(block + RUN, len(starts) - 1)
            yield source.read_run(block, last, places)[1][max(0, first - int(starts[block])) :]
            block = last
    finally:
        source.close()
