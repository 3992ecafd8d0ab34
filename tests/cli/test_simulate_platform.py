"""`motionbase simulate PRESET`: one run with everything, what is printed of it, and one-sentence complaints."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.cli.main import main as call
from motionbase.cli.simulate import MODEL_KEYS, PLATFORM_KEYS, is_platform
from motionbase.cli.simulate_platform import PlatformOptions, _scenario, _settings, _show
from motionbase.errors import UsageError
from motionbase.multibody.loaders import toml as model_files
from motionbase.platform import load as platform_files
from motionbase.platform.ready_sets import ready_sets
from motionbase.record.faults import Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import Mode, Request, State
from motionbase.system.run_plot import Traces
from motionbase.system.simulation import Done
from motionbase.system.summary import Summary

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).resolve().parents[2]
FAULTS = """
[[fault]]
kind = "sensor_lost"
leg = 5
at = 9.5
[[fault]]
kind = "supply_lost"
at = 99.0
"""
MODEL = "[bodies.bob]\nmass = 1.0\n[joints.pivot]\ntype = 'fixed'\nparent = 'ground'\nchild = 'bob'\n"


@dataclass(frozen=True)
class Ran:
    """What a run left."""

    data: dict[str, Any]
    header: list[str]
    rows: NDArray[np.float64]
    picture: bytes


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Rise, drive with generators for a second, lose a sensor; compiling takes most of the time."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("simulate")
    (folder / "faults.toml").write_text(FAULTS)
    files = {"--out": folder / "run.csv", "--plot": folder / "run.png", "--faults": folder / "faults.toml"}
    files["--generators"] = ROOT / "examples" / "generators.toml"
    given = [str(x) for pair in files.items() for x in pair]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert call(["simulate", "simona", "--duration", "10", "--rate", "100", "--json", "--allow-fault", *given]) == 0
    with (folder / "run.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    numbers = np.array([[float(x) for x in row] for row in rows])
    return Ran(json.loads(out.getvalue()), header, numbers, (folder / "run.png").read_bytes())


def column(ran: Ran, name: str) -> NDArray[np.float64]:
    found: NDArray[np.float64] = ran.rows[:, hexapod_schema().place(name)]
    return found


def test_records_have_the_channels_of_the_schema_and_exact_times(ran: Ran) -> None:
    assert ran.header == [f"{c.name} [{c.unit}]" for c in hexapod_schema().channels]
    np.testing.assert_array_equal(column(ran, "t"), np.arange(1, 1001) / 100)  # the nearest doubles, not sums
    np.testing.assert_array_equal(column(ran, "tick"), 20 * np.arange(1, 1001))
    assert ran.data["records"] == 1000 and ran.data["ticks"] == 20_000 and ran.data["duration_s"] == 10.0


def test_states_and_faults_are_those_of_the_records(ran: Ran) -> None:
    names = [s["state"] for s in ran.data["states"]]
    assert names[-5:] == ["rising", "standby", "engaging", "drive", names[-1]] and names[-1] in ("held", "abort")
    (fault,) = ran.data["faults"]
    assert fault["fault"] == "measurement" and fault["sentence"] == Fault.MEASUREMENT.sentence
    assert 9.5 < fault["t"] < 9.51
    drive = next(s["t"] for s in ran.data["states"] if s["state"] == "drive")
    t, state = column(ran, "t"), column(ran, "state")
    np.testing.assert_array_equal(state == State.DRIVE, (t >= drive) & (t < ran.data["states"][-1]["t"]))
    assert ran.data["notes"] == ["supply_lost at 99 s comes after the end"]


def test_numbers_are_about_those_of_the_records(ran: Ran) -> None:
    """The summary sees every tick and the truth, the records every 20th and what sensors read of it."""
    force = np.abs(ran.rows[:, [hexapod_schema().place(f"leg{k}_f_meas") for k in range(1, 7)]])
    assert np.all(np.array(ran.data["peak_leg_force"]) >= force.max(axis=0) - 50.0)  # five deviations of noise
    drive = column(ran, "state") == State.DRIVE
    error = np.abs(column(ran, "cmd_heave") - column(ran, "pose_meas_heave"))[drive]
    heave = ran.data["tracking"]["heave"]
    assert heave["rms"] == pytest.approx(float(np.sqrt((error**2).mean())), rel=0.1, abs=2e-5)
    assert np.ptp(column(ran, "cmd_heave")[drive]) > 0.05  # the generators act
    assert 0.3 < min(ran.data["stroke_left"]) < 0.6 and ran.data["drive_s"] == pytest.approx(
        drive.sum() / 100, abs=0.02
    )
    assert ran.data["real_time_factor"] == pytest.approx(10.0 / ran.data["wall_s"])


def test_picture(ran: Ran) -> None:
    assert ran.picture.startswith(b"\x89PNG") and len(ran.picture) > 50_000
    assert [Path(f).name for f in ran.data["files"]] == ["run.csv", "run.png"]


# ---- the table -----------------------------------------------------------------------------------------------------


def shown(capsys: Capture, drive_s: float, hard_left: float, *faults: tuple[float, Fault], alone: bool = False) -> str:
    six = np.ones(6)
    states = ((5e-4, State.DOWN), (1.0, State.RISING), (8.0, State.DRIVE))
    force = np.array([1e3, 2e3, 21.5e3, 4e3, 5e3, 6e3])
    rms, largest = (None, None) if alone else (1e-4 * six, 5e-4 * six)
    rest = (3e-4 * six, 7e-4 * six, force, 9.25 * six, 0.125 * six, hard_left * six)
    summary = Summary(states, faults, drive_s, rms, largest, *rest)
    done = Done(summary, Traces(10), 20_000, 10_000, 0.25, 10.0)
    _show(platform_files.load_platform("simona"), done, ["run.csv"], ["a note"])
    return capsys.readouterr().out


def test_table(capsys: Capture) -> None:
    text = shown(capsys, 2.0, 0.04, (9.0, Fault.VALVE), (9.5, Fault.NONE))
    for words in (
        "simona after 10 s",
        "250 ms, 40 times real time, 20000 ticks",
        "down 0.00, rising 1.00, drive 8.00 s",
        "9.0000 s: the valve of a leg does not do what it was told",
        "9.5000 s: reset",
        "21.50 kN, leg 3 at 9.250 s",
        "125 mm, leg 1",
        "40 mm, leg 1",
        "run.csv (10000 records)",
        "a note",
        "Error in drive, 2.00 s",
        "Illustrative numbers of this platform: payload",
    ):
        assert words in text, words
    assert next(line for line in text.splitlines() if "yaw" in line).split() == ["yaw", "0.100", "0.500", "mrad"]
    assert "leg 6".split() + ["0.300", "0.700", "mm"] in [line.split() for line in text.splitlines()]


def test_table_of_legs_that_move_alone(capsys: Capture) -> None:
    text = shown(capsys, 2.0, 0.04, alone=True)
    assert "leg 6" in text and "yaw" not in text and "Generators move single legs, so only lengths" in text


def test_table_without_drive_and_with_contact(capsys: Capture) -> None:
    text = shown(capsys, 0.0, -1e-5)
    assert "met by leg 1" in text and "none" in text and "stroke left" not in text and "Error in drive" not in text


# ---- what is asked for ---------------------------------------------------------------------------------------------


def test_requests_end_the_automatic_operator() -> None:
    """As in `motionbase run`: a person has taken over."""
    made = _scenario(PlatformOptions(at=["12=settle", "3.5=freeze"], estop_at=15.0, seed=4), 20.0)
    assert made.requests == {12.0: Request.SETTLE, 3.5: Request.FREEZE}
    assert made.automatic and made.automatic_until == 3.5 and made.estop_at == 15.0 and made.seed == 4
    recovery = _scenario(PlatformOptions(at=["12=reset", "13=host", "14=maintenance", "15=down"]), 20.0)
    assert recovery.resets == (12.0,) and recovery.modes == {13.0: Mode.HOST, 14.0: Mode.MAINTENANCE}
    assert recovery.requests == {15.0: Request.DOWN} and recovery.automatic_until == 12.0
    quiet = _scenario(PlatformOptions(manual=True), 20.0)
    assert not quiet.automatic and quiet.requests == {} and quiet.settings is None
    rows = made.rows(6990, 20, 5e-4, 0.0)
    np.testing.assert_array_equal(rows["automatic"], np.arange(6990, 7010) < 7000)
    assert rows["asked"][10] == Request.FREEZE and np.count_nonzero(rows["asked"]) == 1


def test_files_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    preset = (platform_files.FOLDER / "simona.toml").read_text()
    for name, text in (
        ("p.toml", preset),
        ("m.toml", MODEL),
        ("both.toml", MODEL + "[stroke]\n"),
        ("no.toml", "x = 1"),
    ):
        Path(name).write_text(text)
    assert is_platform("simona") and is_platform("p.toml")
    assert not is_platform("m.toml") and not is_platform("pendulum") and not is_platform("mine.urdf")
    with pytest.raises(UsageError, match=r"both.toml has 'bodies' of a multibody model and 'stroke' of a platform"):
        is_platform("both.toml")
    with pytest.raises(UsageError, match="no.toml is neither a multibody model, .* nor a platform"):
        is_platform("no.toml")


def test_keys_that_tell_are_keys_of_one_kind_alone() -> None:
    platform = {*platform_files.NEEDED, *platform_files.OPTIONAL}
    assert set(MODEL_KEYS) <= set(model_files.TOP) - platform
    assert set(PLATFORM_KEYS) <= platform - set(model_files.TOP)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (
            ["simona", "--dt", "0.1"],
            "--dt is for multibody models, and 'simona' is a platform; its options: --generators",
        ),
        (["simona", "--momentum"], "--momentum is for multibody models"),
        (["pendulum", "--estop-at", "3"], "--estop-at is for platforms, and 'pendulum' is a multibody model"),
        (["pendulum", "--manual"], "--manual is for platforms"),
        (["simna"], "did you mean 'simona'?"),
        (["no.toml"], "cannot be read"),
        (["simona", "--duration", "0"], "--duration is 0 s, it must be a finite number above 0"),
        (["simona", "--duration", "inf"], "--duration is inf s"),
        (["simona", "--duration", "1e12"], "--duration is 1e+12 s, it must be at most 1e+06 s"),
        (["simona", "--at", "5"], "--at '5': the form is S=REQUEST"),
        (
            ["simona", "--at", "12"],
            "requests: off, down, standby, drive, settle, lower, freeze, abort, reset, host, main",
        ),
        (["simona", "--at", "x=settle"], "--at 'x=settle': the time 'x' is no number"),
        (["simona", "--at", "nan=settle"], "the time nan s is not within the run"),
        (["simona", "--at", "20=settle"], "the time 20 s is not within the run, 0 to 20 s"),
        (["simona", "--at", "12=foo"], "--at '12=foo': no request 'foo'; requests: off, down, standby, drive, settle"),
        (["simona", "--at", "5=setle"], "did you mean 'settle'?"),
        (["simona", "--at", "5=settle", "--at", "5.0=drive"], "there is a request at 5.0 s already"),
        (["simona", "--estop-at", "-1"], "--estop-at is -1 s, it must be within the run, 0 to 20 s"),
        (["simona", "--seed", "-1"], "--seed is -1"),
        (["simona", "--rate", "300"], "--rate is 300, it must divide the 2000 ticks of a second"),
        (["simona", "--rate", "0"], "--rate is 0"),
        (["simona", "--generators", "none.toml"], "none.toml: cannot be read"),
        (["simona", "--faults", "none.toml"], "none.toml: cannot be read"),
        (["simona", "--out", "run.txt"], "must end in .csv, .parquet"),
        (["simona", "--plot", "no/run.png"], "the folder 'no' does not exist"),
    ],
)
def test_bad_calls_are_one_sentence(
    args: list[str], said: str, capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(["simulate", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    assert said in err


def test_a_law_of_one_s_own_and_what_the_guard_makes_of_it(tmp_path: Path, capsys: Capture) -> None:
    """The example's law, and the same with commands that are NaN from half a second on."""
    text = (ROOT / "examples" / "07_own_control_law.py").read_text()
    (tmp_path / "nan.py").write_text(
        text.replace('"valve_cmd": u,', '"valve_cmd": u + 1e-4 * ca.sqrt(1000.5 - x.ticks),')
    )
    given = ["simulate", "simona", "--duration", "1", "--json"]
    assert call([*given, "--law", str(tmp_path / "nan.py:heaving"), "--out", str(tmp_path / "run.csv")]) == 1
    data = json.loads(capsys.readouterr().out)
    assert [f["fault"] for f in data["faults"]] == ["guard_number"] and data["faults"][0]["t"] == 1002 / 2000
    assert [s["state"] for s in data["states"]] == ["rising", "stopping", "held"]
    assert data["ended_by"] == "guard_number" and "nan" not in (tmp_path / "run.csv").read_text()
    assert call([*given, "--law", str(ROOT / "examples" / "07_own_control_law.py:heaving")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["faults"] == [] and data["ended_by"] is None


def test_a_run_that_ends_by_a_fault_exits_1(capsys: Capture) -> None:
    """An emergency stop before anything moves; a script must be able to tell. Allowed, it is 0."""
    given = ["simulate", "simona", "--duration", "0.2", "--estop-at", "0.1"]
    assert call(given) == 1
    out, err = capsys.readouterr()
    assert Fault.ESTOP.sentence in out
    assert err.count("\n") == 1 and "ended by a fault at 0.1005 s: the emergency stop acts" in err
    assert "0 with --allow-fault" in err
    assert call([*given, "--allow-fault", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["ended_by"] == "estop" and err == ""


def test_a_fault_that_was_reset_does_not_stand() -> None:
    six = np.ones(6)
    rest = (1.0, six, six, six, six, six, six, six, six)
    assert Summary((), ((9.0, Fault.VALVE), (9.5, Fault.NONE)), *rest).standing is None
    assert Summary((), ((9.0, Fault.NONE), (9.5, Fault.VALVE)), *rest).standing == (9.5, Fault.VALVE)
    assert Summary((), (), *rest).standing is None


def test_generators_are_a_file_or_a_ready_set_by_its_name(capsys: Capture) -> None:
    simona = platform_files.load_platform("simona")
    ready = ready_sets(simona)
    np.testing.assert_array_equal(_settings(Path("identify"), simona), ready["identify"].values)
    from_file = _settings(ROOT / "examples" / "generators.toml", simona)
    assert from_file is not None and from_file.shape == ready["identify"].values.shape
    assert _settings(None, simona) is None
    assert call(["simulate", "simona", "--generators", "wild"]) == 2
    said = "--generators 'wild': it must be one of gentle, tour, swell, identify, or a file .toml or .json"
    assert said in capsys.readouterr().err
