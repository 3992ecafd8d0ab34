"""`motionbase platforms`: the list, one platform in full, JSON, and one-sentence complaints."""

import json
import math
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.platform.load import FOLDER, PRESETS

Capture = pytest.CaptureFixture[str]


def output(capsys: Capture, *args: str) -> str:
    assert call(["platforms", *args]) == 0
    return capsys.readouterr().out


def test_list_has_every_preset_with_strokes_sources_and_marks(capsys: Capture) -> None:
    lines = output(capsys).splitlines()
    for name in PRESETS:
        assert any(line.strip().startswith(f"{name} ") for line in lines), name
        assert any(line.strip().startswith(f"{name}: ") for line in lines), f"source of {name}"
    simona = next(line for line in lines if line.strip().startswith("simona "))
    assert simona.split()[1:3] == ["1.150", "1.250"]
    assert "payload, cylinder, rod, some limits, actuator" in simona
    assert any("unpublished" in line for line in lines)


def test_list_as_json(capsys: Capture) -> None:
    found = json.loads(output(capsys, "--json"))
    assert list(found) == list(PRESETS)
    assert found["cmf"]["hard_stroke_m"] == pytest.approx(76 * 0.0254, abs=1e-12)
    assert "stroke" in found["cmf"]["illustrative"]
    assert found["odu"]["sources"]


def test_one_in_full(capsys: Capture) -> None:
    text = output(capsys, "simona")
    rows = {cells[0]: cells for line in text.splitlines() if (cells := line.split())}
    assert rows["surge"][1:4] == ["-0.981", "to", "+1.259"]
    assert rows["pitch"][1:7] == ["-24.3", "to", "+23.7", "-34.3", "to", "+33.2"]
    assert rows["yaw"][7] == "+-40.1*"
    assert "64 of the 64 extremes" in text and "up to 3.94" in text
    assert "mass* 3500" in text  # illustrative
    assert "l_min 2.131" in text  # published: no star
    assert "MotionLimiter.cxx" in text


def test_one_as_json(capsys: Capture) -> None:
    found = json.loads(output(capsys, "simona", "--json"))
    assert found["axis_limits"]["yaw"] == pytest.approx([-math.radians(41.566), math.radians(41.566)], abs=1e-5)
    assert found["extremes"]["reached"] == 64
    assert found["extremes"]["largest_condition"] == pytest.approx(3.940, abs=1e-3)  # turns by 1.6 m
    assert found["actuator"]["type"] == "HydraulicActuator"
    assert found["stroke"]["l_max"] == 3.281
    assert len(found["l_neutral"]) == 6


def test_a_file_of_ones_own(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((FOLDER / "odu.toml").read_text())
    assert json.loads(output(capsys, str(path), "--json"))["name"] == "mine"


def test_an_electric_one(capsys: Capture) -> None:
    assert "torque_max* 260" in output(capsys, "emotion-8000")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("simon", "no platform 'simon'; did you mean 'simona'? (presets: atlas-stage, cmf,"),
        ("moog", "no platform 'moog'; presets: atlas-stage, cmf,"),
        ("absent.toml", "absent.toml: cannot be read: No such file or directory"),
    ],
)
def test_complaints_are_one_sentence(capsys: Capture, name: str, message: str) -> None:
    assert call(["platforms", name]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1


def test_a_wrong_file_is_told_with_its_line(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((FOLDER / "odu.toml").read_text().replace("mass = 1000.0", "mass = 0.0"))
    assert call(["platforms", str(path)]) == 2
    assert "mine.toml, line " in (error := capsys.readouterr().err)
    assert "payload: mass is 0.0 kg, a finite number above 0 is wanted" in error
