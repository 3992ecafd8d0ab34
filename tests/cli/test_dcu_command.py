"""`motionbase dcu` as a process: the rate, the waveforms, the end, and one writer only."""

import json
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.lock import is_held
from motionbase.ring.reader import Reader, ReaderState
from motionbase.ring.waveforms import recognised, records
from tests.ring.ring_processes import PATIENCE_S, command, interrupt

PAIR = Schema("pair", (Channel("t", "s", "time", "time"), Channel("x", "m", "x", "time")))
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def failure(capsys: Capture, *args: str) -> str:
    assert call(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_it_writes_known_records_until_ctrl_c(folder: Path) -> None:
    begin = time.monotonic()
    with command(folder, "dcu", "--ring", "test", "--rate", "200") as dcu:
        assert dcu.stdout is not None
        assert "shared memory (emulation)" in (line := dcu.stdout.readline()) and "178 channels" in line
        with Reader("test", start="oldest") as reader:
            first = reader.wait(PATIENCE_S)
            np.testing.assert_array_equal(first.rows, records(hexapod_schema(), 0, len(first.rows), 1 / 200))
            while reader.tail < 100:
                batch = reader.wait(PATIENCE_S)
                assert len(batch.rows) and (recognised(batch.rows)[:, 2:] == np.arange(2, 178)).all()
                assert batch.rows[-1, 0] <= time.monotonic() - begin, "a record never comes before its time"
            assert reader.lost == 0
            out, err = interrupt(dcu)
            assert dcu.returncode == 0 and err == "" and out.startswith("stopped after ")
            while len(reader.read().rows):
                pass
            assert reader.state is ReaderState.STOPPED and int(out.split()[2]) == reader.tail
    assert not (folder / "motionbase-test").exists()


def test_a_polite_kill_ends_it_in_good_order_too(folder: Path) -> None:
    with command(folder, "dcu", "--json") as dcu, Reader() as reader:
        assert len(reader.wait(PATIENCE_S).rows)
        dcu.send_signal(signal.SIGTERM)
        out, _ = dcu.communicate(timeout=PATIENCE_S)
        assert dcu.returncode == 0 and json.loads(out)["records"] > 0
    assert not (folder / "motionbase-motionbase").exists()


def test_a_second_writer_is_refused(folder: Path, capsys: Capture) -> None:
    with command(folder, "dcu") as dcu:
        assert dcu.stdout is not None and dcu.stdout.readline()
        said = failure(capsys, "dcu", "--duration", "1")
        assert f"ring 'motionbase' has a writer already, process {dcu.pid}; stop it or choose another name" in said
        assert is_held(folder / "motionbase-motionbase.lock") and (folder / "motionbase-motionbase").exists()
        interrupt(dcu)


def test_duration_rate_capacity_and_schema(folder: Path, capsys: Capture, tmp_path: Path) -> None:
    """20 kHz: some twenty records at every wake; all of them are written, however late the machine is."""
    (tmp_path / "pair.json").write_text(PAIR.json)
    options = "--rate", "20000", "--duration", "0.5", "--schema", str(tmp_path / "pair.json"), "--capacity", "64"
    assert call(["dcu", *options, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["records"] == 10_000 and result["wall_s"] > 0.49
    assert list(folder.glob("motionbase-motionbase*")) == [folder / "motionbase-motionbase.lock"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--rate", "0"], "--rate is 0, it must be 0.01 to 100000 records per second"),
        (["--rate", "nan"], "--rate is nan"),
        (["--duration", "-1"], "--duration is -1 s, it must be a finite number above 0"),
        (["--duration", "inf"], "--duration is inf s"),
        (["--capacity", "1"], "a ring of 1 records; it must have 2 or more"),
        (["--ring", "../x"], "ring name '../x' must be"),
        (["--schema", "/nowhere.json"], "--schema '/nowhere.json' cannot be read: No such file"),
    ],
)
def test_bad_options_are_one_sentence(args: list[str], said: str, folder: Path, capsys: Capture) -> None:
    assert said in failure(capsys, "dcu", *args)
    assert not any(p.suffix != ".lock" for p in folder.iterdir())


def test_a_file_that_is_no_schema_is_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "s.json").write_text("{}")
    assert "the schema must be an object" in failure(capsys, "dcu", "--schema", str(tmp_path / "s.json"))
    (tmp_path / "s.json").write_bytes(b"\xff")
    assert "cannot be read" in failure(capsys, "dcu", "--schema", str(tmp_path / "s.json"))
