"""`motionbase export recording` and `motionbase split` as people and scripts meet them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.mcap.messages import Event
from motionbase.recording.open import open_recording
from motionbase.ring.waveforms import records
from tests.recording.files import schema_of, waves, write_mcap

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = records(hexapod_schema(), 0, 500, 0.01)
    return write_mcap(tmp_path_factory.mktemp("run") / "run.mcap", hexapod_schema(), rows, events=())


def output(capsys: Capture, *args: str) -> str:
    assert call(list(args)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def failure(capsys: Capture, *args: str) -> str:
    assert call(list(args)) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_a_choice_of_groups_legs_and_times(run: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "forces.csv"
    choice = ["--groups", "leg_force,leg_position", "--legs", "1, 3", "--channels", "acc_*", "--from", "1", "--to", "2"]
    text = output(capsys, "export", "recording", str(run), "--out", str(out), *choice)
    assert text.startswith("wrote 101 records of 8 channels, ") and f"to {out} in " in text
    lines = out.read_text().splitlines()
    names = ("t [s]", "leg1_l_meas [m]", "leg3_l_meas [m]", "leg1_f_meas [N]", "leg3_f_meas [N]")
    assert lines[0] == ",".join([*names, *(f"acc_{axis} [m/s^2]" for axis in "xyz")])
    assert len(lines) == 102 and lines[1].startswith("1,") and lines[-1].startswith("2,")


def test_a_file_of_events_beside_a_csv_file_is_named(tmp_path: Path, capsys: Capture) -> None:
    rows = records(hexapod_schema(), 0, 100, 0.01)
    source = write_mcap(tmp_path / "run.mcap", hexapod_schema(), rows, events=(Event(0.5, "note", "a bump"),))
    text = output(capsys, "export", "recording", str(source), "--out", str(tmp_path / "a.csv"))
    assert text.endswith("; its events are in a.events.tsv beside it\n") and (tmp_path / "a.events.tsv").is_file()
    text = output(capsys, "export", "recording", str(source), "--out", str(tmp_path / "a.parquet"))
    assert "beside it" not in text


@pytest.mark.parametrize("ending", ["mcap", "csv", "parquet"])
def test_every_format_has_the_same_numbers(run: Path, tmp_path: Path, capsys: Capture, ending: str) -> None:
    output(capsys, "export", "recording", str(run), "--out", str(tmp_path / f"a.{ending}"))
    with open_recording(run) as one, open_recording(tmp_path / f"a.{ending}") as other:
        for (name, a), b in zip(one.columns().items(), other.columns().values(), strict=True):
            np.testing.assert_array_equal(a, b, err_msg=name)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--out", "a.xlsx"], "the name must end in .mcap, .csv, .parquet"),
        (["--out", "nowhere/a.csv"], "the folder 'nowhere' does not exist"),
        (["--out", "a.csv", "--legs", "one"], "--legs 'one': give numbers separated by commas, such as 1,3"),
        (["--out", "a.csv", "--legs", "9"], "no leg 9; legs: 1, 2, 3, 4, 5, 6"),
        (["--out", "a.csv", "--groups", "forces"], "no group 'forces'; groups: time, host, "),
        (["--out", "a.csv", "--groups", ","], "--groups ',' names nothing"),
        (["--out", "a.csv", "--channels", "leg_*"], "no channel is called 'leg_*'"),
        (["--out", "a.csv", "--from", "nan"], "from nan s is no time; give seconds since the recording's epoch"),
        (["--out", "a.csv", "--from", "3", "--to", "2"], "from 3 s to 2 s: the second time is before the first"),
        (["--out", "a.csv", "--from", "77"], "has no records from 77 s to the end; it goes from 0 to 4.99 s"),
        ([], "missing option '--out'"),
    ],
)
def test_bad_input_gets_one_sentence(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, args: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in failure(capsys, "export", "recording", str(run), *args)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_recording_and_a_file_that_is_there(run: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "a.csv"
    assert "does not exist" in failure(capsys, "export", "recording", "nothing.mcap", "--out", str(out))
    out.write_text("precious")
    assert "exists already" in failure(capsys, "export", "recording", str(run), "--out", str(out))
    assert out.read_text() == "precious"
    output(capsys, "export", "recording", str(run), "--out", str(out), "--force", "--channels", "t")
    assert len(out.read_text().splitlines()) == 501


def test_damage_is_said_and_does_not_stop_the_export(run: Path, tmp_path: Path, capsys: Capture) -> None:
    raw = bytearray(run.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    (tmp_path / "a.mcap").write_bytes(raw)
    assert call(["export", "recording", str(tmp_path / "a.mcap"), "--out", str(tmp_path / "a.csv")]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("wrote 500 records") and err.startswith("motionbase: damaged: records ")


def test_a_stop_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    schema = schema_of(60, 4)
    source = write_mcap(tmp_path / "run.mcap", schema, waves(schema, 100_000), chunk=1000)
    command = [sys.executable, "-m", "motionbase", "export", "recording", str(source), "--out", str(tmp_path / "a.csv")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not any(name.endswith(".part") for name in os.listdir(tmp_path)) and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")
    assert os.listdir(tmp_path) == ["run.mcap"]


# ---- split ----


def test_split_by_records_and_seconds(run: Path, tmp_path: Path, capsys: Capture) -> None:
    text = output(capsys, "split", str(run), "--records", "200", "--out", str(tmp_path / "a"), "--format", "csv")
    assert "500 records of 178 channels" in text and "3 files, run_part001.csv to run_part003.csv" in text
    assert [len((tmp_path / "a" / f"run_part00{k}.csv").read_text().splitlines()) for k in (1, 2, 3)] == [201, 201, 101]
    text = output(capsys, "split", str(run), "--seconds", "2", "--out", str(tmp_path / "b"), "--legs", "2")
    assert sorted(os.listdir(tmp_path / "b")) == ["run_part001.mcap", "run_part002.mcap", "run_part003.mcap"]
    with open_recording(tmp_path / "b" / "run_part002.mcap") as found:
        assert (found.start, found.end, len(found.schema.channels)) == (2.0, 3.99, 15)
    text = output(capsys, "split", str(run), "--seconds", "60", "--out", str(tmp_path / "c"))
    assert text.strip().endswith("run_part001.mcap")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "give either --records N or --seconds S"),
        (["--records", "1", "--seconds", "1"], "give either --records N or --seconds S"),
        (["--records", "0"], "files of 0 records cannot be"),
        (["--seconds", "-1"], "files of -1 s cannot be"),
        (["--seconds", "0.0001"], "files; 10000 is the most"),
        (["--records", "5", "--format", "xlsx"], "'xlsx' is not one of"),
        (["--records", "5", "--from", "3", "--to", "2"], "from 3 s to 2 s: the second time is before the first"),
        (["--records", "5", "--to", "inf"], "to inf s is no time; give seconds since the recording's epoch"),
    ],
)
def test_a_split_that_cannot_be(run: Path, tmp_path: Path, capsys: Capture, args: list[str], sentence: str) -> None:
    assert sentence in failure(capsys, "split", str(run), "--out", str(tmp_path / "out"), *args)
    assert list(tmp_path.iterdir()) == []


def test_a_split_into_a_file_is_refused(run: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file; give a folder" in failure(
        capsys, "split", str(run), "--records", "5", "--out", str(tmp_path / "file")
    )
