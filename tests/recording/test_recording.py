"""Reading recordings: channels by choice, any stretch of time, and memory that does not grow with the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import RecordingError, SchemaError
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.open import open_recording
from motionbase.recording.statistics import statistics
from motionbase.ring.waveforms import records
from tests.recording.files import Rows, schema_of, waves, write_mcap

SCHEMA = schema_of(9, 3)
ROWS = waves(SCHEMA, 5000)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcap(tmp_path_factory.mktemp("reading") / "a.mcap", SCHEMA, ROWS, chunk=333)


@settings(max_examples=60, deadline=None)
@given(ends=st.tuples(st.floats(-1, 6), st.floats(-1, 6)).map(sorted))
def test_any_stretch_of_time(file: Path, ends: list[float]) -> None:
    start, stop = ends
    with open_recording(file) as found:
        columns = found.columns(["x7", "t"], start, stop)
        wanted = (ROWS[:, 0] >= start) & (ROWS[:, 0] <= stop)
        np.testing.assert_array_equal(columns["time"], ROWS[wanted, 0])
        np.testing.assert_array_equal(columns["x7"], ROWS[wanted, 7])
        assert list(columns) == ["time", "x7", "t"]


@settings(max_examples=60, deadline=None)
@given(ends=st.tuples(st.integers(0, 5000), st.integers(0, 5000)).map(sorted))
def test_any_records_piece_by_piece(file: Path, ends: list[int]) -> None:
    with open_recording(file) as found:
        pieces = list(found.pieces(("x2", "x1"), *ends))
        assert all(values[:, 0].flags.c_contiguous for _, values in pieces)  # a channel's numbers side by side
        values = np.concatenate([np.empty((0, 2)), *(v for _, v in pieces)])
        np.testing.assert_array_equal(values, ROWS[slice(*ends)][:, [2, 1]])
        if ends[0] < 5000:
            assert found.time_of(ends[0]) == ROWS[ends[0], 0]


def test_pieces_may_be_left_half_way(file: Path) -> None:
    with open_recording(file) as found:
        for _ in found.pieces(("x1",)):
            break
        np.testing.assert_array_equal(found.columns("x1")["x1"], ROWS[:, 1])


# ---- choosing ----


@pytest.fixture(scope="module")
def standard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = records(hexapod_schema(), 0, 10, 0.01)
    return write_mcap(tmp_path_factory.mktemp("standard") / "a.mcap", hexapod_schema(), rows)


@pytest.mark.parametrize(
    ("patterns", "groups", "legs", "wanted"),
    [
        ((), (), (), 178),
        (("t",), (), (), ("t",)),
        (("leg*_f_meas",), (), (), tuple(f"leg{k}_f_meas" for k in range(1, 7))),
        ((), ("leg_force",), (1, 3), ("leg1_f_meas", "leg3_f_meas")),
        (("acc_x",), ("leg_force",), (2,), ("leg2_f_meas", "acc_x")),
        ((), (), (4,), 14),
        ((), ("hydraulics", "timing"), (), 6),
    ],
)
def test_channels_by_name_group_and_leg(
    standard: Path, patterns: tuple[str, ...], groups: tuple[str, ...], legs: tuple[int, ...], wanted: object
) -> None:
    with open_recording(standard) as found:
        names = found.select(patterns, groups, legs)
        assert names == wanted or len(names) == wanted
        assert list(found.schema.places(names)) == sorted(found.schema.places(names))


@pytest.mark.parametrize(
    ("patterns", "groups", "legs", "sentence"),
    [
        (("leg7*",), (), (), "no channel is called 'leg7\\*'"),
        ((), ("leg_farce",), (), "no group 'leg_farce'; groups: time, "),
        ((), (), (7,), "no leg 7; legs: 1, 2, 3, 4, 5, 6"),
        ((), ("timing",), (1,), "no channel of leg 1 is in group timing"),
    ],
)
def test_what_is_not_there_gets_a_sentence(
    standard: Path, patterns: tuple[str, ...], groups: tuple[str, ...], legs: tuple[int, ...], sentence: str
) -> None:
    with open_recording(standard) as found, pytest.raises(RecordingError, match=sentence):
        found.select(patterns, groups, legs)
    with open_recording(standard) as found, pytest.raises(SchemaError, match="no channel 'nothing'"):
        found.columns("nothing")


# ---- statistics ----


def test_statistics_are_those_of_the_records(tmp_path: Path) -> None:
    rows = np.delete(ROWS, [*range(100, 110), 2000, 2001, 2002], axis=0)
    rows[50:60, 3] = np.nan
    rows[:, 4] = np.nan
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, rows, chunk=64)) as recording:
        found = statistics(recording)
    with np.errstate(all="ignore"):
        some = [0, 1, 2, 3, 5, 6, 7, 8]
        np.testing.assert_array_equal(found.least[some], np.nanmin(rows[:, some], axis=0))
        np.testing.assert_array_equal(found.most[some], np.nanmax(rows[:, some], axis=0))
        # sums of 5000 numbers in another order: 5000 roundings at most
        np.testing.assert_allclose(found.mean[some], np.nanmean(rows[:, some], axis=0), rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.rms[some], np.sqrt(np.nanmean(rows[:, some] ** 2, axis=0)), rtol=1e-12)
    assert np.isnan([found.least[4], found.most[4], found.mean[4], found.rms[4]]).all()
    assert found.missing.tolist() == [0, 0, 0, 10, len(rows), 0, 0, 0, 0]
    assert found.period == pytest.approx(0.001, abs=1e-9) and found.restarts == ()
    assert [(round(g.t, 9), g.records) for g in found.gaps] == [(0.099, 10), (1.999, 3)]
    assert (found.gap_count, found.lost) == (2, 13)


def test_restarts_are_counted_and_the_first_thousand_kept(tmp_path: Path) -> None:
    """A writer that began anew after every second record, 1500 times."""
    path = tmp_path / "a.csv"
    path.write_text("t,x\n" + "0,1\n0.1,2\n" * 1501)
    with open_recording(path) as recording:
        found = statistics(recording)
    assert found.restart_count == 1500 and len(found.restarts) == 1000
    np.testing.assert_allclose(found.restarts[:2], [0.2, 0.4], atol=1e-9)  # times are whole nanoseconds


@pytest.mark.parametrize("count", [0, 1])
def test_statistics_of_next_to_nothing(tmp_path: Path, count: int) -> None:
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, ROWS[:count])) as recording:
        found = statistics(recording)
    assert found.period == 0 and found.gap_count == 0
    assert np.isnan(found.mean).all() if count == 0 else found.mean.tolist() == ROWS[0].tolist()


# ---- memory ----

MEMORY = """
import sys
from pathlib import Path
from motionbase.recording.open import open_recording
from motionbase.recording.statistics import statistics
import pyarrow.csv, pyarrow.parquet
def anonymous(): return int(next(l for l in open("/proc/self/status") if l.startswith("RssAnon")).split()[1]) / 1000
most = 0
def look(done, total):
    global most
    most = max(most, anonymous())
