"""Finds a recording's pyramid, or builds it: beside the file or, where nobody may write there, in the user's cache."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from motionbase.errors import RecordingError
from motionbase.recording.pyramid import Pyramid, PyramidWriter
from motionbase.recording.whole import sweep

Array: TypeAlias = NDArray[np.float64]
Progress: TypeAlias = Callable[[int, int], None]


def pyramid_paths(path: Path) -> tuple[Path, Path]:
    """Beside the recording, and in the cache: `$XDG_CACHE_HOME` or `~/.cache`, by the recording's full name."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return path.with_name(f"{path.name}.pyramid"), cache / "motionbase" / "pyramids" / f"{key}.pyramid"


def found_pyramid(path: Path, stamp: str, channels: int) -> Pyramid | None:
    """As it lies somewhere; None if it is missing, stale or damaged."""
    opened = (Pyramid.open(place, stamp, channels) for place in pyramid_paths(path))
    return next((pyramid for pyramid in opened if pyramid is not None), None)


def built_pyramid(
    path: Path, stamp: str, channels: int, rows: Callable[[], Iterable[Array]], count: int, progress: Progress | None
) -> Pyramid:
    """From all records, (n, channels) piece by piece."""
    reasons = []
    for place in pyramid_paths(path):
        try:
            if place.parent != path.parent:
                place.parent.mkdir(parents=True, exist_ok=True)
            _build(place, stamp, channels, rows(), count, progress)
        except OSError as e:
            reasons.append(f"{str(place.parent)!r}: {e.strerror or e}")
            continue
        if (found := Pyramid.open(place, stamp, channels)) is not None:
            return found
        reasons.append(f"{str(place)!r} was changed by somebody else")
    raise RecordingError(f"recording {path.name!r}: its overview cannot be written ({'; '.join(reasons)})")


def _build(
    place: Path, stamp: str, channels: int, rows: Iterable[Array], count: int, progress: Progress | None
) -> None:
    sweep(place)
    writer = PyramidWriter(place, channels)
    try:
        done = 0
        for some in rows:
            writer.add(some)
            done += len(some)
            if progress is not None:
                progress(done, count)
        writer.finish(stamp)
    except BaseException:
        with suppress(OSError):
            writer.abandon()
        raise
