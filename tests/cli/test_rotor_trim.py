"""`motionbase rotor trim`, `loads` and `level`: tables, JSON, pictures, and one-sentence complaints."""

import json
from pathlib import Path

import pytest

from motionbase.cli.main import main

Capture = pytest.CaptureFixture[str]
ROTOR = "puma_compact"  # the one with the fewest equations


@pytest.mark.long("compiles rotors")
def test_flight_123_beside_what_was_published(capsys: Capture) -> None:
    assert main(["rotor", "trim", ROTOR, "--flight", "123"]) == 0
    said = capsys.readouterr().out
    assert "found (newton)" in said and "-7.15" in said and "51,648.0 N of 51,648.0" in said


@pytest.mark.long("compiles rotors")
def test_json_and_pictures_of_a_pilot(capsys: Capture, tmp_path: Path) -> None:
    pictures = tmp_path / "trim.png", tmp_path / "disk.png"
    options = "--thrust", "40000", "--airspeed", "20", "--flap-cos", "0.5", "--method", "pilot", "--duration", "25"
    files = "--plot", str(pictures[0]), "--disk", str(pictures[1])
    assert main(["rotor", "trim", ROTOR, *options, *files, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["thrust_N"] == pytest.approx(40_000, rel=1e-3)  # after eight time constants of the slowest filter
    assert found["flap_cos_deg"] == pytest.approx(0.5, abs=0.02)
    assert found["method"] == "pilot" and found["iterations"] == 0
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)


@pytest.mark.long("compiles rotors")
def test_loads(capsys: Capture) -> None:
    assert main(["rotor", "loads", ROTOR, "--thrust", "40000", "--airspeed", "20", "--highest", "4"]) == 0
    said = capsys.readouterr().out
    assert "half peak to peak" in said and "flap [deg]" in said and "hub F_z [N]" in said
    assert "weight" in said and "thrust 40,000.0 N" in said


@pytest.mark.long("compiles rotors")
def test_level_flight(capsys: Capture) -> None:
    assert main(["rotor", "level", ROTOR, "--airspeed", "30", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert 0 < found["tail_N"] < 5000 and -6 < found["shaft_angle_deg"] < 0 and found["force_left_N"] < 0.1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("trim", ROTOR), "--thrust in newtons or --flight"),
        (("trim", ROTOR, "--flight", "12"), "did you mean '123'"),
        (("trim", ROTOR, "--flight", "123", "--thrust", "1"), "leave the other options out"),
        (("trim", ROTOR, "--thrust", "1", "--method", "newtn"), "did you mean 'newton'"),
        (("trim", ROTOR, "--thrust", "nan"), "trim: thrust is nan"),
        (("trim", "caradonna_tung", "--thrust", "100"), "has no flap hinges"),
        (("level", "caradonna_tung"), "has no [airframe] in its file, which free flight needs; puma has one"),
    ],
)
def test_complaints_are_one_sentence(arguments: tuple[str, ...], said: str, capsys: Capture) -> None:
    assert main(["rotor", *arguments]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint and complaint.count("\n") == 1
