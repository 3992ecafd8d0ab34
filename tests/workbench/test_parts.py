"""Parts from the [shape] of a platform's file: floor, cabin, catwalk, given dimensions."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.load import FOLDER, PRESETS, load_file, load_platform
from motionbase.platform.own_shape import Cabin, OwnShape
from motionbase.platform.shape import shape_of
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.parts import Part

SIMONA = load_platform("simona")
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ROUNDING = 1e-12


def written(tmp_path: Path, tables: str, preset: str = "simona") -> Path:
    """A preset with other tables of the two kinds."""
    text = (FOLDER / f"{preset}.toml").read_text()
    kept = text.split("\n[gimbals]")[0].replace(', "gimbals", "shape"', "").replace(', "gimbals"', "")
    path = tmp_path / "own.toml"
    path.write_text(f"{kept}\n{tables}\n")
    return path


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


def test_dimensions_that_cannot_be_are_said() -> None:
    with pytest.raises(PlatformError, match="shape: cylinder_radius is -0.1 m, a finite number above 0 is wanted"):
        replace(shape_of(SIMONA), cylinder_radius=-0.1)
    bare = geometry_of(SIMONA, replace(shape_of(SIMONA), pipe_radius=0.0, block=(0.0, 0.0, 0.0)))
    assert not any(part.kind in ("pipes", "manifold") for part in bare.parts)
    walkway = geometry_of(SIMONA, shape_of(SIMONA, catwalk=True)).part("catwalk")
    assert isinstance(walkway, Part) and walkway.frame == "P" and walkway.mesh.is_closed
