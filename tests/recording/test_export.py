"""Export and split: the output is the selection, exact to the bit, and complete or absent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import RecordingError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.recording.export import export
from motionbase.recording.mcap.messages import Event
from motionbase.recording.open import open_recording
from motionbase.recording.split import split
from tests.recording.files import EPOCH, NOTES, Rows, bits, schema_of, waves, write_mcap

SCHEMA = schema_of(9, 3)
ENDINGS = (".mcap", ".csv", ".parquet")


def any_numbers(count: int) -> Rows:
    """NaN, infinities, denormals and numbers of every size among them."""
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2**64, (count, len(SCHEMA.channels)), dtype=np.uint64).view(np.float64)
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows[rng.random(rows.shape) < 0.1] = 5e-324
    rows[rng.random(rows.shape) < 0.1] = -0.0
    rows[:, 0] = np.arange(count) / 1000
    return rows


ROWS = any_numbers(5000)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mcap(tmp_path_factory.mktemp("export") / "run.mcap", SCHEMA, ROWS, chunk=300)


def values(path: Path) -> Rows:
    with open_recording(path) as found:
        assert not found.damage
        columns = found.columns()
        return np.array([columns[name] for name in found.schema.index]).T


def assert_same(found: Rows, wanted: Rows, ending: str) -> None:
    """To the bit; a NaN in text is a NaN, whatever bits it had."""
    if ending == ".csv":
        found, wanted = (np.where(np.isnan(x), np.nan, x) for x in (found, wanted))
    np.testing.assert_array_equal(bits(found), bits(wanted))


@pytest.mark.parametrize("ending", ENDINGS)
def test_everything_comes_out_as_it_went_in(file: Path, tmp_path: Path, ending: str) -> None:
    calls: list[tuple[int, int]] = []
    with open_recording(file) as recording:
        done = export(recording, tmp_path / f"a{ending}", progress=lambda *at: calls.append(at))
    assert (done.count, done.channels, done.bytes) == (5000, 9, (tmp_path / f"a{ending}").stat().st_size)
    assert calls[-1] == (5000, 5000)
    assert_same(values(tmp_path / f"a{ending}"), ROWS, ending)
    with open_recording(tmp_path / f"a{ending}") as found:
        np.testing.assert_array_equal(found.columns("t")["time"], ROWS[:, 0])
        assert list(found.schema.index) == list(SCHEMA.index)
        if ending != ".csv":
            assert found.schema == SCHEMA and tuple(found.events) == NOTES
            assert found.source.about["epoch_utc_ns"] == str(EPOCH)
            assert found.source.about["exported_from"] == "run.mcap"
        assert tuple(found.events) == NOTES, "a CSV file has them beside it"
    beside = ["a.events.tsv"] if ending == ".csv" else []
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"a{ending}", *beside]


@pytest.mark.parametrize("ending", ENDINGS)
def test_only_what_is_chosen_comes_out(file: Path, tmp_path: Path, ending: str) -> None:
    with open_recording(file) as recording:
        names = recording.select(["x7", "x2"])
        done = export(recording, tmp_path / f"a{ending}", names, 0.4, 2.0)
    assert (done.count, done.channels) == (1601, 3)
    assert_same(values(tmp_path / f"a{ending}"), ROWS[400:2001][:, [0, 2, 7]], ending)
    with open_recording(tmp_path / f"a{ending}") as found:
        assert list(found.schema.index) == ["t", "x2", "x7"]
        assert [e.text for e in found.events] == [NOTES[1].text]
        if ending != ".csv":
            assert found.schema.channels[1] == SCHEMA.channels[2]


@pytest.mark.parametrize("through", [".csv", ".parquet"])
def test_there_and_back_is_the_same_recording(file: Path, tmp_path: Path, through: str) -> None:
    with open_recording(file) as recording:
        export(recording, tmp_path / f"a{through}")
    with open_recording(tmp_path / f"a{through}") as recording:
        export(recording, tmp_path / "b.mcap")
    assert_same(values(tmp_path / "b.mcap"), ROWS, through)
    with open_recording(tmp_path / "b.mcap") as found:
        np.testing.assert_array_equal(found.columns("t")["time"], ROWS[:, 0])


@settings(max_examples=30, deadline=None)
@given(numbers=st.lists(st.floats(), min_size=1, max_size=40))
def test_text_has_all_digits_and_no_more(numbers: list[float]) -> None:
    schema = Schema("one", (Channel("t", "s", "t", "time"), Channel("x", "-", "x", "x")))
    rows = np.column_stack([np.arange(len(numbers), dtype=np.float64), numbers])
    with tempfile.TemporaryDirectory() as folder:
        with open_recording(write_mcap(Path(folder) / "a.mcap", schema, rows, events=())) as recording:
            export(recording, Path(folder) / "a.csv")
        assert_same(values(Path(folder) / "a.csv"), rows, ".csv")
        lines = (Path(folder) / "a.csv").read_text().splitlines()
    assert lines[0] == "t [s],x [-]"
    for line, x in zip(lines[1:], numbers, strict=True):
        digits = line.split(",")[1].lstrip("-").partition("e")[0].replace(".", "").strip("0")
        assert len(digits) <= len(repr(x).lstrip("-").partition("e")[0].replace(".", "").strip("0"))


def test_negative_times_without_an_epoch_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,x\n-2.5,1\n-1,2\n0,3\n")
    with open_recording(tmp_path / "a.csv") as recording:
        export(recording, tmp_path / "b.mcap")
    with open_recording(tmp_path / "b.mcap") as found:
        assert found.columns()["time"].tolist() == found.columns()["t"].tolist() == [-2.5, -1, 0]


def test_what_could_not_be_read_is_said_in_the_new_file(file: Path, tmp_path: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[raw.index(b"zstd", len(raw) // 2) + 99] ^= 0xFF
    (tmp_path / "a.mcap").write_bytes(raw)
    with open_recording(tmp_path / "a.mcap") as recording:
        export(recording, tmp_path / "b.mcap")
        (damage,) = recording.damage
    with open_recording(tmp_path / "b.mcap") as found:
        assert [(e.t, e.text) for e in found.events if e.kind == "damage"] == [(damage.place / 1000, damage.text)]
        assert np.isnan(found.columns("x1")["x1"]).sum() >= 300


def test_a_channel_called_time_stays_one(tmp_path: Path) -> None:
    schema = Schema("odd", (Channel("t", "s", "t", "time"), Channel("time", "s", "of day", "time")))
    rows = waves(schema, 10)
    with open_recording(write_mcap(tmp_path / "a.mcap", schema, rows)) as recording:
        export(recording, tmp_path / "b.parquet")
    with open_recording(tmp_path / "b.parquet") as found:
        assert found.schema == schema
        pieces = list(found.pieces(("time",)))
    np.testing.assert_array_equal(np.concatenate([v[:, 0] for _, v in pieces]), rows[:, 1])
    np.testing.assert_array_equal(np.concatenate([t for t, _ in pieces]), rows[:, 0])


# ---- whole or not there ----


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_is_overwritten_unless_forced(file: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_text("precious")
    with open_recording(file) as recording:
        with pytest.raises(RecordingError, match="exists already; choose another name, or --force"):
            export(recording, path)
        assert path.read_text() == "precious"
        export(recording, path, force=True)
    assert_same(values(path), ROWS, ending)


@pytest.mark.parametrize(
    ("name", "start", "stop", "sentence"),
    [
        ("a.xlsx", None, None, "the name must end in .mcap, .csv, .parquet"),
        ("none/a.csv", None, None, "cannot be written: No such file or directory"),
        ("a.csv", 100.0, None, "has no records from 100 s to the end; it goes from 0 to 4.999 s"),
        ("a.csv", None, -1.0, "has no records from the start to -1 s"),
        ("a.csv", 3.0, 2.0, "from 3 s to 2 s: the second time is before the first"),
        ("a.csv", float("nan"), None, "from nan s is no time"),
    ],
)
def test_what_cannot_be_gets_a_sentence(
    file: Path, tmp_path: Path, name: str, start: float | None, stop: float | None, sentence: str
) -> None:
    with open_recording(file) as recording, pytest.raises(RecordingError, match=sentence):
        export(recording, tmp_path / name, start=start, stop=stop)
    assert list(tmp_path.iterdir()) == []


FULL = """
import resource, sys
from pathlib import Path
from motionbase.errors import RecordingError
from motionbase.recording.export import export
from motionbase.recording.open import open_recording
with open_recording(sys.argv[1]) as recording:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), -1))
    try:
        export(recording, Path(sys.argv[2]))
    except RecordingError as e:
        print(e)
