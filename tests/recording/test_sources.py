"""CSV and Parquet files as recordings: opened by what is in them, read to the bit, damage said."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import RecordingError
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.export import export
from motionbase.recording.open import open_recording
from motionbase.recording.source import Damage
from motionbase.ring.waveforms import records
from motionbase.system.record_file import RecordFile
from tests.recording.files import NOTES, all_values, bits, schema_of, waves, write_mcap
from tests.tier import often

SCHEMA = schema_of(7, 3)
ROWS = waves(SCHEMA, 10_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a.mcap, and the same as a.csv and a.parquet."""
    made = tmp_path_factory.mktemp("sources")
    write_mcap(made / "a.mcap", SCHEMA, ROWS, chunk=400)
    with open_recording(made / "a.mcap") as recording:
        export(recording, made / "a.csv")
        export(recording, made / "a.parquet")
    return made


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_same_records_in_every_format(folder: Path, ending: str) -> None:
    with open_recording(folder / f"a{ending}") as found:
        assert found.count == 10_000 and not found.damage
        assert list(found.schema.index) == list(SCHEMA.index)
        assert [c.unit for c in found.schema.channels] == [c.unit for c in SCHEMA.channels]
        columns = found.columns(start=2.5, stop=7.1)
        np.testing.assert_array_equal(columns["time"], ROWS[2500:7101, 0])
        for name, place in SCHEMA.index.items():
            np.testing.assert_array_equal(bits(columns[name]), bits(ROWS[2500:7101, place]))
        t, least, most = found.envelope("x2", pixels=50)
        assert least.min() <= ROWS[:, 2].min() and most.max() >= ROWS[:, 2].max() and len(t) <= 51
        if ending == ".parquet":
            assert found.schema == SCHEMA and tuple(found.events) == NOTES
            assert found.source.about["ring"] == "test"


LIES = ("lie.mcap", "lie.csv", "lie.parquet", "lie.estop", "lie", "lie.txt")


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        *((ending, name) for ending in (".mcap", ".parquet") for name in LIES),
        *((".csv", name) for name in ("lie", "lie.txt")),  # text has no mark of its own: other names are believed
    ],
)
def test_content_counts_more_than_the_name(folder: Path, tmp_path: Path, ending: str, name: str) -> None:
    (tmp_path / name).write_bytes((folder / f"a{ending}").read_bytes())
    np.testing.assert_array_equal(all_values(tmp_path / name), ROWS)


@pytest.mark.parametrize("name", ["no.txt", "no"])
def test_what_is_no_recording_at_all_gets_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"hello\nworld\n")
    with pytest.raises(RecordingError, match="is no file of records; they end in .mcap, .csv, .parquet, .estop"):
        open_recording(tmp_path / name)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RecordingError, match="is no file, but something like a pipe"):
        open_recording(tmp_path / "pipe")


# ---- CSV ----