before = anonymous()
with open_recording(sys.argv[1]) as r:
    statistics(r, look)
    r.envelope(r.schema.channels[1].name, pixels=100, progress=look)
    look(0, 0)
    if len(sys.argv) > 2:
        from motionbase.recording.export import export
        export(r, Path(sys.argv[2]), progress=look)
print(most - before, r.count * r.schema.record_bytes / 1e6)
"""


@pytest.mark.long("writes and reads hundreds of megabytes")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """2 x 64 MB of a row group are the most of it; the numbers in the file are several times that."""
    schema = schema_of(200, 5)
    block = waves(schema, 1000)

    class Many:
        """The same block again and again, as an array that is never whole."""

        def __len__(self) -> int:
            return 250_000

        def __getitem__(self, part: slice) -> Rows:
            out = block[: part.stop - part.start].copy()
            out[:, 0] = np.arange(part.start, part.stop) / 1000
            return out

    write_mcap(tmp_path / "a.mcap", schema, Many(), chunk=1000)  # type: ignore[arg-type]
    program = [sys.executable, "-W", "error", "-c", MEMORY]
    out = str(tmp_path / "b.parquet")
    done = subprocess.run([*program, str(tmp_path / "a.mcap"), out], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    used, size = map(float, done.stdout.split())
    assert size == 400 and used < 250
