"""`motionbase run puma` as processes: tuned, stopped, recorded, and held by the program on its page."""

import json
import os
import re
import signal
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.executive.model.ports import free_ports
from motionbase.executive.model.setup import is_model, is_rotor
from motionbase.interpreter import motionbase_command
from motionbase.record.faults import ModelFault, ModelWarningBit
from motionbase.record.states import State
from motionbase.recording.open import open_recording
from motionbase.ring.reader import Reader
from motionbase.rotor.blades.planform import load_planform
from tests.cli.test_run_model import Capture, newest, places, reaches, started
from tests.ring.ring_processes import PATIENCE_S, until

__all__ = ["places"]  # a fixture
PAGE = Path(__file__).resolve().parents[2] / "docs" / "rotor_run.md"


@pytest.mark.long("compiles a rotor in a process of its own")
def test_a_rotor_is_tuned_stopped_and_recorded(places: Path) -> None:
    """Set points by `tune`, an emergency stop by `operate`, a recording with the rotor's shapes."""
    options = ("--ring", "disk", "--no-console", "--rate", "200")
    with started(places, *motionbase_command("run", "puma", *options)) as process:
        try:
            until((places / "rings" / "motionbase-disk").exists, "the ring")
            with Reader("disk", start="head") as reader:
                until(reaches(reader, State.DRIVE), "drive")
                assert call(["tune", "collective", "0.15", "--ring", "disk"]) == 0
                until(lambda: newest(reader)["collective"] == 0.15, "the collective at its set point")
                until(lambda: newest(reader)["thrust"] > 2e4, "thrust")
                assert call(["operate", "estop", "--ring", "disk"]) == 0
                until(reaches(reader, State.HELD, ModelFault.ESTOP), "the controls at their safe settings")
                assert newest(reader)["collective"] == load_planform("puma").flat_pitch
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, out + err
    assert "controls collective, cyclic_cos, cyclic_sin, 283 equations; its numbers are illustrative" in out
    (file,) = (places / "data" / "recordings").glob("*.mcap")
    with open_recording(file) as recording:
        assert recording.schema.name == "rotor_puma" and not recording.damage
        scene = json.loads(recording.source.about["platform"])
        assert scene["rotor"]["controls"] == ["collective", "cyclic_cos", "cyclic_sin"] and scene["rods"]


def held(reader: Reader) -> bool:
    """60 kN through a second of the run; a loop that swings goes through it too."""
    begin = now = newest(reader)
    while abs(now["thrust"] - 60e3) < 600 and now["t"] < begin["t"] + 1.0:
        now = newest(reader)
    return now["t"] >= begin["t"] + 1.0


@pytest.mark.long("compiles a rotor in a process of its own")
def test_a_controller_of_ones_own_holds_the_thrust(places: Path) -> None:
    """The program on the page; when it is killed, the controls stay where they are."""
    (program,) = (found for found in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    (places / "hold_thrust.py").write_text(program)
    port = free_ports(30_000 + os.getpid() % 10_000)
    options = ("--alone", "--ring", "own", "--controller", "none", "--control-port", str(port), "--rate", "400")
    with started(places, *motionbase_command("run", "puma", *options)) as process:
        try:
            until((places / "rings" / "motionbase-own").exists, "the ring")
            with Reader("own", start="head") as reader:
                assert newest(reader)["state"] == State.OFF
                with started(places, sys.executable, str(places / "hold_thrust.py"), str(port)) as own:
                    try:
                        until(lambda: held(reader), "60 kN for a second")
                    finally:
                        own.kill()
                until(reaches(reader, State.HELD, ModelFault.CONTROLLER_SILENT), "settings that stay")
                before = newest(reader)
                until(lambda: newest(reader)["tick"] > before["tick"] + 40, "a tenth of a second more")
                assert newest(reader)["collective"] == before["collective"] > 0.1
        finally:
            process.kill()


def tail_process(ring: str) -> int:
    """The process of the tail rotor of the helicopter that writes a ring."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"--tail-of" in words and words[words.index(b"--tail-of") + 1] == ring.encode():
                found.append(int(folder.name))
    (pid,) = found
    return pid


@pytest.mark.long("compiles two rotors in two processes, and lets one of them settle")
def test_a_helicopter_flies_on_without_its_tail_rotors_process(places: Path) -> None:
    """It takes its thrust while it is there, another one when it is killed, and its own again when it is back."""
    options = ("--free", "--tail", "process", "--ring", "heli", "--no-console", "--no-record", "--rate", "400")
    with started(places, *motionbase_command("run", "puma", *options)) as process:
        try:
            until((places / "rings" / "motionbase-heli").exists, "the ring")
            with Reader("heli", start="head") as reader:
                until(reaches(reader, State.DRIVE), "drive")
                until(lambda: newest(reader)["tail_fallback"] == 0, "the thrust that the tail rotor tells")
                with Reader("heli-tail", start="head") as tail:
                    assert newest(tail)["state"] == State.DRIVE and newest(tail)["b5_flap"] != 0
                before = newest(reader)
                os.kill(tail_process("heli"), signal.SIGKILL)
                until(lambda: newest(reader)["tail_fallback"] == 1, "the thrust that is asked for")
                row = newest(reader)
                assert row["tail_thrust"] == row["tail_acts"] and row["tick"] > before["tick"]
                assert row["fault"] == row["unsolved"] == 0 and int(row["warning"]) & ModelWarningBit.TAIL_SILENT
                until(lambda: newest(reader)["tail_fallback"] == 0, "a tail rotor that was restarted")
                assert newest(reader)["fault"] == 0
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, out + err
    assert "the tail rotor is silent, its thrust is taken as asked for" in err
    assert not list((places / "rings").glob("*.tail*"))


def test_rotors_are_told_from_models_and_platforms(tmp_path: Path) -> None:
    (tmp_path / "rotor.toml").write_text("blades = 4\nradius = 7.0\n")
    names = ("puma", "puma_beams", str(tmp_path / "rotor.toml"), "robot", "pendulum", "simona", "nowhere.toml")
    assert [is_rotor(name) for name in names] == [True] * 3 + [False] * 4
    assert [is_model(name) for name in names] == [True] * 5 + [False] * 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["puma", "--rate", "250"], "'puma' makes 400 steps per second; it must be one of 100, 200, 400"),
        (["puma", "--law", "a.py:b"], "--law is for platforms, and 'puma' is a multibody model"),
        (["puma", "--controller", "pid"], "--controller 'pid': it must be one of udp, ring, internal, none"),
        (["puma", "--tail", "process"], "--tail process is for a rotor in free flight; add --free"),
        (["puma", "--free", "--tail", "own"], "--tail 'own': it must be one of simple, process"),
        (["robot", "--free"], "--free and --tail-of are for rotors, and 'robot' is none"),
        (["simona", "--free"], "--free is for rotors, and 'simona' is a platform"),
        (["puma_compact", "--free", "--tail", "process"], "rotor 'puma_compact' has no tail rotor of its own"),
        (["puma", "--controller-timeout", "0.001"], "--controller-timeout is 0.001 s, it must be 0.005 to 10"),
    ],
)
def test_bad_calls_get_a_sentence(places: Path, args: list[str], said: str, capsys: Capture) -> None:
    assert call(["run", *args, "--alone"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1, told
