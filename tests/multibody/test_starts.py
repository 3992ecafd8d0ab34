"""Where a motion begins: what was asked for is kept or told, and a quaternion is given whole."""

import json
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import DistanceClosure
from motionbase.multibody.joints import Free, Spherical, revolute
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.mechanisms import RADIUS, ROD
from motionbase.multibody.names import q_of
from motionbase.multibody.simulate import simulate
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.watch import SimulationWarning
from tests.multibody.mechanisms import four_bar, four_bar_angles, slider_crank

BALL = Body("b", 1.0, inertia=(1.0, 1.0, 1.0))
FLYING = Model("m", (BALL,), (Joint("fly", GROUND, "b", Free()),))
HANGING = Model("m", (Body("b", 1.0, (0, 0, -1)),), (Joint("ball", GROUND, "b", Spherical()),))


def run(model: Model, **start: Any) -> tuple[Trajectory, list[str]]:
    """A step, and what was said about it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = simulate(model, 1e-3, 1e-3, **start)
    assert all(w.category is SimulationWarning for w in caught)
    return found, [str(w.message) for w in caught]


# ---- quaternions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "q0", "said"),
    [
        (
            FLYING,
            {"fly.qx": 1.0},
            r"'fly.qx' alone is not an orientation; .* \(also fly.qw, fly.qy, fly.qz\), or all 7 coor",
        ),
        (FLYING, {"fly.z": 1.0, "fly.qw": 0.5, "fly.qy": 0.5}, r"'fly.qw' alone .* \(also fly.qx, fly.qz\)"),
        (HANGING, {"ball.qz": 0.1}, r"\(also ball.qw, ball.qx, ball.qy\), or all 4 coordinates as 'ball'"),
    ],
)
def test_part_of_a_quaternion_is_refused(model: Model, q0: dict[str, float], said: str) -> None:
    """It started at 90 degrees where 180 were meant: scaled together with the qw = 1 that nobody gave."""
    with pytest.raises(ModelError, match=said):
        simulate(model, 0.01, 1e-3, q0=q0)


def test_a_whole_quaternion_means_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    half = {"fly.qw": 0.0, "fly.qx": 1.0, "fly.qy": 0.0, "fly.qz": 0.0}
    np.testing.assert_array_equal(q_of(FLYING, half), [0, 0, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(q_of(FLYING, {"fly.z": 2.0}), [0, 0, 2, 1, 0, 0, 0])
    np.testing.assert_array_equal(q_of(FLYING, {"fly": [0, 0, 0, 0, 1, 0, 0]}), [0, 0, 0, 0, 1, 0, 0])
    assert call(["simulate", "srms_on_orbiter", "--q0", "flight.qx=1"]) == 2
    assert "'flight.qx' alone is not an orientation" in capsys.readouterr().err


# ---- closed mechanisms ---------------------------------------------------------------------------------------------


def test_coordinates_asked_for_are_kept_and_the_others_follow() -> None:
    """Against the circles' closed form; the rest of the neutral start is only where the search begins."""
    found, notes = run(four_bar(), q0={"j_crank": 0.9}, start=(four_bar_angles(0.5), None))
    assert notes == []
    np.testing.assert_allclose(found.q[0], four_bar_angles(0.9), atol=1e-9)


def test_speeds_asked_for_are_kept_and_the_others_follow() -> None:
    angles, spin = four_bar_angles(0.9), 8.0
    found, notes = run(four_bar(), q0=angles, v0={"j_crank": spin})
    rates = spin * (four_bar_angles(0.9 + 1e-6) - four_bar_angles(0.9 - 1e-6)) / 2e-6
    assert notes == []
    np.testing.assert_allclose(found.v[0], rates, rtol=1e-8)  # central differences


def test_a_start_that_cannot_be_says_from_what_to_what() -> None:
    """The slider reaches r + l; 5 m were asked for, and it used to begin elsewhere without a word."""
    model = MODELS["slider_crank"].build()
    found, notes = run(model, q0={"j_slider": 5.0}, start=([0.5, -0.63741, 0.86892], None))
    at = found.column("q.j_slider")[0]
    assert at <= RADIUS + ROD + 1e-9
    said = "no such start was found to meet the closures; it was moved: j_slider from 5 to"
    assert notes == [f"model 'slider_crank': {said} {at:.6g} m"]


def test_speeds_that_cannot_be_say_from_what_to_what() -> None:
    upright = [math.pi / 2, -math.pi / 2 - math.asin(0.3 / 0.9), 0.9 * math.sqrt(8) / 3]
    found, notes = run(slider_crank(0.3, 0.9), q0=upright, v0={"j_crank": 1.0, "j_slider": 1.0})
    before, after = found.v[0, [0, 2]]
    assert len(notes) == 1 and f"j_crank from 1 to {before:.6g} rad/s, j_slider from 1 to {after:.6g} m/s" in notes[0]
    np.testing.assert_allclose(after, -0.3 * before, rtol=1e-9)  # the rod only carries it along there


def test_rounded_numbers_are_not_worth_a_word() -> None:
    found, notes = run(four_bar(), q0=np.round(four_bar_angles(0.7), 4))
    assert notes == []
    np.testing.assert_allclose(found.q[0], four_bar_angles(found.q[0, 0]), atol=1e-9)


def test_built_in_mechanisms_start_where_they_say() -> None:
    for name in ("four_bar", "slider_crank", "handoff"):
        example = MODELS[name]
        assert run(example.build(), q0=example.q0, v0=example.v0)[1] == []


def test_the_command_line_says_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--duration", "0.01", "--json"]
    assert call(["simulate", "slider_crank", "--q0", "j_slider=5", *options]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("j_slider from 5 to" in note for note in notes)
    out = tmp_path / "run.csv"
    assert call(["simulate", "four_bar", "--q0", "j_crank=0.9", "--out", str(out), *options]) == 0
    assert not any("no such start was found" in note for note in json.loads(capsys.readouterr().out)["notes"])
    header, first = out.read_text().splitlines()[:2]
    assert float(first.split(",")[header.split(",").index("q.j_crank [rad]")]) == 0.9


def test_a_body_on_a_ball_joint_keeps_its_orientation() -> None:
    """Held coordinates of a quaternion hold the angular speeds; the joint beyond it closes the loop."""
    bodies = Body("a", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)), Body("b", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    joints = Joint("ball", GROUND, "a", Spherical()), Joint("hinge", "a", "b", revolute(), (1.0, 0, 0))
    rod = DistanceClosure("rod", "b", (1.0, 0, 0), distance=1.5)
    turned = [math.cos(0.2), 0.0, 0.0, math.sin(0.2)]
    found, notes = run(Model("m", bodies, joints, closures=(rod,)), q0={"ball": turned}, start=({"hinge": 1.0}, None))
    assert notes == []
    np.testing.assert_allclose(found.q[0, :4], turned, atol=1e-12)
    np.testing.assert_allclose(abs(found.q[0, 4]), math.acos((1.5**2 - 2) / 2), rtol=1e-9)  # law of cosines
