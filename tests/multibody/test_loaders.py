"""Models from TOML and URDF: what they mean, what is refused and where, and that garbage never raises anything else."""

import re
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from motionbase.errors import ModelError
from motionbase.multibody import Model
from motionbase.multibody.elements import GravityGradient, PlaneContact, SphereContact
from motionbase.multibody.joints import Free
from motionbase.multibody.loaders import ModelWarning, load_toml, load_urdf
from motionbase.multibody.models.classics import two_link
from motionbase.multibody.tree.dynamics import Tree
from tests.tier import often

# the robot below has limits, of which every load tells; test_robot_files.py has that
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*joints with limits, which are not kept.*:motionbase.multibody.loaders.ModelWarning"
)

TOML = """name = "two_link"
gravity = [0, 0, -9.80665]

[bodies.upper]
mass = 4
com = [1.0, 0, 0]
points.tip = [1.0, 0, 0]

[bodies.fore]
mass = 3.0
com = [0.8, 0, 0]
inertia = [0, 0, 0]

[joints.shoulder]
type = "revolute"
parent = "ground"
child = "upper"
axis = [0, -1, 0]

[joints.elbow]
type = "revolute"
parent = "upper"
child = "fore"
position = "tip"
axis = [0, -1, 0]
"""


def link(name: str, com: str, mass: float, xx: float, yy: float, zz: float) -> str:
    inertia = f'<inertia ixx="{xx}" ixy="0" ixz="0" iyy="{yy}" iyz="0" izz="{zz}"/>'
    return f'<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass}"/>{inertia}</inertial></link>'


URDF = f"""<?xml version="1.0"?>
<robot name="test arm">
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base-link"/>
  <link name="turret">
    <inertial><origin xyz="0.1 0.02 0.3" rpy="0.3 -0.2 0.5"/><mass value="7.5"/>
      <inertia ixx="0.3" ixy="0.02" ixz="-0.01" iyy="0.4" iyz="0.03" izz="0.25"/></inertial>
    <visual><geometry><mesh filename="package://turret.dae"/></geometry></visual>
  </link>
  {link("mast", "0 0 0", 3.0, 0.1, 0.1, 0.02)}
  {link("hook", "0 0 -0.2", 1.5, 0.02, 0.03, 0.02)}
  {link("bracket", "0.1 0 0", 0.7, 0.01, 0.01, 0.01)}
  {link("arm", "0.4 0 0", 2.0, 0.01, 0.2, 0.2)}
  <joint name="yaw" type="continuous">
    <parent link="base-link"/><child link="turret"/><origin xyz="0 0 0.5" rpy="0 0 0.4"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="lift" type="prismatic">
    <parent link="turret"/><child link="mast"/><origin xyz="0.2 0 0.6" rpy="0.1 0.2 0"/><axis xyz="0 0.6 0.8"/>
    <limit lower="0" upper="1" effort="10" velocity="1"/>
  </joint>
  <joint name="bracket_mount" type="fixed">
    <parent link="mast"/><child link="bracket"/><origin xyz="0 0.1 0.2" rpy="0 0 1.2"/>
  </joint>
  <joint name="swing" type="revolute">
    <parent link="bracket"/><child link="hook"/><origin xyz="0.3 0 0" rpy="-0.7 0 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/><dynamics damping="0.5"/>
  </joint>
  <joint name="shoulder" type="revolute">
    <parent link="turret"/><child link="arm"/><origin xyz="0 0.3 0.1"/><axis xyz="0 2 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="1"/>
  </joint>
  <transmission name="t"/><gazebo/>
</robot>
"""


@pytest.fixture
def toml(tmp_path: Path) -> Path:
    return tmp_path / "model.toml"


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    return tmp_path / "model.urdf"


def mass_matrix(model: Model, q: np.ndarray) -> np.ndarray:
    return np.array(Tree(model).mass_matrix.function(q))


# ---- TOML ----------------------------------------------------------------------------------------------------------


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


