"""[gimbals] and [shape] of a platform's file: axes of bearings, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.gimbals import neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import FOLDER, load_file, load_platform
from motionbase.workbench.geometry import placement
from motionbase.workbench.posture import at_dof

SIMONA = load_platform("simona")
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ROUNDING = 1e-12
TILT = np.radians(25.0)


def written(tmp_path: Path, tables: str, preset: str = "simona") -> Path:
    """A preset with other tables of the two kinds."""
    text = (FOLDER / f"{preset}.toml").read_text()
    kept = text.split("\n[gimbals]")[0].replace(', "gimbals", "shape"', "").replace(', "gimbals"', "")
    path = tmp_path / "own.toml"
    path.write_text(f"{kept}\n{tables}\n")
    return path


def with_axes(platform: Hexapod, axes: np.ndarray) -> Hexapod:
    rows = tuple(map(tuple, axes.tolist()))
    return replace(platform, gimbals=replace(platform.gimbals, base_axes=rows, platform_axes=rows))


def test_axes_that_are_the_usual_ones_change_nothing() -> None:
    own = with_axes(SIMONA, neutral_frames(SIMONA)[:, :, 0])
    dof = np.random.default_rng(3).uniform(-0.4, 0.4, (20, 6))
    a, b = at_dof(SIMONA, dof), at_dof(own, dof)
    for name in ("base", "platform", "rotation"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=ROUNDING)


def test_bearings_about_axes_of_ones_own_carry_the_leg_there() -> None:
    """Turning the neutral leg by a about the first bearing and by b about the second gives the leg at the pose."""
    frames = neutral_frames(SIMONA)
    axes = np.cos(TILT) * frames[:, :, 0] + np.sin(TILT) * frames[:, :, 2]  # 65 degrees from the leg
    own = with_axes(SIMONA, axes)
    neutral = at_dof(own, np.zeros(6))
    np.testing.assert_allclose([neutral.base, neutral.platform], 0.0, atol=ROUNDING)
    np.testing.assert_allclose(neutral.rotation, 0.0, atol=ROUNDING)
    found = at_dof(own, [0.3, -0.2, 0.1, 0.1, 0.2, 0.3])
    at, before = placement(own, found.p_W, found.Q_WP), placement(own, own.p_neutral, IDENTITY)
    for k in range(6):
        a, b = found.base[0, k]
        second = before.R[0, 2 + k][:, 1]
        leg = _turned(axes[k], a) @ _turned(second, b) @ frames[k, :, 2]
        np.testing.assert_allclose(leg, at.R[0, 8 + k][:, 2], atol=1e-10)


def _turned(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ("[gimbals]\nbase_deg = [50.0]", "gimbals.base_deg is [50.0], 2 finite numbers are wanted"),
        ("[gimbals]\nbase_deg = [0.0, 50.0]", "above 0 and up to 90 degrees"),
        ("[gimbals]\nplatform_deg = [91.0, 50.0]", "above 0 and up to 90 degrees"),
        ("[gimbals]\nbase = [50.0, 50.0]", "[gimbals] has no key 'base'; keys: base_deg"),
        ("[gimbals]\nbase_axes = [[1, 0, 0]]", "gimbals.base_axes is"),
        (f"[gimbals]\nbase_axes = {[[0, 0, 0]] * 6}", "six directions"),
        (f"[gimbals]\nbase_axes = {[[0.2, 0.43, -0.88]] * 6}", "where the second bearing has no direction"),
        ("[shape]\nrod_radius = 0.5", "rod_radius is 0.5 m, it must be below cylinder_radius"),
        ("[shape]\nrod_radius = -0.5", "shape: rod_radius is -0.5 m, a finite number above 0 is wanted"),
        ("[shape]\ntube_length = 3.0", "tube_length is 3 m, it must be below the retracted leg, 2.081 m"),
        ("[shape]\nrod_length = 0.5", "the rod would leave its tube"),
        ("[shape]\ncylinder = 0.5", "[shape] has no key 'cylinder'"),
        ("[shape]\nblock = [0.1, 0.1]", "shape.block is [0.1, 0.1], 3 finite numbers"),
        ("[shape]\nfloor_reach = inf", "shape.floor_reach is inf, a finite number is wanted"),
        ("[shape]\ncabin = { size = [1.0, 1.0, 0.0], at = [0, 0, 0] }", "three numbers above 0 are wanted"),
        ("[shape]\ncabin = { size = [1.0, 1.0, 1.0] }", "needs the key 'at'"),
        ("[shape]\ncatwalk_outline = [[0, 0], [1, 0]]", "has 2 corners"),
        ("[shape]\ncatwalk_outline = [[0, 0], [2, 0], [0.5, 0.5], [0, 2]]", "does not turn one way at its corner 3"),
        ("[shape]\ncatwalk_width = 0.5\ncatwalk_outline = [[0, 0], [1, 0], [0, 1]]", "give one of them"),
        ("[shape]\ndeck = 0.0", "deck is 0 m, it must be above frame_low"),
        ("shape = 3", "shape"),
    ],
)  # fmt: skip
def test_wrong_tables_are_refused_in_one_sentence(tmp_path: Path, tables: str, sentence: str) -> None:
    with pytest.raises(PlatformError) as error:
        load_file(written(tmp_path, tables))
    assert sentence in str(error.value) and "own.toml" in str(error.value) and "\n" not in str(error.value)
