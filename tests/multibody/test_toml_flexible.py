"""Flexible bodies in TOML: the same as beams made in Python, modes from files, and errors that lead to the place."""

from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.flexible import Modes, beam, save_modes
from motionbase.multibody.flexible.shapes import circle, rectangle, tube
from motionbase.multibody.joints import fixed, revolute
from motionbase.multibody.loaders import load_toml
from motionbase.multibody.tree.dynamics import Tree

TOML = """name = "crane"
gravity = [0, 0, -9.81]

[bodies.boom]
flexible.beam = "euler-bernoulli"
flexible.length = 5.0
flexible.section = { shape = "tube", radius = 0.06, thickness = 0.003 }
flexible.material = { E = 70e9, G = 26e9, rho = 2700 }
flexible.directions = ["y", "z", "twist"]
flexible.modes = [2, 3, 1]
flexible.boundary = "clamped-free"
flexible.damping = 0.005
flexible.points = { middle = 2.5 }

[bodies.load]
mass = 20.0

[joints.root]
type = "revolute"
parent = "ground"
child = "boom"

[joints.hold]
type = "fixed"
parent = "boom"
child = "load"
position = "tip"
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    return tmp_path / "crane.toml"


def crane(modes: Modes) -> Model:
    joints = Joint("root", GROUND, "boom", revolute()), Joint("hold", "boom", "load", fixed(), "tip")
    return Model("crane", (Body("boom", modes=modes), Body("load", 20.0)), joints, (0, 0, -9.81))


def same(a: Model, b: Model) -> None:
    """Mass matrix and bias at a bent place, stiffness and damping: to the last bit."""
    rng = np.random.default_rng(0)
    q, v = 0.1 * rng.standard_normal(a.nq), rng.standard_normal(a.nv)
    trees = Tree(a), Tree(b)
    for name, at in (("mass_matrix", (q,)), ("bias_force", (q, v))):
        x, y = (np.array(getattr(tree, name).function(*at)) for tree in trees)
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(trees[0].stiffness, trees[1].stiffness)
    np.testing.assert_array_equal(trees[0].damping, trees[1].damping)


def test_beam_is_the_one_in_python(toml: Path) -> None:
    toml.write_text(TOML)
    section = tube(0.06, 0.003)
    A, I = section.area, section.I_y
    assert pytest.approx((np.pi * (0.06**2 - 0.057**2), np.pi / 4 * (0.06**4 - 0.057**4)), rel=1e-12) == (A, I)
    modes = beam(
        5.0, 2700 * A, EI_y=70e9 * I, EI_z=70e9 * I, GJ=26e9 * section.J, bending=(2, 3), torsion=1, damping=0.005,
        inertia_per_length=(2700 * (I + I), 0, 0), points={"middle": 2.5},
    )  # fmt: skip
    read = load_toml(toml)
    assert read.bodies[0].points["middle"] == (2.5, 0.0, 0.0) and read.bodies[0].n_modes == 6
    same(read, crane(modes))


def test_timoshenko_with_a_plain_section_and_stretch(toml: Path) -> None:
    section = "section = { area = 2e-3, I_y = 4e-6, I_z = 1e-6, J = 2e-6, shear = 0.8 }"
    text = TOML.replace("euler-bernoulli", "timoshenko").replace(
        'section = { shape = "tube", radius = 0.06, thickness = 0.003 }', section
    )
    text = (
        text.replace('["y", "z", "twist"]', '["z", "x"]').replace("[2, 3, 1]", "2").replace("0.005", "[0.1, 0, 0, 0]")
    )
    toml.write_text(text.replace('boundary = "clamped-free"', "tip_mass = 3\nflexible.loading = 20"))
    modes = beam(
        5.0, 2700 * 2e-3, EI_y=70e9 * 4e-6, EA=70e9 * 2e-3, shear_z=26e9 * 2e-3 * 0.8, bending=(0, 2), axial=2,
        inertia_per_length=(2700 * (4e-6 + 1e-6), 2700 * 4e-6, 2700 * 1e-6), formulation="timoshenko", tip_mass=3.0,
        loading=20.0, damping=[0.1, 0, 0, 0], points={"middle": 2.5},
    )  # fmt: skip
    same(load_toml(toml), crane(modes))


def test_modes_of_a_file_beside_the_model(toml: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is relative to the TOML, not to where the program runs."""
    modes = beam(5.0, 4.0, EI_z=2e4, bending=(2, 0), damping=0.01)
    save_modes(toml.parent / "boom.npz", modes)
    monkeypatch.chdir("/")
    head, tail = TOML.split("flexible.beam")[0], TOML.split("middle = 2.5 }\n")[1]
    toml.write_text(head + 'flexible = { modes = "boom.npz" }\n' + tail)
    same(load_toml(toml), crane(modes))
    toml.write_text(head + 'flexible = { modes = "bom.npz" }\n' + tail)
    with pytest.raises(
        ModelError, match=r"crane.toml, line 5: body 'boom': flexible: .*bom.npz: there is no such file"
    ):
        load_toml(toml)


