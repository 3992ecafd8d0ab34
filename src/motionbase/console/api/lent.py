"""What pages without the operator's seat may have written of stored recordings: files of their own, and not too many.

Whoever looks may take recordings apart. What that costs is bounded, so that neither the recorder's disk nor who
operates notices: one job for each page and two in all, so many bytes each, and of what was written the newest stays.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from motionbase.console.api.sentences import TooLarge, WrongState
from motionbase.console.models import Export

FOLDER = "viewers"  # in the folder of recordings
LARGEST = 1 << 30  # bytes of one export
KEPT = 4 << 30  # bytes that stay, beside what is being written
LEFT_FREE = 4 << 30  # bytes of the disk that are the recorder's
MOST_PIECES = 500
BYTES = {"csv": 20.0, "mcap": 9.0, "parquet": 9.0, "pdf": 2.0}  # a number, at most


def check_size(wanted: Export, records: int, channels: int, seconds: float) -> None:
    """Refuse what would be too large, or in too many pieces."""
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
    """The folder for such files, of which the oldest have gone; refused where the disk is the recorder's."""
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
