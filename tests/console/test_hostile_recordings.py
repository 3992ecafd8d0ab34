"""Recordings that hostile hands made: small files that say they hold very much, and times that are none."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from motionbase.arrays import Array
from motionbase.console.api import opened, upload_check
from motionbase.console.api.folders import last_parts
from motionbase.errors import RecordingError, UsageError
from motionbase.recording.mcap import records as mcap
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.read import LARGEST_EVENTS
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.recording.recording import Recording
from motionbase.recording.sources import csv as csv_source
from motionbase.recording.sources import row_groups
from tests.console.api_rig import Page, page
from tests.console.live_rig import PATIENCE_S
from tests.recording.files import EPOCH, schema_of, waves, write_mcap

SCHEMA = schema_of()


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", "none")
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "user"))
    with page(tmp_path) as made:
        yield made


def event_bomb(path: Path) -> Path:
    """Some ten thousand bytes with as many events as are read, each an object of Python then."""
    with McapWriter(path, SCHEMA, {"epoch_utc_ns": str(EPOCH)}) as writer:
        rows = waves(SCHEMA, 100)
        writer.write_rows(rows, 0, log_times(EPOCH, rows[:, 0]))
        one = mcap.message(writer.layout.event_channel, 0, EPOCH, Event(0.0, "note", "x").cdr())
        for _ in range(3):
            writer._chunk(one * (LARGEST_EVENTS // len(one)), EPOCH, EPOCH, 0, b"")
    assert path.stat().st_size < 100_000
    return path


def test_a_bomb_that_is_sent_is_refused_and_nobody_waits_for_it(
    operator: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_check, "PROCESSOR_S", 2)
    bomb = event_bomb(tmp_path / "bomb.mcap").read_bytes()
    said: list[str] = []
    put = ("PUT", "/api/recordings/upload?name=bomb.mcap")
    sent = threading.Thread(target=lambda: said.append(operator.refusal(422, *put, content=bomb)))
    sent.start()
    meanwhile = 0
    while sent.is_alive():
        assert operator.anybody().get("/api/recordings").json() == []
        meanwhile += sent.is_alive()
        time.sleep(0.05)
    sent.join()
    assert said == [
        "recording 'bomb.mcap' cannot be taken: to open it takes more than 4 GiB of memory or 2 s of a processor"
    ]
    assert meanwhile > 5, "others waited for the check"
    assert [p for p in operator.console.settings.recordings.rglob("*") if p.is_file()] == []


def test_memory_is_bounded_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A good file is taken; with less memory than it takes to open any, the same file is refused in a sentence."""
    path = write_mcap(tmp_path / "good.mcap", SCHEMA, waves(SCHEMA, 1000))
    upload_check.check(path, path.name)
    monkeypatch.setattr(upload_check, "MEMORY", 32 * 1024**2)
    with pytest.raises(UsageError, match="takes more than 0.03125 GiB of memory"):
        upload_check.check(path, path.name)


def test_a_billion_channels_are_one_sentence(operator: Page) -> None:
    header = "t," + ",".join(f"a{k}" for k in range(100_000))
    put = ("PUT", "/api/recordings/upload?name=wide.csv")
    said = operator.refusal(422, *put, content=f"{header}\n0\n1\n".encode())
    assert "100001 channels, it must have 1 to 65536" in said and str(operator.console.settings.recordings) not in said


def test_columns_are_counted_before_they_are_taken_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("t" + ",a" * 1_500_000 + "\n0\n")
    monkeypatch.setattr(csv_source, "schema_of", lambda *_: pytest.fail("each of them is looked at"))
    with pytest.raises(RecordingError, match="1500001 channels, it must have 1 to 65536"):
        open_recording(path)


def parquet_bomb(path: Path, count: int, columns: int = 2) -> Path:
    """Numbers that repeat take no room in the file."""
    column = pa.array(np.zeros(count, np.int8))
    pq.write_table(pa.table({"t": column, **{f"x{k}": column for k in range(1, columns)}}), path, row_group_size=count)
    assert path.stat().st_size < 1_000_000
    return path