def test_sections() -> None:
    """A thin tube has I = pi r^3 t, J twice that; of a square J is 0.1406 a^4 (Saint-Venant)."""
    thin = tube(0.1, 1e-5)
    assert thin.I_y == pytest.approx(np.pi * 0.1**3 * 1e-5, rel=2e-4) and thin.J == 2 * thin.I_y
    assert tube(0.1, 0.1).area == circle(0.1).area
    assert rectangle(0.2, 0.2).J == pytest.approx(0.1406 * 0.2**4, rel=5e-3)
    flat = rectangle(1.0, 0.01)  # b t^3 / 3 of a thin strip; deflection along z bends about y
    assert flat.J == pytest.approx(1e-6 / 3, rel=0.01) and flat.I_y < flat.I_z


def test_round_trip_of_a_file_with_sub_tables(toml: Path) -> None:
    """Dotted keys, sub-tables and inline tables say the same."""
    toml.write_text(TOML)
    dotted = load_toml(toml)
    body = "".join(line.removeprefix("flexible.") + "\n" for line in TOML.splitlines() if line.startswith("flexible."))
    toml.write_text(TOML.split("flexible.beam")[0] + "[bodies.boom.flexible]\n" + body + TOML.split("2.5 }\n")[1])
    same(load_toml(toml), dotted)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("flexible.length = 5.0", "", 5, "body 'boom': flexible: no length; a beam needs it"),
        ("length = 5.0", "length = -5.0", 6, "flexible.length is -5.0, a finite number [m] above zero is wanted"),
        ("length = 5.0", "length = 'long'", 6, "flexible.length is 'long', a finite number [m]"),
        ("length = 5.0", "length = nan", 6, "flexible.length is nan"),
        ("length = 5.0", "lenght = 5.0", 6, "has no key 'lenght'; keys: beam, length, section"),
        ('"euler-bernoulli"', '"euler"', 5, "flexible.beam is 'euler', euler-bernoulli or timoshenko is wanted"),
        ('shape = "tube"', 'shape = "pipe"', 7, "section.shape is 'pipe', one of circle, tube, rectangle is wanted"),
        (", thickness = 0.003", "", 7, "flexible.section: no thickness; a tube needs it"),
        ("thickness = 0.003", "thickness = 0.3", 7, "at most the radius of 0.06 m"),
        ("thickness = 0.003", "wall = 0.003", 7, "of shape tube has no key 'wall'; keys: shape, radius, thickness"),
        ('shape = "tube", radius = 0.06, thickness = 0.003', "area = 1", 7, "no I_y; a section without a shape needs"),
        ('{ shape = "tube", radius = 0.06, thickness = 0.003 }', "3", 7, "flexible.section must be a table"),
        (" G = 26e9,", "", 8, "flexible.material: no G; it is wanted where a beam twists or shears"),
        ("E = 70e9", "E = 0", 8, "flexible.material.E is 0, a finite number [Pa] above zero is wanted"),
        ("rho = 2700", "density = 2700", 8, "has no key 'density'; keys: E, G, rho"),
        ('["y", "z", "twist"]', '["y", "w", "twist"]', 9, "a list of y, z, x, twist, each at most once is wanted"),
        ('["y", "z", "twist"]', '["y", "y", "twist"]', 9, "each at most once"),
        ('["y", "z", "twist"]', '"y"', 9, "flexible.directions is 'y'"),
        ("[2, 3, 1]", "[2, 3]", 10, "a whole number from 1 to 50, or 3 of them in a list, or the name of a .npz"),
        ("[2, 3, 1]", "0", 10, "flexible.modes is 0"),
        ("[2, 3, 1]", "true", 10, "flexible.modes is True"),
        ("[2, 3, 1]", "1_000_000_000", 10, "from 1 to 50"),
        ('"clamped-free"', '"glued-free"', 5, "flexible: beam: boundary 'glued-free' is not known"),
        ("damping = 0.005", "damping = 'some'", 12, "flexible.damping is 'some', a ratio of critical damping"),
        ("damping = 0.005", "damping = -1", 5, "damping"),
        ("middle = 2.5", "middle = 9", 5, "point 'middle' is at 9 m; the beam is 5 m long"),
        ("{ middle = 2.5 }", "[2.5]", 13, "flexible.points must be a table of NAME = STATION"),
        ('flexible.beam = "euler-bernoulli"', 'mass = 3\nflexible.beam = "timoshenko"', 5, "which is flexible, has no"),
    ],
)  # fmt: skip
def test_errors(toml: Path, old: str, new: str, line: int, said: str) -> None:
    assert old in TOML
    toml.write_text(TOML.replace(old, new, 1))
    with pytest.raises(ModelError) as error:
        load_toml(toml)
    assert said in str(error.value) and f"line {line}:" in str(error.value), str(error.value)


def test_flexible_must_be_a_table(toml: Path) -> None:
    toml.write_text("[bodies.boom]\nflexible = true\n[joints.j]\ntype = 'fixed'\nparent = 'ground'\nchild = 'boom'\n")
    with pytest.raises(ModelError, match="line 2: body 'boom': flexible must be a table: a beam, or modes"):
        load_toml(toml)
