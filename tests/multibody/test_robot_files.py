"""Robot files as they are in the wild: what is repaired and said, mimic joints as couplings, names, and `strict`."""

import json
import os
import re
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

from motionbase.cli.main import main as call
from motionbase.errors import ModelError, MotionBaseError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import CouplingClosure
from motionbase.multibody.joints import revolute
from motionbase.multibody.loaders import ModelWarning, load_toml, load_urdf
from motionbase.multibody.loaders.urdf_links import nearest_inertia
from motionbase.multibody.names import coordinates
from motionbase.multibody.recorded import Recorded
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops


def link(name: str, mass: str = "1", inertia: str = "0.1 0.1 0.1 0 0 0", com: str = "0.1 0.02 0") -> str:
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = " ".join(f'{k}="{x}"' for k, x in zip(keys, inertia.split(), strict=True))
    inside = f'<origin xyz="{com}"/><mass value="{mass}"/><inertia {moments}/>'
    return f'<link name="{name}"><inertial>{inside}</inertial></link>'


def joint(name: str, parent: str, child: str, more: str = "", kind: str = "continuous", axis: str = "0 1 0") -> str:
    place = f'<origin xyz="0.3 0 0.1" rpy="0.1 0 0.2"/><axis xyz="{axis}"/>{more}'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{place}</joint>'


def robot(*parts: str) -> str:
    return "\n".join(["<robot name='r'>", *parts, "</robot>"])


def loaded(tmp_path: Path, text: str, **options: Any) -> tuple[Model, list[str]]:
    """The model and what was said about it."""
    path = tmp_path / "robot.urdf"
    path.write_text(text)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = load_urdf(path, **options)
    assert all(w.category is ModelWarning and str(w.message).startswith(f"{path}, line ") for w in caught)
    return model, [str(w.message).removeprefix(f"{path}, ") for w in caught]


def refused(tmp_path: Path, text: str, said: str) -> None:
    """Read strictly, it is not a model."""
    path = tmp_path / "strict.urdf"
    path.write_text(text)
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        load_urdf(path, strict=True)
    assert str(error.value).count("strict.urdf") == 1, "where it is, once"


def matrices(theirs: Any, names: Sequence[str], q: Any, v: Any) -> tuple[Any, Any]:
    """Mass matrix and bias torques of Pinocchio, in the order of the names; joints of one axis."""
    data, q_pin, v_pin, order = theirs.createData(), pin.neutral(theirs), np.zeros(theirs.nv), []
    for k, name in enumerate(names):
        own = theirs.joints[theirs.getJointId(name)]
        q_pin[own.idx_q : own.idx_q + own.nq] = q[k] if own.nq == 1 else (np.cos(q[k]), np.sin(q[k]))
        v_pin[own.idx_v] = v[k]
        order.append(own.idx_v)
    M = pin.crba(theirs, data, q_pin)
    M = np.triu(M) + np.triu(M, 1).T
    return M[np.ix_(order, order)], pin.nonLinearEffects(theirs, data, q_pin, v_pin)[order]


def close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * np.abs(expected).max())


# ---- repairs -------------------------------------------------------------------------------------------------------


def test_the_nearest_inertia() -> None:
    """It stays what it is if a body can have it; else no other that a body can have is nearer in second moments."""
    rng = np.random.default_rng(0)
    np.testing.assert_allclose(nearest_inertia(np.diag([1e-3, 1e-3, 1e-2])), np.diag([5e-3, 5e-3, 1e-2]), atol=1e-17)

    def second_moments(I: Any) -> Any:
        return 0.5 * np.trace(I) * np.eye(3) - I

    for _ in range(50):
        A = rng.standard_normal((3, 3))
        body = A @ A.T
        body = np.trace(body) * np.eye(3) - body  # of second moments A A', so it is one of a body
        np.testing.assert_allclose(nearest_inertia(body), body, atol=1e-13)
        wrong = A + A.T
        repaired = nearest_inertia(wrong)
        Body("b", 1.0, inertia=repaired.tolist())
        distance = np.linalg.norm(second_moments(repaired) - second_moments(wrong))
        for _ in range(20):
            B = rng.standard_normal((3, 3)) * rng.uniform(0, 1.5)
            assert np.linalg.norm(B @ B.T - second_moments(wrong)) > distance


