"""`motionbase run` as a process: states, records, generators, commands, stops, and what it says when it cannot.

Two processes are started with the first test and shared, since each takes seconds to compile and the automatic one
seconds to rise: one by itself from the floor to drive, one that waits for commands.
"""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.cli.main import main as call
from motionbase.interpreter import python
from motionbase.platform.load import load_platform
from motionbase.record.axes import DOFS
from motionbase.record.faults import Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.requests import Command, Kind, Reason, Result
from motionbase.record.states import State
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.generators import shown as armed_in
from motionbase.ring.blocks.parameters import shown
from motionbase.ring.emergency import LATCHED
from motionbase.ring.reader import Reader, ReaderState
from tests.ring.ring_processes import PATIENCE_S, command, until

EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "generators.toml")
OWN_LAW = str(Path(__file__).resolve().parents[2] / "examples" / "07_own_control_law.py:heaving")
SECONDS = 10.0  # from the floor to drive takes 8
AT = hexapod_schema().index
LEGS = range(1, 7)
Capture = pytest.CaptureFixture[str]
Process = subprocess.Popen[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("rings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_RING_FOLDER", str(path))
        patch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
        yield path


@pytest.fixture(scope="module", autouse=True)
def automatic(folder: Path) -> Iterator[Process]:
    with command(folder, "run", "--alone", "--ring", "auto", "--duration", f"{SECONDS:g}") as process:
        yield process


@pytest.fixture(scope="module", autouse=True)
def manual(folder: Path, automatic: Process) -> Iterator[Process]:
    with command(folder, "run", "simona", "--alone", "--ring", "hand", "--rate", "500", "--manual") as process:
        yield process


def attached(folder: Path, name: str) -> Reader:
    until((folder / f"motionbase-{name}").exists, f"ring {name}")
    reader = Reader(name, start="oldest", batch=20_000)
    until(lambda: reader.state is ReaderState.LIVE or bool(len(reader.wait(0.1).rows)), f"records in ring {name}")
    return reader


def newest(reader: Reader) -> NDArray[np.float64]:
    """The next record that comes, or a later one."""
    return np.array(reader.wait(PATIENCE_S).rows[-1])


def wait_for(reader: Reader, channel: str, value: float) -> None:
    until(lambda: newest(reader)[AT[channel]] == value, f"{channel} {value:g}")


@pytest.fixture(scope="module")
def long_reader(folder: Path, automatic: Process) -> Iterator[Reader]:
    """Attached while the automatic run rises; its generators are set then."""
    with attached(folder, "auto") as reader:
        assert call(["generators", "set", EXAMPLE, "--ring", "auto"]) == 0
        yield reader


# ---- by hand -------------------------------------------------------------------------------------------------------


def test_commands_are_answered_and_obeyed(folder: Path, manual: Process, long_reader: Reader) -> None:
    with attached(folder, "hand") as reader:
        sender = CommandSender("hand", sender="test")
        assert newest(reader)[AT["state"]] == State.OFF, "manual: nobody asks"

        mode = sender.request(Command(Kind.HOST_MODE), PATIENCE_S)
        assert mode.result is Result.ACCEPTED
        wait_for(reader, "mode", 0.0)
        assert newest(reader)[AT["command_ack"]] == mode.number
        assert sender.request(Command(Kind.MAINTENANCE_MODE), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "mode", 1.0)

        early = sender.request(Command(Kind.DRIVE), PATIENCE_S)
        assert (early.result, early.reason) == (Result.REFUSED, Reason.WRONG_STATE)
        strange = sender.request(Command(Kind.PLAY), PATIENCE_S)
        assert (strange.result, strange.reason) == (Result.REFUSED, Reason.NOT_SUPPORTED)

        for kind, state in ((Kind.DOWN, State.DOWN), (Kind.STANDBY, State.RISING), (Kind.ABORT, State.ABORT)):
            assert sender.request(Command(kind), PATIENCE_S).result is Result.ACCEPTED
            wait_for(reader, "state", state)
        assert newest(reader)[AT["fault"]] == Fault.OPERATOR_ABORT
        blocked = sender.request(Command(Kind.STANDBY), PATIENCE_S)
        assert (blocked.result, blocked.reason) == (Result.REFUSED, Reason.FAULT_ACTIVE)
        wait_for(reader, "state", State.OFF)
        assert sender.request(Command(Kind.RESET_FAULT), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "fault", Fault.NONE)


def test_parameters_are_tuned_while_it_runs(folder: Path, manual: Process, capsys: Capture) -> None:
    """Off: limits too. On the way up: gains only."""

    def now(name: str) -> list[float]:
        capsys.readouterr()
        assert call(["tune", name, "--ring", "hand", "--json"]) == 0
        found: list[float] = json.loads(capsys.readouterr().out)["parameters"][0]["value"]
        return found

    with attached(folder, "hand") as reader:
        assert newest(reader)[AT["state"]] == State.OFF
        whole, k_p = now("dof_position"), now("k_p")[0]
        assert call(["tune", "dof_position[2]", "0.5", "--ring", "hand"]) == 0
        until(lambda: now("dof_position") == [whole[0], 0.5, *whole[2:]], "the tighter limit")
        sender = CommandSender("hand", sender="test")
        for kind, state in ((Kind.DOWN, State.DOWN), (Kind.STANDBY, State.RISING)):
            assert sender.request(Command(kind), PATIENCE_S).result is Result.ACCEPTED
            wait_for(reader, "state", state)
        assert call(["tune", "--reset", "--ring", "hand"]) == 2
        assert "dof_position[2] stays as it is: it may be changed only while" in capsys.readouterr().err
        assert call(["tune", "k_p", f"{0.75 * k_p}", "--ring", "hand"]) == 0
        until(lambda: now("k_p") == [0.75 * k_p], "the lower gain")
        for place, reason in ((499.0, Reason.NO_PARAMETER), (0.0, Reason.OUT_OF_RANGE)):
            strange = sender.request(Command(Kind.TUNE, (place, 1e9)), PATIENCE_S)
            assert (strange.result, strange.reason) == (Result.REFUSED, reason)
        assert sender.request(Command(Kind.ABORT), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "state", State.OFF)
        assert sender.request(Command(Kind.RESET_FAULT), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "fault", Fault.NONE)
        assert call(["tune", "--reset", "--ring", "hand"]) == 0


def test_an_emergency_stop_acts_until_it_is_reset(folder: Path, manual: Process) -> None:
    with attached(folder, "hand") as reader:
        sender = CommandSender("hand", sender="test")
        for kind, state in ((Kind.DOWN, State.DOWN), (Kind.STANDBY, State.RISING)):
            assert sender.request(Command(kind), PATIENCE_S).result is Result.ACCEPTED
            wait_for(reader, "state", state)
        for kind, channel, value in ((Kind.HOST_MODE, "mode", 0.0), (Kind.FREEZE, "state", State.FREEZE)):
            assert sender.request(Command(kind), PATIENCE_S).result is Result.ACCEPTED
            wait_for(reader, channel, value)
        alone = sender.request(Command(Kind.DRIVE), PATIENCE_S)
        assert (alone.result, alone.reason) == (Result.REFUSED, Reason.NOT_READY), "no host has sent a frame"
        sender.estop()
        wait_for(reader, "estop", 1.0)
        row = newest(reader)
        assert row[AT["fault"]] == Fault.ESTOP and row[AT["state"]] in (State.ABORT, State.OFF)
        wait_for(reader, "state", State.OFF)
        refused = sender.request(Command(Kind.DOWN), PATIENCE_S)
        assert (refused.result, refused.reason) == (Result.REFUSED, Reason.ESTOP_ACTIVE)
        acted = sender.estop_acts
        assert sender.request(Command(Kind.RESET_FAULT), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "estop", 0.0)
        assert acted and not sender.estop_acts and newest(reader)[AT["fault"]] == Fault.NONE
        assert sender.request(Command(Kind.MAINTENANCE_MODE), PATIENCE_S).result is Result.ACCEPTED
        wait_for(reader, "mode", 1.0)


def test_a_second_run_is_refused(folder: Path, manual: Process, capsys: Capture) -> None:
    attached(folder, "hand")
    assert call(["run", "--ring", "hand", "--duration", "1"]) == 2
    said = capsys.readouterr().err
    assert said == (
        f"motionbase: ring 'hand' has a writer already, process {manual.pid}; stop it or choose another name\n"
    )
    assert manual.poll() is None


def test_a_polite_kill_ends_it_in_good_order(folder: Path, manual: Process) -> None:
    with attached(folder, "hand") as reader:
        manual.send_signal(signal.SIGTERM)
        out, err = manual.communicate(timeout=PATIENCE_S)
        assert manual.returncode == 0 and "SIGTERM came" in out
        assert Fault.ESTOP.sentence in err and Fault.OPERATOR_ABORT.sentence in err
        assert re.search(r" s  dof_position\[2\] from 1 to 0.5 m, rad \(motionbase tune: \S+, process \d+\)", err)
        last = np.empty(0)
        while len(rows := reader.read().rows):
            last = rows[-1].copy()
        assert reader.state is ReaderState.STOPPED
        assert (last[[AT[f"leg{k}_valve_cmd"] for k in LEGS]] == 0.0).all()
    assert not (folder / "motionbase-hand").exists()


def test_a_stop_while_it_compiles_keeps_it_down(folder: Path, capsys: Capture) -> None:
    with command(folder, "run", "simona", "--alone", "--ring", "early") as process:
        said = process.stderr
        assert said is not None
        until(lambda: "compiling" in said.readline(), "it compiles")
        assert not (folder / "motionbase-early").exists()
        capsys.readouterr()
        assert call(["operate", "estop", "--ring", "early"]) == 0
        assert capsys.readouterr().out == f"estop: {LATCHED}\n"
        with attached(folder, "early") as reader:
            row = newest(reader)
            assert (row[AT["estop"]], row[AT["state"]], row[AT["fault"]]) == (1.0, State.OFF, Fault.ESTOP)
            sender = CommandSender("early", sender="test")
            refused = sender.request(Command(Kind.DOWN), PATIENCE_S)
            assert (refused.result, refused.reason) == (Result.REFUSED, Reason.ESTOP_ACTIVE)
            assert sender.request(Command(Kind.RESET_FAULT), PATIENCE_S).result is Result.ACCEPTED
            wait_for(reader, "estop", 0.0)
            assert newest(reader)[AT["state"]] == State.OFF, "a reset alone moves nothing"
            (folder / "motionbase-early").unlink()
            assert call(["operate", "estop", "--ring", "early"]) == 0
            lost = (
                f"the ring's name is gone, its writer (process {process.pid}) lives; the stop reached it by its socket"
            )
            assert capsys.readouterr().out == f"estop: {lost}, and acts\n"
            wait_for(reader, "estop", 1.0)


# ---- by itself -----------------------------------------------------------------------------------------------------


def test_it_rises_and_drives_the_generators(folder: Path, automatic: Process, long_reader: Reader) -> None:
    out, err = automatic.communicate(timeout=SECONDS + PATIENCE_S)
    assert automatic.returncode == 0, err
    assert "simona: " in out and "illustrative: " in out and f"{2000 * SECONDS:.0f} ticks" in out
    said = [line.split()[-1] for line in err.splitlines() if " s  " in line]
    assert said[0] in ("off", "down", "rising") and said[-1] == "drive"

    rows = [batch.copy()] if len(batch := long_reader.read().rows) else []
    while len(batch := long_reader.read().rows):
        rows.append(batch.copy())
    assert long_reader.lost == 0
    record = np.concatenate(rows)
    tick = record[:, AT["tick"]]
    np.testing.assert_array_equal(record[:, AT["t"]], tick * 5e-4)
    assert (np.diff(tick[:-1]) == 20).all(), "100 records a second; the last one is that of the safe stop"
    lengths = record[:, [AT[f"leg{k}_l_meas"] for k in LEGS]]
    platform = load_platform("simona")
    assert (np.ptp(lengths, axis=0) > 0.9 * (np.asarray(platform.l_neutral) - platform.l_down)).all()
    assert (record[:, AT["p_supply"]] > 1e7).all() and not record[:, AT["fault"]].any()
    driving = record[:, AT["state"]] == State.DRIVE
    assert (record[driving, AT["generators_version"]] == 2).all() and (record[driving, AT["mode"]] == 1).all()
    assert np.ptp(record[driving, AT["gen_heave"]]) > 1e-3, "heave of the example, fading in"
    assert not (folder / "motionbase-auto").exists()


def test_signals_wait_before_numpy_starts_its_threads() -> None:
    """One of them could take a signal that the main thread blocks, and tracing would lose it."""
    modules = "motionbase.cli.main, motionbase.cli.run, motionbase.executive.base"
    said = f"import sys, {modules}; print('numpy' in sys.modules)"
    assert subprocess.run(python("-c", said), capture_output=True, text=True, check=True).stdout == "False\n"


def test_ctrl_c_ends_it_at_any_time(folder: Path) -> None:
    """While it compiles there is no ring yet, so none is left."""
    with command(folder, "run", "--alone", "--ring", "brief") as process:
        assert process.stderr is not None and "compiling" in process.stderr.readline()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
    assert not (folder / "motionbase-brief").exists()


def test_a_law_of_one_s_own_runs_with_parameters_from_a_file(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("law = 'heaving'\n[parameters]\namplitude = 0.05\n")
    own = ["--law", OWN_LAW, "--parameters", str(file)]
    with command(folder, "run", "--alone", "--ring", "own", "--duration", "2", *own) as process:
        with attached(folder, "own") as reader:
            found, _ = shown("own")
            out, err = process.communicate(timeout=PATIENCE_S)
            rows = reader.read().rows.copy()
        assert process.returncode == 0 and "4000 ticks" in out, err
    assert found.table.law == "heaving" and found.tuned == {"amplitude": (0.05,)}
    assert rows[-2, AT["state"]] == State.RISING, "as the law calls it"
    rise = np.ptp(rows[:, [AT[f"leg{k}_l_meas"] for k in LEGS]], axis=0)
    assert (rise > 0.05).all() and np.isfinite(rows).all()


def breaking(tmp_path: Path, after: int) -> str:
    """The example's law, whose commands are NaN from a tick on."""
    text = Path(OWN_LAW.partition(":")[0]).read_text()
    assert '"valve_cmd": u,' in text
    file = tmp_path / "breaking.py"
    file.write_text(text.replace('"valve_cmd": u,', f'"valve_cmd": u + 0.0001 * ca.sqrt({after}.5 - x.ticks),'))
    return f"{file}:heaving"


def test_the_guard_stops_a_law_whose_commands_are_no_numbers(folder: Path, tmp_path: Path) -> None:
    own = ["--law", breaking(tmp_path, 1000), "--rate", "2000"]
    with command(folder, "run", "--alone", "--ring", "nan", "--duration", "1.2", *own) as process:
        with attached(folder, "nan") as reader:
            sent = CommandSender("nan", sender="test")
            until(lambda: newest(reader)[AT["state"]] == State.HELD, "held")
            refused = sent.request(Command(Kind.STANDBY), PATIENCE_S)
            _, err = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 1
    assert (refused.result, refused.reason) == (Result.REFUSED, Reason.FAULT_ACTIVE)
    said = [line.partition(" s  ")[2] for line in err.splitlines() if " s  " in line]
    assert said[-2:] == [f"{state}: {Fault.GUARD_NUMBER.sentence}" for state in ("stopping", "held")]
    assert err.splitlines()[-1] == f"motionbase: {Fault.GUARD_NUMBER.sentence}"


def test_every_record_of_a_law_that_breaks_is_of_numbers(folder: Path, tmp_path: Path) -> None:
    own = ["--law", breaking(tmp_path, 1000), "--rate", "2000"]
    with command(folder, "run", "--alone", "--ring", "nan2", "--duration", "1", *own) as process:
        with attached(folder, "nan2") as reader:
            process.communicate(timeout=PATIENCE_S)
            rows = reader.read().rows.copy()
        assert process.returncode == 1
    assert np.isfinite(rows).all()
    broken = rows[rows[:, AT["tick"]] >= 1001][:-1]
    assert set(broken[:, AT["fault"]]) == {float(Fault.GUARD_NUMBER)} and len(broken) > 900
    assert broken[-1, AT["state"]] == State.HELD and not rows[rows[:, AT["tick"]] <= 1000][:, AT["fault"]].any()
    valves = [AT[f"leg{k}_valve_cmd"] for k in LEGS]
    assert broken[0, valves].any() and not broken[-1, valves].any()


def test_without_a_word_it_rises_to_move_gently(folder: Path) -> None:
    with command(folder, "run", "--alone", "--ring", "mute", "--duration", "1") as process:
        with attached(folder, "mute") as reader:
            armed, _ = armed_in("mute")
            process.communicate(timeout=PATIENCE_S)
            rows = reader.read().rows.copy()
    assert (armed.name, armed.author, armed.version) == ("gentle", "motionbase run", 1)
    assert rows[-2, AT["state"]] == State.RISING and not rows[:-1, AT["fault"]].any()
    assert [g.axes for g in armed.generators if g.enabled] == [(a,) for a in ("heave", "surge", "sway", *DOFS[3:])]


@pytest.mark.long("14 s in real time")
def test_without_a_word_it_moves_gently(folder: Path) -> None:
    """So that whoever starts it for the first time sees something move.

    That all axes do, on every platform, is simulated in tests/platform/test_ready_sets.py.
    """
    with command(folder, "run", "--alone", "--ring", "first", "--duration", "14") as process:
        with attached(folder, "first") as reader:
            armed, _ = armed_in("first")
            process.communicate(timeout=PATIENCE_S)
            rows = reader.read().rows.copy()
    assert (armed.name, armed.author, armed.version) == ("gentle", "motionbase run", 1)
    driving = rows[rows[:, AT["state"]] == State.DRIVE]
    assert len(driving) > 300 and np.ptp(driving[:, AT["pose_meas_heave"]]) > 0.03 and not driving[:, AT["fault"]].any()
    assert np.abs(driving[:, AT["gen_heave"]]).max() < armed.generators[0].amplitude + 1e-12
    assert [g.axes for g in armed.generators if g.enabled] == [(a,) for a in ("heave", "surge", "sway", *DOFS[3:])]


# ---- what cannot be ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--rate", "33"], "--rate is 33, it must be one of 100, 200, 250, 400, 500, 1000, 2000 records per second"),
        (["--duration", "-1"], "--duration is -1 s, it must be a finite number above 0"),
        (["--duration", "nan"], "--duration is nan s"),
        (["nowhere"], "no platform 'nowhere'; presets: "),
        (["pumma"], "no platform, model or rotor 'pumma'; did you mean 'puma'?"),
        (["simna"], "no platform 'simna'; presets: "),
        (["simona", "--free"], "--free is for rotors, and 'simona' is a platform"),
        (["--faults", "nowhere.toml"], "nowhere.toml: cannot be read: No such file or directory"),
        (["--ring", "a/b"], "ring name"),
        (
            ["--generators", "wild"],
            "--generators 'wild': it must be one of gentle, tour, swell, identify, none, or a file",
        ),
        (["--generators", "nowhere.toml"], "nowhere.toml: cannot be read: No such file or directory"),
        (["--parameters", "nowhere.toml"], "nowhere.toml: cannot be read: No such file or directory"),
        (["--law", "nowhere.py"], "--law 'nowhere.py': it must be FILE.py:NAME"),
        (["--law", "nowhere/law.py:heaving"], "no file 'nowhere/law.py'; the folder 'nowhere' does not exist"),
    ],
)
def test_bad_calls_get_a_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert call(["run", *args]) == 2
    out, err = capsys.readouterr()
    complaint = err.splitlines()[-1]
    assert out == "" and complaint.startswith("motionbase: ") and said in complaint
    assert len(err.splitlines()) <= 2, "at most one line of progress before it"
