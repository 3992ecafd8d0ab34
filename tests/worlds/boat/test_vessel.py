"""Vessels as data: the library's own, published drafts, and what a file of one's own may say."""

import math
from pathlib import Path

import numpy as np
import pytest
import trimesh

from motionbase.errors import ModelError, UsageError
from motionbase.worlds.boat import catalogue
from motionbase.worlds.boat.craft import at_rest
from motionbase.worlds.boat.lines import Lines, hull_mesh
from motionbase.worlds.boat.mesh import Mesh, mesh_from_file
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
    for found, wanted in ((strips.beam, beam), (strips.draft, draft), (strips.beam_squared, beam**2)):
        np.testing.assert_allclose(found, wanted, rtol=1e-6)
    added = added_mass(strips, 1025.0, 0.0, 0.0, heave=1.0)
    assert added.heave == pytest.approx(1025 * math.pi / 8 * beam**2 * length, rel=1e-6)
    assert added.pitch == pytest.approx(added.heave * length**2 / 12, rel=1e-6)


@pytest.mark.parametrize("name", ["launch", "otter"])
def test_at_rest_the_hull_displaces_its_weight_below_its_centre_of_gravity(name: str) -> None:
    """Archimedes' law, by trimesh's clipped surface: volume and moments are integrals of z and x z over its n_z dA.

    The water's surface, which would close it, adds nothing to them. Equilibrium is found to 1e-10 of the displacement.
    """
    vessel = load_vessel(name)
    mesh = at_rest(vessel)
    vertices, faces, _ = trimesh.intersections.slice_faces_plane(  # type: ignore[no-untyped-call]
        mesh.vertices, mesh.faces, [0, 0, -1.0], [0, 0, 0.0]
    )
    below = Mesh(vertices, faces)
    x, y, z = np.moveaxis(below.corners, 2, 0)
    weight = below.normals[:, 2]
    assert np.sum(weight * z.mean(axis=1)) * vessel.density == pytest.approx(vessel.displacement, rel=1e-6)
    for across in (x, y):
        moment = np.sum(weight * (across.sum(axis=1) * z.sum(axis=1) + (across * z).sum(axis=1)) / 12)
        assert moment == pytest.approx(0.0, abs=1e-6 * vessel.statics.volume * vessel.length)
    assert -mesh.vertices[:, 2].min() == pytest.approx(vessel.statics.draft, rel=1e-9)


GOOD = (FOLDER / "skiff.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[helm]", "[healm]", "has no key 'healm'"),
        ("beam = 1.6", "beem = 1.6", "has no key 'beem'"),
        ("thrust = 1150.0", "thrust = 0.0", "thrust is 0, it must be more than 0"),
        ("thrust = 1150.0", 'thrust = "strong"', "a finite number is wanted"),
        ("height = 0.45", "", "either height or metacentric_height must be given"),
        ("mass = 330.0", "mass = 33000.0", "the vessel sinks"),
        ('kind = "outboard"', 'kind = "sail"', "outboard, rudder, differential"),
        ("gyradii = [0.5, 1.0, 1.05]", "gyradii = [0.5, 1.0]", "gyradii"),
        ("deadrise = 9.0\n", "deadrise = 89.0\n", "deadrise is 89"),
        ("draft = 0.22", "draft = 0.9", "draft is 0.9 m, it must be less than the depth"),
        ("[hull]", "[hull]\nfile = 'gone.stl'", "has no key 'form'"),
        ("sources", "density = 0.0\nsources", "density of the water is 0 kg/m^3"),
        ("sources", "density = -5.0\nsources", "density of the water is -5 kg/m^3"),
        ("ahead = -0.35", "ahead = 350.0", "mass.ahead is 350 m, for this hull it must be -2 to 2 m"),
        ("gyradii = [0.5, 1.0, 1.05]", "gyradii = [0.001, 1.0, 1.05]", "mass.gyradii are [0.001, 1.0, 1.05] m"),
        ("mass = 330.0", "mass = 0.33", "mass is 0.33 kg, for this hull it must be at least 33.7 kg"),
        ("thrust = 1150.0", "thrust = 1150.0e3", "propulsion.thrust is 1.15e+06 N, for this hull it must be 0 to"),
        ("rudder_area = 0.05", "rudder_area = 500.0", "propulsion.rudder_area is 500 m^2"),
        ("beam = 1.45", "beam = 14.5", "planing.beam is 14.5 m"),
        ("height = 0.45", "height = 1e300", "mass.height is 1e+300 m"),
        ("height = 0.45", "metacentric_height = 1e5", "mass.metacentric_height is 100000 m"),
        ("speed = 11.0", "speed = 1e-9", "speed is 1e-09, it must be 0.1 or more"),
        ("diameter = 0.22", "diameter = 1e-9", "diameter is 1e-09, it must be 0.01 or more"),
    ],
)
def test_what_is_wrong_in_a_file_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError) as error:
        load_vessel(str(file))
    assert said in str(error.value) and "mine.toml" in str(error.value) and "\n" not in str(error.value)


