"""Recordings truncated while they are open: damage or one sentence, never a SIGBUS."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.console.api.downloads import Sent
from motionbase.console.api.sentences import NotThere
from motionbase.errors import RecordingError
from motionbase.native import guarded
from motionbase.recording import growing
from motionbase.recording.export import export
from motionbase.recording.mapping import mapped
from motionbase.recording.mcap.tail import tail
from motionbase.recording.open import open_recording
from motionbase.recording.pyramid import Damaged, Pyramid
from motionbase.recording.pyramid_write import PyramidWriter
from tests.recording.files import old_numbered, schema_of, waves, write_mcap

SCHEMA, COUNT = schema_of(), 20_000
CUT = "was cut short while it was in use"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    return write_mcap(tmp_path / "a.mcap", SCHEMA, waves(SCHEMA, COUNT), chunk=1000)


@pytest.mark.parametrize("left", [0, 5000])
@pytest.mark.parametrize("ending", ["mcap", "csv", "parquet", "estop"])
def test_an_open_recording(recording: Path, ending: str, left: int) -> None:
    path = recording.with_suffix(f".{ending}")
    if ending == "estop":
        path.write_bytes(old_numbered())
    elif ending != "mcap":
        with open_recording(recording) as whole:
            export(whole, path)
    with open_recording(path) as found:
        os.truncate(path, left)
        if ending in ("csv", "estop"):
            with pytest.raises(RecordingError, match=CUT):
                found.columns("x3")
        else:
            assert np.isnan(found.columns("x3")["x3"][-1]) and found.damage


def test_the_recorders_look_at_the_last_record(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.recording.mcap.tail.mapped", lambda path: _then_cut(path, 4096))
    assert (found := tail(recording)) is None or found.sequence is None


def _then_cut(path: Path, size: int) -> guarded.Mapped:
    raw = mapped(path)
    os.truncate(path, size)
    return raw


def test_opening(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.recording.mcap.read.mapped", lambda path: _then_cut(path, 4096))
    with pytest.raises(RecordingError, match=CUT):
        open_recording(recording)


def test_a_download(recording: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut_first(raw: guarded.Mapped) -> int:
        os.truncate(recording, 4096)
        return whole(raw)

    whole = growing._whole
    monkeypatch.setattr(growing, "_whole", cut_first)
    with pytest.raises(NotThere, match="it was cut short meanwhile"):
        Sent(recording)


def test_an_overview(tmp_path: Path) -> None:
    path, rows = tmp_path / "a.pyramid", waves(SCHEMA, COUNT)
    writer = PyramidWriter(path, len(SCHEMA.channels))
    writer.add(rows)
    writer.finish("stamp")
    found = Pyramid.open(path, "stamp", len(SCHEMA.channels))
    assert found is not None and len(found.bins(1, 0, 0, 10)) == 10
    os.truncate(path, 0)
    with pytest.raises(Damaged):
        found.bins(1, 0, 0, 10)
    found.close()


def test_mappings_are_let_go_when_they_are_closed(recording: Path) -> None:
    with mapped(recording):
        before = len(guarded._FREE)
    assert len(guarded._FREE) == before + 1
