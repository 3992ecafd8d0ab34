"""`motionbase rig`: list, show, check by a simulated person, questions at a terminal, one-sentence complaints."""

from __future__ import annotations

import io
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import numpy as np
import pytest
from rich.console import Console

from motionbase.cli import rig_person
from motionbase.cli.main import main as call
from motionbase.cli.rig_person import TerminalPerson
from motionbase.interpreter import motionbase_command
from motionbase.rig.check.report import StopAsked
from motionbase.rig.check.session import Declined
from motionbase.rig.check.simulated import SimulatedPerson
from motionbase.rig.files import FOLDER, PRESETS

Capture = pytest.CaptureFixture[str]


def test_list_has_every_preset(capsys: Capture) -> None:
    assert call(["rig", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in PRESETS:
        assert any(line.split()[:1] == [name] for line in lines), name
    assert call(["rig", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == set(PRESETS) and found["smc3"]["platform"] == "odu"


def test_show_gives_a_file_that_loads(capsys: Capture, tmp_path: Path) -> None:
    assert call(["rig", "show", "drives"]) == 0
    text = capsys.readouterr().out
    assert text == (FOLDER / "drives.toml").read_text()
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace("lead = 0.02", "lead = 0.0"))
    assert call(["rig", "show", str(mine)]) == 2
    assert "mine.toml, line 13: leg 1: drive 1: lead is 0.0" in capsys.readouterr().err


def test_a_check_passes_and_leaves_its_report_beside_the_file(capsys: Capture, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text((FOLDER / "esp32.toml").read_text())
    copy = tmp_path / "copy.md"
    args = ["rig", "check", str(mine), "--simulated-person", "--speed", "40", "--report", str(copy), "--by", "Ann"]
    assert call(args) == 0
    said = capsys.readouterr()
    assert "Check of rig mine: passed" in said.err and "10. slow movement, leg 6" in said.err
    written = sorted(path.name for path in tmp_path.glob("mine.check-*"))
    assert [Path(name).suffix for name in written] == [".json", ".md"]
    assert written[1] in said.out and "by Ann" in copy.read_text()
    data = json.loads((tmp_path / written[0]).read_text())
    assert data["verdict"] == "passed" and data["counts"] and data["by"] == "Ann"


def test_a_wrong_file_fails_with_a_sentence(capsys: Capture, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text((FOLDER / "drives.toml").read_text().replace("node = [1, 2,", "node = [2, 1,"))
    args = ["rig", "check", str(mine), "--machine", "drives", "--simulated-person", "--speed", "40", "--json"]
    assert call(args) == 1
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["verdict"] == "FAILED" and found["steps"][-1]["leg"] == 1
    assert (
        "you saw leg 2 move" in found["steps"][-1]["fault"] and "swap their node numbers" in found["steps"][-1]["fault"]
    )


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["nope"], "no rig 'nope'; rigs: drives, esp32, odu-onoff, smc3, or a .toml file"),
        (["gone.toml"], "gone.toml: cannot be read: No such file or directory"),
        (["smc3", "--platform", "simona"], "the rig is of platform 'odu', it cannot move the legs of 'simona'"),
        (["smc3", "--leg", "7"], "legs are 7; legs have the numbers 1 to 6"),
        (["smc3", "--way", "500"], "way is 0.5 m, it must be 0.01 to 0.1 m"),
        (["smc3", "--report", "a.pdf"], "--report a.pdf: the ending must be .json or .md"),
        (["smc3", "--machine", "drives", "--simulated-person"], "cannot be tried on the simulated machine of 'drives'"),
        (["smc3", "--real-time"], "--real-time is for --simulated-person"),
        (["smc3", "--simulated-person", "--port", "8700"], "--port is for the console, and --simulated-person without"),
        (["REAL", "--simulated-person"], "rig 'real' is a real machine: a person must be beside it"),
        (["REAL", "--no-console"], "serial port /dev/motionbase-none-1 cannot be opened: no such file or directory"),
    ],
)
def test_what_cannot_be_checked_is_a_sentence(capsys: Capture, tmp_path: Path, args: list[str], sentence: str) -> None:
    real = tmp_path / "real.toml"
    ports = 'ports = ["/dev/motionbase-none-1", "/dev/motionbase-none-2"]'
    real.write_text((FOLDER / "smc3.toml").read_text().replace('machine = "simulated"', ports))
    code = call(["rig", "check", *[str(real) if arg == "REAL" else arg for arg in args]])
    said = capsys.readouterr()
    assert code in (1, 2) and (code == 2 or "--no-console" in args)
    assert sentence in said.err and "Traceback" not in said.err


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Types into standard input."""
    read, write = os.pipe()
    stdin: IO[str] = os.fdopen(read)
    monkeypatch.setattr("sys.stdin", stdin)
    yield lambda text: None if os.write(write, text.encode()) else None
    os.close(write)
    stdin.close()


def person(asked: Callable[[], bool] = lambda: False) -> TerminalPerson:
    return TerminalPerson("Ann", Console(file=io.StringIO()), asked)


def test_answers_are_asked_again_until_they_are_understood(keys: Callable[[str], None]) -> None:
    ann = person()
    keys("maybe\n7\nY\n-1\nsix\n6\nx\ns\n12\n0.955 m\n955\n95,5 cm\n37.6 in\nno\n\n5,02 V\n")
    cycles: list[int] = []
    idle = lambda: cycles.append(1)  # noqa: E731
    assert ann.agrees("?", idle) is True
    assert ann.which_moved(idle) == 6
    assert ann.grew(1, idle) is False
    assert [ann.length(1, idle) for _ in range(4)] == pytest.approx([0.955, 0.955, 0.955, 37.6 * 0.0254])
    assert ann.stopped(1, idle) is False
    ann.attend("Look", idle)
    assert ann.supply(1) == pytest.approx(5.02)


def test_the_rig_is_cycled_while_a_person_thinks(keys: Callable[[str], None]) -> None:
    cycles: list[int] = []

    def idle() -> None:
        cycles.append(1)
        if len(cycles) == 50:
            keys("3")  # half a line is no answer
        if len(cycles) == 100:
            keys("\n")

    assert person().which_moved(idle) == 3
    assert len(cycles) >= 100


def test_who_goes_away_or_wants_to_stop_ends_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.close(write)
    with os.fdopen(read) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with pytest.raises(Declined):
            person().which_moved(lambda: None)
        with pytest.raises(StopAsked):
            person(lambda: True).which_moved(lambda: None)


@pytest.mark.parametrize("line", ["", "955 ft", "1e3", "-955", "955 955", "nan", "1", "99999999999", "0x10"])
def test_no_length_is_read_where_there_is_none(line: str) -> None:
    assert rig_person.length(line) is None


def test_a_simulated_machine_tells_what_a_person_would_see(keys: Callable[[str], None], tmp_path: Path) -> None:
    l = np.full(6, 0.95)
    shown = tmp_path / "shown"
    with shown.open("w") as file:
        ann = TerminalPerson(
            "Ann", Console(file=file, width=200, markup=False), lambda: False, SimulatedPerson(lambda: l)
        )
        keys("\n4\n980\n")
        ann.attend("Look", lambda: None)
        l[3] = 0.98
        assert ann.which_moved(lambda: None) == 4
        assert ann.length(4, lambda: None) == 0.98
    text = shown.read_text()
    assert "moved leg 4 by +30 mm" in text and "leg 4 shows 980 mm" in text


@pytest.mark.long("some 20 s of real time")
def test_the_console_runs_beside_a_check_and_ends_with_it(tmp_path: Path) -> None:
    words = ("rig", "check", "esp32", "--simulated-person", "--real-time", "--no-browser", "--port", "0")
    command = motionbase_command(*words, "--leg", "1", "--speed", "50", "--way", "10", "--ring", "beside")
    environment = os.environ | {"MOTIONBASE_RING_FOLDER": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stderr
    assert "console | console of ring 'beside': http://127.0.0.1:" in run.stderr
    assert "Check of rig esp32: passed" in run.stderr and "Traceback" not in run.stderr
    assert not [path.name for path in tmp_path.glob("*beside*") if "lock" not in path.name]