@pytest.mark.parametrize(
    ("mass", "inertia", "said", "becomes"),
    [
        ("0.5", "0.1 0.2 0.3000001 0 0 0", "principal moments 0.1, 0.2, 0.3 kg m^2 break the", (0.1, 0.2, 0.3)),
        ("1e-6", "1e-6 1e-6 1e-6 1e-6 1e-6 1e-6", "break the triangle inequality", (1.5e-6, 1.5e-6, 3e-6)),
        ("0.1", "0.001 0.001 0.01 0 0 0", "principal moments 0.001, 0.001, 0.01", (0.005, 0.005, 0.01)),
        ("0.1", "2e-4 2e-4 -1e-9 0 0 0", "negative principal moment -1e-09", (0.0, 2e-4, 2e-4)),
    ],
)
def test_inertias_that_no_body_has(tmp_path: Path, mass: str, inertia: str, said: str, becomes: Any) -> None:
    text = robot("<link name='w'/>", link("a", mass, inertia), joint("j", "w", "a"))
    model, notes = loaded(tmp_path, text)
    moments = ", ".join(f"{x:.6g}" for x in np.linalg.eigvalsh(model.body("a").inertia))
    assert len(notes) == 1 and notes[0].startswith("line 3: body 'a': ") and said in notes[0]
    assert f"it is repaired to the nearest that a body can have, with {moments} kg m^2, none changed by" in notes[0]
    given = [float(x) for x in inertia.split()]
    before = np.linalg.eigvalsh([[given[0], *given[3:5]], [given[3], given[1], given[5]], [*given[4:], given[2]]])
    change = float(notes[0].rpartition(" ")[2])
    assert change == pytest.approx(np.abs(np.linalg.eigvalsh(model.body("a").inertia) - before).max(), rel=0.06)
    np.testing.assert_allclose(np.linalg.eigvalsh(model.body("a").inertia), becomes, rtol=1e-5, atol=1e-8 * becomes[2])
    refused(tmp_path, text, said)


def test_mass_alone_and_inertia_alone(tmp_path: Path) -> None:
    """Pinocchio takes the numbers as they are, and ours are the same to rounding."""
    bare = link("a").replace('<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>', "")
    wheel = link("b", "0", "0.3 0.2 0.2 0 0 0")
    text = robot("<link name='w'/>", bare, wheel, joint("j", "w", "a"), joint("k", "a", "b", axis="1 0 0"))
    model, notes = loaded(tmp_path, text)
    assert "link 'a': <inertial> needs <mass> and <inertia>; without <inertia> it is taken as a point mass" in notes[0]
    assert "'b': a body without mass cannot have inertia; it is taken as 3e-13 kg, so that it resists" in notes[1]
    whole = text.replace("</mass>", "").replace(
        '<mass value="1"/></inertial>',
        '<mass value="1"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>',
    )
    q, v = [0.3, -0.4], [0.5, 0.7]
    M, h = matrices(pin.buildModelFromXML(whole), ["j", "k"], q, v)
    close(np.array(Tree(model).mass_matrix.function(q)), M)
    close(-np.array(Tree(model).bias_force.function(q, v)).ravel(), h)
    refused(tmp_path, text, "needs <mass> and <inertia>")
    refused(tmp_path, text.replace(bare, link("a")), "a body without mass cannot have inertia")


def test_joints_that_move_no_mass(tmp_path: Path) -> None:
    """An arm for kinematics only, as many files are: it loads, moves, and says what its masses are."""
    text = robot(
        "<link name='w'/>", "<link name='a'/>", "<link name='b'/>", "<link name='tool'/>",
        joint("j", "w", "a"), joint("k", "a", "b"), joint("mount", "b", "tool", kind="fixed"),
    )  # fmt: skip
    model, notes = loaded(tmp_path, text)
    assert notes == [
        "line 3: no mass is moved by j, k; each of their links (a, b) is taken as 0.001 kg with 1e-06 kg m^2, and "
        "forces on it mean nothing"
    ]
    assert [b.mass for b in model.bodies] == [0.0, 1e-3, 1e-3, 0.0]
    assert np.all(np.isfinite(simulate(model, 0.1, 1e-3).q))
    refused(tmp_path, text, "joint 'k' moves it, but it carries no mass")
    heavy = text.replace("<link name='b'/>", link("b"))  # a link that only connects may go without
    assert loaded(tmp_path, heavy)[1] == []


def test_elements_that_are_there_twice_and_space_before_the_declaration(tmp_path: Path) -> None:
    double = link("a").replace("</inertial>", "</inertial><inertial><mass value='9'/></inertial>")
    text = "\n <?xml version='1.0'?>\n" + robot("<link name='w'/>", double, joint("j", "w", "a"))
    model, notes = loaded(tmp_path, text)
    assert model.body("a").mass == 1.0
    assert notes[0].startswith("line 2: there is space before the XML declaration")
    assert notes[1] == "line 5: <link> has more than one <inertial>; the first counts"
    refused(tmp_path, text, "line 2: not XML")
    refused(tmp_path, text.lstrip(), "<link> has more than one <inertial>")


