"""`motionbase record` and `record-control`: thin over the recorder, with clear refusals."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import control as control
from motionbase.ring.writer import Writer
from tests.recording.recorder_rig import files, rows, until, writer

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def failure(capsys: Capture, *args: str) -> str:
    assert call(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def _beside(ring: Writer, folder: Path, *commands: tuple[str, ...]) -> list[int]:
    """What another person does meanwhile, once the recorder is there."""
    codes: list[int] = []

    def work() -> None:
        until(lambda: (folder / "motionbase-rig.recorder.json").exists())
        ring.write(rows(0, 300))
        codes.extend(call(["record-control", *c, "--ring", "rig"]) for c in commands)
        ring.write(rows(300, 200))
        codes.append(call(["record-control", "stop", "--ring", "rig"]))
        os.kill(os.getpid(), signal.SIGINT)  # Ctrl-C of the recorder, in the main thread

    threading.Thread(target=work, daemon=True).start()
    return codes


def test_it_records_to_the_default_folder_and_can_be_controlled(folder: Path, capsys: Capture) -> None:
    with writer() as ring:
        codes = _beside(ring, folder, ("note", "a bump"), ("split",), ("status",), ("status", "--json"))
        assert call(["record", "--ring", "rig", "--duration", "60", "--note", "begin", "--json"]) == 0
    out, err = capsys.readouterr()
    assert codes == [0] * 5 and "recording" in err + out
    found = files(folder / "data" / "recordings")
    assert [f.name[-8:] for f in found] == ["rig.mcap", "001.mcap"]
    counts, notes = [], list[str]()
    for path in found:
        with open_recording(path) as recording:
            counts.append(recording.count)
            notes += [e.text for e in recording.events if e.kind == "note"]
    assert counts == [300, 200] and notes == ["begin", "a bump"]
    assert "state    recording, process" in out and "noted\n" in out
    result = json.loads(out[out.rindex('{\n  "ring"') :])
    assert result["recordings"] == [
        {"first": str(found[0]), "last": str(found[1])}
        | {key: result[key] for key in ("files", "records", "written", "bytes", "gaps", "lost")}
    ]
    assert result["written"] == 500 and result["lost"] == 0 and result["complete"] is True


def test_the_end_is_told_in_a_line(folder: Path, capsys: Capture) -> None:
    with writer() as ring:
        _beside(ring, folder)
        assert call(["record", "--ring", "rig", "--out", str(folder / "x.mcap")]) == 0
    out = capsys.readouterr().out
    assert f"\n500 records, 0 lost, 0.0 MB in 1 file: x.mcap\nin {folder}\n" in out and "together" not in out


def test_every_recording_is_named_with_its_counts_at_the_end(folder: Path, capsys: Capture) -> None:
    told: list[str] = []

    def work() -> None:
        until(lambda: (folder / "motionbase-rig.recorder.json").exists())
        ring.write(rows(0, 300))
        call(["record-control", "split", "--ring", "rig"])
        ring.write(rows(300, 20))
        for action in ("stop", "start", "stop", "start"):  # a recording without records is none
            told.append(control.ask("rig", action))
        ring.write(rows(320, 50))
        call(["record-control", "stop", "--ring", "rig"])
        os.kill(os.getpid(), signal.SIGINT)

    with writer() as ring:
        threading.Thread(target=work, daemon=True).start()
        assert call(["record", "--ring", "rig", "--out", str(folder / "x.mcap")]) == 0
    out = capsys.readouterr().out
    assert told[1::2] == [f"recording to {folder / 'x_2.mcap'}"] * 2
    lines = [line for line in out.splitlines() if " lost, " in line]
    assert lines == [
        "320 records, 0 lost, 0.0 MB in 2 files: x.mcap to x_001.mcap",
        "50 records, 0 lost, 0.0 MB in 1 file: x_2.mcap",
        "together 370 records, 0 lost, 0.0 MB in 3 files",
    ]
    assert [p.name for p in files(folder)] == ["x.mcap", "x_001.mcap", "x_2.mcap"]


def test_it_ends_after_its_duration(folder: Path, capsys: Capture) -> None:
    assert call(["record", "--ring", "rig", "--duration", "0.2", "--out", str(folder / "x.mcap")]) == 0
    assert "0 records, 0 lost, 0.0 MB in 0 files" in capsys.readouterr().out
    assert not (folder / "x.mcap").exists(), "no records, no file"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("record", "--duration", "0"), "--duration is 0, it must be a finite number above 0"),
        (("record", "--split-mb", "-1"), "--split-mb is -1"),
        (("record", "--split-seconds", "nan"), "--split-seconds is nan"),
        (("record", "--oldest", "--wait"), "contradict"),
        (("record", "--out", "run.csv"), "must end in .mcap"),
        (("record", "--ring", "no/ring"), "ring name 'no/ring'"),
        (("record-control", "dance"), "there is no action 'dance'"),
        (("record-control", "note"), "a note needs its text"),
        (("record-control", "stop", "now"), "stop takes no text"),
        (("record-control", "status"), "nobody records ring 'motionbase'"),
        (("record-control", "stop"), "nobody records ring 'motionbase'"),
    ],
)
def test_what_cannot_be_is_one_sentence(capsys: Capture, args: tuple[str, ...], sentence: str) -> None:
    assert sentence in failure(capsys, *args)


def test_a_folder_that_cannot_be_is_one_sentence(folder: Path, capsys: Capture) -> None:
    (folder / "file").touch()
    assert "cannot be made" in failure(capsys, "record", "--out", str(folder / "file" / "there"))


@pytest.mark.parametrize("command", ["record", "record-control"])
def test_help_has_an_example(capsys: Capture, command: str) -> None:
    assert call([command, "--help"]) == 0
    assert f"Example: motionbase {command}" in capsys.readouterr().out
