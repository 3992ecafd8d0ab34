"""Commands on a platform with electric legs: margins, step response, export, refusals that are gone."""

import json
import math
from pathlib import Path

import pytest

from motionbase.cli.main import main as call

Capture = pytest.CaptureFixture[str]
NAME = "emotion-1500"


def test_margins_are_those_of_the_speed_loop(capsys: Capture) -> None:
    assert call(["control", "margins", NAME, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["worst"]["stable"] and found["worst"]["phase"] >= math.radians(60) and found["worst"]["gain"] >= 3
    assert found["gains"].keys() == found["units"].keys() == {"k_p", "lead"}
    for mode in found["modes"]:
        assert 2 * math.pi * mode["frequency"] * mode["mass"] == pytest.approx(found["leg"]["gain"])
    assert call(["control", "margins", NAME]) == 0
    out = capsys.readouterr().out
    assert "speed loop [Hz]" in out and "oil" not in out.split("Illustrative")[0]


def test_step_does_not_overshoot(capsys: Capture) -> None:
    """Wanted are 5 % at most; the loop with its feed-forward has less than a thousandth."""
    assert call(["step-response", NAME, "--axis", "surge", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["overshoot"] < 1e-3 and found["settling"] < 0.5
    assert found["crosstalk_m"] < 1e-4 and found["crosstalk_rad"] < 1e-4


@pytest.mark.parametrize("what", ["control", "plant"])
def test_export_names_what_is_in_the_state(what: str, tmp_path: Path, capsys: Capture) -> None:
    assert call(["export", what, NAME, "--out", str(tmp_path)]) == 0
    header = (tmp_path / f"{what}.h").read_text()
    if what == "plant":
        assert "speed command -1..1, motor force at the rod" in header and "spool_rate" not in header
    else:
        assert "CONTROL_PARAMETER_K_P" in header and "CONTROL_PARAMETER_K_DP" not in header