# ---- names ---------------------------------------------------------------------------------------------------------


def test_links_called_ground_and_world(tmp_path: Path) -> None:
    text = robot("<link name='world'/>", link("ground"), joint("root", "world", "ground"))
    model, notes = loaded(tmp_path, text)
    assert [b.name for b in model.bodies] == ["world", "ground_link"]
    assert [j.name for j in model.joints] == ["root_to_ground", "root"]  # the file's own name stays
    assert notes == [
        "line 3: 'ground' and 'the ground' are both named 'ground' here; rename one; until then 'ground' is "
        "'ground_link'"
    ]
    refused(tmp_path, text, "'ground' and 'the ground' are both named 'ground' here; rename one")


def test_a_world_that_nobody_declared(tmp_path: Path) -> None:
    text = robot(link("a"), joint("j", "world", "a"))
    model, notes = loaded(tmp_path, text)
    assert [b.name for b in model.bodies] == ["world", "a"] and model.nv == 1
    assert notes[0].endswith("parent 'world' not found; links: a; it is taken as the root link, without mass")
    refused(tmp_path, text, "line 3: joint 'j': parent 'world' not found; links: a")
    for wrong in (
        robot("<link name='w'/>", link("a"), joint("j", "ww", "a")),  # a slip: there is a root already
        robot(link("a"), joint("j", "b", "a"), joint("k", "c", "a")),
        robot(link("a"), joint("j", "a", "b")),
    ):
        with pytest.raises(ModelError, match="not found; links: "):
            loaded(tmp_path, wrong)


def test_names_with_slashes_name_ports_of_kernels(tmp_path: Path) -> None:
    """ROS prefixes as "left/arm//", and names that end with what we replace: kernels take no double underscores."""
    text = robot(
        "<link name='/base'/>", link("left/arm//a"), link("left_arm_a"), link("mb_c"),
        joint("left/j//1/", "/base", "left/arm//a"), joint("left/j/1", "left/arm//a", "left_arm_a"),
        joint("-3", "left_arm_a", "mb_c"),
    )  # fmt: skip
    model, notes = loaded(tmp_path, text)
    assert [b.name for b in model.bodies] == ["base", "left_arm_a", "left_arm_a_link", "nmb_c"]
    assert [j.name for j in model.joints] == ["root", "left_j_1", "left_j_1_joint", "n3"]
    assert len(notes) == 2
    run = simulate(model, 0.01, 1e-3, outputs=Recorded(("loads",), {"left/tip": ("left_arm_a", (0.1, 0, 0))}))
    assert np.all(np.isfinite(run.column("load.left_j_1_joint.fx"))) and len(run.column("left/tip.x")) == 11


# ---- mimic ---------------------------------------------------------------------------------------------------------

LIMIT = '<limit effort="9" velocity="9"/>'  # without lower and upper; Pinocchio's reader wants one
GRIPPER = robot(
    "<link name='w'/>", link("arm", "3", "0.1 0.2 0.2 0 0.01 0"), link("f1", "0.2"), link("f2", "0.3"),
    link("f3", "0.1", "0.01 0.02 0.02 0 0 0"), link("f4", "0.15", "0.01 0.02 0.02 0 0 0"),
    joint("shoulder", "w", "arm", axis="0 1 0"),
    joint("lead", "arm", "f1", LIMIT, "prismatic", axis="0 1 0"),
    joint("same", "arm", "f2", LIMIT + '<mimic joint="lead" multiplier="-1.5" offset="0.02"/>', "prismatic", "0 1 0"),
    joint("turn", "f1", "f3", LIMIT + '<mimic joint="same" multiplier="2"/>', "revolute", "1 0 0"),
    joint("wrist", "f2", "f4", axis="0 0 1"),
)  # fmt: skip
JOINTS = ("shoulder", "lead", "same", "turn", "wrist")
# q = G x + c with x = shoulder, lead, wrist
G = np.array([[1, 0, 0], [0, 1, 0], [0, -1.5, 0], [0, -3, 0], [0, 0, 1.0]])
C = np.array([0, 0, 0.02, 0.04, 0])


