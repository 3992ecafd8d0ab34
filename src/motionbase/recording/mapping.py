"""Files as memory: read where they are looked at."""

from __future__ import annotations

from pathlib import Path

from motionbase.errors import RecordingError
from motionbase.native.guarded import Mapped


def mapped(path: Path) -> Mapped:
    """All bytes of a file; `RecordingError` if it cannot be."""
    try:
        with path.open("rb") as file:
            return Mapped.of(file.fileno())
    except ValueError:
        raise RecordingError(f"recording {str(path)!r} is empty") from None
    except OSError as e:
        raise RecordingError(f"recording {str(path)!r} cannot be opened: {e.strerror or e}") from None


def require_whole(raw: Mapped, path: Path) -> None:
    """`RecordingError` where the file was cut short while it was read: what was read of it is worth nothing."""
    if raw.is_cut:
        raise RecordingError(
            f"recording {str(path)!r} was cut short while it was in use; open it again for what is left"
        )
