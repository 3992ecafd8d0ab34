"""`motionbase size` and `motionbase platforms check`: tables, JSON, trajectories of every kind, refusals."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main
from motionbase.platform.demand import LegDemand
from motionbase.platform.load import FOLDER, load_platform
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.sinks.sink import Heading, open_sink

Capture = pytest.CaptureFixture[str]
HEAVE = """
[[generator]]
number = 1
space = "dof"
axes = ["heave"]
shape = "sine"
amplitude = 0.1
frequency = 0.5
"""
W = math.pi


def said(capsys: Capture, *args: str, code: int = 0) -> str:
    assert main([*args]) == code
    return capsys.readouterr().out


def sized(capsys: Capture, *args: str, code: int = 0) -> dict:  # type: ignore[type-arg]
    found: dict = json.loads(said(capsys, "size", *args, "--json", code=code))  # type: ignore[type-arg]
    return found


def heave(t: np.ndarray) -> np.ndarray:
    dof = np.zeros((len(t), 6))
    dof[:, 2] = 0.1 * np.sin(W * t)
    return dof


@pytest.fixture
def generators(tmp_path: Path) -> str:
    (tmp_path / "heave.toml").write_text(HEAVE)
    return str(tmp_path / "heave.toml")


def test_a_table_for_people_and_a_picture(capsys: Capture, generators: str, tmp_path: Path) -> None:
    picture = tmp_path / "duty.png"
    shown = said(capsys, "size", "emotion-1500", generators, "--duration", "4", "--plot", str(picture))
    assert "emotion-1500: 4 s, 4001 moments" in shown and "torque [N m]" in shown and "motor [rpm]" in shown
    assert "Forces: payload, cylinders, rods, rotors and friction." in shown and "exact" in shown
    assert picture.stat().st_size > 50_000
    shown = said(capsys, "size", "simona", generators, "--duration", "2")
    assert "flow [l/min]" in shown and "Forces: payload, cylinders, rods and friction." in shown


def test_generators_a_csv_and_a_recording_of_one_motion_ask_for_the_same(
    capsys: Capture, generators: str, tmp_path: Path
) -> None:
    """To what the fit leaves, and the recording's noise of 5 um; friction rises within 2 mm/s of a reversal."""
    exact = sized(capsys, "emotion-1500", generators, "--duration", "4")
    t = np.arange(0.0, 4.0005, 2e-3)
    rows = "\n".join(",".join(f"{x:.9f}" for x in (at, *dof)) for at, dof in zip(t, heave(t), strict=True))
    (tmp_path / "heave.csv").write_text(f"t,surge,sway,heave,roll,pitch,yaw\n{rows}\n")
    by_csv = sized(capsys, "emotion-1500", str(tmp_path / "heave.csv"))
    assert by_csv["moments"] == 2001 and "5 samples" in by_csv["derivatives"]
    schema = hexapod_schema()
    l, _ = LegDemand(load_platform("emotion-1500"))(heave(t), np.zeros((len(t), 6)))
    record = np.zeros((len(t), len(schema.channels)))
    record[:, schema.index["t"]] = t
    noise = 5e-6 * np.random.default_rng(4).standard_normal(l.shape)
    record[:, [schema.index[f"leg{k}_l_meas"] for k in range(1, 7)]] = l + noise
    sink = open_sink(tmp_path / "heave.mcap", ".mcap", Heading(schema, {}, 0, 0))
    sink.write(t, record)
    sink.close([])
    recorded = sized(capsys, "emotion-1500", str(tmp_path / "heave.mcap"))
    assert "0.05 s" in recorded["derivatives"]
    for found, speeds, forces in ((by_csv, 1e-3, 1e-3), (recorded, 2e-3, 2e-2)):
        for one, other in zip(exact["legs"], found["legs"], strict=True):
            assert other["speed_rms_m_s"] == pytest.approx(one["speed_rms_m_s"], rel=speeds)
            assert other["force_rms_N"] == pytest.approx(one["force_rms_N"], rel=forces)
            assert other["torque_peak_Nm"] == pytest.approx(one["torque_peak_Nm"], rel=max(forces, 5e-3))


def test_a_part_of_it(capsys: Capture, generators: str) -> None:
    """Half a period about the upper turn: the legs only stretch above neutral there."""
    found = sized(capsys, "simona", generators, "--duration", "4", "--from", "0", "--to", "1")
    assert found["seconds"] == pytest.approx(1.0) and found["moments"] == 1001
    assert all(row["l_min_m"] == pytest.approx(load_platform("simona").l_neutral[0]) for row in found["legs"])