"""


@pytest.mark.parametrize(("ending", "limit"), [(".mcap", 100), *((ending, 100_000) for ending in ENDINGS)])
def test_a_full_disk_is_said_and_leaves_nothing(file: Path, tmp_path: Path, ending: str, limit: int) -> None:
    """The largest size of a file stands for the disk: the system refuses in the same place."""
    command = [sys.executable, "-W", "error", "-c", FULL, str(file), str(tmp_path / f"a{ending}"), str(limit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert f"a{ending}' cannot be written: the disk is full" in done.stdout and done.stdout.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_killed_export_leaves_no_half_file(tmp_path: Path, ending: str) -> None:
    source = write_mcap(tmp_path / "run.mcap", SCHEMA, waves(SCHEMA, 200_000), chunk=2000)
    out = tmp_path / "out"
    out.mkdir()
    program = (
        "import sys, time; from pathlib import Path; from motionbase.recording.export import export\n"
        "from motionbase.recording.open import open_recording\n"
        "def wait_to_be_killed(done, total): print(done < total, flush=True); time.sleep(60)\n"
        "with open_recording(sys.argv[1]) as r: export(r, Path(sys.argv[2]), progress=wait_to_be_killed)"
    )
    command = [sys.executable, "-c", program, str(source), str(out / f"a{ending}")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline() == b"True\n"  # it is in the middle
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    assert not (out / f"a{ending}").exists()
    left = list(out.iterdir())
    assert len(left) == 1 and left[0].name.endswith(".part")
    with open_recording(source) as recording:
        export(recording, out / f"a{ending}", ["x1"], 0, 1)  # the next one tidies up
    beside = ["a.events.tsv"] if ending == ".csv" else []
    assert sorted(p.name for p in out.iterdir()) == [f"a{ending}", *beside]


def test_an_error_on_the_way_leaves_nothing(file: Path, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done > 2000:
            raise KeyboardInterrupt

    for ending in ENDINGS:
        with open_recording(file) as recording, pytest.raises(KeyboardInterrupt):
            export(recording, tmp_path / f"a{ending}", progress=stop)
    assert list(tmp_path.iterdir()) == []


# ---- split ----


@settings(max_examples=25, deadline=None)
@given(
    size=st.integers(200, 6000),
    ending=st.sampled_from([*ENDINGS, None]),
    ends=st.tuples(st.integers(0, 4999), st.integers(0, 4999)).map(sorted),
)
def test_the_pieces_are_the_whole(file: Path, size: int, ending: str | None, ends: list[int]) -> None:
    first, last = ends
    with tempfile.TemporaryDirectory() as name, open_recording(file) as recording:
        start, stop = first / 1000, last / 1000
        done = split(recording, Path(name) / "new", records=size, ending=ending, start=start, stop=stop)
        assert [f.count for f in done[:-1]] == [size] * (len(done) - 1) and 0 < done[-1].count <= size
        assert [f.path.name for f in done] == [f"run_part{k + 1:03d}{ending or '.mcap'}" for k in range(len(done))]
        found = np.concatenate([values(f.path) for f in done])
        assert_same(found, ROWS[first : last + 1], ending or ".mcap")


def test_pieces_of_seconds_begin_where_they_should(tmp_path: Path) -> None:
    rows = np.delete(waves(SCHEMA, 5000), range(1200, 3900), axis=0)  # nothing in the third and fourth second
    events = tuple(Event(t, "note", str(t)) for t in (-1.0, 0.5, 1.0, 2.5, 9.0))
    path = write_mcap(tmp_path / "run.mcap", SCHEMA, rows, events=events, epoch=EPOCH)
    with open_recording(path) as recording:
        done = split(recording, tmp_path / "out", seconds=1.0)
    pieces = [values(f.path) for f in done]
    assert [(p[0, 0], p[-1, 0]) for p in pieces] == [(0.0, 0.999), (1.0, 1.199), (3.9, 3.999), (4.0, 4.999)]
    texts = []
    for f in done:
        with open_recording(f.path) as found:
            texts.append([e.text for e in found.events])
    assert texts == [["-1.0", "0.5"], ["1.0", "2.5"], [], ["9.0"]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "by records or by seconds"),
        ({"records": 5, "seconds": 1.0}, "by records or by seconds"),
        ({"records": 0}, "files of 0 records cannot be"),
        ({"seconds": 0.0}, "files of 0 s cannot be"),
        ({"seconds": float("nan")}, "files of nan s cannot be"),
        ({"seconds": 1e-6}, "this would make 4999001 files|this would make 4999000 files"),
        ({"records": 1, "start": 9.0}, "has no records from 9 s"),
        ({"records": 1, "start": 3.0, "stop": 2.0}, "from 3 s to 2 s: the second time is before the first"),
        ({"records": 10, "ending": ".xlsx"}, "format '.xlsx': it must be one of"),
    ],
)
def test_a_split_that_cannot_be_gets_a_sentence(
    file: Path, tmp_path: Path, options: dict[str, float], sentence: str
) -> None:
    with open_recording(file) as recording, pytest.raises(RecordingError, match=sentence):
        split(recording, tmp_path / "out", **options)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_split_overwrites_nothing_and_looks_first(file: Path, tmp_path: Path) -> None:
    (tmp_path / "run_part003.csv").write_text("precious")
    with open_recording(file) as recording:
        with pytest.raises(RecordingError, match="run_part003.csv' exists already"):
            split(recording, tmp_path, records=1000, ending=".csv")
        assert [p.name for p in tmp_path.iterdir()] == ["run_part003.csv"]
        assert len(split(recording, tmp_path, records=1000, ending=".csv", force=True)) == 5
    assert os.path.getsize(tmp_path / "run_part003.csv") > 1000


@pytest.mark.parametrize("force", [False, True])
def test_a_recording_is_not_replaced_by_its_own_excerpt(tmp_path: Path, force: bool) -> None:
    file = write_mcap(tmp_path / "own.mcap", hexapod_schema(), np.zeros((300, 178)), events=())
    before = file.read_bytes()
    with (
        open_recording(file) as recording,
        pytest.raises(RecordingError, match="is the recording itself|exists already"),
    ):
        export(recording, tmp_path / "." / "own.mcap", ["acc_x"], force=force)
    assert file.read_bytes() == before