def csv(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_record_of_a_simulation_opens_with_its_groups(tmp_path: Path) -> None:
    schema = hexapod_schema()
    rows = records(schema, 0, 30, 0.01)
    with RecordFile(tmp_path / "a.csv", [(c.name, c.unit) for c in schema.channels], {}) as file:
        file.write({name: rows[:, k] for name, k in schema.index.items()})
    with open_recording(tmp_path / "a.csv") as found:
        assert found.schema == schema  # units, groups, legs and descriptions
    np.testing.assert_array_equal(all_values(tmp_path / "a.csv"), rows)
    with RecordFile(tmp_path / "a.parquet", [(c.name, c.unit) for c in schema.channels], {"x": "y"}) as file:
        file.write({name: rows[:, k] for name, k in schema.index.items()})
    with open_recording(tmp_path / "a.parquet") as found:
        assert found.schema.channels == schema.channels and found.source.about["x"] == "y"
    np.testing.assert_array_equal(all_values(tmp_path / "a.parquet"), rows)


@pytest.mark.parametrize(
    ("header", "names", "units", "groups"),
    [
        ("t,x,y", ["t", "x", "y"], ["s", "-", "-"], ["time", "columns", "columns"]),
        ("t [s],q.pivot [rad],v.pivot [rad/s]", ["t", "q_pivot", "v_pivot"], ["s", "rad", "rad/s"], ["time", "q", "v"]),
        ("Time [s],A B [mm],a-b", ["t", "a_b", "a_b_2"], ["s", "mm", "-"], ["time", "columns", "columns"]),
        ('"t","leg1_f_meas","3"', ["t", "leg1_f_meas", "x_3"], ["s", "N", "-"], ["time", "leg_force", "columns"]),
        ("t,leg1_f_meas [kN],t", ["t", "leg1_f_meas", "t_2"], ["s", "kN", "-"], ["time", "leg_force", "columns"]),
        ("\ufefft,,x", ["t", "x", "x_2"], ["s", "-", "-"], ["time", "columns", "columns"]),
    ],
)
def test_a_header_becomes_a_schema(
    tmp_path: Path, header: str, names: list[str], units: list[str], groups: list[str]
) -> None:
    with open_recording(csv(tmp_path / "a.csv", f"{header}\r\n0,1,2\r\n0.1,nan,-inf\r\n")) as found:
        assert list(found.schema.index) == names
        assert [c.unit for c in found.schema.channels] == units
        assert [c.group for c in found.schema.channels] == groups
    np.testing.assert_array_equal(all_values(tmp_path / "a.csv"), [[0, 1, 2], [0.1, np.nan, -np.inf]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x,y\n1,2\n", "the first column is 'x', it must be 't' or 't \\[s\\]'"),
        ("t [ms],y\n1,2\n", "the first column is 't \\[ms\\]'"),
        ("0.0,1.0\n0.1,1.1\n", "the first column is '0.0'"),
        ("t,x", "no line ends in it"),
        ("\n\n", "the first column is ''|no channels|has 0 channels"),
        ("\0\0\0\n1\n", "its header is no text"),
    ],
)
def test_a_header_that_cannot_be_used_gets_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(RecordingError, match=sentence) as e:
        open_recording(csv(tmp_path / "a.csv", text))
    assert "\n" not in str(e.value)


def test_wrong_lines_are_nan_and_said(tmp_path: Path) -> None:
    lines = [f"{k},{k}.5,{k}.25" for k in range(5000)]
    lines[3000], lines[3001], lines[4500] = "3000,one,3000.25", "3001,3001.5", ""
    with open_recording(csv(tmp_path / "a.csv", "\n".join(["t,x,y", *lines, "", "", ""]))) as found:
        columns = found.columns()
        assert found.count == 5000
        said = "; ".join(d.text for d in found.damage)
        places = [(d.first, d.last) for d in found.damage]
    for words in ("record 3000: 'one' is no number", "record 3001: 2 numbers where 3 are wanted", "record 4500: "):
        assert words in said
    assert places == [(3000, 3001), (3001, 3002), (4500, 4501)]
    right = np.arange(5000) + 0.25
    right[[3001, 4500]] = np.nan
    np.testing.assert_array_equal(columns["y"], right)
    assert np.isnan(columns["x"]).sum() == 3
    assert (np.diff(columns["time"]) > 0).all()


def test_a_line_without_end_is_left_out(tmp_path: Path) -> None:
    """It may be the beginning of a longer number."""
    with open_recording(csv(tmp_path / "a.csv", "t,x\n0,1\n0.1,12.")) as found:
        assert found.count == 1 and found.columns()["x"].tolist() == [1.0]
        (damage,) = found.damage
        assert damage == Damage("the last line has no end: it is being written or was cut, and is left out", 1, 1)


def test_many_wrong_lines_are_said_together(tmp_path: Path) -> None:
    """Twenty one by one; the others as one stretch, wherever they are and however often they are read."""
    lines = [f"{k},{'x' if k % 100 == 7 else k}" for k in range(9000)]
    with open_recording(csv(tmp_path / "a.csv", "\n".join(["t,x", *lines, ""]))) as found:
        for _ in range(2):
            found.columns()
        wrong = {k for k in range(9000) if k % 100 == 7}
        assert len(found.damage) == 21
        assert all(any(d.touches(k, k + 1, 9000) for d in found.damage) for k in wrong)
        (more,) = [d for d in found.damage if "more lines" in d.text]
        assert more.last is not None and more.text == f"more lines are wrong, records {more.first} to {more.last - 1}"


@pytest.mark.parametrize("text", ["t,x\n", "t,x\n\n\n"])
def test_a_header_alone_is_an_empty_recording(tmp_path: Path, text: str) -> None:
    with open_recording(csv(tmp_path / "a.csv", text)) as found:
        assert (found.count, found.start, found.end) == (0, 0.0, 0.0) and len(found.columns()["x"]) == 0


def test_time_goes_on_where_t_begins_anew(tmp_path: Path) -> None:
    """Within a block, and between two; one period lies between."""
    t = np.r_[np.arange(1000), np.arange(5000), np.arange(2500)] / 100
    text = "t,x\n" + "".join(f"{x},{k}\n" for k, x in enumerate(t))
    with open_recording(csv(tmp_path / "a.csv", text)) as found:
        columns = found.columns()
        np.testing.assert_allclose(columns["time"], np.arange(8500) / 100, atol=1e-9)  # offsets add up two roundings
        np.testing.assert_array_equal(columns["t"], t)
        assert found.rows_between(10.0 - 1e-6, 20.0 + 1e-6) == (1000, 2001)
        export(found, tmp_path / "b.parquet")
    with open_recording(tmp_path / "b.parquet") as again:
        np.testing.assert_array_equal(again.columns()["time"], columns["time"])
    pq.write_table(pa.table({"t": t, "x": t}), tmp_path / "c.parquet", row_group_size=700)
    with open_recording(tmp_path / "c.parquet") as other:
        np.testing.assert_allclose(other.columns()["time"], np.arange(8500) / 100, atol=1e-9)


@settings(max_examples=often(150), deadline=None)
@given(body=st.text(alphabet='0123456789.,-+enaif "\r\n\t\0x', max_size=300))
def test_any_text_opens_or_gets_a_sentence(body: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = csv(Path(name) / "a.csv", "t,x\n" + body)
        with open_recording(path) as found:
            columns = found.columns()
            assert all(len(c) == found.count for c in columns.values())
            assert np.isfinite(columns["time"]).all()


# ---- Parquet ----


@pytest.mark.parametrize("percent", range(0, 100, 9))
def test_a_cut_parquet_file_gets_a_sentence(folder: Path, tmp_path: Path, percent: int) -> None:
    raw = (folder / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(raw[: len(raw) * percent // 100])
    with pytest.raises(RecordingError) as e:
        open_recording(tmp_path / "a.parquet")
    assert "\n" not in str(e.value)


@settings(max_examples=often(100), deadline=None)
@given(where=st.floats(0, 1, exclude_max=True), change=st.integers(1, 255))
def test_a_changed_byte_in_a_page_is_noticed(folder: Path, where: float, change: int) -> None:
    """Pages have a checksum; the footer, which Parquet gives none, is left alone."""
    raw = bytearray((folder / "a.parquet").read_bytes())
    footer = int.from_bytes(raw[-8:-4], "little") + 8
    raw[4 + int(where * (len(raw) - footer - 4))] ^= change
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.parquet").write_bytes(raw)
        try:
            with open_recording(Path(name) / "a.parquet") as found:
                columns = found.columns()
                for n, k in SCHEMA.index.items():
                    good = ~np.isnan(columns[n])
                    np.testing.assert_array_equal(columns[n][good], ROWS[good, k])
                    assert good.all() or found.damage
        except RecordingError as e:
            assert "\n" not in str(e)


def test_columns_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"t": [0.0], "name": ["x"]}), tmp_path / "a.parquet")
    with pytest.raises(RecordingError, match="column 'name' is .*string, a recording has numbers only"):
        open_recording(tmp_path / "a.parquet")


def test_whole_numbers_and_missing_ones_are_read(tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([0.0, 0.1, 0.2]), "n": pa.array([1, 2, 3]), "x": pa.array([1.0, None, 3.0])})
    pq.write_table(table, tmp_path / "a.parquet")
    np.testing.assert_array_equal(all_values(tmp_path / "a.parquet"), [[0, 1, 1], [0.1, 2, np.nan], [0.2, 3, 3]])