def test_generators_of_single_legs(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "leg.toml"
    path.write_text(HEAVE.replace('"dof"', '"leg"').replace('["heave"]', "[3]").replace("0.1", "0.01"))
    found = sized(capsys, "simona", str(path), "--duration", "2")
    speeds = [row["speed_peak_m_s"] for row in found["legs"]]
    assert speeds[2] == pytest.approx(0.01 * W, rel=1e-3)
    assert max(speeds[:2] + speeds[3:]) < 1e-4


def test_more_than_there_is(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "far.toml"
    path.write_text(HEAVE.replace("amplitude = 0.1", "amplitude = 0.8"))
    found = sized(capsys, "simona", str(path), "--duration", "2", code=1)
    assert not found["possible"]
    assert {one["what"] for one in found["beyond"]} == {"length", "speed", "force"}
    assert "beyond leg 1: length of " in said(capsys, "size", "simona", str(path), "--duration", "2", code=1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("simon", "a.csv"), "no platform 'simon'; did you mean 'simona'?"),
        (("simona", "absent.toml"), "absent.toml: cannot be read"),
        (("simona", "absent.csv"), "absent.csv"),
        (("simona", "a.csv", "--duration", "3"), "--duration is for function generators (.toml, .json), and 'a.csv'"),
        (("simona", "HEAVE", "--duration", "0"), "--duration is 0 s, it must be above 0 and at most 3600 s"),
        (("simona", "HEAVE", "--smooth", "0.1"), "--smooth is for recordings and CSV files"),
        (("simona", "a.csv", "--smooth", "-1"), "--smooth is -1 s, it must be 0 to 10 s"),
        (("simona", "a.csv", "--pose", "felt"), "--pose is 'felt', it must be one of legs, measured, estimated, host"),
        (("simona", "HEAVE", "--from", "50"), "'heave.toml' has nothing from 50 s to its end; it goes from 0 to 20 s"),
        (("simona", "HEAVE", "--plot", "a.gif"), "the name must end in .png, .pdf, .svg"),
    ],
)
def test_calls_that_cannot_work(capsys: Capture, generators: str, args: tuple[str, ...], message: str) -> None:
    assert main(["size", *(generators if one == "HEAVE" else one for one in args)]) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and err.count("\n") == 1


# ---- platforms check -----------------------------------------------------------------------------------------------


def test_check_prints_the_reserves(capsys: Capture) -> None:
    shown = said(capsys, "platforms", "check", "emotion-1500")
    for row in (
        "static force (weight and friction)",
        "brake (weight)",
        "speed without load",
        "power, lifting",
        "all 64",
    ):
        assert row in shown
    assert "Weight is of payload and legs (cylinders and rods)" in shown and "Nothing is wrong or odd." in shown
    found = json.loads(said(capsys, "platforms", "check", "simona", "--json"))
    assert found["works"] and not found["findings"]
    assert found["reserves"][0]["factor"] == pytest.approx(5.19, abs=0.01)


def test_check_of_a_design_that_cannot_work(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "weak.toml"
    path.write_text((FOLDER / "emotion-1500.toml").read_text().replace("torque_max = 50.0", "torque_max = 8.0"))
    shown = said(capsys, "platforms", "check", str(path), code=1)
    assert "error: the actuators cannot lift the platform" in shown
    assert main(["platforms", str(path)]) == 2  # whoever loads it is told
    assert "weak.toml, line 65: the actuators cannot lift the platform: leg 1 needs" in capsys.readouterr().err


def test_warnings_of_a_platform_are_a_line_each_on_stderr(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text((FOLDER / "emotion-1500.toml").read_text().replace("load_mass = 320.0", "load_mass = 3.2"))
    assert main(["platforms", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["name"] == "odd"
    assert (
        err.startswith(f"motionbase: warning: {path}, line 69: actuator.load_mass is 3.2 kg") and err.count("\n") == 1
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("check",), "check needs a platform: motionbase platforms check FILE"),
        (("check", "simon"), "no platform 'simon'; did you mean 'simona'?"),
        (("simona", "cmf"), "'cmf' is one platform too many"),
        (("check", "simona", "--plot", "a.png"), "--plot a.png draws a platform"),
    ],
)
def test_checks_that_cannot_work(capsys: Capture, args: tuple[str, ...], message: str) -> None:
    assert main(["platforms", *args]) == 2
    assert message in capsys.readouterr().err


def test_a_singular_pose_is_called_so(capsys: Capture) -> None:
    """Hexagons a sixth of a turn apart lock at a quarter turn (Fichter)."""
    assert "characteristic condition number infinite (singular)" in said(
        capsys, "kinematics", "pose", "simona", "--dof", "0 0 0 0 0 90"
    )
    found = json.loads(said(capsys, "kinematics", "pose", "simona", "--dof", "0 0 0 0 0 90", "--json"))
    assert found["condition"] == [None]
