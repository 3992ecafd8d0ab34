"""Files mapped into memory."""

from __future__ import annotations

from pathlib import Path

from motionbase.errors import RecordingError
from motionbase.native.guarded import Mapped


def mapped(path: Path) -> Mapped:
    """All bytes of a file, mapped; `RecordingError` if that fails."""
    try:
        with path.open("rb") as file:
            return Mapped.of(file.fileno())
    except ValueError:
        raise RecordingError(f"recording {str(path)!r} is empty") from None
    except OSError as e:
        raise RecordingError(f"recording {str(path)!r} cannot be opened: {e.strerror or e}") from None


def require_whole(raw: Mapped, path: Path) -> None:
    """`RecordingError` if the file was truncated while it was mapped: what was read from it is invalid."""
    if raw.is_cut:
        raise RecordingError(
            f"recording {str(path)!r} was cut short while it was in use; open it again for what is left"
        )
