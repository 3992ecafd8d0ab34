"""Models from TOML: what they mean, and what is refused and where."""

import re
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import Model
from motionbase.multibody.elements import GravityGradient, PlaneContact, SphereContact
from motionbase.multibody.loaders import load_toml
from motionbase.multibody.models.classics import two_link
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.model_texts import TOML


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    return tmp_path / "model.toml"


def mass_matrix(model: Model, q: np.ndarray) -> np.ndarray:
    return np.array(Tree(model).mass_matrix.function(q))


def test_toml_is_the_model_in_python(toml: Path) -> None:
    toml.write_text(TOML)
    read, made = load_toml(toml), two_link()
    assert (read.name, read.gravity, read.joints[0]) == (made.name, made.gravity, made.joints[0])
    assert read.bodies == (made.bodies[0], *read.bodies[1:]) and read.bodies[1].mass == made.bodies[1].mass
    q = np.array([0.3, -0.7])
    np.testing.assert_array_equal(mass_matrix(read, q), mass_matrix(made, q))


def test_toml_joints_of_every_kind(toml: Path) -> None:
    kinds = {
        "fixed": ("", 0), "revolute": ("axis = [1, 1, 0]", 1), "prismatic": ("", 1), "cylindrical": ("", 2),
        "universal": ("first = [1, 0, 0]\nsecond = [0, 0, 1]", 2), "planar": ("", 3), "spherical": ("", 3),
        "free": ("", 6),
        "axes": ("steps = [{ turn = [0, 0, 1] }, { slide = [1, 0, 0] }, { turn = [1, 0, 0] }]", 3),
    }  # fmt: skip
    text = ""
    for k, (kind, (more, _)) in enumerate(kinds.items()):
        text += f"[bodies.b{k}]\nmass = 1.0\ninertia = [1, 1, 1]\n[joints.j{k}]\ntype = '{kind}'\nparent = 'ground'\n"
        text += f"child = 'b{k}'\nrpy_deg = [0, 0, 90]\n{more}\n"
    toml.write_text(text)
    model = load_toml(toml)
    assert [j.motion.nv for j in model.joints] == [nv for _, nv in kinds.values()]
    np.testing.assert_allclose(model.joints[0].orientation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)


def test_toml_elements_and_closures(toml: Path) -> None:
    more = """
[elements.hold]
type = "spring"
joint = "elbow"
stiffness = 20
[elements.drive]
type = "motor"
joint = "shoulder"
ratio = 100
rotor_inertia = 1e-4
[closures.tip_on_rail]
type = "point"
body_a = "fore"
point_a = [0.8, 0, 0]
point_b = [1.2, 0, 0.4]
switchable = true
"""
    toml.write_text(TOML + more)
    model = load_toml(toml)
    assert [e.name for e in model.elements] == ["hold", "drive"] and model.closures[0].switchable


def test_toml_closures_of_every_kind(toml: Path) -> None:
    """Keys are the fields of the classes; axes are scaled, a rotation is 3x3, inputs have the closure's name."""
    more = """
[closures.k]
type = "TYPE"
body_a = "fore"
body_b = "upper"
KEYS
"""
    keys = {
        "in_line": "axis = [0, 0, 2]",
        "in_plane": "normal = [1, 0, 0]",
        "universal": "axis_a = [0, 1, 0]\nangle = 1.2",
        "cylindrical": "axis_a = [0, 3, 0]",
        "planar": "normal_b = [0, 1, 0]",
        "prismatic": "orientation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "orientation": "orientation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        "gimbal": "form = 'angles'",
        "imposed_position": "axis = [0, 0, 2]",
        "imposed_angle": "axis = [0, 0, 2]",
        "imposed_speed": "motion = 'turn'",
    }
    rows = {}
    for kind, own in keys.items():
        toml.write_text(TOML + more.replace("TYPE", kind).replace("KEYS", own))
        rows[kind] = len(load_toml(toml).closures[0].rows)
    assert rows == {
        "in_line": 2, "in_plane": 1, "universal": 4, "cylindrical": 4, "planar": 3, "prismatic": 5, "orientation": 3,
        "gimbal": 1, "imposed_position": 1, "imposed_angle": 1, "imposed_speed": 1,
    }  # fmt: skip
    assert [port.name for port in load_toml(toml).closures[0].inputs] == ["k_speed", "k_acceleration"]


