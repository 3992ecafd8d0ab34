"""Damage has a place: a column of a Parquet file, an excerpt, a piece of a split, the end of a file that was cut."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.recording.export import export
from motionbase.recording.mcap.messages import Event
from motionbase.recording.open import open_recording
from motionbase.recording.source import Damage
from motionbase.recording.split import split
from tests.recording.files import Rows, schema_of, waves, write_mcap
from tests.tier import often

SCHEMA = schema_of(5, 2)
GROUP, COUNT = 1000, 5000  # records of a row group or chunk, and of all
ROWS = waves(SCHEMA, COUNT)
LATER = 100.0  # [s] between the epoch and the first record: `t` began anew


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a.mcap and a.parquet: the same records in five pieces, `t` from 0 on, the time from 100 s on."""
    folder = tmp_path_factory.mktemp("damage")
    late = ROWS.copy()
    late[:, 0] += LATER
    with open_recording(write_mcap(folder / "late.mcap", SCHEMA, late, chunk=GROUP, events=())) as recording:
        export(recording, folder / "one.parquet")
    table = pq.read_table(folder / "one.parquet")
    table = table.set_column(0, table.schema.field(0), [ROWS[:, 0]])
    pq.write_table(
        table, folder / "a.parquet", row_group_size=GROUP, write_page_checksum=True, use_dictionary=False,
        column_encoding="PLAIN", compression="zstd",
    )  # fmt: skip
    write_mcap(folder / "a.mcap", SCHEMA, ROWS, chunk=GROUP, events=())
    return folder


