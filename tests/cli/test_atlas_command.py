"""`motionbase atlas`: the paper's numbers in its units, JSON, pictures, layouts, and one-sentence complaints."""

import json
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.platform.load import FOLDER

Capture = pytest.CaptureFixture[str]


def output(capsys: Capture, *args: str) -> str:
    assert call(["atlas", *args]) == 0
    return capsys.readouterr().out


def test_analysis_in_the_units_of_the_paper(capsys: Capture) -> None:
    text = output(capsys, "analyse", "--units", "paper")
    rows = {line.split("  ")[0]: line.split() for line in map(str.strip, text.splitlines())}
    assert "51,127.0" in rows["moment on the sphere"] and "168.9" in rows["gyroscopic part at most"]
    assert "4,844.2" in rows["wheel torque"] and "1,522.4" in rows["normal force"]
    assert ["x", "5.374", "3.895", "-9.269"] in [line.split() for line in text.splitlines()]
    assert "condition number 1.2247" in text and "45.53% too little" in text
    assert "2,976 lb, less than 3,086 lb; capacity 6,173 lb" in text
    assert "easiest axes all normal to (0.000, 0.000, 1.000), hardest axis (0.000, 0.000, 1.000)" in text
    assert "(0.957, 0.088, 0.277), or in 2 more that are as kind, would" in " ".join(text.split())
    assert "sphere.mass" in text.rpartition("Illustrative")[2]


