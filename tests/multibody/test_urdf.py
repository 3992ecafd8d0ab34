"""Models from URDF: what they mean, and what is refused and where."""

import re
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import Model
from motionbase.multibody.joints import Free
from motionbase.multibody.loaders import ModelWarning, load_urdf
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.model_texts import URDF

# the robot below has limits, of which every load tells; test_robot_files.py has that
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*joints with limits, which are not kept.*:motionbase.multibody.loaders.ModelWarning"
)


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    return tmp_path / "model.urdf"


def mass_matrix(model: Model, q: np.ndarray) -> np.ndarray:
    return np.array(Tree(model).mass_matrix.function(q))


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
