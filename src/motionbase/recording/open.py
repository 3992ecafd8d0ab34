"""Opens recordings of any format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from motionbase.errors import RecordingError
from motionbase.recording.recording import Recording
from motionbase.recording.source import Source

ENDINGS = (".mcap", ".csv", ".parquet", ".estop")
BEGINNINGS = ((b"\x89MCAP0\r\n", ".mcap"), (b"PAR1", ".parquet"), (b"MBSNAP", ".estop"))


def open_recording(path: Path | str) -> Recording:
    """Open a recording; the format is found by its first bytes, else by its ending."""
    path = Path(path)
    if path.is_dir():
        raise RecordingError(f"recording {str(path)!r} is a folder; give the name of a file in it")
    if not path.exists():
        raise RecordingError(f"recording {str(path)!r} does not exist")
    if not path.is_file():
        raise RecordingError(f"recording {str(path)!r} is no file, but something like a pipe or a device")
    return Recording(_opener(_form(path))(path))


def _form(path: Path) -> str:
    try:
        with path.open("rb") as file:
            begin = file.read(4096)
    except OSError as e:
        raise RecordingError(f"recording {str(path)!r} cannot be opened: {e.strerror or e}") from None
    if not begin:
        raise RecordingError(f"recording {str(path)!r} is empty")
    for magic, ending in BEGINNINGS:
        if begin.startswith(magic):
            return ending
    if path.suffix.lower() in ENDINGS:
        return path.suffix.lower()
    first = begin.split(b"\n", 1)[0].lstrip(b"\xef\xbb\xbf").lower()
    if first.partition(b",")[0].partition(b"[")[0].strip().strip(b'"') in (b"t", b"time"):
        return ".csv"
    raise RecordingError(f"recording {str(path)!r} is no file of records; they end in {', '.join(ENDINGS)}")


def _opener(form: str) -> Callable[[Path], Source]:
    """The opener of a format, imported late because pyarrow is slow to import."""
    if form == ".mcap":
        from motionbase.recording.sources.mcap import McapSource

        return McapSource
    if form == ".estop":
        from motionbase.recording.sources.estop import EstopSource

        return EstopSource
    if form == ".parquet":
        from motionbase.recording.sources.parquet import ParquetSource

        return ParquetSource
    from motionbase.recording.sources.csv import CsvSource

    return CsvSource
