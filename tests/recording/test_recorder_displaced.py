"""Recordings deleted, moved or truncated while they are written: reported, and repaired where possible."""

import os
from pathlib import Path

import numpy as np
import pytest

from motionbase.console.api.recorder import recorder_status
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import displaced
from motionbase.recording.recorder.recorder import Recorder
from motionbase.ring.writer import Writer
from tests.recording.recorder_rig import events_in, files, recorder, records_in, rows, until, writer

RUN = "run.mcap"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def _written(made: Recorder, ring: Writer, first: int, count: int) -> None:
    total = made.status()["records"] + count
    ring.write(rows(first, count))

    def is_done() -> bool:
        status = made.status()
        return bool(status["records"] == total == status["written"] + status["lost"])

    until(is_done, made.look)


def _numbers(*paths: Path) -> list[int]:
    return [int(n) for path in paths for n in records_in(path)[:, 1]]


@pytest.mark.parametrize("at_the_end", [False, True])
def test_a_deleted_recording_is_brought_back_and_goes_on_in_a_new_file(folder: Path, at_the_end: bool) -> None:
    said: list[str] = []
    with writer(capacity=64) as ring, recorder(folder / RUN, said) as made:
        for k in range(10):
            _written(made, ring, 50 * k, 50)
        os.unlink(folder / RUN)
        if not at_the_end:
            _written(made, ring, 500, 50)
            made._status_at = 0.0
            made.look()
            told = recorder_status("rig")
            assert told is not None and told.file == "run_001.mcap" and told.trouble == ""
            assert told.incident.endswith("are being brought back as 'run.mcap'"), "the console's page shows no folders"
            status = made.status()
            assert status["incident"].startswith("run.mcap was deleted while it was written; its 500 records are being")
            assert status["file"] == str(folder / "run_001.mcap") and status["lost"] == 0
    assert made.complete and made.summary()["written"] == (500 if at_the_end else 550)
    with open_recording(folder / RUN) as found:
        assert list(found.damage) == [] and found.count == 500, "it has its end, too"
    pieces = (folder / RUN,) if at_the_end else (folder / RUN, folder / "run_001.mcap")
    assert files(folder) == list(pieces) and _numbers(*pieces) == list(range(500 if at_the_end else 550))
    for path in pieces:
        assert any("was deleted while it was written" in e for e in events_in(path, "file"))
    assert sum("was deleted while it was written; its" in s for s in said) == 1
    assert not list(folder.glob(".*part")), "nothing is left of the copying"
    assert [path.stat().st_mode & 0o777 for path in pieces] == len(pieces) * [0o600], "as every recording"


def test_where_another_file_has_taken_the_name_the_recording_comes_back_beside_it(folder: Path) -> None:
    (folder / "other").write_bytes(b"of somebody else")
    with writer() as ring, recorder(folder / RUN) as made:
        _written(made, ring, 0, 200)
        os.replace(folder / "other", folder / RUN)
        _written(made, ring, 200, 100)
    assert (folder / RUN).read_bytes() == b"of somebody else"
    assert _numbers(folder / "run_recovered.mcap", folder / "run_001.mcap") == list(range(300)) and made.complete


def test_a_deleted_recording_for_which_the_disk_has_no_room_is_written_again_as_far_as_the_ring_has_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(displaced, "SPARE_BYTES", 1 << 60)
    with writer(capacity=1024) as ring, recorder(folder / RUN) as made:
        for k in range(20):
            _written(made, ring, 100 * k, 100)
        os.unlink(folder / RUN)
        _written(made, ring, 2000, 50)
        status = made.status()
    assert "cannot be brought back: the disk has no room" in status["incident"] and not made.complete
    (path,) = files(folder)
    numbers = _numbers(path)
    assert numbers == list(range(numbers[0], 2050)) and 2050 - 1024 <= numbers[0] < 2050 - 512
    assert status["lost"] == numbers[0] and status["written"] == len(numbers) and status["gaps"] == 1
    (told,) = events_in(path, "gap")
    assert told == f"{numbers[0]} records lost, 0 to {numbers[0] - 1}: run.mcap was deleted while it was written"


def test_a_moved_recording_keeps_its_records_and_gets_its_end_where_it_is(folder: Path) -> None:
    (folder / "away").mkdir()
    with writer() as ring, recorder(folder / RUN) as made:
        _written(made, ring, 0, 300)
        os.rename(folder / RUN, folder / "away" / "kept.mcap")
        _written(made, ring, 300, 100)
        status = made.status()
    assert (
        status["incident"].endswith(f"with its 300 records: {str(folder / 'away' / 'kept.mcap')!r}") and made.complete
    )
    with open_recording(folder / "away" / "kept.mcap") as found:
        assert list(found.damage) == []
    assert files(folder) == [folder / "run_001.mcap"], "its own name stays free, and no record is written twice"
    assert _numbers(folder / "away" / "kept.mcap", folder / "run_001.mcap") == list(range(400))
    assert made.summary()["recordings"][0]["first"] == str(folder / "away" / "kept.mcap")


@pytest.mark.parametrize("share", [0.0, 0.001, 0.4, 0.999])
def test_what_is_cut_off_a_recording_is_written_again(folder: Path, share: float) -> None:
    with writer() as ring, recorder(folder / RUN) as made:
        for k in range(6):
            _written(made, ring, 100 * k, 100)
        os.truncate(folder / RUN, int((folder / RUN).stat().st_size * share))
        _written(made, ring, 600, 100)
        status = made.status()
    assert "run.mcap was cut while it was written" in status["incident"] and made.complete and status["lost"] == 0
    assert status["written"] == 700
    found = files(folder)
    assert _numbers(*found) == list(range(700)), "every record once"
    assert (len(found) == 2) == (share > 0.1), "nothing lies there that cannot be opened"
    assert events_in(found[-1], "gap") == []
    times = np.concatenate([_utc(p) for p in found])
    assert (np.diff(times) > 0).all()


def _utc(path: Path) -> np.ndarray:
    with open_recording(path) as found:
        return found.columns("t")["time"] + int(found.source.about["epoch_utc_ns"]) * 1e-9


def test_a_file_that_is_deleted_again_and_again_costs_no_record(folder: Path) -> None:
    with writer() as ring, recorder(folder / RUN) as made:
        for k in range(5):
            _written(made, ring, 100 * k, 100)
            Path(made.status()["file"]).unlink()
        _written(made, ring, 500, 10)
    assert sorted(_numbers(*files(folder))) == list(range(510)) and made.complete