# ---- URDF ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_urdf_against_pinocchio(urdf: Path, seed: int) -> None:
    """Mass matrix and gravity torques of another engine's reader on the same text; 1e-12 of the largest entry."""
    urdf.write_text(URDF)
    model, theirs = load_urdf(urdf), pin.buildModelFromXML(URDF)
    data, rng = theirs.createData(), np.random.default_rng(seed)
    names = [j.name for j in model.joints if j.motion.nv]
    assert sorted(names) == sorted(list(theirs.names)[1:])
    q, v = rng.uniform(-1, 1, 4), rng.uniform(-1, 1, 4)
    q_pin, v_pin, order = np.zeros(theirs.nq), np.zeros(theirs.nv), []
    for k, name in enumerate(names):
        joint = theirs.joints[theirs.getJointId(name)]
        q_pin[joint.idx_q : joint.idx_q + joint.nq] = q[k] if joint.nq == 1 else (np.cos(q[k]), np.sin(q[k]))
        v_pin[joint.idx_v] = v[k]
        order.append(joint.idx_v)
    M = pin.crba(theirs, data, q_pin)
    M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
    np.testing.assert_allclose(mass_matrix(model, q), M, atol=1e-12 * np.abs(M).max())
    h = -pin.nonLinearEffects(theirs, data, q_pin, v_pin)[order]
    np.testing.assert_allclose(np.array(Tree(model).bias_force.function(q, v)).ravel(), h, atol=1e-12 * np.abs(h).max())


def test_urdf_names_damping_and_base(urdf: Path) -> None:
    urdf.write_text(URDF)
    model = load_urdf(urdf)
    assert model.name == "test_arm" and model.bodies[0].name == "base_link"
    assert [e.name for e in model.elements] == ["swing_damping1"]
    floating = load_urdf(urdf, floating_base=True, gravity=(0, 0, 0))
    assert isinstance(floating.joints[0].motion, Free) and floating.nv == model.nv + 6


def test_urdf_floating_and_planar_joints(urdf: Path) -> None:
    urdf.write_text(
        URDF.replace('name="yaw" type="continuous"', 'name="yaw" type="floating"')
        .replace('name="lift" type="prismatic"', 'name="lift" type="planar"')
    )  # fmt: skip
    model = load_urdf(urdf)
    assert [j.motion.nv for j in model.joints if j.name in ("yaw", "lift")] == [6, 3]
    normal = model.joints[[j.name for j in model.joints].index("lift")].motion.steps[2].axis  # type: ignore[attr-defined]
    np.testing.assert_allclose(normal, (0, 0.6, 0.8), atol=1e-15)


def test_urdf_friction_is_left_out_with_a_warning(urdf: Path) -> None:
    urdf.write_text(URDF.replace('damping="0.5"', 'damping="0.5" friction="2"'))
    with pytest.warns(ModelWarning, match="joints with Coulomb friction, which is left out .*: swing"):
        load_urdf(urdf)


BOMB = '<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('<?xml version="1.0"?>', BOMB, "line 1: a document type (<!DOCTYPE>) is not allowed"),
        ('<mass value="7.5"/>', '<mass value="-7.5"/>', "line 6: body 'turret': mass is -7.5 kg"),
        ('<mass value="7.5"/>', '<mass value="big"/>', "line 6: <mass value='big'>: a number is wanted"),
        ('<mass value="7.5"/>', "", "line 6: link 'turret': <inertial> needs <mass> and <inertia>"),
        ('ixx="0.3"', 'ixx="30"', "line 6: body 'turret': "),
        ('type="continuous"', 'type="screw"', "joint 'yaw': type 'screw' is not supported; types: fixed, revolute"),
        ('<parent link="base-link"/>', "", "joint 'yaw' has no <parent>"),
        ('<parent link="base-link"/>', '<parent link="bas"/>', "parent 'bas' not found; links: base-link, turret"),
        ('<parent link="base-link"/>', '<parent link="hook"/>', "bodies carry each other in a circle: turret -> hook"),
        ('<axis xyz="0 2 0"/>', '<axis xyz="0 0 0"/>', "joint 'shoulder': turn: axis (0.0, 0.0, 0.0)"),
        (
            '<axis xyz="0 2 0"/>',
            '<mimic joint="yow"/>',
            "joint 'shoulder' mimics 'yow', which is not found; joints: yaw",
        ),
        ('<axis xyz="0 2 0"/>', '<mimic joint="bracket_mount"/>', "'bracket_mount' has 0 axes, one is wanted"),
        ('<axis xyz="0 2 0"/>', '<mimic joint="shoulder"/>', "joint 'shoulder' cannot follow itself"),
        ('<origin xyz="0 0.3 0.1"/>', '<origin xyz="0 nan 0.1"/>', "every number must be finite"),
        ('<link name="arm">', '<link name="base_link">', "are both named 'base_link' here"),
        ('<link name="arm">', '<link name="hook">', "two links are named 'hook', the other in line"),
        ('<robot name="test arm">', "<sdf>", "not XML: mismatched tag"),
        ('<link name="base-link"/>', "<xacro:include/>", "expand the file with xacro first"),
    ],
)
def test_urdf_errors_name_the_place(urdf: Path, old: str, new: str, said: str) -> None:
    assert old in URDF
    urdf.write_text(URDF.replace(old, new, 1))
    with pytest.raises(ModelError, match=re.escape(said)):
        load_urdf(urdf, strict=True)


