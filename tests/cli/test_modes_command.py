"""`motionbase modes`: its table, its JSON, and its one-sentence complaints."""

import json
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call

Capture = pytest.CaptureFixture[str]

TOML = """
[bodies.bob]
mass = 1.0
com = [0, 0, -1]
[joints.pivot]
type = "revolute"
parent = "ground"
child = "bob"
axis = [0, 1, 0]
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a model, one that falls, and one without inertia."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(TOML)
    free = TOML.replace('"revolute"', '"free"').replace("axis = [0, 1, 0]", "")
    Path("point.toml").write_text(free)
    Path("falls.toml").write_text(free.replace("mass = 1.0", "mass = 1.0\ninertia = [1, 1, 1]"))


def output(capsys: Capture, *args: str) -> str:
    assert call(args) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_table(capsys: Capture) -> None:
    out = output(capsys, "modes", "two_link")
    assert "0.407758" in out and "0.901016" in out and "shoulder 97 %, elbow 3 %" in out
    assert "At rest at shoulder = -1.5708 rad, elbow = 0 rad" in out and "illustrative" in out
    assert "1 more" in output(capsys, "modes", "two_link", "--number", "1")


def test_file_and_unstable_place(capsys: Capture) -> None:
    data = json.loads(output(capsys, "modes", "mine.toml", "--json"))
    assert data["model"] == "mine" and data["q"] == {"pivot": 0.0} and data["closure_left"] == 0.0
    (mode,) = data["modes"]
    np.testing.assert_allclose(mode["frequency_hz"], np.sqrt(9.81) / (2 * np.pi), rtol=1e-3)
    assert mode["kind"] == "oscillation" and mode["joints"] == {"pivot": 1.0} and mode["bodies"] == {"bob": 1.0}
    out = output(capsys, "modes", "pendulum", "--at", "pivot=3", "--nearest")
    assert "growth, +3.616 1/s" in out and "pivot = 3.14159 rad" in out


def test_arm_in_space_moves_freely(capsys: Capture) -> None:
    data = json.loads(output(capsys, "modes", "srms", "--number", "20", "--json"))
    assert [m["kind"] for m in data["modes"]] == ["rigid"] * 6
    assert all(m["frequency_hz"] == 0 and m["damping"] is None for m in data["modes"])


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["pendulmu"], "did you mean 'pendulum'?"),
        (["none.toml"], "none.toml"),
        (["pendulum", "--at", "pivot"], "the form is NAME=NUMBER"),
        (["pendulum", "--at", "pivot=x"], "the form is NAME=NUMBER"),
        (["pendulum", "--at", "=1"], "the form is NAME=NUMBER"),
        (["pendulum", "--at", "pivto=1"], "did you mean 'pivot'?"),
        (["pendulum", "--at", "pivot=nan"], "finite"),
        (["pendulum", "--number", "0"], "at least 1"),
        (["falls.toml"], "no equilibrium found"),
        (["point.toml"], "'pivot.rz' has no inertia"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert call(["modes", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    assert said in err
