"""`motionbase estop`: the list, one file in full, and files that are damaged."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli import terminal
from motionbase.cli.main import main as call
from motionbase.record.faults import Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.schema import Channel, Schema
from motionbase.record.states import State
from motionbase.recording.estop.files import save_ring
from motionbase.ring.writer import Writer

Capture = pytest.CaptureFixture[str]
STOP_NS = 1_794_756_284_848_000_000  # 2026-11-15 15:24:44.848 UTC
EVENT, COUNT = 1500, 1800


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path / "estop"


def saved(ring: str = "rig", utc_ns: int = STOP_NS) -> Path:
    """18 s at 100 Hz; the stop at 15 s, leg 3 fastest half a second before, the largest force in leg 5 at the stop."""
    schema = hexapod_schema()
    rows = np.zeros((COUNT, 178))
    rows[:, 0] = np.arange(COUNT) / 100
    place = schema.index
    rows[:EVENT, place["state"]], rows[EVENT:, place["state"]] = State.DRIVE, State.ABORT
    rows[EVENT:, place["fault"]] = Fault.ESTOP
    rows[EVENT - 50, place["leg3_l_dot_meas"]] = -0.75
    rows[EVENT - 101, place["leg1_l_dot_meas"]] = 9.0  # more than a second before
    rows[EVENT + 1, place["leg2_f_meas"]] = 9e9  # after it
    rows[EVENT, place["leg5_f_meas"]] = 12_345.0
    with Writer(schema, name=ring, dt=0.01, capacity=2000, program="test") as writer:
        writer.write(rows)
        return save_ring(
            writer.segment, ring, cause="emergency stop in record 1500", event=EVENT, event_utc_ns=utc_ns
        ).path


def output(capsys: Capture, *args: str) -> str:
    assert call(["estop", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def failure(capsys: Capture, *args: str) -> str:
    assert call(["estop", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_without_files(folder: Path, capsys: Capture) -> None:
    assert output(capsys) == f"no ESTOP files in {folder}\n"
    assert json.loads(output(capsys, "--json")) == []
    assert "no ESTOP file number 1; there are 0 in" in failure(capsys, "1")
    assert "no ESTOP file 'x.mcap'; `motionbase estop` lists them" in failure(capsys, "x.mcap")


def test_a_folder_that_is_not_there_is_bad_input(folder: Path, capsys: Capture) -> None:
    file = saved()
    for args in ((), ("1",), ("--json",)):
        missing = failure(capsys, *args, "--folder", str(folder / "none"))
        assert f"--folder {str(folder / 'none')!r} does not exist; leave it out for the folder that runs use" in missing
    assert "is not a folder" in failure(capsys, "--folder", str(file))
    assert str(file.name) in json.loads(output(capsys, "--json", "--folder", str(folder)))[0]["path"]


def test_the_list_is_newest_first(capsys: Capture) -> None:
    saved("rig", STOP_NS - 10**9 * 3600)
    size = terminal.size(saved("other").stat().st_size)
    first, second = (line for line in output(capsys).splitlines() if "emergency stop" in line)
    for cell in ("1 ", "2026-11-15 15:24:44.848", "other", "15.00 s", "2.99 s", "1800", size, "in record 1500"):
        assert cell in first
    assert " rig " in second and "2026-11-15 14:24:44" in second
    (only,) = json.loads(output(capsys, "--json", "--ring", "rig"))
    wanted = {"number": 1, "ring": "rig", "stop_utc": "2026-11-15T14:24:44.848Z", "records": 1800, "damage": []}
    assert only | wanted == only and only["before_s"] == pytest.approx(15) and only["after_s"] == pytest.approx(2.99)


def test_one_file_in_full(capsys: Capture) -> None:
    path = saved()
    text = output(capsys, "1")
    for part in (
        "emergency stop in record 1500", "record 1500, t = 15.0 s", "drive before, abort at the stop",
        "estop: the emergency stop acts", "-0.75 m/s, leg 3, at t = 14.500 s", "1.234e+04 N, leg 5, at t = 15.000 s",
        "1800 at 100 Hz, t = 0.000 to 17.990 s", "hexapod, 178 channels",
    ):  # fmt: skip
        assert part in text
    told = json.loads(output(capsys, str(path), "--json"))
    assert told == json.loads(output(capsys, path.name, "--json"))
    assert told["at_the_stop"] == {
        "t": 15.0, "state_before": "drive", "state": "abort", "fault": "estop",
        "fault_sentence": "the emergency stop acts",
    }  # fmt: skip
    assert told["second_before"]["records"] == 101 and len(told["second_before"]["force"]) == 6
    assert told["second_before"]["velocity"][2] == {"leg": 3, "value": -0.75, "unit": "m/s", "t": 14.5}
    assert told["damage"] == [] and told["whole_records"] == 1800


def test_damage_is_said_in_the_list_and_in_full(folder: Path, capsys: Capture) -> None:
    path = saved()
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"zstd", len(raw) // 3) + 60] ^= 1  # in a chunk of records
    path.write_bytes(raw)
    (folder / "20270101T000000.000Z_rig.estop").write_bytes(b"what is this")
    text = output(capsys)
    assert "1, 20270101T000000.000Z_rig.estop: " in text and "too short for an ESTOP file" in text
    lost = next(line for line in text.splitlines() if line.startswith(f"2, {path.name}: records "))
    assert "could not be read: a chunk" in lost
    broken, damaged = json.loads(output(capsys, "--json"))
    assert broken["cause"] is None and len(damaged["damage"]) == 1 and damaged["records"] == 1800
    assert "too short for an ESTOP file" in failure(capsys, "1")
    told = json.loads(output(capsys, "2", "--json"))
    assert told["whole_records"] < 1800 and told["damage"] == damaged["damage"]


@pytest.mark.parametrize("cut", [0.3, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_is_described_as_far_as_it_goes(cut: float, capsys: Capture) -> None:
    path = saved()
    raw = path.read_bytes()
    path.write_bytes(raw[: int(cut * len(raw))])
    told = json.loads(output(capsys, "1", "--json"))
    assert told["damage"] and (told["at_the_stop"] is None) == (told["whole_records"] <= EVENT)
    assert "the file has no end" in output(capsys, "1")


def test_records_of_another_kind_and_a_file_without_an_event(capsys: Capture) -> None:
    pair = Schema("pair", (Channel("t", "s", "time", "time"), Channel("x", "m", "x", "time")))
    with Writer(pair, name="rig", dt=0.01, capacity=100) as writer:
        writer.write(np.zeros((10, 2)))
        save_ring(writer.segment, "rig", cause="the writer died")
    text = output(capsys, "1")
    assert "none: saved by hand" in text and text.count("not recorded") == 4
    assert "the writer died" in output(capsys)
    told = json.loads(output(capsys, "1", "--json"))
    assert told["at_the_stop"] is None and told["second_before"] is None
