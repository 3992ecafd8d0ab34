"""Records on disk: whole numbers back, piece by piece, also when the run breaks off."""

import csv
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from motionbase.errors import UsageError
from motionbase.system import record_file
from motionbase.system.record_file import RecordFile

COLUMNS = (("t", "s"), ("leg1_f_meas", "N"))


def piece(first: int, n: int) -> dict[str, np.ndarray]:
    k = np.arange(first, first + n, dtype=np.float64)
    return {"leg1_f_meas": np.sqrt(k), "t": k / 2000, "unused": k}


def read(path: Path) -> np.ndarray:
    if path.suffix == ".csv":
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        assert rows[0] == ["t [s]", "leg1_f_meas [N]"]
        return np.array([[float(x) for x in row] for row in rows[1:]])
    table = pq.read_table(path)
    return np.column_stack([table[name].to_numpy() for name, _ in COLUMNS])


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_every_bit_comes_back(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_file, "GROUP", 250)
    path = tmp_path / f"run{ending}"
    with RecordFile(path, COLUMNS, {"platform": "simona"}) as file:
        for first in range(0, 1000, 100):
            file.write(piece(first, 100))
    whole = piece(0, 1000)
    np.testing.assert_array_equal(read(path), np.column_stack([whole["t"], whole["leg1_f_meas"]]))
    assert file.rows == 1000
    if ending == ".parquet":
        found = pq.ParquetFile(path)
        assert [found.metadata.row_group(k).num_rows for k in range(found.num_row_groups)] == [300, 300, 300, 100]
        schema = found.schema_arrow
        assert schema.metadata[b"platform"] == b"simona" and schema.field("leg1_f_meas").metadata[b"unit"] == b"N"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_was_written_before_an_error_is_a_file(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"run{ending}"
    with pytest.raises(KeyboardInterrupt), RecordFile(path, COLUMNS, {}) as file:
        file.write(piece(0, 7))
        raise KeyboardInterrupt
    assert len(read(path)) == 7


@pytest.mark.parametrize("name", ["no/run.csv", "no/run.parquet", "run.txt"])
def test_no_such_place(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write '.*': "), RecordFile(tmp_path / name, COLUMNS, {}):
        pass
