"""Files that are whole or not there: whose unfinished parts are removed, and whose never."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from motionbase.recording.whole import sweep, whole_or_not
from motionbase.ring.parts import here, is_left, part_of, parts

pytestmark = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs /proc")


def ended() -> int:
    """Number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def part(path: Path, host: str, pid: int) -> Path:
    made = path.with_name(f".{path.name}.{host}.{pid}.t0123abc.part")
    made.write_text("half")
    return made


def test_only_parts_of_this_machine_whose_writers_ended_are_removed(tmp_path: Path) -> None:
    path, gone = tmp_path / "run.csv", ended()
    left = part(path, here(), gone)
    kept = [
        part(path, "other-rig-0123abcd", gone),  # another machine: there the process may live
        part(path, here(), os.getpid()),
        part(tmp_path / "run.csv2", here(), gone),
        tmp_path / ".run.csv.notes.part",
    ]
    kept[-1].write_text("of somebody else")
    with whole_or_not(path) as made:
        made.write_text("all")
    assert not left.exists() and all(one.exists() for one in kept) and path.read_text() == "all"


def test_a_part_is_told_by_its_name(tmp_path: Path) -> None:
    found = part_of(tmp_path / "run.csv")
    assert found.parent == tmp_path and found.name.startswith(f".run.csv.{here()}.{os.getpid()}.")
    assert not is_left(found) and part_of(tmp_path / "run.csv") != found


@pytest.mark.parametrize("name", ["rig.lab.example", "größe", "", "x" * 300])
def test_any_host_name_can_be_part_of_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("motionbase.ring.parts.socket.gethostname", lambda: name)
    here.cache_clear()
    try:
        assert part_of(tmp_path / "a").name.count(".") == 5 and here().isascii() and len(here()) <= 25
        left = part(tmp_path / "a", here(), ended())
        assert is_left(left)
    finally:
        here.cache_clear()
    monkeypatch.undo()
    assert not is_left(left), "another host made it"


@pytest.mark.parametrize("letters", [100, 200, 250])
def test_long_names_have_room_for_a_part(letters: int, tmp_path: Path) -> None:
    path = tmp_path / ("n" * letters)
    with whole_or_not(path) as made:
        made.write_text("all")
        assert parts(path) == [made] and parts(tmp_path / ("m" * letters)) == []
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_is_gone_has_no_parts(tmp_path: Path) -> None:
    assert parts(tmp_path / "no" / "a") == []
    sweep(tmp_path / "no" / "a")
