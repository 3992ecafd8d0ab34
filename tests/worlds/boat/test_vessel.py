"""Vessels as data: the library's own, published drafts, and what a file of one's own may say."""

import math
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.worlds.boat import catalogue
from motionbase.worlds.boat.craft import at_rest
from motionbase.worlds.boat.lines import Lines, hull_mesh
from motionbase.worlds.boat.mesh import Mesh
from motionbase.worlds.boat.strips import added_mass, strips_of
from motionbase.worlds.boat.vessel import FIRST, FOLDER, load_vessel, vessel_names


def test_the_catalogue_names_the_vessels_of_the_library() -> None:
    names = vessel_names()
    assert dict(catalogue.NAMES) == names and next(iter(catalogue.NAMES)) == next(iter(names)) == FIRST


@pytest.mark.parametrize(("load", "draft"), [(0.0, 0.134), (25.0, 0.195)])
def test_drafts_of_an_otter(load: float, draft: float) -> None:
    assert load_vessel("otter").loaded(load).statics.draft == pytest.approx(draft, abs=0.0025)


def test_particulars_of_the_ship() -> None:
    """Volume and GM are given; the draft of 9.5 m follows from lines that were fitted to it."""
    statics = load_vessel("container").statics
    assert statics.volume == pytest.approx(24009) and statics.metacentric_heights[0] == pytest.approx(0.996, abs=1e-3)
    assert statics.draft == pytest.approx(9.5, rel=0.01)
    assert statics.metacentric_heights[1] == pytest.approx(204.4, rel=0.06)


def test_a_load_lowers_and_moves_the_centre() -> None:
    empty, laden = load_vessel("otter"), load_vessel("otter").loaded(25.0)
    assert laden.displacement == 80.0 and laden.centre[2] == pytest.approx((55 * 0.30 + 25 * 0.45) / 80)
    assert laden.inertia[2] > empty.inertia[2]
    with pytest.raises(Exception, match="load is 31 kg, it must be 0 to 30 kg"):
        empty.loaded(31.0)


def test_strips_of_a_box_are_those_of_a_box() -> None:
    length, beam, draft = 10.0, 4.0, 1.0
    whole = hull_mesh(Lines("box", length, beam, 2.0, draft))
    strips = strips_of(Mesh(whole.vertices - [0.0, 0.0, draft], whole.faces))
    for found, wanted in ((strips.beam, beam), (strips.draft, draft), (strips.area, beam * draft)):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    added = added_mass(strips, 1025.0, 0.0, 0.0, heave=1.0)
    assert added.heave == pytest.approx(1025 * math.pi / 8 * beam**2 * length, rel=1e-6)
    assert added.pitch == pytest.approx(added.heave * length**2 / 12, rel=1e-6)


def test_at_rest_the_hull_is_level_with_the_water() -> None:
    """The wet volume of the moved hull is the displacement: by the area vectors of what is below z = 0, roughly."""
    vessel = load_vessel("launch")
    assert -at_rest(vessel).vertices[:, 2].min() == pytest.approx(vessel.statics.draft, rel=1e-9)


GOOD = (FOLDER / "skiff.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[helm]", "[healm]", "has no key 'healm'"),
        ("beam = 1.6", "beem = 1.6", "has no key 'beem'"),
        ("thrust = 1150.0", "thrust = 0.0", "thrust is 0, it must be more than 0"),
        ("thrust = 1150.0", 'thrust = "strong"', "a finite number is wanted"),
        ("height = 0.45", "", "either height or metacentric_height must be given"),
        ("mass = 330.0", "mass = 33000.0", "she sinks"),
        ('kind = "outboard"', 'kind = "sail"', "outboard, rudder, differential"),
        ("gyradii = [0.5, 1.0, 1.05]", "gyradii = [0.5, 1.0]", "gyradii"),
        ("deadrise = 9.0\n", "deadrise = 89.0\n", "deadrise is 89"),
        ("draft = 0.22", "draft = 0.9", "draft is 0.9 m, it must be less than the depth"),
        ("[hull]", "[hull]\nfile = 'gone.stl'", "has no key 'form'"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        load_vessel(str(file))
    assert said in str(error.value) and "mine.toml" in str(error.value) and "\n" not in str(error.value)


def test_an_unknown_vessel_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'launch'"):
        load_vessel("lunch")
