"""`motionbase rotor stability`: its table, its JSON, its picture, and its one-sentence complaints."""

import json
from pathlib import Path

import pytest

from motionbase.cli.main import main

Capture = pytest.CaptureFixture[str]
COMMAND = ("rotor", "stability", "ground_resonance")


def test_table(capsys: Capture) -> None:
    assert main([*COMMAND, "--speeds", "20:32:3"]) == 0
    said = capsys.readouterr().out
    assert "Ground resonance (multiblade)" in said and "lag regressing" in said
    assert "Unstable: at none of these speeds." in said and "Coefficients" not in said


def test_rotor_at_rest_is_not_said_to_grow(capsys: Capture) -> None:
    """What rounding makes of a blade that is free has no damping ratio of -1."""
    assert main([*COMMAND, "--speeds", "0:20:2", "--blades-without-damper", "1", "--method", "floquet"]) == 0
    said = capsys.readouterr().out
    assert "-1.0000" not in said and "+0.0000         +0.0000" in said


def test_averaged_coefficients_are_declared(capsys: Capture) -> None:
    assert main([*COMMAND, "--speeds", "20:32:3", "--blades-without-damper", "1"]) == 0
    assert "--method floquet takes them as they are" in capsys.readouterr().out


def test_json_and_picture(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "modes.png"
    options = "--speeds", "18:36:7", "--blades-without-damper", "2", "--method", "floquet", "--plot", str(path)
    assert main([*COMMAND, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["method"] == "floquet" and found["blades_without_damper"] == [2]
    ((low, high),) = found["unstable_rad_s"]
    assert 18 < low < 24 and 30 < high < 36
    assert [len(point["modes"]) for point in found["speeds"]] == [6] * 7
    mode = max(found["speeds"][3]["modes"], key=lambda mode: mode["growth_1_s"])
    assert mode["kind"] == "lag regressing" and mode["damping_ratio"] < 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rotor", "stability", "ground_resonace"), "did you mean 'ground_resonance'"),
        ((*COMMAND, "--method", "fourier"), "multiblade"),
        ((*COMMAND, "--speeds", "40:0:41"), "FROM:TO:COUNT"),
        ((*COMMAND, "--speeds", "0:40"), "FROM:TO:COUNT"),
        ((*COMMAND, "--speeds", "0:40:41:2"), "FROM:TO:COUNT"),
        ((*COMMAND, "--blades-without-damper", "5"), "blades: 1 to 4"),
        ((*COMMAND, "--blades-without-damper", "1.5"), "whole numbers"),
        ((*COMMAND, "--plot", "modes.txt"), "must end in"),
        ((*COMMAND, "--airspeeds", "0:40:5"), "--airspeeds is for tiltrotor"),
        (("rotor", "stability", "tiltrotor", "--speeds", "0:40:5"), "--speeds is not for tiltrotor"),
        (("rotor", "stability", "tiltrotor", "--airspeeds", "0:40"), "--airspeeds is '0:40', it must be FROM:TO:COUNT"),
    ],
)
def test_bad_arguments(capsys: Capture, arguments: tuple[str, ...], said: str) -> None:
    assert main([*arguments]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint and "Traceback" not in complaint


@pytest.mark.long("compiles a rotor")
def test_tiltrotor_against_airspeed(capsys: Capture, tmp_path: Path) -> None:
    """It flutters between 100 and 120 m/s."""
    path = tmp_path / "whirl.png"
    command = "rotor", "stability", "tiltrotor", "--airspeeds", "80:120:3"
    assert main([*command, "--plot", str(path)]) == 0
    assert "Unstable: 10" in capsys.readouterr().out
    assert path.read_bytes().startswith(b"\x89PNG")
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    ((low, high),) = found["unstable_m_s"]
    assert 100 < low < 112 and high == 120.0
    assert [point["airspeed_m_s"] for point in found["airspeeds"]] == [80.0, 100.0, 120.0]
    assert all(abs(point["torque_n_m"]) < 3.0 for point in found["airspeeds"])
