"""`motionbase ring`: list, show, watch and clean as people and scripts meet them."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.cli.ring_watch import View, sparkline
from motionbase.errors import SchemaError
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.ring.layout import HEAD
from motionbase.ring.reader import Reader
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import command, interrupt

PAIR = Schema("pair", (Channel("t", "s", "time", "time"), Channel("x", "m", "x", "time")))
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def output(capsys: Capture, *args: str) -> str:
    assert call(["ring", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def failure(capsys: Capture, *args: str) -> str:
    assert call(["ring", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_list_without_rings(capsys: Capture) -> None:
    assert "no rings" in output(capsys, "list")
    assert json.loads(output(capsys, "list", "--json")) == []


def test_list_has_a_line_for_each_ring_and_the_reason_for_what_is_none(folder: Path, capsys: Capture) -> None:
    (folder / "motionbase-odd").write_bytes(b"odd")
    with Writer(hexapod_schema(), name="run", dt=0.0005, every=20, capacity=100, program="executive") as ring:
        ring.write(records(ring.schema, 0, 250, 0.0005, every=20))
        text = output(capsys, "list")
        row = next(line for line in text.splitlines() if " run " in line)
        for cell in (f"executive ({os.getpid()}), alive", "hexapod, 178 channels", "100 Hz", " 100 ", " 250 ", " no"):
            assert cell in row
        assert "odd: not readable: " in text and "3 bytes, which is too short for a ring" in text
        odd, run = json.loads(output(capsys, "list", "--json"))
        assert odd["trouble"] and odd["writer"] is None
        assert run["trouble"] is None and run["writer"] == {
            "program": "executive",
            "pid": os.getpid(),
            "state": "alive",
        }
        wanted = {
            "schema": "hexapod",
            "rate_hz": 100,
            "records": 100,
            "head": 250,
            "unsaved": False,
            "status": "running",
        }
        assert run | wanted == run and run["age_s"] >= 0


def test_show(folder: Path, capsys: Capture) -> None:
    with Writer(hexapod_schema(), name="run", dt=0.001, capacity=100, platform="[platform]") as ring:
        rows = np.zeros((3, 178))
        rows[:, ring.schema.index["lateness"]] = [1e-6, 2e-6, 9e-6]
        ring.write(rows)
        text = output(capsys, "show", "run")
        for part in ("shared memory (emulation)", "x forward, y left, z up", "t = tick x 0.001 s", "3 of 100", "UTC"):
            assert part in text
        assert "median 2 us" in text and "largest 9 us" in text and "leg_position" in text and "10 B of text" in text
        data = json.loads(output(capsys, "show", "run", "--json"))
        assert data["groups"]["time"] == ["t", "tick"] and data["lateness"]["records"] == 3
        assert data["epoch"] == ring.header.epoch and data["schema_hash"] == ring.schema.hash.hex()


def test_show_what_is_not_there_or_no_ring(folder: Path, capsys: Capture) -> None:
    (folder / "motionbase-odd").write_bytes(b"odd")
    assert "no ring 'run'" in (said := failure(capsys, "show", "run")) and "rings: odd" in said
    assert "ring 'odd' is not readable: " in failure(capsys, "show", "odd")


def test_clean_says_what_it_did(folder: Path, capsys: Capture) -> None:
    failed = Writer(PAIR, name="failed", capacity=4)
    failed.publish()
    failed.close(failed=True)
    Writer(PAIR, name="old", capacity=4).close(remove=False)
    with Writer(PAIR, name="live", capacity=4):
        text = output(capsys, "clean")
        assert f"kept    {folder}/motionbase-failed: 1 unsaved records; --force removes it" in text
        assert f"kept    {folder}/motionbase-live: its writer is alive, process {os.getpid()}" in text
        assert f"removed {folder}/motionbase-old: writer stopped" in text
        done = json.loads(output(capsys, "clean", "failed", "--force", "--json"))
        assert {Path(d["path"]).name: d["removed"] for d in done} == {
            "motionbase-failed": True,
            "motionbase-failed.lock": True,
        }
        assert {p.name for p in folder.iterdir()} == {"motionbase-live", "motionbase-live.lock"}
        assert "no ring 'failed'" in failure(capsys, "clean", "failed")
    assert "removed" in output(capsys, "clean") and output(capsys, "clean") == "nothing to remove\n"


def test_view_follows_values_extremes_loss_stop_and_restart() -> None:
    with Reader("run", timeout=30) as reader:
        view = View(reader, ("x",))
        view.take()
        assert "no segment; 0 records" in view.status()
        with Writer(PAIR, name="run", capacity=4) as ring:
            while view.schema is None:
                view.take()
            for x in (1.0, np.nan, -2.0, 5.0, 3.0, 4.0):
                ring.write(np.array([[0.0, x]]))
            view.take()
            assert "run: shared memory (emulation): live; 4 records, 2 lost x=4" in view.line()
            ring.write(np.array([[0.0, -7.0]]))
            view.take()
            assert view.line().endswith("x=-7") and (view._least[0], view._greatest[0]) == (-7, 5)
            assert any("2 records were overwritten" in note for note in view.notes)
        view.take()
        assert any(note.endswith("writer stopped") for note in view.notes)
        other = Schema("other", PAIR.channels[:1])
        with Writer(other, name="run", capacity=4) as ring:
            ring.publish()
            while view.received != 1:
                view.take()
            notes = " ".join(view.notes)
            assert "the writer was restarted" in notes and "the ring has no channel x now" in notes


def test_view_of_a_ring_with_a_wild_head_comes_to_an_end() -> None:
    with Writer(PAIR, name="wild", capacity=16) as ring, Reader("wild", start="oldest") as reader:
        ring.publish()
        ring.segment.set_counter(HEAD, 2**40)
        View(reader, ()).take()


def test_view_draws_a_table() -> None:
    from rich.console import Console

    with Writer(hexapod_schema(), name="run", capacity=100) as ring, Reader("run") as reader:
        view = View(reader, ())
        ring.write(records(ring.schema, 0, 50, 0.01))
        view.take()
        screen = Console(width=120, record=True, file=open(os.devnull, "w"))
        with screen.file:
            screen.print(view.picture())
        text = screen.export_text()
    assert "leg1_l_meas" in text and "N" in text and text.count("leg1") >= 8  # one of each group


def test_a_wrong_channel_is_said_at_once(capsys: Capture) -> None:
    with Writer(PAIR, name="run", capacity=4):
        assert "schema 'pair' has no channel 'y'; channels: t, x" in failure(capsys, "watch", "run", "y")
        with pytest.raises(SchemaError), Reader("run") as reader:
            View(reader, ("y",))


def test_watch_in_a_pipe_prints_lines_and_survives_a_restart(folder: Path) -> None:
    with command(folder, "ring", "watch", "run", "x", "--refresh", "20") as watch:
        assert watch.stdout is not None
        assert "no segment" in watch.stdout.readline()
        for value in (1.0, 2.0):
            with Writer(PAIR, name="run", capacity=400) as ring:
                ring.write(np.array([[0.0, value]]))
                while (line := watch.stdout.readline()) and not line.endswith(f"x={value:g}\n"):
                    ring.write(np.array([[0.0, value]]))
                assert line, "watch has ended"
        out, err = interrupt(watch)
        assert watch.returncode == 0 and err == ""


def test_sparkline() -> None:
    from collections import deque

    assert sparkline(deque([0.0, 1.0, 2.0, 7.0])) == "▁▂▃█"
    assert sparkline(deque([3.0, 3.0])) == "▅▅" and sparkline(deque([np.nan, np.inf])) == ".."
    assert sparkline(deque([0.0, np.nan, 1.0])) == "▁.█"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["watch", "run", "--refresh", "0"], "--refresh is 0"),
        (["watch", "run", "--duration", "-1"], "--duration is -1 s"),
        (["watch", "a b"], "ring name 'a b' must be"),
        (["lst"], "list"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert said in failure(capsys, *args)
