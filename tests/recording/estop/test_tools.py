"""Every tool opens an ESTOP file as it opens any recording, in the format of today and in that of version 0.1."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli import terminal
from motionbase.cli.main import main
from motionbase.console.api.recordings import listed
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Schema
from motionbase.recording.estop.files import files, save_ring
from motionbase.recording.open import open_recording
from motionbase.recording.replay.replay import Replay, Settings
from motionbase.ring import catalogue, gentle
from motionbase.ring.reader import Reader
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.recording.files import OLD_ESTOP, all_values
from tests.ring.ring_processes import PATIENCE_S
from tests.ring.ring_processes import writer as process_writer

Capture = pytest.CaptureFixture[str]


@pytest.fixture(params=["old", "new"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The same records of the same stop, in the folder of ESTOP files."""
    folder = tmp_path / "data" / "estop"
    if request.param == "old":
        folder.mkdir(parents=True)
        return Path(shutil.copy(OLD_ESTOP, folder))
    with Writer(old_schema(), name="rig", dt=0.01, capacity=250, program="old rig", platform="legs = 6\n") as writer:
        writer.write(np.zeros((50, 7)))
        writer.write(all_values(OLD_ESTOP))
        cause, when = "emergency stop in record 200", 1_794_756_284_848_000_000
        return save_ring(writer.segment, "rig", cause=cause, event=200, event_utc_ns=when, folder=folder).path


def old_schema() -> Schema:
    with open_recording(OLD_ESTOP) as found:
        return found.schema


def test_info_and_estop(file: Path, capsys: Capture) -> None:
    assert main(["info", str(file)]) == 0
    said = capsys.readouterr().out
    for words in ("cause: emergency stop", "stop at 2 s, 1.5 s before it, 0.99 s after it", "writer: old rig"):
        assert words in said
    assert main(["estop", "--folder", str(file.parent)]) == 0
    said = capsys.readouterr().out
    assert "2026-11-15 15:24:44.848" in said and "emergency stop in record 200" in said and "1.50 s" in said
    assert main(["estop", str(file), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["ring"], told["event"], told["first"], told["records"], told["damage"]) == ("rig", 200, 50, 250, [])
    assert (told["at_the_stop"]["state_before"], told["at_the_stop"]["state"]) == ("drive", "abort")
    (peak,) = told["second_before"]["velocity"]
    assert peak["leg"] == 1 and peak["value"] == np.sin(110 / 10) and peak["t"] == 1.1


def test_export_split_and_strip(file: Path, tmp_path: Path, capsys: Capture) -> None:
    for ending in ("mcap", "csv", "parquet"):
        assert main(["export", "recording", str(file), "--out", str(tmp_path / f"a.{ending}")]) == 0
        np.testing.assert_array_equal(all_values(tmp_path / f"a.{ending}"), all_values(OLD_ESTOP))
    assert main(["split", str(file), "--records", "100", "--out", str(tmp_path / "pieces"), "--format", "mcap"]) == 0
    pieces = sorted((tmp_path / "pieces").glob("*.mcap"))
    assert len(pieces) == 3
    np.testing.assert_array_equal(np.concatenate([all_values(p) for p in pieces]), all_values(OLD_ESTOP))
    assert main(["strip", str(file), "--out", str(tmp_path / "strip.pdf")]) == 0
    assert (tmp_path / "strip.pdf").read_bytes().startswith(b"%PDF")
    capsys.readouterr()


def test_replay(file: Path) -> None:
    now = [0.0]
    with open_recording(file) as recording:
        replay = Replay(recording, Settings("again"), lambda _: None, lambda: now[0])
        try:
            reader = Reader("again", start="oldest")
            seen = list[np.ndarray]()
            for _ in range(1000):
                now[0] += 0.004
                replay.turn()
                seen.append(reader.read().rows.copy())
        finally:
            replay.close()
    found = np.concatenate(seen)
    np.testing.assert_array_equal(np.unique(found[:, 1]), np.arange(50, 300))


def test_the_console_lists_it(file: Path, tmp_path: Path) -> None:
    (found,) = listed(tmp_path / "recordings", file.parent)
    assert found.file == f"estop/{file.name}" and found.format == file.suffix[1:] and not found.is_written
    assert [f.path for f in files(file.parent, "rig")] == [file]


def test_ring_save(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Capture) -> None:
    monkeypatch.setattr(gentle, "be_gentle", lambda: None)  # for good, that is: not for the tests
    monkeypatch.chdir(tmp_path)
    with process_writer(tmp_path, "rig", 700, capacity=500) as process:
        assert main(["ring", "save", "rig", "--out", "live.mcap"]) == 0
        size = terminal.size(Path("live.mcap").stat().st_size)  # differs with the machine's name, which is in it
        assert f"saved 500 records, 500 ms, {size}, to live.mcap\n" in capfd.readouterr().out
        process.kill()
        process.wait(PATIENCE_S)
    assert main(["ring", "show", "rig"]) == 0
    assert "`motionbase ring save rig` saves its records" in capfd.readouterr().out
    assert main(["ring", "save", "rig", "--json"]) == 0
    said = json.loads(capfd.readouterr().out)
    assert (said["count"], said["first"], said["event"], said["note"]) == (500, 200, 699, None)
    assert said["cause"] == "saved by hand; writer dead" and not catalogue.entry("rig").unsaved
    np.testing.assert_array_equal(all_values(Path(said["path"])), all_values(Path("live.mcap")))
    np.testing.assert_array_equal(all_values(Path(said["path"])), records(hexapod_schema(), 200, 500, 0.001))
    for out, sentence in (("live.mcap", "is there already"), ("no/x.mcap", "No such file or directory\n")):
        assert main(["ring", "save", "rig", "--out", out]) == 2
        assert sentence in capfd.readouterr().err
