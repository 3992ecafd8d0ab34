"""Files as memory: read where they are looked at."""

from __future__ import annotations

import mmap
from pathlib import Path

from motionbase.errors import RecordingError


def mapped(path: Path) -> mmap.mmap:
    """All bytes of a file; `RecordingError` if it cannot be."""
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:
        raise RecordingError(f"recording {str(path)!r} is empty") from None
    except OSError as e:
        raise RecordingError(f"recording {str(path)!r} cannot be opened: {e.strerror or e}") from None
