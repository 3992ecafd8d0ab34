"""[gimbals] and [shape] of a platform's file: what they change, and what is refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.envelope import extremes
from motionbase.platform.gimbals import Gimbals, neutral_frames
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import FOLDER, PRESETS, load_file, load_platform
from motionbase.platform.own_shape import Cabin, OwnShape
from motionbase.platform.shape import shape_of
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of, placement
from motionbase.workbench.posture import at_dof
from motionbase.workbench.requirements import largest_of, requirements_of, swept_extremes

SIMONA = load_platform("simona")
ODU = load_platform("odu")
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


@pytest.mark.parametrize("name", PRESETS)
def test_bearings_of_presets_allow_the_hard_extremes(name: str) -> None:
    """With the 3 degrees that the files promise, or straight at 90."""
    platform = load_platform(name)
    found = extremes(platform, hard=True)
    dof = found.dof[found.converged]
    needs = largest_of(requirements_of(at_dof(platform, dof)))
    for end, ranges in (("base", platform.gimbals.base), ("platform", platform.gimbals.platform)):
        for which, allowed in zip(("first", "second"), ranges, strict=True):
            assert needs[f"{end}, {which} bearing"].largest + np.radians(3) <= allowed + ROUNDING
    assert "gimbals" in platform.illustrative


def test_the_catwalk_is_in_the_preset_and_as_it_was() -> None:
    cmf = load_platform("cmf")
    assert cmf.shape.given == {"catwalk_width": 0.84, "catwalk_rail": 1.1} and "shape" in cmf.illustrative
    renamed = replace(cmf, name="mine")
    assert any(part.kind == "catwalk" for part in geometry_of(renamed).parts)
    others = (part.kind for name in PRESETS if name != "cmf" for part in geometry_of(load_platform(name)).parts)
    assert not {"catwalk", "floor", "cabin"} & set(others)


def test_floor_and_cabin_are_parts_where_the_file_has_them(tmp_path: Path) -> None:
    """SIMONA's file is z down: the cabin's place is turned over, the floor's height is not."""
    tables = "[shape]\nfloor = -0.4\nfloor_reach = 5.0\ncabin = { size = [2.0, 2.2, 2.0], at = [0.1, 0.2, -1.6] }"
    own = load_file(written(tmp_path, tables))
    assert own.shape.cabin == Cabin((2.0, 2.2, 2.0), (0.1, -0.2, 1.6))
    measure = Clearance(geometry_of(own))
    low, high = measure.geometry.part("floor").mesh.box
    assert high[2] == pytest.approx(-0.4, abs=ROUNDING) and low[0] == -5.0
    gap = measure.between("floor", "cabin", own.p_neutral, IDENTITY)
    assert gap.distance == pytest.approx(2.39 + 0.6 + 0.4, abs=1e-9)  # closed form: the cabin's bottom over the floor
    reasons = {frozenset((one.first, one.second)) for one in measure.geometry.left_out}
    assert frozenset(("floor", "base frame")) in reasons and frozenset(("floor", "cylinder 1")) not in reasons


def test_an_outline_makes_the_catwalk(tmp_path: Path) -> None:
    corners = "[[-2.5, 2.0], [2.2, 2.0], [2.2, -2.0], [-2.5, -2.0]]"
    own = load_file(written(tmp_path, f"[shape]\ncatwalk_outline = {corners}\ncatwalk_rail = 0.9"))
    low, high = geometry_of(own).part("catwalk").mesh.box
    np.testing.assert_allclose([low[0], high[0], high[1]], [-2.5, 2.2, 2.0], atol=0.03)  # rails stand out
    assert high[2] == pytest.approx(shape_of(own).deck + 0.9, abs=0.03)


def test_given_dimensions_replace_derived_ones() -> None:
    own = replace(SIMONA, shape=OwnShape(cylinder_radius=0.05, pipe_radius=0.0))
    shape = shape_of(own)
    assert shape.cylinder_radius == 0.05 and not any(part.kind == "pipes" for part in geometry_of(own).parts)
    assert shape.base_fork >= shape_of(SIMONA).base_fork  # what is derived follows


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
        ("[gimbals]\nbase_deg = [50.0]", "gimbals.base_deg is [50.0], 2 finite numbers is wanted"),
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


def test_extremes_compile_once(monkeypatch: pytest.MonkeyPatch) -> None:
    extremes(ODU)
    monkeypatch.setattr("motionbase.platform.envelope.compile", lambda *_: pytest.fail("compiled again"))
    assert extremes(load_platform("odu"), hard=True).converged.all()


def test_bearings_with_one_axis_have_defaults() -> None:
    assert Gimbals().base_axes == () and swept_extremes(ODU, Clearance(geometry_of(ODU))).clearances.worst