def test_mimic_joints_are_coupled(tmp_path: Path) -> None:
    """Accelerations against Pinocchio's matrices projected on the coupling: G' M G x_ddot = G' (tau - h)."""
    model, notes = loaded(tmp_path, GRIPPER)
    assert notes == [] and tuple(c.name for c in coordinates(model)) == JOINTS
    assert model.closures == (
        CouplingClosure("same_mimic", "same", "lead", -1.5, 0.02),
        CouplingClosure("turn_mimic", "turn", "same", 2.0),
    )
    loops = Loops(model, 1e-3)
    rng = np.random.default_rng(3)
    for _ in range(3):
        q, v, tau = G @ rng.uniform(-1, 1, 3) + C, G @ rng.uniform(-1, 1, 3), rng.uniform(-5, 5, 5)
        M, h = matrices(pin.buildModelFromXML(GRIPPER), JOINTS, q, v)
        x_ddot = np.linalg.solve(G.T @ M @ G, G.T @ (tau - h))
        v_dot, F = (np.array(x).ravel() for x in loops.forward_dynamics.function(q, v, tau))
        close(v_dot, G @ x_ddot)
        close(M @ v_dot + h - tau, np.array([0, 1.5 * F[0], F[0] - 2 * F[1], F[1], 0]))  # the couplings' forces
        # Pinocchio's own mimic joints, which cannot follow each other
        theirs = pin.buildModelFromXML(
            GRIPPER.replace('"same" multiplier="2"', '"lead" multiplier="-3" offset="0.04"'), True
        )
        close(G.T @ M @ G, matrices(theirs, ("shoulder", "lead", "wrist"), q[[0, 1, 4]], v[[0, 1, 4]])[0], 1e-12)


def test_a_run_keeps_the_coupling_and_the_start_asked_for(tmp_path: Path) -> None:
    model, _ = loaded(tmp_path, GRIPPER)
    wanted = Recorded(("reactions", "loads"))
    run = simulate(model, 0.5, 1e-3, q0={"lead": 0.1, "wrist": 0.4}, v0={"same": 0.3}, outputs=wanted)
    np.testing.assert_allclose(run.q[0], G @ [0.0, 0.1, 0.4] + C, atol=1e-12)
    np.testing.assert_allclose(run.v[0], G @ [run.v[0, 0], -0.2, run.v[0, 4]], atol=1e-12)
    np.testing.assert_allclose(run.q, run.q[:, [0, 1, 4]] @ G.T + C, atol=1e-9)
    assert run.energy_drift < 1e-7
    # what the coupling does to the slider is what the joint passes on along its axis
    np.testing.assert_allclose(run.column("reaction.same_mimic") - 2 * run.column("reaction.turn_mimic"),
                               run.column("load.same.fy"), atol=1e-6)  # fmt: skip
    units = {c.name: c.unit for c in run.columns()}
    assert units["reaction.same_mimic"] == "N" and units["reaction.turn_mimic"] == "N m"


def test_mimic_joints_may_be_independent(tmp_path: Path) -> None:
    model, notes = loaded(tmp_path, GRIPPER, mimic="independent")
    assert model.closures == () and notes == [
        "line 10: joints that mimic others and move independently, as requested: same, turn"
    ]
    fixed, told = loaded(tmp_path, GRIPPER.replace('"turn" type="revolute"', '"turn" type="fixed"'))
    assert len(fixed.closures) == 1 and told == ["line 11: joints that mimic others but are fixed, and stay so: turn"]
    lost, said = loaded(tmp_path, GRIPPER.replace('joint="same"', 'joint="some"'))
    assert len(lost.closures) == 1 and said[0].endswith("it moves on its own")
    with pytest.raises(ModelError, match="mimic is 'both', must be 'coupled' or 'independent'"):
        loaded(tmp_path, GRIPPER, mimic="both")


def test_gears_of_a_toml_file(tmp_path: Path) -> None:
    """Two discs and a ratio: the second feels k times the torque, and the first k^2 of its inertia."""
    discs = "".join(
        f"[bodies.{n}]\nmass = 1.0\ninertia = [1, 1, {J}]\n"
        f"[joints.j{n}]\ntype = 'revolute'\nparent = 'ground'\nchild = '{n}'\n"
        for n, J in (("a", 0.5), ("b", 0.02))
    )
    path = tmp_path / "gears.toml"
    path.write_text(discs + "[closures.teeth]\ntype = 'coupling'\njoint = 'jb'\nfollows = 'ja'\nratio = -5.0\n")
    v_dot, F = Loops(load_toml(path), 1e-3).forward_dynamics.function([0.2, -1.0], [0.0, 0.0], [3.0, 0.1])
    expected = (3.0 - 5 * 0.1) / (0.5 + 25 * 0.02)
    np.testing.assert_allclose(np.array(v_dot).ravel(), [expected, -5 * expected], rtol=1e-12)
    np.testing.assert_allclose(float(F), 0.02 * -5 * expected - 0.1, rtol=1e-12)
    path.write_text(path.read_text().replace("follows = 'ja'", "follows = 'jc'"))
    with pytest.raises(ModelError, match="closure 'teeth': joint 'jc' not found; joints: ja, jb"):
        load_toml(path)


