"""More columns of a run, inputs with a row a step under step-size control, and sentences in place of tracebacks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError, MotionBaseError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.analysis import equilibrium, linearise, modes
from motionbase.multibody.integrators import DOPRI5, Adaptive, RungeKutta
from motionbase.multibody.joints import revolute
from motionbase.multibody.loaders import load_urdf
from motionbase.multibody.models import MODELS
from motionbase.multibody.rates import Multirate
from motionbase.multibody.recorded import Recorded
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.flight import Flight
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs

PENDULUM = Model(
    "pendulum",
    (Body("bob", 2.0, (0.0, 0.0, -0.75), points={"tip": (0.0, 0.0, -0.75)}),),
    (Joint("pivot", GROUND, "bob", revolute((0, 1, 0))),),
)


def test_points_loads_and_accelerations_of_a_pendulum() -> None:
    """Closed form: l a = -g sin q, and the rod pulls with m (g cos q + l v^2)."""
    wanted = Recorded(("accelerations", "com", "loads"), {"tip": ("bob", "tip")})
    run = simulate(PENDULUM, 1.0, 1e-3, q0=[1.0], outputs=wanted)
    q, v = run.column("q.pivot"), run.column("v.pivot")
    np.testing.assert_allclose(run.column("a.pivot"), -9.81 / 0.75 * np.sin(q), rtol=1e-12)
    np.testing.assert_allclose(run.column("tip.x"), -0.75 * np.sin(q), atol=1e-14)
    np.testing.assert_allclose(run.column("tip.x"), run.column("com.x"), atol=1e-14)
    pull = 2.0 * (9.81 * np.cos(q) + 0.75 * v**2)
    np.testing.assert_allclose(run.column("load.pivot.fz"), pull, rtol=1e-12)
    units = {c.name: c.unit for c in run.columns()}
    assert units["a.pivot"] == "rad/s^2" and units["tip.ax"] == "m/s^2" and units["load.pivot.my"] == "N m"


def test_reactions_are_those_of_the_loops() -> None:
    example = MODELS["four_bar"]
    loops = Loops(example.build(), 1e-3)
    run = simulate(loops, 0.1, 1e-3, q0=example.q0, v0=example.v0, outputs=Recorded(("reactions",)))
    expected = np.array(loops.reactions.function(run.q[50], run.v[50], np.zeros(3))).ravel()
    found = [run.column(f"reaction.loop.{part}")[50] for part in ("mx", "my", "mz", "fx", "fy", "fz")]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["com", "load", "a", "arm/tip"])
def test_a_point_may_have_the_name_of_what_nobody_asked_for(name: str) -> None:
    run = simulate(PENDULUM, 0.01, 1e-3, q0=[1.0], outputs=Recorded((), {name: ("bob", "tip")}))
    np.testing.assert_allclose(run.column(f"{name}.x"), -0.75 * np.sin(run.column("q.pivot")), atol=1e-14)


def test_outputs_that_are_not_there() -> None:
    for wanted, said in (
        (Recorded(("speed",)), "no output 'speed'"),
        (Recorded(("reactions",)), "has no closures"),
        (Recorded((), {"tip": ("bob", "top")}), "has no point 'top'"),
        (Recorded((), {"q": ("bob", "tip")}), "the name is taken"),
        (Recorded(("com",), {"com": ("bob", "tip")}), "the name is taken"),
    ):
        with pytest.raises(MotionBaseError, match=said):
            simulate(PENDULUM, 0.1, outputs=wanted)


@pytest.mark.parametrize("tau", [0.7, [0.7], np.full(100, 0.7), lambda t: 0.7])
def test_a_number_is_enough_for_one_joint(tau: Any) -> None:
    run, expected = (simulate(PENDULUM, 0.1, 1e-3, inputs={"tau": x}) for x in (tau, np.full((100, 1), 0.7)))
    np.testing.assert_array_equal(run.q, expected.q)


@pytest.mark.parametrize("every", [1, 5])
def test_rows_of_inputs_under_step_size_control(every: int) -> None:
    """Constant rows give the bits of a constant, in as many attempts; a call of the loop is not one sample."""
    method = Adaptive(RungeKutta(DOPRI5), rtol=1e-10, atol=1e-12)
    given: dict[str, Any] = {"method": method, "q0": [1.0]}
    rows = simulate(PENDULUM, 1.0, 1e-3, inputs=np.full((1000, 1), 0.5), every=every, **given)
    held = simulate(PENDULUM, 1.0, 1e-3, inputs=[0.5], **given)
    np.testing.assert_array_equal(rows.q, held.q[::every])
    assert rows.steps == held.steps


def test_a_sample_that_takes_more_attempts_than_a_turn() -> None:
    """20 s between samples takes hundreds of attempts: the sample is met over several calls, and exactly."""
    given: dict[str, Any] = {"method": "dopri5", "q0": [1.0]}
    far, near = (simulate(PENDULUM, 40.0, dt, **given) for dt in (20.0, 0.01))
    assert far.steps > 300
    np.testing.assert_allclose(far.q[1:], near.q[2000::2000], atol=1e-5)  # rtol 1e-8 a step, over 40 s


def _loops() -> Loops:
    example = MODELS["four_bar"]
    return Loops(example.build(), 1e-3)


def _two_link() -> Multirate:
    return Multirate(Tree(MODELS["two_link"].build()))


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "Outputs(Model)": (lambda: Outputs(PENDULUM), "Outputs.Tree.model.."),  # type: ignore[arg-type]
    "Outputs(Loops)": (lambda: Outputs(_loops()), "Outputs.loops.tree."),  # type: ignore[arg-type]
    "Tree(Loops)": (lambda: Tree(_loops()), "a Model is wanted"),  # type: ignore[arg-type]
    "linearise(text)": (lambda: linearise("x"), "a Model, Tree or Loops is wanted"),  # type: ignore[arg-type]
    "Flight(empty)": (lambda: Flight(Tree(Model("none", (), ()))), "no body"),
    "reduced(text)": (lambda: linearise(PENDULUM).reduced("a"), "keep is 'a'"),  # type: ignore[arg-type]
    "reduced(1.5)": (lambda: linearise(PENDULUM).reduced(1.5), "keep is 1.5"),  # type: ignore[arg-type]
    "response(text)": (lambda: linearise(PENDULUM).frequency_response("a"), "frequencies are 'a'"),
    "h nan": (lambda: _two_link().run(10, float("nan"), [0.1, 0.1], [0, 0]), "h is nan s"),
    "h negative": (lambda: _two_link().run(10, -0.1, [0.1, 0.1], [0, 0]), "h is -0.1 s"),
    "tau text": (lambda: _two_link().run(10, 1e-3, [0.1, 0.1], [0, 0], {"tau": ["a", "b"]}), "finite numbers"),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_sentence(name: str) -> None:
    call, said = CALLS[name]
    with pytest.raises((ModelError, SimulationError), match=said):
        call()


def test_loops_can_be_linearised() -> None:
    """As the model they are of."""
    example = MODELS["slider_crank"]
    loops = Loops(example.build(), 1e-3)
    q = simulate(loops, 0.01, 1e-3, q0=example.q0).q[0]
    np.testing.assert_array_equal(linearise(loops, q).A, linearise(example.build(), q).A)
    rest = equilibrium(loops, q).q
    np.testing.assert_array_equal(modes(loops, rest).frequencies, modes(example.build(), rest).frequencies)


@pytest.mark.parametrize(
    ("mass", "axis", "kind", "said"),
    [
        ("a", "0 0 1", "revolute", "<mass value='a'>: a number is wanted"),
        ("1", "0 0", "revolute", "<axis xyz='0 0'>: 3 numbers are wanted"),
        ("1", "0 0 1", "helical", "joint 'j': type 'helical' is not supported"),
    ],
)
def test_urdf_errors_name_the_file_once(tmp_path: Any, mass: str, axis: str, kind: str, said: str) -> None:
    inertial = f'<inertial><mass value="{mass}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    joint = f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{axis}"/></joint>'
    file = tmp_path / "robot.urdf"
    file.write_text(f'<robot name="r"><link name="a"/><link name="b">{inertial}</link>{joint}</robot>')
    with pytest.raises(ModelError) as caught:
        load_urdf(file)
    assert str(caught.value).startswith(f"{file}, line 1: {said}")
