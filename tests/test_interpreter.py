"""Files in the folder where motionbase is started are not executed, by no process that it starts.

A whole run in such a folder is in tests/cli/test_run_supervised.py.
"""

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from motionbase.compile.runtime.c import find_compiler
from motionbase.console.api.upload_check import check
from motionbase.console.stop.keeper import COMMAND as STOP_POST
from motionbase.errors import UsageError
from motionbase.interpreter import BARE, motionbase_command, python
from motionbase.recording.estop import process as estop_process
from motionbase.recording.recorder import process as recorder
from tests.ring.ring_processes import PATIENCE_S

ROOT = Path(__file__).resolve().parents[1]
NAMES = ("rich", "typer", "numpy", "json", "pathlib", "signal", "ctypes", "pytest", "ziglang", "uvicorn", "motionbase")
HOSTILE = """with open({marker!r}, "a") as file:
    file.write(__name__ + " ")
raise SystemExit("shadowed")
"""


def plant(folder: Path, marker: Path) -> None:
    """Modules that write into the file `marker` when somebody imports them."""
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").write_text(HOSTILE.format(marker=str(marker)))


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder has such modules; they write into `executed` beside it."""
    folder = tmp_path / "hostile"
    (tmp_path / "rings").mkdir()
    plant(folder, tmp_path / "executed")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path / "rings"))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    for variable in ("MOTIONBASE_RING_DEVICE", "PYTHONSAFEPATH"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def said_by(command: Sequence[str]) -> str:
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=PATIENCE_S)
    return done.stdout + done.stderr


def test_the_files_are_hostile(hostile: Path) -> None:
    assert said_by([sys.executable, "-c", "import rich"]).strip() == "shadowed"
    assert (hostile / "executed").read_text() == "rich "


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (motionbase_command("platforms", "list"), "simona"),
        (python("-c", "import rich, numpy; print('fine')"), "fine"),
        (python("-m", "pytest", "--version"), "pytest "),
        ((*BARE, "import json, signal; print('fine')"), "fine"),
        (STOP_POST, ""),  # without orders it ends
        ((*estop_process.command("nobody"), "--once"), ""),
        ((*recorder.command("nobody"), "--help"), "recorder"),
    ],
    ids=["command", "lines", "pytest", "bare", "stop post", "estop", "recorder"],
)
def test_no_command_line_executes_them(hostile: Path, command: Sequence[str], said: str) -> None:
    assert said in said_by(command)
    assert not (hostile / "executed").exists()


def test_the_c_compiler_of_python_does_not(hostile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: True)
    said_by([*find_compiler(), "--version"])
    assert not (hostile / "executed").exists()


def test_the_check_of_what_was_sent_does_not(hostile: Path) -> None:
    (hostile / "sent.mcap").write_bytes(b"nothing")
    with pytest.raises(UsageError, match="sent"):
        check(hostile / "sent.mcap", "sent.mcap")
    assert not (hostile / "executed").exists()


def test_python_m_motionbase_without_our_flag_takes_packages_from_elsewhere(hostile: Path) -> None:
    (hostile / "hostile" / "motionbase.py").unlink()  # what `python -m` itself looks for first is Python's to choose
    for name in ("signal", "ctypes"):  # which Python may import before anything of ours
        (hostile / "hostile" / f"{name}.py").unlink()
    assert "simona" in said_by([sys.executable, "-m", "motionbase", "platforms", "list"])
    assert not (hostile / "executed").exists()


def test_no_other_place_makes_a_command_line_of_python() -> None:
    """Whoever starts a Python takes its command line from `interpreter`, which has the flag."""
    files = [p for folder in ("src", "benchmarks", "scripts") for p in (ROOT / folder).rglob("*.py")]
    made = {
        str(p.relative_to(ROOT))
        for p in files
        if re.search(r"[\[(] *sys\.executable *,(?! *python\()", p.read_text(encoding="utf-8"))
    }
    assert made == {os.path.join("src", "motionbase", "interpreter.py")}