SHIP = (FOLDER / "container.toml").read_text("utf-8")


def test_a_hull_that_cannot_be_made_is_told_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(SHIP.replace("block = 0.57", "block = 0.97"))
    with pytest.raises(UsageError, match=r"mine.toml, line \d+: .*block is 0.97, this hull can have"):
        load_vessel(str(file))


@pytest.mark.parametrize(
    ("name", "contents", "said"),
    [
        ("gone.stl", None, "cannot be read"),
        ("hull.txt", b"solid", "it must be one of .stl, .obj, .ply"),
        ("hull.ply", b"ply\nformat nonsense", "hull.ply"),
        ("hull.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "not closed"),
        ("hull.stl", b"\0" * 200, "hull.stl"),
    ],
)
def test_a_bad_hull_file_is_one_sentence(tmp_path: Path, name: str, contents: bytes | None, said: str) -> None:
    if contents is not None:
        (tmp_path / name).write_bytes(contents)
    head, _, rest = GOOD.partition("[hull]")
    file = tmp_path / "mine.toml"
    file.write_text(f'{head}[hull]\nfile = "{name}"\n\n[mass]{rest.partition("[mass]")[2]}')
    with pytest.raises(UsageError) as error:
        load_vessel(str(file))
    assert said in str(error.value) and "mine.toml, line" in str(error.value) and "\n" not in str(error.value)


def test_a_tube_is_not_closed(tmp_path: Path) -> None:
    """Its area vectors add up to zero, as those of a closed surface do."""
    tube = trimesh.creation.box((4.0, 1.6, 0.8))
    tube.update_faces(np.abs(tube.face_normals[:, 2]) < 0.5)  # without bottom and deck
    tube.export(tmp_path / "tube.stl")
    with pytest.raises(ModelError, match="not closed"):
        mesh_from_file(tmp_path / "tube.stl")


def test_a_load_needs_a_place() -> None:
    with pytest.raises(ModelError, match="'launch' has no place for a load"):
        load_vessel("launch").loaded(5.0)


def test_a_very_long_name_is_an_unknown_vessel() -> None:
    with pytest.raises(UsageError, match="no vessel"):
        load_vessel("x" * 5000)


def test_an_unknown_vessel_is_answered_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'launch'"):
        load_vessel("lunch")


def test_the_vessel_of_the_docs_floats(tmp_path: Path) -> None:
    """A box of 500 kg on 4 m x 1.6 m of sea water."""
    page = (Path(__file__).parents[3] / "docs" / "boat.md").read_text("utf-8")
    file = tmp_path / "punt.toml"
    file.write_text(page.split("```toml\n")[1].split("```")[0])
    assert load_vessel(str(file)).statics.draft == pytest.approx(500 / 1025 / (4.0 * 1.6))
