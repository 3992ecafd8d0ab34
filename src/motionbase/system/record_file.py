"""Records on disk, written piece by piece: CSV for everybody, Parquet for large files; memory use stays constant."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import numpy as np

from motionbase import private
from motionbase.arrays import Array
from motionbase.errors import UsageError

GROUP = 10_000  # rows of a Parquet row group: 14 MB of a hexapod's records


@final
class RecordFile:
    """A file of named columns, open for writing; after an error, everything written so far is valid.

    CSV has a header "name [unit]" and each number with all its digits; Parquet has one float64 column per channel,
    units in the fields' metadata, and `about` in the schema's.
    """

    def __init__(self, path: Path, columns: Iterable[tuple[str, str]], about: Mapping[str, str]) -> None:
        self.path, self.columns, self.about = path, tuple(columns), dict(about)
        self.rows = 0
        self._waiting: list[Array] = []
        self._file: Any = None
        self._writer: Any = None

    def __enter__(self) -> Self:
        try:
            if self.path.suffix == ".parquet":
                self._writer = self._parquet()
            elif self.path.suffix == ".csv":
                self._file = open(self.path, "w", newline="", encoding="utf-8", opener=private.opener)
                self._writer = csv.writer(self._file)
                self._writer.writerow(f"{name} [{unit}]" for name, unit in self.columns)
            else:
                raise UsageError(f"cannot write {str(self.path)!r}: the name must end in .csv or .parquet")
        except OSError as e:
            raise self._cannot(e) from None
        return self

    def _parquet(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        fields = [pa.field(name, pa.float64(), metadata={"unit": unit}) for name, unit in self.columns]
        self._schema = pa.schema(fields, metadata=self.about)
        return pq.ParquetWriter(private.make_file(self.path), self._schema)

    def write(self, columns: Mapping[str, Array]) -> None:
        """Append rows."""
        rows = np.column_stack([columns[name] for name, _ in self.columns])
        self.rows += len(rows)
        try:
            if self._file is not None:
                self._writer.writerows(rows.tolist())
                return
            self._waiting.append(rows)
            if sum(map(len, self._waiting)) >= GROUP:
                self._flush()
        except OSError as e:
            raise self._cannot(e) from None

    def _flush(self) -> None:
        import pyarrow as pa

        if self._waiting:
            rows = np.concatenate(self._waiting)
            self._waiting.clear()
            arrays = [pa.array(np.ascontiguousarray(rows[:, k])) for k in range(rows.shape[1])]
            self._writer.write_table(pa.Table.from_arrays(arrays, schema=self._schema))

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        try:
            if self._file is not None:
                self._file.close()
            else:
                self._flush()
                self._writer.close()
        except OSError as e:
            raise self._cannot(e) from None

    def _cannot(self, e: OSError) -> UsageError:
        return UsageError(f"cannot write {str(self.path)!r}: {e.strerror or e}")