def test_a_coupling_can_be_switched() -> None:
    """A clutch: let go, each disc turns by its own torque."""
    bodies = tuple(Body(n, 1.0, inertia=(1.0, 1.0, J)) for n, J in (("a", 0.5), ("b", 0.25)))
    joints = tuple(Joint(f"j{n}", GROUND, n, revolute()) for n in ("a", "b"))
    clutch = CouplingClosure("clutch", "jb", "ja", switchable=True)
    model = Model("m", bodies, joints, (0, 0, 0), closures=(clutch,))
    for on, expected in ((1.0, [4 / 0.75, 4 / 0.75]), (0.0, [6.0, 4.0])):
        v_dot = Loops(model, 1e-3).forward_dynamics.function([0, 0], [0, 0], [3.0, 1.0], on)[0]
        np.testing.assert_allclose(np.array(v_dot).ravel(), expected, rtol=1e-12)


# ---- what is told --------------------------------------------------------------------------------------------------

LIMITED = robot(
    "<link name='w'/>", link("a"), link("b", inertia="1 1 3 0 0 0"),
    joint("j", "w", "a", '<limit lower="-1" upper="1" effort="1" velocity="1"/>', "revolute"),
    joint("k", "a", "b", '<limit lower="0" upper="0.5" effort="1" velocity="1"/>', "prismatic"),
    "<link name='c'/>", joint("l", "a", "c", '<limit effort="1" velocity="1"/>', "fixed"),
)  # fmt: skip


def test_limits_are_told_once(tmp_path: Path) -> None:
    _, notes = loaded(tmp_path, LIMITED)
    assert notes[1] == "line 5: joints with limits, which are not kept (JointLimit elements keep them): j, k"


def test_the_command_line_tells_and_can_be_strict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "robot.urdf"
    path.write_text(LIMITED)
    for command in (["simulate", "--duration", "0.01"], ["models"]):
        assert call([*command, str(path), "--json"]) == 0
        notes = json.loads(capsys.readouterr().out)["notes"]
        assert any("it is repaired to" in note for note in notes) and any(
            "joints with limits, which are not kept" in note for note in notes
        )
        assert call([*command, str(path), "--strict"]) == 2
        assert "break the triangle inequality" in capsys.readouterr().err
    path.write_text(GRIPPER)
    assert call(["models", str(path), "--mimic", "independent", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["closures"] == []
    assert call(["models", str(path), "--mimic", "free"]) == 2
    assert "coupled, independent" in capsys.readouterr().err
    assert call(["models", "pendulum", "--strict"]) == 2
    assert "--strict is for .urdf files, and MODEL is 'pendulum'" in capsys.readouterr().err


# ---- on demand -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not os.environ.get("MOTIONBASE_TEST_ROBOTS"), reason="set MOTIONBASE_TEST_ROBOTS=FOLDER of URDFs")
@pytest.mark.filterwarnings("ignore::motionbase.multibody.loaders.ModelWarning")
def test_public_robots_that_pinocchio_loads() -> None:
    """Every one of them loads, and has Pinocchio's mass matrix where nothing had to be repaired."""
    files, refusals, compared = sorted(Path(os.environ["MOTIONBASE_TEST_ROBOTS"]).glob("*.urdf")), {}, 0
    for file in files:
        try:
            theirs = pin.buildModelFromUrdf(str(file))
        except ValueError:
            continue
        try:
            load_urdf(file)
        except MotionBaseError as e:
            refusals[file.name] = str(e)
            continue
        try:
            model = load_urdf(file, strict=True, mimic="independent")
        except MotionBaseError:  # it was repaired
            continue
        names = [c.name for c in coordinates(model)]
        if names and len(names) == model.nv and all(theirs.existJointName(name) for name in names):
            q = np.random.default_rng(0).uniform(-1, 1, model.nq)
            M = matrices(theirs, names, q, [0.0] * model.nv)[0]
            close(np.array(Tree(model).mass_matrix.function(q)), M)
            compared += 1
    assert refusals == {} and compared > len(files) // 4
