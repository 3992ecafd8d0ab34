"""Row groups of an exported Parquet file have the usual size, independent of the source's chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from motionbase.recording.export import export
from motionbase.recording.open import open_recording
from motionbase.recording.sinks import parquet
from tests.recording.files import bits, schema_of, waves, write_mcap

SCHEMA = schema_of(9, 3)
ROWS = waves(SCHEMA, 4000)
ROWS[1234, 3], ROWS[2345, 4], ROWS[3456, 5] = np.nan, -0.0, np.inf


@pytest.mark.parametrize(
    ("chunk", "group", "sizes"),
    [
        (7, 1000, [994, 994, 994, 994, 24]),  # whole chunks
        (4000, 1000, [1000, 1000, 1000, 1000]),  # a chunk is cut where it is larger
        (1500, 1000, [1000, 500, 1000, 500, 1000]),
        (7, 131_072, [4000]),
        (1, 200, [200] * 20),
    ],
)
def test_groups_have_their_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, group: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(parquet, "GROUP", group)
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, ROWS, chunk=chunk)) as recording:
        export(recording, tmp_path / "a.parquet")
    with pq.ParquetFile(tmp_path / "a.parquet") as found:
        assert [found.metadata.row_group(k).num_rows for k in range(found.num_row_groups)] == sizes
        columns = found.read()
    values = np.array([columns[name].to_numpy() for name in SCHEMA.index]).T
    np.testing.assert_array_equal(bits(values), bits(ROWS))
    np.testing.assert_array_equal(columns["time"].to_numpy(), ROWS[:, 0])


def test_a_group_of_many_channels_has_fewer_records() -> None:
    assert parquet.group_rows(10) == parquet.GROUP
    assert parquet.group_rows(179) * 179 * 8 <= parquet.GROUP_BYTES < (parquet.group_rows(179) + 1) * 179 * 8
    assert parquet.group_rows(10_000_000) == 1