def test_analysis_as_json_in_si_with_a_picture(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "force.png"
    found = json.loads(output(capsys, "analyse", "atlas", "--json", "--plot", str(path)))
    assert found["units"] == {"moment": "N m", "force": "N", "mass": "kg", "speed": "rad/s"}
    pound_inch = 4.4482216152605 * 0.0254
    assert found["largest_moment"] == pytest.approx(51126.97 * pound_inch, rel=1e-6)
    assert found["no_moment_exceeds"] == pytest.approx(found["largest_moment"], rel=1e-9)
    assert found["wheels"]["least_squares"]["normal_force"] == pytest.approx(1522.37 * 4.4482216152605, rel=1e-5)
    for name in ("worst", "kindest"):
        equal = found["wheels"]["least_squares"][f"{name}_directions"]
        assert len(equal) == 3 and equal[0] == found["wheels"]["least_squares"][f"{name}_direction"]
    assert len(found["easiest_axes_span"]) == 2 and len(found["directions"]) == 2
    assert found["carried_mass"] < found["mass_limit"] == 1400 and found["pressed_enough_at_rest"] is True
    assert path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and path.stat().st_size > 30_000


def test_four_wheels_show_both_allocations(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "four.toml"
    path.write_text((FOLDER / "atlas.toml").read_text().replace("[0.0, 120.0, 240.0]", "[0.0, 90.0, 180.0, 270.0]"))
    text = output(capsys, "analyse", str(path))
    assert "wheel torque, least_squares" in text and "wheel torque, least_largest" in text


def test_layouts(capsys: Capture, tmp_path: Path) -> None:
    family = json.loads(output(capsys, "layout", "--wheels", "4", "--json"))
    assert family["wheels"] == 4 and len(family["layouts"]) == 5
    for one in family["layouts"]:
        assert one["condition"] == pytest.approx(1, rel=1e-9) and one["normal"] == pytest.approx(0.75, rel=1e-9)
    path = tmp_path / "layouts.svg"
    text = output(capsys, "layout", "--elevation", "-45", "--plot", str(path))
    assert "35.26" in text and "1.0000" in text
    assert path.read_text().count("<path") > 50
    (one,) = json.loads(output(capsys, "layout", "--roller-angle", "0", "--json"))["layouts"]
    assert one["elevation_deg"] == pytest.approx(-54.7356, abs=1e-4)
    (one,) = json.loads(output(capsys, "layout", "--azimuths", "0,100,200,300", "--json"))["layouts"]
    assert one["condition"] == pytest.approx(1.2135, abs=2e-3)
    assert one["no_condition_is_below"] <= one["condition"] <= one["no_condition_is_below"] * 1.002


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["analyse", "atls"], "no sphere 'atls'; did you mean 'atlas'?"),
        (["analyse", "absent.toml"], "absent.toml: cannot be read: No such file or directory"),
        (["analyse", "--units", "furlongs"], "no units 'furlongs'; units: si, paper"),
        (["analyse", "--plot", "a.gif"], "'a.gif': the name must end in .png, .pdf, .svg"),
        (["analyse", str(FOLDER / "simona.toml")], 'the file needs kind = "sphere"'),
        (["layout", "--wheels", "2"], "the number of wheels is 2, a whole number of at least 3 is wanted"),
        (["layout", "--roller-angle", "90"], "roller_angle is 90 degrees, it must be between -89 and 89"),
        (["layout", "--elevation", "90"], "cannot turn a sphere about every axis"),
        (["layout", "--elevation", "nan"], "elevation is nan rad, a finite number is wanted"),
        (["layout", "--elevation", "-45", "--roller-angle", "45"], "give --elevation or --roller-angle, the other is"),
        (["layout", "--azimuths", "0,90"], "it must be three or more angles in degrees"),
        (["layout", "--azimuths", "0,0,0"], "wheels at 0, 0, 0 degrees cannot turn a sphere about every axis"),
        (["layout", "--azimuths", "0,90,180", "--elevation", "3"], "leave --elevation out"),
    ],
)
def test_complaints_are_one_sentence(capsys: Capture, args: list[str], message: str) -> None:
    assert call(["atlas", *args]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and message in captured.err and captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0.0, 120.0, 240.0]", "[0.0, 0.0, 0.0]", "the wheels are singular"),
        ("roller_angle_deg = 45.0", "roller_angle_deg = 90.0", "roller_angle is 90 degrees"),
        ("[3.216e6, 2.954e6,", "[-3.216e6, 2.954e6,", "it must be positive definite"),
    ],
)
def test_a_wrong_file_is_told_with_its_line(capsys: Capture, tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text((FOLDER / "atlas.toml").read_text().replace(old, new))
    assert call(["atlas", "analyse", str(path)]) == 2
    error = capsys.readouterr().err
    assert "mine.toml, line " in error and message in error and error.count("\n") == 1


def test_platforms_sends_to_this_command(capsys: Capture) -> None:
    assert call(["platforms", str(FOLDER / "atlas.toml")]) == 2
    assert "motionbase atlas analyse takes it" in capsys.readouterr().err


# ---- in motion ----


def test_a_burst_without_preload_slips_and_says_so(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "slip.svg"
    text = output(capsys, "simulate", "--preload", "0", "--plot", str(path))
    assert "WHEELS SLIP; the control law tells of it at 0.5" in text and "never" in text
    assert path.read_text().startswith("<?xml")
    found = json.loads(output(capsys, "simulate", "--preload", "0", "--json"))
    assert found["slips"][-1]["fastest"] > 1 and found["slip_told_at_s"] < 0.6 and found["traction_lost_at_s"] is None


def test_a_tumble_holds(capsys: Capture) -> None:
    found = json.loads(output(capsys, "simulate", "--manoeuvre", "tumble", "--seconds", "20", "--json"))
    assert found["slips"] == [] and found["slip_told_at_s"] is None
    assert found["error_at_the_end_deg"] < 0.1 and found["quaternion_off_unit"] <= 1e-12


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--manoeuvre", "tumbel"], "did you mean 'tumble'"),
        (["--axis", "1 2"], "three numbers"),
        (["--axis", "0 0 0"], "not all 0"),
        (["--acceleration", "351"], "at most 350"),
        (["--acceleration", "1e-6"], "at least 1"),
        (["--manoeuvre", "tumble", "--seed", "-1"], "--seed is -1, it must be 0 or above"),
        (["--friction", "-1"], "--friction is -1, it must be between 0 and 10"),
        (["--preload", "nan"], "--preload is nan"),
        (["--seconds", "0"], "--seconds is 0"),
        (["--plot", "slip.docx"], ".png"),
    ],
)
def test_what_cannot_be_simulated(capsys: Capture, args: list[str], sentence: str) -> None:
    assert call(["atlas", "simulate", *args]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1, told
