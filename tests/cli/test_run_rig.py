"""`motionbase run --rig` and `motionbase shadow`: what they refuse, and a rig that runs supervised."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.record.rig import RIG_AGE
from motionbase.record.states import State
from motionbase.ring.reader import Reader
from tests.ring.ring_processes import command, interrupt, until

Capture = pytest.CaptureFixture[str]
REAL = 'kind = "onoff"\nplatform = "odu"\ndevice = "ni:Dev1"\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["run", "odu", "--rig", "odu-onof"], "no rig 'odu-onof'; did you mean 'odu-onoff'?"),
        (["run", "simona", "--rig", "odu-onoff"], "the rig is of platform 'odu', it cannot move the legs of 'simona'"),
        (["run", "robot", "--rig", "drives"], "--rig is for platforms, and 'robot' is a multibody model"),
        (["run", "atlas", "--rig", "drives"], "has a sphere, which a rig cannot move"),
        (["run", "odu", "--unchecked"], "--unchecked: it is for a machine; add --rig FILE.toml"),
        (["shadow", "x", "--ring", "x"], "--ring 'x' is the ring of the base itself"),
        (["shadow", "x", "--duration", "-1"], "--duration is -1 s, it must be a finite number above 0"),
    ],
)
def test_bad_input_gets_one_sentence(given: list[str], sentence: str, capsys: Capture) -> None:
    alone = ["--alone"] if given[0] == "run" else []
    assert call([*given, *alone]) == 2
    error = capsys.readouterr().err
    assert sentence in error
    assert error.count("\n") == 1


def test_a_real_machine_that_was_never_checked_is_refused(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(REAL)
    assert call(["run", "odu", "--rig", str(file), "--alone"]) == 2
    assert f"`motionbase rig check {file}` checks it, and --unchecked goes without" in capsys.readouterr().err


def test_faults_of_a_simulated_plant_are_refused(tmp_path: Path, capsys: Capture) -> None:
    faults = tmp_path / "faults.toml"
    faults.write_text("")
    assert call(["run", "odu", "--rig", "odu-onoff", "--faults", str(faults), "--alone"]) == 2
    assert "they are those of a simulated plant; --rig leaves it out" in capsys.readouterr().err


def test_a_base_rises_on_a_rig_with_a_law_looking_on(tmp_path: Path) -> None:
    run = ("run", "odu", "--rig", "odu-onoff", "--no-console", "--no-record", "--ends-with-base")
    with command(tmp_path, *run) as base, Reader("motionbase") as live, Reader("shadow") as other:
        states: list[float] = []

        def rises() -> bool:
            rows = live.read().rows
            states.extend(rows[:, live.schema.index["state"]] if len(rows) else ())
            return State.RISING in states

        until(rises, "it rises")
        assert RIG_AGE.name in live.schema.index
        with command(tmp_path, "shadow") as shadow:
            until(lambda: len(other.read().rows) > 0, "the shadow looks on")
            assert "state_done" in other.schema.index
            _, said = interrupt(shadow)
        assert "what the law would do beside ring 'motionbase'; it commands nothing" in said
        out, err = interrupt(base)
    assert base.returncode == 0, err
    assert "rig: odu-onoff, a simulated machine" in out
    assert re.search(r"rig \| legs: following", err)
    assert "stopped" not in err  # legs come to rest with the run, and nothing was a fault