def test_toml_orbit_and_contact(toml: Path) -> None:
    more = """
[elements.orbit]
type = "gravity_gradient"
rate = 1.1e-3
up = [1, 0, 0]
[elements.bumper]
type = "sphere_contact"
body_a = "fore"
point_a = [0.8, 0, 0]
radius_a = 0.1
body_b = "upper"
point_b = "tip"
radius_b = 0.05
stiffness = 1e5
[elements.floor]
type = "plane_contact"
body_a = "fore"
stiffness = 1e6
normal = [0, 0, 2]
friction = 0.3
"""
    toml.write_text(TOML.replace("gravity = [0, 0, -9.80665]", "gravity = [0, 0, 0]") + more)
    assert load_toml(toml).elements == (
        GravityGradient("orbit", 1.1e-3, up=(1, 0, 0)),
        SphereContact("bumper", "fore", 0.1, 1e5, (0.8, 0.0, 0.0), "upper", "tip", 0.05),
        PlaneContact("floor", "fore", 1e6, normal=(0, 0, 1), friction=0.3),
    )


def test_toml_steps_without_direction(toml: Path) -> None:
    still = TOML.replace('type = "revolute"', 'type = "axes"', 1)
    toml.write_text(still.replace("axis = [0, -1, 0]", "steps = [{ turn = [0, 0, 0] }]", 1))
    with pytest.raises(ModelError, match=r"line 18: joint 'shoulder': turn: axis \(0.0, 0.0, 0.0\)"):
        load_toml(toml)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("mass = 4", "mass = 'heavy'", 5, "body 'upper': mass is 'heavy', a number [kg] is wanted"),
        ("mass = 4", "mass = true", 5, "a number [kg] is wanted"),
        ("mass = 4", "mass = -4", 4, "body 'upper': mass is -4.0 kg"),
        ("mass = 4", "mass = nan", 4, "body 'upper': mass is nan kg"),
        ("mass = 4", "weight = 4", 5, "has no key 'weight'; keys: mass, com, inertia, points"),
        ("com = [1.0, 0, 0]", "com = [1.0, 0]", 6, "body 'upper': com is [1.0, 0], three numbers [m] is wanted"),
        ("com = [1.0, 0, 0]", "com = [1.0, [0], 0]", 6, "three numbers [m]"),
        ("inertia = [0, 0, 0]", "inertia = [1, 1, 3]", 9, "break the triangle inequality"),
        ("points.tip = [1.0, 0, 0]", "points = 3", 7, "points must be a table"),
        ('type = "revolute"\nparent = "ground"', 'type = "revolut"\nparent = "ground"', 15, "types: fixed, revolute"),
        ('type = "revolute"\nparent = "ground"', 'parent = "ground"', 14, "no type; types:"),
        ('parent = "ground"\n', "", 14, "joint 'shoulder': no parent"),
        ('parent = "upper"', 'parent = "uper"', 20, "parent 'uper' not found; bodies: upper, fore"),
        ('position = "tip"', 'position = "top"', 20, "has no point 'top'; points: tip"),
        ('position = "tip"', "position = 3", 24, "three numbers [m], or a point of the parent"),
        ('position = "tip"', "rpy = [0, 0, 0]\nrpy_deg = [0, 0, 0]", 24, "exclude each other"),
        ('position = "tip"', "steps = []", 24, "of type revolute has no key 'steps'"),
        ("axis = [0, -1, 0]", "axis = [0, 0, 0]", 14, "joint 'shoulder': turn: axis (0.0, 0.0, 0.0)"),
        ("gravity = [0, 0, -9.80665]", "gravity = 9.81", 2, "gravity is 9.81, three numbers [m/s^2] is wanted"),
        ("name =", "nam =", 1, "the file has no key 'nam'"),
        ("[bodies.upper]", "[bodies.upper", 4, "not TOML"),
        ("mass = 3.0", f"mass = 0x{'f' * 6000}", 10, "body 'fore': mass is int"),
        ("[bodies.fore]", "[[bodies.fore]]", 9, "bodies.fore must be a table"),
        ('name = "two_link"', "name = 3", 1, "name is 3, a name is wanted"),
    ],
)  # fmt: skip
def test_toml_errors_name_line_key_and_what_is_wanted(toml: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in TOML
    toml.write_text(TOML.replace(old, new, 1))
    with pytest.raises(ModelError) as error:
        load_toml(toml)
    assert said in str(error.value) and f"line {line}" in str(error.value)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[elements.k]\ntype = 'spring'\njoint = 'elbow'", "element 'k': no stiffness; a spring needs it"),
        ("[elements.k]\ntype = 'spring'\njoint = 'elbw'\nstiffness = 1", "joint 'elbw' not found"),
        ("[elements.k]\ntype = 'spring'\njoint = 3\nstiffness = 1", "element 'k': joint is 3, a text is wanted"),
        ("[elements.k]\ntype = 'spring'\njoint = 'elbow'\nstiffness = 'x'", "stiffness is 'x', a number is wanted"),
        ("[elements.k]\ntype = 'spring'\njoint = 'elbow'\nstiffness = 1\naxis = 0.5", "a whole number is wanted"),
        ("[elements.n]\ntype = 'gravity_gradient'\nrate = 1e-3", "the model's gravity is (0.0, 0.0, -9.80665) m/s^2"),
        ("[elements.c]\ntype = 'sphere_contact'\nbody_a = 'fore'\nradius_a = 0\nstiffness = 1", "both radii are 0"),
        ("[elements.c]\ntype = 'plane_contact'\nbody_a = 'for'\nstiffness = 1", "body 'for' not found"),
        ("[elements.c]\ntype = 'plane_contact'\nbody_a = 'fore'", "element 'c': no stiffness"),
        ("[closures.c]\ntype = 'point'\nbody_a = 'fore'\nswitchable = 1", "true or false is wanted"),
        ("[closures.c]\ntype = 'glue'", "types: point, axis"),
        (
            "[closures.c]\ntype = 'prismatic'\nbody_a = 'fore'\norientation = [1, 0, 0]",
            "a 3x3 rotation matrix is wanted",
        ),
        ("[closures.c]\ntype = 'gimbal'\nbody_a = 'fore'\nform = 2", "form is 2, a text is wanted"),
        ("[closures.c]\ntype = 'in_line'\nbody_a = 'fore'\nnormal = [1, 0, 0]", "has no key 'normal'"),
        ("elements = 3", "elements"),
    ],
)
def test_toml_errors_of_elements_and_closures(toml: Path, more: str, said: str) -> None:
    toml.write_text(TOML + more if "=" not in more.splitlines()[0] else more + "\n" + TOML)
    with pytest.raises(ModelError, match=re.escape(said)):
        load_toml(toml)


def test_toml_files_that_cannot_be_read(tmp_path: Path, toml: Path) -> None:
    with pytest.raises(ModelError, match="cannot be read: No such file"):
        load_toml(toml)
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        load_toml(tmp_path)
    toml.write_bytes(b"name = '\xff'")
    with pytest.raises(ModelError, match="not a text in UTF-8"):
        load_toml(toml)
    toml.write_text("name = 'empty'")
    with pytest.raises(ModelError, match="there is no body"):
        load_toml(toml)
    toml.write_text("a = " + "[" * 100_000)
    with pytest.raises(ModelError, match="TOML"):
        load_toml(toml)
