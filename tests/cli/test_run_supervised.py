"""`motionbase run` with all that belongs to it: base, recorder and the watch for ESTOP files, each a process."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.executive.supervisor import Process, Supervisor
from motionbase.interpreter import motionbase_command
from motionbase.private import GROUP_VARIABLE
from motionbase.recording.open import open_recording
from tests.ring.ring_processes import PATIENCE_S, environment, until
from tests.test_interpreter import plant

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "rings").mkdir()
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path / "rings"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    yield tmp_path


def test_a_stop_leaves_a_recording_and_an_estop_file(places: Path, capsys: Capture) -> None:
    """Started in a folder with files that have the names of modules: no process of the run executes them."""
    env = {**environment(places / "rings"), "MOTIONBASE_DATA": os.environ["MOTIONBASE_DATA"]}
    env.pop("PYTHONSAFEPATH", None)
    plant(places / "hostile", places / "executed")
    args = motionbase_command("run", "simona", "--ring", "whole", "--manual", "--no-browser")
    pipe = subprocess.PIPE
    with subprocess.Popen(args, cwd=places / "hostile", env=env, text=True, stdout=pipe, stderr=pipe) as process:
        try:
            until((places / "data" / "console" / "whole.token").exists, "the console")
            until(lambda: records(capsys) > 50, "fifty records in the recording")
            assert call(["record-control", "note", "first try", "--ring", "whole"]) == 0
            assert call(["operate", "estop", "--ring", "whole"]) == 0
            seen = records(capsys)
            until(lambda: records(capsys) > seen + 20, "records after the stop")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, err
    assert "ended: SIGINT came" in out and "base |" in out and "recorder |" in out
    assert not (places / "executed").exists(), out + err

    (file,) = (places / "data" / "recordings").glob("*.mcap")
    with open_recording(file) as recording:
        stops = recording.columns("estop")["estop"]
        assert stops[0] == 0.0 and stops[-1] == 1.0 and not recording.damage
        assert any((e.kind, e.text) == ("note", "first try") for e in recording.events)
        assert 'name = "simona"' in recording.source.about["platform"]
    (saved,) = (places / "data" / "estop").glob("*_whole.estop.mcap")
    with open_recording(saved) as recording:
        assert recording.columns("estop")["estop"][-1] == 1.0
    assert f"saved: {saved}" in out
    assert not (places / "rings" / "motionbase-whole").exists()


def records(capsys: Capture) -> int:
    """In the recording so far; 0 while there is none."""
    capsys.readouterr()
    if call(["record-control", "status", "--ring", "whole", "--json"]) != 0:
        return 0
    return int(json.loads(capsys.readouterr().out)["records"])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--record", "x.mcap", "--no-record"], "--record and --no-record cannot be asked for together"),
        (["--record", "x.mcap", "--alone"], "--record and --alone cannot be asked for together"),
        (["simon"], "no platform 'simon'"),
    ],
)
def test_what_cannot_be_is_said_before_anything_starts(
    places: Path, args: list[str], said: str, capsys: Capture
) -> None:
    assert call(["run", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and err.count("\n") == 1


@pytest.mark.parametrize(
    "args", [["run", "--duration", "0.1", "--no-console"], ["console"], ["record", "--duration", "0.1"]], ids=" ".join
)
def test_a_group_of_the_environment_that_is_none_is_said_before_anything_starts(
    places: Path, args: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv(GROUP_VARIABLE, "no-such-group")
    before = set(places.rglob("*"))
    assert call(args) == 2
    out, err = capsys.readouterr()
    assert out == "" and "$MOTIONBASE_GROUP: group 'no-such-group' does not exist; yours are: " in err
    assert err.count("\n") == 1
    assert set(places.rglob("*")) == before


@pytest.mark.parametrize(
    ("args", "stays"),
    [([], True), (["--ends-with-base"], False), (["--duration", "5"], False), (["--no-console"], False)],
    ids=str,
)
def test_a_base_that_ends_is_started_again_at_rest_unless_the_run_ends_with_it(
    places: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], stays: bool
) -> None:
    """It stays off (--manual), with the generators that it had."""
    asked = list[Process]()

    def takes(processes: list[Process], **_: object) -> Supervisor:
        asked.extend(processes)
        return Supervisor([])

    monkeypatch.setattr("motionbase.executive.supervisor.Supervisor", takes)
    assert call(["run", "simona", "--rate", "200", *args]) == 0
    base = asked[0]
    assert base.name == "base" and "--manual" not in base.command and "--generators" not in base.command
    if not stays:
        assert base.again is None
        return
    assert base.again is not None and "--manual" in base.again
    assert base.again[base.again.index("--generators") + 1] == "gentle"
    assert base.again[base.again.index("--rate") + 1] == "200" and "--alone" in base.again