def spoilt_parquet(files: Path, out: Path, *places: tuple[int, str]) -> Path:
    """With a byte changed in each (row group, column)."""
    raw, meta = bytearray((files / "a.parquet").read_bytes()), pq.ParquetFile(files / "a.parquet").metadata
    for group, name in places:
        columns = [meta.row_group(group).column(k) for k in range(meta.num_columns)]
        (column,) = [c for c in columns if c.path_in_schema == name]
        raw[column.data_page_offset + column.total_compressed_size // 2] ^= 0xFF
    out.write_bytes(raw)
    return out


def spoilt_mcap(files: Path, out: Path, *chunks: int) -> Path:
    raw, at = bytearray((files / "a.mcap").read_bytes()), -1
    for k in range(max(chunks) + 1):
        at = raw.index(b"zstd", at + 1)
        if k in chunks:
            raw[at + 3000] ^= 0xFF
    out.write_bytes(raw)
    return out


def damage_events(path: Path) -> list[Event]:
    with open_recording(path) as found:
        assert not found.damage
        return [e for e in found.events if e.kind == "damage"]


# ---- Parquet, column by column ----


def test_the_files_are_whole(files: Path) -> None:
    for name, begin in (("a.parquet", LATER), ("a.mcap", 0.0)):
        with open_recording(files / name) as found:
            columns = found.columns()
            assert len(found.source.starts) == 6 and not found.damage
        np.testing.assert_array_equal(np.array([columns[c] for c in SCHEMA.index]).T, ROWS)
        np.testing.assert_allclose(columns["time"], ROWS[:, 0] + begin, rtol=0, atol=1e-9)  # whole nanoseconds


@pytest.mark.parametrize("names", [None, ["x1", "x3"], ["x3"]])
def test_a_damaged_column_costs_itself(files: Path, tmp_path: Path, names: list[str] | None) -> None:
    with open_recording(spoilt_parquet(files, tmp_path / "b.parquet", (2, "x3"))) as found:
        for _ in range(2):  # said once
            columns = found.columns(names)
        (damage,) = found.damage
    assert damage.text.startswith("column 'x3' of records 2000 to 2999 could not be read: ")
    assert (damage.first, damage.last) == (2000, 3000)
    for name in names or SCHEMA.index:
        wanted: Rows = ROWS[:, SCHEMA.index[name]].copy()
        if name == "x3":
            wanted[2000:3000] = np.nan
        np.testing.assert_array_equal(columns[name], wanted)
    np.testing.assert_allclose(columns["time"], ROWS[:, 0] + LATER, rtol=0, atol=1e-9)


def test_several_columns_are_named_together(files: Path, tmp_path: Path) -> None:
    path = spoilt_parquet(files, tmp_path / "b.parquet", (0, "x1"), (0, "x2"), (4, "x2"))
    with open_recording(path) as found:
        found.columns("x2")
        found.columns()
        said = [d.text.partition(" could")[0] for d in found.damage]
    assert said == ["columns 'x2', 'x1' of records 0 to 999", "column 'x2' of records 4000 to 4999"]


@pytest.mark.parametrize("groups", [[0], [2], [4], [1, 2], [0, 4], [0, 1, 2, 3, 4]])
def test_a_damaged_time_is_that_of_t(files: Path, tmp_path: Path, groups: list[int]) -> None:
    """`t` and the time differ by 100 s, as the row groups beside say; where none is left, time is `t`."""
    path = spoilt_parquet(files, tmp_path / "b.parquet", *((k, "time") for k in groups))
    with open_recording(path) as found:
        columns = found.columns()
        begin = 0.0 if len(groups) == 5 else LATER
        assert (found.start, found.end) == pytest.approx((begin, begin + 4.999), abs=1e-9)
        assert found.rows_between(begin + 1.5, begin + 2.4995) == (1500, 2500)
        said = [d for d in found.damage if "are taken from the channel 't'" in d.text]
    np.testing.assert_allclose(columns["time"], ROWS[:, 0] + begin, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(np.array([columns[name] for name in SCHEMA.index]).T, ROWS)
    assert [(d.first, d.last) for d in said] == [(GROUP * k, GROUP * (k + 1)) for k in groups]


def test_without_time_and_t_times_are_made_up(files: Path, tmp_path: Path) -> None:
    path = spoilt_parquet(files, tmp_path / "b.parquet", (0, "time"), (0, "t"), (3, "time"), (3, "t"))
    with open_recording(path) as found:
        time = found.columns("x1")["time"]
        said = [d.text for d in found.damage if "made up" in d.text]
    assert said == [f"the times of records {k} to {k + 999} are made up, one usual period apart" for k in (0, 3000)]
    assert np.isfinite(time).all() and (np.diff(time) >= 0).all()
    np.testing.assert_allclose(time[1000:4000], ROWS[1000:4000, 0] + LATER, rtol=0, atol=1e-9)


@settings(max_examples=often(40), deadline=None)
@given(places=st.sets(st.tuples(st.integers(0, 4), st.sampled_from(["time", "t", "x1", "x2", "x4"])), max_size=12))
def test_whatever_is_damaged_the_rest_is_right_and_times_are_numbers(files: Path, places: set[tuple[int, str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        with open_recording(spoilt_parquet(files, Path(name) / "b.parquet", *places)) as found:
            columns = found.columns()
            damage = found.damage
    assert np.isfinite(columns["time"]).all() and (np.diff(columns["time"]) >= 0).all()
    for column, place in SCHEMA.index.items():
        wanted = ROWS[:, place].copy()
        for group, name in places:
            if name == column:
                wanted[GROUP * group : GROUP * (group + 1)] = np.nan
        np.testing.assert_array_equal(columns[column], wanted)
    assert {d.place // GROUP for d in damage} == {group for group, _ in places}


# ---- where it is, in excerpts and pieces ----


def test_what_touches_what() -> None:
    stretch, place, end, whole = Damage("", 300, 400), Damage("", 300, 300), Damage("", 1000, 1000), Damage("")
    ranges = ((0, 300), (300, 301), (350, 360), (399, 1000), (400, 1000), (0, 1000))
    assert [stretch.touches(*r, 1000) for r in ranges] == [False, True, True, True, False, True]
    assert [place.touches(*r, 1000) for r in ranges] == [False, True, False, False, False, True]
    assert [end.touches(*r, 1000) for r in ranges] == [False, False, False, True, True, True]
    assert [whole.touches(*r, 1000) for r in ranges] == [True, False, False, False, False, True]


def test_each_piece_has_the_damage_of_its_records_at_its_time(files: Path, tmp_path: Path) -> None:
    """Chunks 1 and 3 are damaged; pieces end within them."""
    with open_recording(spoilt_mcap(files, tmp_path / "b.mcap", 1, 3)) as recording:
        pieces = split(recording, tmp_path / "out", records=1500)
    found = [[(e.t, e.text.partition(" could")[0]) for e in damage_events(p.path)] for p in pieces]
    one, other = "records 1000 to 1999", "records 3000 to 3999"
    assert found == [[(1.0, one)], [(1.5, one)], [(3.0, other)], []]


@pytest.mark.parametrize("ending", [".mcap", ".parquet"])
def test_an_excerpt_says_only_what_is_in_it(files: Path, tmp_path: Path, ending: str) -> None:
    with open_recording(spoilt_mcap(files, tmp_path / "b.mcap", 1, 3)) as recording:
        recording.columns()  # all damage is known already
        export(recording, tmp_path / f"c{ending}", start=2.0, stop=3.2)
        export(recording, tmp_path / f"d{ending}", start=2.0, stop=2.5)
    assert [e.t for e in damage_events(tmp_path / f"c{ending}")] == [3.0]
    assert damage_events(tmp_path / f"d{ending}") == []


def test_a_file_that_was_cut_says_so_at_its_end(files: Path, tmp_path: Path) -> None:
    raw = (files / "a.mcap").read_bytes()
    (tmp_path / "b.mcap").write_bytes(raw[: len(raw) * 7 // 10])
    with open_recording(tmp_path / "b.mcap") as recording:
        count, end = recording.count, recording.end
        assert 1000 < count < COUNT and recording.damage[-1].text.startswith("the file has no end: ")
        assert {(d.first, d.last) for d in recording.damage} == {(count, count)}
        said = [d.text for d in recording.damage]
        export(recording, tmp_path / "c.mcap")
        pieces = split(recording, tmp_path / "out", records=1000)
    assert [(e.t, e.text) for e in damage_events(tmp_path / "c.mcap")] == [(end, text) for text in said]
    assert [len(damage_events(p.path)) for p in pieces] == [0] * (len(pieces) - 1) + [len(said)]


def test_bytes_that_are_no_records_have_their_place(files: Path, tmp_path: Path) -> None:
    """Without an index and with the mark of chunk 2 gone, the search goes on with chunk 3."""
    raw, at = bytearray((files / "a.mcap").read_bytes()[:-1]), -1
    for _ in range(3):
        at = raw.index(b"zstd", at + 1)
    raw[at : at + 4] = b"none"
    (tmp_path / "b.mcap").write_bytes(raw)
    with open_recording(tmp_path / "b.mcap") as found:
        assert found.count == 4000
        lost, end = found.damage
    assert lost.text.endswith(" bytes could not be read") and (lost.first, lost.last) == (2000, 2000)
    assert (end.first, end.last) == (4000, 4000)
