"""The columns of a Parquet file, row group by row group; a damaged one does not affect the others."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from motionbase.arrays import Array
from motionbase.errors import RecordingError, UsageError
from motionbase.recording.source import Damage

LARGEST_VARIABLE = "MOTIONBASE_LARGEST_BLOCK"
LARGEST = 3 << 29  # [bytes] of the numbers of a row group, 1.5 GiB: pyarrow's default of 2^20 records with 178 channels
LEAST_COLUMNS = 12  # a single column needs several times its memory while it is read
MOST_RECORDS = 1 << 32  # 50 days at 1 kHz
AT_ONCE = 1 << 22  # numbers read together, which briefly need twice their memory
NAMED = 5  # columns named in a message; others are counted
UNREADABLE = (pa.ArrowException, OSError, ValueError, KeyError, MemoryError)


@final
class RowGroups:
    """An open file.

    Attributes:
        fields: the columns, as Arrow describes them
        said: the file's metadata
        starts: (row groups + 1,) number of the first record of each, then the record count
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # pyarrow's reader is not thread-safe
        self._lost: dict[int, dict[str, str]] = {}  # reasons by row group and column
        try:
            # not mapped: truncation of a mapped file would kill the process
            self._file: Any = pq.ParquetFile(path, page_checksum_verification=True)
            self.fields: Any = self._file.schema_arrow
            self.said = {k.decode(): v.decode() for k, v in (self._file.metadata.metadata or {}).items()}
            counts = _counted(path, self._file.metadata)
        except (pa.ArrowException, OSError, ValueError) as e:
            raise RecordingError(f"recording {str(path)!r} cannot be read as Parquet: {_line(e)}") from None
        self.starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def read(self, block: int, names: Sequence[str]) -> Array:
        """(names, records) of a row group, read together or, if that fails, one by one; NaN for a damaged column."""
        count = int(self.starts[block + 1] - self.starts[block])
        try:
            out = np.empty((len(names), count))
        except (MemoryError, ValueError):
            raise RecordingError(
                f"recording {str(self._path)!r}: there is no memory for the {count} records of a row group"
            ) from None
        at_once = max(1, AT_ONCE // max(1, count))
        wanted = list(dict.fromkeys(names))
        for k in range(0, len(wanted), at_once):
            found = self._found(block, wanted[k : k + at_once], count)
            for place, name in enumerate(names):
                if name in found:
                    out[place] = found[name]
        return out

    def _found(self, block: int, names: Sequence[str], count: int) -> dict[str, Array | float]:
        """Some columns; NaN for a damaged one."""
        lost = self._lost.get(block, {})
        wanted = tuple(name for name in names if name not in lost)
        found: dict[str, Array | float] = dict.fromkeys(names, np.nan)
        try:
            return found | self._columns(block, wanted, count)
        except UNREADABLE:
            for name in wanted:
                try:
                    found |= self._columns(block, (name,), count)
                except UNREADABLE as e:
                    with self._lock:
                        self._lost.setdefault(block, {})[name] = _line(e)
        return found

    def _columns(self, block: int, names: tuple[str, ...], count: int) -> dict[str, Array]:
        if not names:
            return {}
        with self._lock:
            table = self._file.read_row_group(block, columns=list(names), use_threads=False)
        if table.num_rows != count:
            raise ValueError(f"{table.num_rows} records where {count} are said to be")
        return {name: table.column(name).to_numpy() for name in names}

    def is_lost(self, block: int, name: str) -> bool:
        """Whether a column could not be read."""
        return name in self._lost.get(block, ())

    @property
    def damage(self) -> list[Damage]:
        """One entry for each row group with unreadable columns."""
        with self._lock:
            return [self._told(block, columns) for block, columns in sorted(self._lost.items())]

    def _told(self, block: int, columns: dict[str, str]) -> Damage:
        first, last = int(self.starts[block]), int(self.starts[block + 1])
        names = ", ".join(repr(name) for name in list(columns)[:NAMED])
        more = f" and {len(columns) - NAMED} more" if len(columns) > NAMED else ""
        what = f"column{'s' if len(columns) > 1 else ''} {names}{more} of records {first} to {last - 1}"
        return Damage(f"{what} could not be read: {next(iter(columns.values()))}", first, last)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def largest_block() -> int:
    """Largest size of a row group's numbers [bytes]; set by `$MOTIONBASE_LARGEST_BLOCK`, such as 4G."""
    text = os.environ.get(LARGEST_VARIABLE, "")
    if not text:
        return LARGEST
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)(i?B)?", text.strip(), re.IGNORECASE)
    if found is None:
        raise UsageError(f"${LARGEST_VARIABLE} is {text!r:.40}; it must be a number of bytes, such as 4G")
    return int(found[1]) << (10 * " KMGT".index(found[2].upper() or " "))


def _counted(path: Path, about: Any) -> list[int]:
    """Records of each row group from the file's metadata; an error, before anything is read, if one is too large.

    Repeated numbers take no room in the file, but full room in memory.
    """
    largest, counts = largest_block(), []
    for k in range(about.num_row_groups):
        group = about.row_group(k)
        counts.append(rows := int(group.num_rows))
        if rows < 0:
            raise ValueError(f"a row group has {rows} records")
        packed = max((group.column(c).total_uncompressed_size for c in range(group.num_columns)), default=0)
        needed = 8 * max(rows * about.num_columns, max(rows, packed // 8) * LEAST_COLUMNS)
        if needed > largest:
            raise RecordingError(
                f"recording {str(path)!r}: row group {k} has {rows} records of {about.num_columns} columns, which take "
                f"{needed / 2**30:.1f} GiB of memory, and {largest / 2**30:g} GiB is the most; write smaller row "
                f"groups, or allow it with {LARGEST_VARIABLE}={-(-needed // 2**30)}G"
            )
    if sum(counts) > MOST_RECORDS:
        raise RecordingError(f"recording {str(path)!r} has {sum(counts)} records, it must have {MOST_RECORDS} or fewer")
    return counts


def _line(e: BaseException) -> str:
    return " ".join(str(e).split())[:200].rstrip(".")
