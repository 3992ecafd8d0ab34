"""`motionbase rotor fanplot`: a table at the nominal speed, JSON, a picture, and one-sentence complaints."""

import json
from pathlib import Path

import pytest

from motionbase.cli.main import main as call

Capture = pytest.CaptureFixture[str]
QUICK = ("puma", "--speeds", "10:30:2", "--beams", "4", "--modes", "4")


def test_table_and_picture(capsys: Capture, tmp_path: Path) -> None:
    assert call(["rotor", "fanplot", *QUICK, "--plot", str(tmp_path / "fan.png")]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["flap", "1", "4.589", "1.030", "100.0", "0.0", "0.0", "0.0"] in rows
    assert (tmp_path / "fan.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long("many modes")
def test_json(capsys: Capture) -> None:
    assert call(["rotor", "fanplot", *QUICK, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["speed_rad_s"] for one in found["speeds"]] == [10.0, 30.0] and found["nominal"]["speed_rad_s"] == 28.0
    assert [mode["mode"] for mode in found["nominal"]["modes"]] == ["lag 1", "flap 1", "flap 2", "lag 2"]
    assert sum(found["nominal"]["modes"][3]["shares"].values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "options, said",
    [
        (["puma", "--speeds", "40:0:5"], "--speeds is '40:0:5', it must be FROM:TO:COUNT"),
        (["puma", "--speeds", "0:40"], "--speeds is '0:40', it must be FROM:TO:COUNT"),
        (["puma", "--modes", "0"], "count is 0, a whole number of modes from 1"),
        (["puma", "--plot", "fan.txt"], "the name must end in .png"),
    ],
)
def test_complaints(capsys: Capture, options: list[str], said: str) -> None:
    assert call(["rotor", "fanplot", *options]) == 2
    shown = capsys.readouterr()
    assert said in " ".join(shown.err.split()) and not shown.out
