"""`motionbase kinematics`: tables, JSON, data files, and bad calls."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main
from motionbase.platform.load import load_platform
from motionbase.recording.open import open_recording
from motionbase.workbench.posture import at_dof

Capture = pytest.CaptureFixture[str]
DOF = "0.1 0 0.2 5 0 10"


def said(capsys: Capture, *args: str) -> str:
    assert main(["kinematics", *args]) == 0
    return capsys.readouterr().out


def refusal(capsys: Capture, *args: str) -> str:
    assert main(["kinematics", *args]) == 2
    return capsys.readouterr().err


def test_pose_as_a_table_and_as_json(capsys: Capture) -> None:
    shown = said(capsys, "pose", "simona", "--dof", DOF)
    assert "surge +0.1000 m" in shown and "pitch +0.000 deg" in shown and "characteristic 0.70" in shown
    found = json.loads(said(capsys, "pose", "simona", "--dof", DOF, "--json", "--dexterity", "task"))
    wanted = at_dof(load_platform("simona"), [0.1, 0, 0.2, np.radians(5), 0, np.radians(10)], "task")
    np.testing.assert_allclose(found["base"], wanted.base)
    assert found["definition"] == "task" and found["dexterity"] == pytest.approx(wanted.dexterity)
    legs = " ".join(str(l) for l in wanted.l[0])
    back = json.loads(said(capsys, "pose", "simona", "--legs", legs, "--json"))
    np.testing.assert_allclose(back["dof"], wanted.dof, atol=1e-9)
    assert "! beyond the operational stroke" in said(capsys, "pose", "simona", "--dof", "0,0,0.9,0,0,0")


def test_extremes(capsys: Capture) -> None:
    """Rotations of the rods are largest where the platform yaws most: every second leg out."""
    found = json.loads(said(capsys, "extremes", "simona", "--json"))
    assert found["reached"] == 64 and found["needs"]["rod rotation"]["degrees"] == pytest.approx(54.8, abs=0.1)
    assert "64 of 64 extremes are reached" in said(capsys, "extremes", "simona", "--hard")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".mcap"])
def test_trajectory(tmp_path: Path, capsys: Capture, ending: str) -> None:
    t = np.arange(50) * 0.01
    dof = np.outer(np.sin(t), [0.1, 0.2, 0.1, 0.1, 0.1, 0.2])
    source, out = tmp_path / "demand.csv", tmp_path / f"angles{ending}"
    lines = [",".join(f"{x:.17g}" for x in row) for row in np.column_stack([t, dof])]
    source.write_text("\n".join(["t,surge,sway,heave,roll,pitch,yaw", *lines]) + "\n")
    assert "50 records of 0.49 s" in said(capsys, "trajectory", "simona", str(source), "--out", str(out))
    wanted = at_dof(load_platform("simona"), dof)
    with open_recording(out) as found:
        columns = found.columns()
    np.testing.assert_allclose(columns["leg3_rotation"], wanted.rotation[:, 2], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(columns["leg6_platform2"], wanted.platform[:, 5, 1], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(columns["dexterity"], wanted.dexterity, rtol=1e-12)
    assert "exists already" in refusal(capsys, "trajectory", "simona", str(source), "--out", str(out))


def test_bad_calls(tmp_path: Path, capsys: Capture) -> None:
    assert "--legs is '2 2', six numbers are wanted" in refusal(capsys, "pose", "simona", "--legs", "2 2")
    assert "give one of them" in refusal(capsys, "pose", "simona", "--legs", DOF, "--dof", DOF)
    assert "it must be one of characteristic, points, task, raw" in refusal(
        capsys, "pose", "simona", "--dexterity", "x"
    )
    assert "no platform 'simone'" in refusal(capsys, "pose", "simone")
    assert "no pose was found with the leg lengths" in refusal(capsys, "pose", "simona", "--legs", "9 2 2 2 2 2")
    other = tmp_path / "other.csv"
    other.write_text("t,x\n0,1\n1,2\n")
    assert "has no channel 'leg1_l_meas'" in refusal(capsys, "trajectory", "simona", str(other), "--out", "a.csv")
    assert "the name must end in" in refusal(capsys, "trajectory", "simona", str(other), "--out", "a.txt")
    assert "--pose is 'x'" in refusal(capsys, "trajectory", "simona", str(other), "--out", "a.csv", "--pose", "x")


def test_the_very_end_of_the_stroke_is_not_beyond_it(capsys: Capture) -> None:
    assert "beyond" not in said(capsys, "pose", "simona", "--legs", " ".join(["3.281"] * 6))


def test_a_singular_pose_is_still_json(capsys: Capture) -> None:
    found = json.loads(said(capsys, "pose", "simona", "--dof", "0 0 -2.39 0 0 0", "--json"), parse_constant=pytest.fail)
    assert found["condition"] == [None] or found["condition"][0] > 1e9


def test_a_number_that_is_none_is_named_by_its_record(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "way.csv"
    file.write_text("t,surge,sway,heave,roll,pitch,yaw\n0,0,0,0,0,0,0\n1,0,0,0,0,0,nan\n")
    sentence = refusal(capsys, "trajectory", "simona", str(file), "--out", str(tmp_path / "a.csv"))
    assert "way.csv, record 2 at 1 s: yaw is nan" in sentence
