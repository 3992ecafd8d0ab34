"""`motionbase run robot` as processes: model and controller, killed and restarted; recordings and replay of it."""

import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.executive.model.ports import free_ports
from motionbase.executive.model.setup import is_model
from motionbase.interpreter import motionbase_command
from motionbase.record.faults import ModelFault
from motionbase.record.states import State
from motionbase.recording.open import open_recording
from motionbase.ring import catalogue
from motionbase.ring.reader import Reader, ReaderState
from tests.multibody.test_driven import lift
from tests.ring.ring_processes import PATIENCE_S, environment, until

Capture = pytest.CaptureFixture[str]
PAGE = Path(__file__).resolve().parents[2] / "docs" / "robot.md"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "rings").mkdir()
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path / "rings"))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    yield tmp_path


def started(places: Path, *args: str) -> subprocess.Popen[str]:
    env = {**environment(places / "rings"), "MOTIONBASE_DATA": os.environ["MOTIONBASE_DATA"]}
    pipe = subprocess.PIPE
    return subprocess.Popen(args, env=env, text=True, stdout=pipe, stderr=pipe)


def newest(reader: Reader) -> dict[str, float]:
    """The last record, by channel; waits for one."""
    rows = np.empty((0, 0))
    while not len(rows):
        rows = reader.wait(PATIENCE_S).rows
    return dict(zip(reader.schema.index, np.array(rows[-1]).tolist(), strict=True))


def reaches(reader: Reader, state: State, fault: ModelFault = ModelFault.NONE) -> Callable[[], bool]:
    def found() -> bool:
        row = newest(reader)
        return row["state"] == state and row["fault"] == fault

    return found


def braked(reader: Reader) -> Callable[[], bool]:
    """Whether silence closed the brakes in any new record; a restarted controller may open them before all stands."""

    def found() -> bool:
        rows, place = np.array(reader.wait(PATIENCE_S).rows), reader.schema.place
        silent = rows[:, place("fault")] == ModelFault.CONTROLLER_SILENT
        closed = (rows[:, place("brake")] == 1.0) & (rows[:, place("j2_torque")] == 0.0)
        return bool((silent & closed).any())

    return found


def controller_of(where: str) -> int:
    """The process of the controller at a port or ring:NAME."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"motionbase.executive.model.controller" in words and where.encode() in words:
            found.append(int(folder.name))
    (pid,) = found
    return pid


@pytest.mark.long("several runs in real time; the next test has one through shared memory")
def test_a_controller_that_is_killed_and_restarted(places: Path, capsys: Capture) -> None:
    """And all that a run leaves: a recording with the model's shapes, which can be replayed, and an ESTOP file."""
    port = free_ports(30_000 + os.getpid() % 10_000)
    options = ("--ring", "arm", "--no-console", "--rate", "200", "--control-port", str(port))
    with started(places, *motionbase_command("run", "robot", *options)) as process:
        try:
            until((places / "rings" / "motionbase-arm").exists, "the ring")
            with Reader("arm", start="head") as reader:
                until(reaches(reader, State.DRIVE), "drive")
                driven = newest(reader)
                assert driven["controller_frames"] > 10 and driven["controller_malformed"] == 0
                os.kill(controller_of(str(port)), signal.SIGKILL)
                until(braked(reader), "brakes closed")
                until(reaches(reader, State.DRIVE), "drive again, by a controller that was restarted")
                assert call(["tune", "set_j1", "0.9", "--ring", "arm"]) == 0
                until(lambda: abs(newest(reader)["j1"] - 0.9) < 0.05, "the new set point")
                assert call(["operate", "estop", "--ring", "arm"]) == 0
                until(reaches(reader, State.HELD, ModelFault.ESTOP), "the emergency stop")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, out + err
    assert "6 driven joints, 114 equations; its numbers are illustrative" in out
    (saved,) = (places / "data" / "estop").glob("*.mcap")
    (file,) = (places / "data" / "recordings").glob("*.mcap")
    for path in (saved, file):
        with open_recording(path) as recording:
            assert recording.schema.name == "model_robot" and not recording.damage
            scene = json.loads(recording.source.about["platform"])
            assert scene["kind"] == "model" and recording.source.about["platform_name"] == "robot"
            assert recording.columns("estop")["estop"][-1] == 1.0
    assert call(["export", "recording", str(file), "--out", str(places / "run.csv")]) == 0
    assert (places / "run.csv").read_text().startswith("t [s],tick [-],j1_ref [rad]")
    capsys.readouterr()
    with started(places, *motionbase_command("replay", str(file), "--ring", "back", "--paused")) as replay:
        try:
            until((places / "rings" / "motionbase-back").exists, "the ring of the replay")
            with Reader("back", start="oldest") as reader:
                assert reader.schema.name == "model_robot" and len(newest(reader)) == len(reader.schema.channels)
                assert json.loads(reader.header.layout.platform) == scene
        finally:
            replay.kill()


