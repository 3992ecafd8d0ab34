"""Limits of exports by pages without the operator's seat.

Viewers may export recordings, within limits that protect the recorder's disk and the operator: one job per page and
two in all, a largest size, and only the newest files are kept.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from motionbase.console.api.sentences import TooLarge, WrongState
from motionbase.console.models import Export

FOLDER = "viewers"  # folder inside that of recordings
LARGEST = 1 << 30  # size of one export [bytes]
KEPT = 4 << 30  # size of all files kept, besides the one being written [bytes]
LEFT_FREE = 4 << 30  # free space kept for the recorder [bytes]
MOST_PIECES = 500
BYTES = {"csv": 20.0, "mcap": 9.0, "parquet": 9.0, "pdf": 2.0}  # bytes per number, at most


def check_size(wanted: Export, records: int, channels: int, seconds: float) -> None:
    """Refuse an export that is too large or has too many pieces."""
    size = records * (channels + 1) * BYTES[wanted.format]
    if size > LARGEST:
        raise TooLarge(
            f"{records} records of {channels} channels make about {size / 1e9:.1f} GB; without the operator's seat "
            f"{LARGEST / 1e9:.1f} GB are the most: take fewer channels or less time"
        )
    per_piece = wanted.piece_seconds
    pieces = records / wanted.piece_records if wanted.piece_records else seconds / per_piece if per_piece else 1.0
    if pieces > MOST_PIECES:
        raise TooLarge(
            f"that would be {pieces:.0f} files; without the operator's seat {MOST_PIECES} are the most: larger pieces "
            "are fewer"
        )


def made_room(recordings: Path) -> Path:
    """The folder for such files, after removing the oldest; refused if the free space is kept for the recorder."""
    folder = recordings / FOLDER
    if shutil.disk_usage(recordings).free < LEFT_FREE + LARGEST:
        raise WrongState(
            f"the disk of the recordings has less than {(LEFT_FREE + LARGEST) / 1e9:.1f} GB left, which stay for the "
            "recorder; download the recording instead"
        )
    kept = sorted(folder.glob("[!.]*"), key=_changed, reverse=True) if folder.is_dir() else []
    total = 0
    for path in kept:
        total += _size(path)
        if total > KEPT:
            _remove(path)
    return folder


def _changed(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _size(path: Path) -> int:
    with suppress(OSError):
        return sum(p.stat().st_size for p in (path.rglob("*") if path.is_dir() else (path,)) if p.is_file())
    return 0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink()
