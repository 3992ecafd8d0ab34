"""`motionbase info` as people and scripts meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.estop.save import save
from motionbase.recording.export import export
from motionbase.recording.mcap.messages import Event
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.recording.files import EPOCH, schema_of, waves, write_mcap

Capture = pytest.CaptureFixture[str]
SCHEMA = schema_of(5, 2)


def output(capsys: Capture, *args: str) -> str:
    assert call(["info", *args]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def as_json(capsys: Capture, path: Path, *args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(output(capsys, str(path), "--json", *args))
    return found


@pytest.fixture
def gappy(tmp_path: Path) -> Path:
    rows = np.delete(waves(SCHEMA, 1000), range(500, 520), axis=0)
    rows[5, 1], rows[6, 2], rows[:, 3] = np.nan, np.inf, np.nan
    return write_mcap(tmp_path / "run.mcap", SCHEMA, rows)


def test_for_people(gappy: Path, capsys: Capture) -> None:
    text = output(capsys, str(gappy))
    for words in (
        "run.mcap: MCAP, ", "schema 'test', 5 channels in ", "980 records, 1000 Hz, 0 to 0.999 s",
        "from 2023-11-14T22:13:20.000Z", "ring: test", "gaps: 1, 20 records", "0.499 s  20 records, 21 ms",
        "events: 2", "0.02 s  note: begin", "not a number: x1 (1), x3 (980)",
    ):  # fmt: skip
        assert words in text
    row = next(line for line in text.splitlines() if " x4 " in line).split()
    values = waves(SCHEMA, 1000)[:, 4]
    kept = np.delete(values, range(500, 520))
    assert [float(x) for x in row[-4:]] == pytest.approx(
        [kept.min(), kept.max(), kept.mean(), np.sqrt((kept**2).mean())], rel=1e-5  # six digits are printed
    )  # fmt: skip


def test_for_scripts(gappy: Path, capsys: Capture) -> None:
    data = as_json(capsys, gappy)
    assert (data["records"], data["format"], data["duration_s"]) == (980, "MCAP", 0.999)
    assert data["rate_hz"] == pytest.approx(1000) and data["start_utc"] == "2023-11-14T22:13:20.000Z"
    assert data["gaps"]["count"] == 1 and data["gaps"]["list"][0]["records"] == 20
    assert [e["text"] for e in data["events"]] == ["begin", "größer: 5 µm"]
    assert data["channels"][2]["max"] == "inf" and data["channels"][3]["min"] is None
    assert data["channels"][3]["missing"] == 980 and data["damage"] == []
    brief = as_json(capsys, gappy, "--brief")
    assert "gaps" not in brief and "min" not in brief["channels"][0] and brief["records"] == 980


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_other_formats(gappy: Path, tmp_path: Path, capsys: Capture, ending: str) -> None:
    with open_recording(gappy) as recording:
        export(recording, tmp_path / f"a{ending}")
    one, other = as_json(capsys, gappy), as_json(capsys, tmp_path / f"a{ending}")
    for key in ("records", "start_s", "end_s"):
        assert one[key] == other[key]
    assert one["gaps"] == other["gaps"]
    for a, b in zip(one["channels"], other["channels"], strict=True):
        assert [a[k] for k in ("name", "unit", "min", "max", "missing")] == [
            b[k] for k in ("name", "unit", "min", "max", "missing")
        ]
    assert f"a{ending}: " in output(capsys, str(tmp_path / f"a{ending}"))


def test_an_estop_file_says_what_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    with Writer(hexapod_schema(), dt=0.01, capacity=1000, program="rig") as writer:
        writer.write(records(hexapod_schema(), 0, 900, 0.01))
        save("motionbase", tmp_path / "a.estop.mcap", cause="emergency stop", event=700)
    text = output(capsys, str(tmp_path / "a.estop.mcap"))
    for words in ("MCAP", "cause: emergency stop", "stop at 7 s, 7 s before it, 1.99 s after it", "writer: rig"):
        assert words in text
    data = as_json(capsys, tmp_path / "a.estop.mcap")
    assert data["about"]["cause"] == "emergency stop" and data["events"][0]["t"] == 7.0


def test_a_restart_and_damage_are_said(tmp_path: Path, capsys: Capture) -> None:
    rows = waves(SCHEMA, 300)
    with McapWriter(tmp_path / "a.mcap", SCHEMA, {"epoch_utc_ns": str(EPOCH)}) as writer:
        for epoch in (EPOCH, EPOCH + 2_000_000_000):
            for at in range(0, 300, 100):
                writer.write_rows(rows[at : at + 100], at, log_times(epoch, rows[at : at + 100, 0]))
        writer.write_events([Event(2.0, "writer", "restarted\nnow")], [EPOCH + 2_000_000_000])
    text = output(capsys, str(tmp_path / "a.mcap"))
    assert "the writer restarted at 2 s" in text and "gaps: 1, 1700 records" in text
    assert "writer: restarted now" in text
    raw = bytearray((tmp_path / "a.mcap").read_bytes())
    raw[raw.index(b"zstd") + 60] ^= 1
    (tmp_path / "b.mcap").write_bytes(raw)
    assert call(["info", str(tmp_path / "b.mcap")]) == 1
    text, said = capsys.readouterr()
    assert said.startswith("motionbase: damaged: records 0 to 99 could not be read: ") and said.count("\n") == 1
    assert "600 records" in text and "not a number: t (100)" in text and " x4 " in text
    assert call(["info", str(tmp_path / "b.mcap"), "--json"]) == 1
    text, again = capsys.readouterr()
    (damage,) = json.loads(text)["damage"]
    assert again == said and said == f"motionbase: damaged: {damage['text']}\n"
    assert (damage["first"], damage["last"]) == (0, 100) and json.loads(text)["channels"][4]["missing"] == 100


def test_a_damaged_time_is_never_nan(tmp_path: Path, capsys: Capture) -> None:
    """The whole column of times, and `t` as well: the footer says where they are."""
    with open_recording(write_mcap(tmp_path / "a.mcap", SCHEMA, waves(SCHEMA, 1000))) as recording:
        export(recording, tmp_path / "a.parquet")
    raw, group = bytearray((tmp_path / "a.parquet").read_bytes()), pq.ParquetFile(tmp_path / "a.parquet").metadata
    for name in ("time", "t"):
        columns = [group.row_group(0).column(k) for k in range(group.num_columns)]
        (column,) = [c for c in columns if c.path_in_schema == name]
        raw[column.data_page_offset + column.total_compressed_size // 2] ^= 0xFF
        (tmp_path / "b.parquet").write_bytes(raw)
        assert call(["info", str(tmp_path / "b.parquet")]) == 1
        out, err = capsys.readouterr()
        assert "nan" not in out + err and "'time'" in err
        assert ("0 to 0.999 s" in out) == (name == "time")
    assert (
        call(["export", "recording", str(tmp_path / "b.parquet"), "--out", str(tmp_path / "c.csv"), "--from", "9"]) == 2
    )
    assert "nan" not in capsys.readouterr().err


@pytest.mark.parametrize("platform", [{"platform_name": "simona"}, {"platform": 'name = "simona"'}, {}])
def test_the_platform_is_named(tmp_path: Path, capsys: Capture, platform: dict[str, str]) -> None:
    with McapWriter(tmp_path / "a.mcap", SCHEMA, {"epoch_utc_ns": str(EPOCH), **platform}) as writer:
        writer.write_rows(waves(SCHEMA, 10), 0, log_times(EPOCH, waves(SCHEMA, 10)[:, 0]))
    assert ("platform: simona\n" in output(capsys, str(tmp_path / "a.mcap"))) == bool(platform)
    assert as_json(capsys, tmp_path / "a.mcap")["platform"] == ("simona" if platform else None)


@pytest.mark.parametrize("content", [b"", b"hello"])
def test_what_is_no_recording(tmp_path: Path, capsys: Capture, content: bytes) -> None:
    (tmp_path / "a.mcap").write_bytes(content)
    for path in (tmp_path / "a.mcap", tmp_path / "none.mcap", tmp_path):
        assert call(["info", str(path)]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.startswith("motionbase: recording ") and err.count("\n") == 1