@pytest.mark.long("two runs of a robot; that a controller falls silent and comes back is in every run")
def test_a_controller_through_shared_memory_that_is_killed_and_restarted(places: Path) -> None:
    """And numbers of no sense in its block, written while it answers: counted, and the robot is driven on."""
    options = ("--ring", "arm", "--controller", "ring", "--no-console", "--no-record", "--rate", "200")
    with started(places, *motionbase_command("run", "robot", *options)) as process:
        try:
            until((places / "rings" / "motionbase-arm").exists, "the ring")
            with Reader("arm", start="head") as reader:
                until(reaches(reader, State.DRIVE), "drive")
                driven = newest(reader)
                assert driven["controller_frames"] > 10 and driven["controller_malformed"] == 0
                until(lambda: nonsense(places) and newest(reader)["controller_malformed"] > 3, "nonsense counted")
                until(lambda: newest(reader)["controller_frames"] > driven["controller_frames"] + 100, "answers")
                until(reaches(reader, State.DRIVE), "drive, after all that")
                os.kill(controller_of("ring:arm"), signal.SIGKILL)
                until(braked(reader), "brakes closed")
                until(reaches(reader, State.DRIVE), "drive again, by a controller that was restarted")
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, out + err
    assert not list((places / "rings").glob("*.control*"))


def nonsense(places: Path) -> bool:
    """Into the block of answers, with no regard for the controller that writes there as well."""
    with (places / "rings" / "motionbase-arm.control").open("r+b") as file:
        file.seek(384)
        before = int.from_bytes(file.read(8), "little")
        file.seek(448)
        file.write(struct.pack("<7d", math.nan, math.inf, *[1e300] * 5))
        file.seek(384)
        file.write(struct.pack("<Q", before // 2 * 2 + 2))
    return True


def test_a_controller_of_ones_own_and_a_model_that_is_killed(places: Path) -> None:
    """The program on the page drives the robot; readers say that a killed model is dead."""
    (program,) = (found for found in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL))
    (places / "my_controller.py").write_text(program)
    port = free_ports(30_000 + os.getpid() % 10_000)
    options = ("--alone", "--ring", "own", "--controller", "none", "--control-port", str(port), "--rate", "500")
    with started(places, *motionbase_command("run", "robot", *options)) as process:
        try:
            until((places / "rings" / "motionbase-own").exists, "the ring")
            with Reader("own", start="head") as reader:
                assert newest(reader)["state"] == State.OFF
                with started(places, sys.executable, str(places / "my_controller.py"), str(port)) as own:
                    try:
                        until(reaches(reader, State.DRIVE), "drive")
                    finally:
                        own.kill()
                until(reaches(reader, State.HELD, ModelFault.CONTROLLER_SILENT), "brakes closed")
                process.kill()
                until(lambda: reader.wait(0.1).state is ReaderState.STOPPED, "a reader that sees it")
                assert catalogue.entry("own").life is catalogue.Life.DEAD
        finally:
            process.kill()


def test_models_and_platforms_are_told_apart(tmp_path: Path) -> None:
    lift(tmp_path)
    (tmp_path / "torn.toml").write_text("bodies = [")
    robots = ("robot", "pendulum", "arm.urdf", str(tmp_path / "lift.toml"))
    platforms = ("simona", "atlas", "nobody", "nowhere.toml", str(tmp_path / "torn.toml"))
    assert [is_model(name) for name in (*robots, *platforms)] == [True] * len(robots) + [False] * len(platforms)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["robot", "--controller", "pid"], "--controller 'pid': it must be one of udp, ring, internal, none"),
        (["robot", "--law", "a.py:b"], "--law is for platforms, and 'robot' is a multibody model"),
        (["robot", "--controller-timeout", "0"], "--controller-timeout is 0 s, it must be 0.001 to 10"),
        (["robot", "--control-port", "80"], "--control-port is 80, it must be 1024 to 65534"),
        (["simona", "--controller", "udp"], "--controller is for multibody models, and 'simona' is a platform"),
        (["four_bar"], "closes a loop and no motor says which joint is driven; give the driven joints motors"),
        (["top"], "it has no joint of one axis that a drive could move"),
        (["srms_flexible"], "has assumed modes, which the shapes of a run do not have; use beams"),
        (["nowhere.urdf"], "nowhere.urdf"),
    ],
)
def test_bad_calls_get_a_sentence(places: Path, args: list[str], said: str, capsys: Capture) -> None:
    assert call(["run", *args, "--alone"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1, told