def test_a_row_group_that_unfolds_into_gigabytes_is_refused_by_its_metadata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is read; who knows the file can allow it."""
    path, count = tmp_path / "bomb.parquet", (1 << 24) + 1
    parquet_bomb(path, count)
    with monkeypatch.context() as change:
        change.setattr(row_groups.RowGroups, "_columns", lambda *_: pytest.fail("it was read"))
        with pytest.raises(
            RecordingError, match=r"row group 0 has 16777217 records of 2 columns, .* 1.5 GiB is the most"
        ):
            open_recording(path)
        with pytest.raises(UsageError, match="'bomb.parquet': row group 0 has 16777217 records"):
            upload_check.check(path, path.name)
    monkeypatch.setenv("MOTIONBASE_LARGEST_BLOCK", "2G")
    with open_recording(path) as allowed:
        assert allowed.count == count
    monkeypatch.setenv("MOTIONBASE_LARGEST_BLOCK", "much")
    with pytest.raises(UsageError, match="MOTIONBASE_LARGEST_BLOCK is 'much'; it must be a number of bytes"):
        open_recording(path)
    monkeypatch.delenv("MOTIONBASE_LARGEST_BLOCK")
    with open_recording(parquet_bomb(path, 1 << 20, 178)) as usual:
        assert usual.count == 1 << 20, "as pyarrow writes unless told otherwise"


def test_a_wide_table_of_few_records_is_refused_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_LARGEST_BLOCK", "1M")
    with pytest.raises(RecordingError, match=r"row group 0 has 10000 records of 20 columns, which take 0.0 GiB"):
        open_recording(parquet_bomb(tmp_path / "wide.parquet", 10_000, 20))


def test_short_lines_below_a_wide_header_take_little_memory(tmp_path: Path) -> None:
    """Half a megabyte that once became a gigabyte of NaN."""
    path = tmp_path / "wide.csv"
    path.write_text("t" + "".join(f",x{k}" for k in range(60_000)) + "\n" + "0\n" * 4000)
    with open_recording(path) as recording:
        assert recording.count == 4000
        largest = int(np.diff(recording.source.starts).max()) * 60_001
        assert largest <= csv_source.BLOCK_NUMBERS
        _, rows = recording.source.read(0, range(60_001))
        assert rows.nbytes <= 8 * csv_source.BLOCK_NUMBERS and np.isnan(rows).all()


def test_columns_of_a_row_group_are_read_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, rows = tmp_path / "run.parquet", np.arange(5000.0).reshape(1000, 5)
    pq.write_table(pa.table({name: rows[:, k] for k, name in enumerate(("t", "a", "b", "c", "d"))}), path)
    monkeypatch.setattr(row_groups, "AT_ONCE", 2000)
    groups, asked = row_groups.RowGroups(path), list[int]()
    columns = groups._columns

    def counted(block: int, names: tuple[str, ...], count: int) -> dict[str, Array]:
        asked.append(len(names))
        return columns(block, names, count)

    monkeypatch.setattr(groups, "_columns", counted)
    found = groups.read(0, ["d", "t", "d", "a", "b"])
    assert asked == [2, 2] and (found == rows[:, [4, 0, 4, 1, 2]].T).all()


def test_nobody_learns_where_the_folders_lie(operator: Page, tmp_path: Path) -> None:
    (operator.console.settings.recordings / "broken.csv").write_text("nonsense\n")
    said = [
        operator.anybody().refusal(422, "GET", "/api/recordings/info?file=broken.csv"),
        operator.refusal(422, "POST", "/api/export", {"file": "broken.csv", "format": "csv"}),
        operator.call("POST", "/api/replay", {"file": "broken.csv"}).json()["text"],
    ]
    assert all("broken.csv" in one and str(tmp_path) not in one for one in said), said
    assert last_parts("'/data/a b/run.mcap' cannot be written: full") == "'run.mcap' cannot be written: full"


@pytest.mark.parametrize("times", [[0, np.inf, -np.inf, 1], [0, 1e308, -1e308, 1], [np.nan] * 4, [1e15, 0, 1e15, 0]])
@pytest.mark.parametrize("form", ["mcap", "csv"])
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_absurd_times_are_shown_or_refused(operator: Page, times: list[float], form: str) -> None:
    path = operator.console.settings.recordings / f"absurd.{form}"
    if form == "csv":
        path.write_text("t,x\n" + "".join(f"{t},1\n" for t in times))
    else:
        rows = np.zeros((4, len(SCHEMA.channels)))
        rows[:, 0] = times
        write_mcap(path, SCHEMA, rows, events=())
    info = operator.get("/api/recordings/info", file=path.name)
    assert info.status_code == 200 and info.json()["records"] == 4
    json.dumps(info.json(), allow_nan=False)
    for stretch in ({}, {"from": -1e308, "to": 1e308}, {"from": 0.0, "to": 0.0}, {"from": "nan"}, {"to": "inf"}):
        answer = operator.get("/api/recordings/window", file=path.name, channels="0,1", **stretch)
        assert answer.status_code in (200, 422), answer.text
        if answer.status_code == 422:
            assert "\n" not in answer.json()["detail"]


def test_one_that_opens_slowly_holds_up_no_other(
    operator: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, begun, go = operator.console.settings.recordings, threading.Event(), threading.Event()
    for name in ("slow", "quick"):
        write_mcap(folder / f"{name}.mcap", SCHEMA, waves(SCHEMA, 100))

    def slowly(path: Path) -> Recording:
        if path.stem == "slow":
            begun.set()
            go.wait(PATIENCE_S)
        return open_recording(path)

    monkeypatch.setattr(opened, "open_recording", slowly)
    got: list[int] = []
    asked = threading.Thread(
        target=lambda: got.append(operator.get("/api/recordings/info", file="slow.mcap").json()["records"])
    )
    asked.start()
    try:
        assert begun.wait(PATIENCE_S)
        assert operator.get("/api/recordings/info", file="quick.mcap").json()["records"] == 100
        assert got == []
    finally:
        go.set()
        asked.join()
    assert got == [100]