def test_urdf_with_another_root_element(urdf: Path) -> None:
    urdf.write_text("<sdf/>")
    with pytest.raises(ModelError, match="the outermost element is <sdf>, <robot> is wanted"):
        load_urdf(urdf)
    urdf.write_text("<robot name='x'/>")
    with pytest.raises(ModelError, match="there is no <link>"):
        load_urdf(urdf)


# ---- garbage -------------------------------------------------------------------------------------------------------

PIECES = [
    "[",
    "]",
    '"',
    "=",
    "nan",
    "inf",
    "-1",
    "1e999",
    "{}",
    "''",
    "ground",
    "[bodies]",
    "\n",
    "<",
    "/>",
    "&a;",
    "0 0",
    "é",
]
edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(PIECES) | st.text(max_size=4)), max_size=4
)


def edited(text: str, changes: list[tuple[float, int, str]]) -> str:
    """Some stretches of the text replaced."""
    for place, length, new in changes:
        at = int(place * len(text))
        text = text[:at] + new + text[at + length :]
    return text


quiet = settings(max_examples=often(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@quiet
@given(changes=edits)
def test_damaged_toml_gives_a_model_or_a_sentence(tmp_path: Path, changes: list[tuple[float, int, str]]) -> None:
    path = tmp_path / "damaged.toml"
    path.write_bytes(edited(TOML, changes).encode("utf-8", "surrogatepass"))
    try:
        load_toml(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


@quiet
@given(changes=edits)
def test_damaged_urdf_gives_a_model_or_a_sentence(tmp_path: Path, changes: list[tuple[float, int, str]]) -> None:
    path = tmp_path / "damaged.urdf"
    path.write_bytes(edited(URDF, changes).encode("utf-8", "surrogatepass"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            load_urdf(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


@quiet
@given(data=st.binary(max_size=200))
def test_any_bytes_give_a_model_or_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(data)
    for load in (load_toml, load_urdf):
        with pytest.raises(ModelError):
            load(path)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["ground", "a", "b", "revolute", "x y"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "turn", "tip"]), inner, max_size=2)
    ),
    max_leaves=6,
)
keys = st.sampled_from(
    ["mass", "com", "inertia", "points", "type", "parent", "child", "axis", "steps", "rpy", "position"]
)
tables = st.dictionaries(st.sampled_from(["a", "b"]), st.dictionaries(keys, values, max_size=6) | values, max_size=2)


@quiet
@given(bodies=tables | values, joints=tables | values)
def test_any_values_give_a_model_or_a_sentence(tmp_path: Path, bodies: object, joints: object) -> None:
    path = tmp_path / "values.toml"
    path.write_text(f"bodies = {written(bodies)}\njoints = {written(joints)}\n")
    try:
        load_toml(path)
    except ModelError as e:
        assert str(e).startswith(str(path))


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if value is None:
        return '""'
    return f'"{value}"' if isinstance(value, str) else str(value).lower()
