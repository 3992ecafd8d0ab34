"""Files of a run are their owner's alone, or a group's: by the mode that the system shows."""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase import private
from motionbase.errors import UsageError
from motionbase.recording.export import export
from motionbase.recording.open import open_recording
from motionbase.recording.strip.output import sink_for
from motionbase.system.record_file import RecordFile
from tests.recording.files import schema_of, waves, write_mcap


@pytest.fixture(autouse=True)
def open_hearted() -> Iterator[None]:
    """The umask of most users lets everybody read."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything_written(folder: Path) -> list[Path]:
    """By all writers of files of a run that need no other process."""
    schema = schema_of()
    made = [write_mcap(folder / "run.mcap", schema, waves(schema, 3000))]
    with open_recording(made[0]) as recording:
        for ending in ("csv", "parquet", "mcap"):
            made.append(folder / f"export.{ending}")
            export(recording, made[-1], recording.select())
        recording.envelope("x1")
    made += folder.glob("*.pyramid")
    for ending in ("csv", "parquet"):
        made.append(folder / f"simulated.{ending}")
        with RecordFile(made[-1], [("t", "s")], {}) as file:
            file.write({"t": np.arange(3.0)})
    for ending in ("pdf", "png"):
        roll = sink_for(folder / f"roll.{ending}")
        roll.write(1, b"%PDF-1.4 /Type /Page" if ending == "png" else _page())
        made += roll.files
        roll.close()
    return made


def _page() -> bytes:
    import io

    from matplotlib.figure import Figure

    out = io.BytesIO()
    Figure().savefig(out, format="pdf")
    return out.getvalue()


def test_all_that_is_written_is_the_owner_s_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(private.GROUP_VARIABLE, raising=False)
    found = {path.name: oct(mode(path)) for path in everything_written(tmp_path)}
    assert set(found.values()) == {"0o600"}, found
    assert mode(private.make_folder(tmp_path / "a" / "b")) == mode(tmp_path / "a") == 0o700


def test_a_group_may_read_what_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = grp.getgrgid(os.getegid()).gr_name
    monkeypatch.setenv(private.GROUP_VARIABLE, mine)
    found = {path.name: oct(mode(path)) for path in everything_written(tmp_path)}
    assert set(found.values()) == {"0o640"}, found
    assert {path.stat().st_gid for path in tmp_path.iterdir()} == {os.getegid()}
    assert mode(private.make_folder(tmp_path / "a" / "b")) == 0o750


def test_a_file_that_was_open_to_all_becomes_private_when_it_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "old.csv"
    path.write_text("old")
    assert mode(path) == 0o644
    private.write_file(path, b"new")
    assert mode(path) == 0o600 and path.read_text() == "new"
    with pytest.raises(FileExistsError):
        private.open_file(path)
    with pytest.raises(NotADirectoryError):
        private.make_folder(path)
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    assert mode(private.make_folder(shared)) == 0o755, "somebody has chosen that"


def test_a_group_that_is_none_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(private.GROUP_VARIABLE, "no-such-group")
    with pytest.raises(UsageError, match="group 'no-such-group' does not exist; yours are: "):
        private.make_file(tmp_path / "x")
    assert not (tmp_path / "x").exists()
