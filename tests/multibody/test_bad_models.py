"""Bad models and runs in Python: each has its own sentence. Files and the command line: test_bad_model_files.py."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import ModelError, MotionBaseError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.elements import JointLimit, JointSpring, PointForce
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Axes, Free, Slide, Spherical, Turn, planar, prismatic, revolute, universal
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.loops import Loops
from tests.tier import often

NAN, INF = math.nan, math.inf
X = (1.0, 0.0, 0.0)


def bar(name: str) -> Body:
    return Body(name, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1), {"tip": X})


A, C = bar("a"), bar("c")
ON_GROUND = Joint("ja", GROUND, "a", revolute())
ON_A = Joint("jc", "a", "c", revolute(), "tip")


def model(**changes: Any) -> Model:
    """Two bars, with something changed."""
    return Model(**{"name": "m", "bodies": (A, C), "joints": (ON_GROUND, ON_A), **changes})


def one(body: Body, motion: Any) -> Model:
    return Model("m", (body,), (Joint("j", GROUND, body.name, motion),))


def run(**changes: Any) -> Any:
    """A short run of a good model, with something changed."""
    return simulate(**{"model": model(), "duration": 0.01, **changes})


Case = tuple[Callable[[], Any], str]

TREES: list[Case] = [
    (
        lambda: model(joints=(Joint("ja", "c", "a", revolute()), ON_A)),
        "bodies carry each other in a circle: a -> c -> a",
    ),
    (lambda: model(joints=(Joint("ja", "a", "a", revolute()), ON_A)), "in a circle: a -> a"),
    (
        lambda: model(joints=(ON_GROUND, Joint("jc", "aa", "c", revolute()))),
        "joint 'jc': parent 'aa' not found; bodies: a, c",
    ),
    (
        lambda: model(joints=(ON_GROUND, Joint("jc", "a", "cc", revolute()))),
        "joint 'jc': child 'cc' not found; bodies: a, c",
    ),
    (
        lambda: model(joints=(ON_GROUND, Joint("jc", "a", "c", revolute(), "tp"))),
        "body 'a' has no point 'tp'; points: tip",
    ),
    (
        lambda: model(joints=(Joint("ja", GROUND, "a", revolute(), "tip"), ON_A)),
        "the ground has no point 'tip'; give coord",
    ),
    (
        lambda: model(joints=(ON_GROUND, ON_A, Joint("jd", GROUND, "c", revolute()))),
        "'c' is carried by two joints, 'jc' and 'jd'",
    ),
    (lambda: model(joints=(ON_GROUND,)), "body 'c' is carried by no joint; use a free joint for a body that flies"),
    (lambda: model(joints=(ON_GROUND, ON_A, Joint("jg", "a", GROUND, revolute()))), "child 'ground' not found"),
    (lambda: model(bodies=(A, A)), "two bodies are named 'a'"),
    (lambda: model(joints=(ON_GROUND, Joint("ja", "a", "c", revolute()))), "two joints are named 'ja'"),
    (
        lambda: model(elements=(JointSpring("s", "ja", 1.0), PointForce("s", "a"))),
        "two elements or closures are named 's'",
    ),
    (lambda: model(bodies=(bar("ground"), C)), "no body may be named 'ground'"),
    (lambda: model(bodies=("a", C)), "bodies has 'a', which is none"),
    (lambda: model(joints=("ja",)), "joints has 'ja', which is none"),
    (lambda: model(bodies=A), r"bodies are Body\(.*a tuple is wanted"),
    (lambda: model(elements=JointSpring("s", "ja", 1.0)), r"elements are JointSpring\(.*a tuple is wanted"),
    (lambda: model(gravity=(0, 0, NAN)), r"gravity is \(0, 0, nan\), three finite numbers"),
    (lambda: model(gravity=9.81), "gravity is 9.81, three finite numbers"),
]

BODIES: list[Case] = [
    (lambda: model(bodies=(A, Body("c"))), "body 'c': joint 'jc' moves it, but it carries no mass"),
    (lambda: Body("a", -1.0), "body 'a': mass is -1.0 kg, it must be a finite number, not negative"),
    (lambda: Body("a", NAN), "mass is nan kg"),
    (lambda: Body("a", INF), "mass is inf kg"),
    (lambda: Body("a", "heavy"), "mass is 'heavy' kg"),  # type: ignore[arg-type]
    (lambda: Body("a", True), "mass is True kg"),
    (lambda: Body("a", 10**400), r"mass is 10{69} \.\.\. kg"),
    (lambda: Body("a", 0.0, inertia=(1, 1, 1)), "a body without mass cannot have inertia"),
    (lambda: Body("a", 1.0, inertia=(-1, 1, 1)), "the negative principal moment -1 kg m"),
    (lambda: Body("a", 1.0, inertia=(1, 1, 3)), "principal moments 1, 1, 3 kg m.* break the triangle inequality"),
    (lambda: Body("a", 1.0, inertia=((1, 1, 0), (0, 1, 0), (0, 0, 1))), "inertia is not symmetric"),
    (lambda: Body("a", 1.0, inertia=(1, 1, NAN)), r"inertia is \(1, 1, nan\), 3, 6 or 3x3 finite numbers are wanted"),
    (lambda: Body("a", 1.0, inertia=((1, 2), (3,))), r"inertia is \(\(1, 2\), \(3,\)\)"),  # type: ignore[arg-type]
    (lambda: Body("a", 1.0, inertia="round"), "inertia is 'round'"),  # type: ignore[arg-type]
    (lambda: Body("a", 1.0, (0, INF, 0)), r"com is \(0, inf, 0\), three finite numbers"),
    (lambda: Body("a", 1.0, ("x", 0, 0)), r"com is \('x', 0, 0\)"),  # type: ignore[arg-type]
    (lambda: Body("a", 1.0, points={"p": (0, 0, NAN)}), r"point 'p' is \(0, 0, nan\)"),
    (lambda: Body("a", 1.0, points={"a b": X}), "body 'a': point 'a b': a name is letters, digits"),
    (lambda: Body("a", 1.0, points=[X]), "points are .* places by name are wanted"),  # type: ignore[arg-type]
    (lambda: Body("", 1.0), "body '': a name is letters"),
    (lambda: Body(3, 1.0), "body 3: a name is letters"),  # type: ignore[arg-type]
    (lambda: beam(length=5.0, mass_per_length=-4.0, EI_y=2e4, EI_z=2e4, bending=(1, 0)), "mass_per_length is -4.0"),
]

JOINTS: list[Case] = [
    (lambda: revolute((0, 0, 0)), r"turn: axis \(0, 0, 0\) must be three finite numbers, not all zero"),
    (lambda: prismatic((0, NAN, 1)), r"slide: axis \(0, nan, 1\)"),
    (lambda: revolute((0, 1)), r"axis \(0, 1\) must be three"),  # type: ignore[arg-type]
    (lambda: revolute("z"), "axis 'z' must be three"),  # type: ignore[arg-type]
    (lambda: revolute(3), "axis 3 must be three"),  # type: ignore[arg-type]
    (lambda: universal(X, (2, 0, 0)), "universal joint: axes .* are parallel; they must differ"),
    (lambda: planar(X, (-3, 0, 0)), "planar joint: axes .* are parallel; they must differ"),
    (
        lambda: one(A, Axes((Slide(X), Turn((0, 0, 1)), Slide((0, 1, 0)), Slide((1, 1, 0))))),
        "joint 'j': of 4 axes only 3 are ind",
    ),
    (lambda: one(A, Axes((Turn(X), Turn(X)))), r"joint 'j': of 2 axes only 1 are independent \(turn \(1.0"),
    (lambda: one(A, Axes((Turn(X), Turn((0, 1, 0)), Turn(X), Turn((0, 1, 0))))), "of 4 axes only 3 are independent"),
    (lambda: Axes((3,)), "a tuple of Turn and Slide is wanted"),  # type: ignore[arg-type]
    (lambda: Joint("j", GROUND, "a", revolute), "joint 'j': motion is <function revolute"),  # type: ignore[arg-type]
    (lambda: Joint("j", [GROUND], "a", revolute()), r"parent is \['ground'\], the name of a body"),  # type: ignore[arg-type]
    (lambda: Joint("j", GROUND, "a", revolute(), (0, 0, INF)), r"position is \(0, 0, inf\)"),
    (lambda: Joint("j", GROUND, "a", revolute(), orientation=((1, 0, 0), (0, 1, 0), (0, 0, -1))), "must be a rotation"),
    (
        lambda: Joint("j", GROUND, "a", revolute(), orientation=((1, 0, 0), (0, NAN, 0), (0, 0, 1))),
        "a 3x3 rotation matrix",
    ),
    (lambda: Joint("j", GROUND, "a", revolute(), orientation="up"), "orientation is 'up'"),  # type: ignore[arg-type]
]

PARTS: list[Case] = [
    (lambda: model(closures=(PointClosure("k", "a", body_b="a"),)), "both places are on 'a'"),
    (lambda: model(closures=(PointClosure("k", "x"),)), "closure 'k': body 'x' not found; bodies: a, c, ground"),
    (lambda: model(closures=(PointClosure("k", "a", "top"),)), "body 'a' has no point 'top'; points: tip"),
    (lambda: model(elements=(JointSpring("s", "jb", 1.0),)), "joint spring 's': joint 'jb' not found; joints: ja, jc"),
    (lambda: model(elements=(JointSpring("s", "ja", 1.0, axis=3),)), "joint 'ja' has no axis 3; its axes are 0 to 0"),
    (lambda: model(elements=(JointSpring("s", "ja", 1.0, axis=0.5),)), "axis is 0.5, a whole number"),  # type: ignore[arg-type]
    (lambda: JointSpring("s", "ja", NAN), "stiffness is nan"),
    (lambda: JointSpring("s", "ja", None), "stiffness is None"),  # type: ignore[arg-type]
    (lambda: JointLimit("s", "ja", "low", 1.0, 1.0), "lower is 'low'"),  # type: ignore[arg-type]
    (lambda: model(elements=(PointForce("s", ["a"]),)), r"body is \['a'\], the name of a body"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "said"), TREES + BODIES + JOINTS + PARTS)
def test_bad_models_in_python(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(ModelError, match=said) as error:
        make()
    assert "\n" not in str(error.value) and len(str(error.value)) < 260


RUNS: list[Case] = [
    (lambda: run(q0={"jb": 1.0}), "q0: no coordinate 'jb'; did you mean 'jc'"),
    (lambda: run(v0={"jb": 1.0}), "v0: no speed 'jb'; did you mean 'jc'"),
    (lambda: run(q0=[1.0]), "q0: 1 numbers given, model 'm' has 2 coordinates"),
    (lambda: run(q0=[1.0, NAN]), r"q0 is \[1.0, nan\], it must be finite numbers"),
    (lambda: run(q0={"ja": INF}), "q0: 'ja' is inf, it must be finite numbers"),
    (lambda: run(v0={"ja": "fast"}), "v0: 'ja' is 'fast', it must be finite numbers"),
    (lambda: run(q0=[[1.0], [1.0, 2.0]]), "q0 is .* it must be finite numbers"),
    (
        lambda: run(model=one(A, Free()), q0=[0, 0, 0, 3, 0, 0, 0]),
        "quaternion of joint 'j' has length 3, it must be near 1",
    ),
    (lambda: run(model=one(A, Spherical()), q0=[0, 0, 0, 0]), "quaternion of joint 'j' has length 0"),
    (lambda: run(duration=0.0), "duration is 0.0 s, it must be a finite number above 0"),
    (lambda: run(duration="long"), "duration is 'long' s"),
    (lambda: run(dt=-1e-3), "dt is -0.001 s"),
    (lambda: run(dt=NAN), "dt is nan s"),
    (lambda: run(dt=1.0), "dt = 1 s is longer than the duration of 0.01 s"),
    (lambda: run(dt=1e-300), "samples would take more than 2 GB"),
    (lambda: run(every=0), "every is 0, it must be a whole number"),
    (lambda: run(every=1.5), "every is 1.5, it must be a whole number"),
    (lambda: run(method="rk5"), "no method 'rk5'; methods: euler, rk4"),
    (lambda: run(method=4), "no method 4; methods: euler, rk4"),
    (lambda: run(model="pendulum"), "model is 'pendulum', a Model is wanted"),
    (lambda: run(inputs={"tua": [0, 0]}), "has no input 'tua'; inputs: tau"),
    (lambda: run(inputs={"tau": [0]}), r"input 'tau' has shape \(1,\), \(2,\) or \(10, 2\) is wanted"),
    (lambda: run(inputs={"tau": [NAN, 0]}), r"input 'tau' is \[nan, 0\], finite numbers are wanted"),
    (lambda: run(inputs={"tau": lambda t: "x"}), "input 'tau' is .* finite numbers are wanted"),
]

ON_AXIS = "no mass resists a motion of {}; give what moves an inertia, or mass off the axis"
SINGULAR: list[Case] = [
    (lambda: run(model=one(Body("b", 1.0, (0, 0, 2)), revolute())), ON_AXIS.format("j")),
    (lambda: run(model=one(Body("b", 1.0), Free())), ON_AXIS.format("j.wx, j.wy, j.wz")),
    (lambda: run(model=one(Body("rod", 1.0, X, (0, 1, 1)), Spherical())), ON_AXIS.format("j.wx")),
    (lambda: run(model=model(bodies=(A, Body("c", 1.0)))), ON_AXIS.format("jc")),
    (
        lambda: run(model=model(bodies=(Body("a"), C), joints=(ON_GROUND, Joint("jc", "a", "c", revolute())))),
        ON_AXIS.format("ja, jc"),
    ),
    (
        lambda: run(model=one(A, Axes((Turn((0, 0, 1)), Turn((0, 1, 0)), Turn((0, 0, 1)))))),
        "at the start the motions of j.1, j.3 cancel",
    ),
]


@pytest.mark.parametrize(("make", "said"), RUNS + SINGULAR)
def test_bad_runs(make: Callable[[], Any], said: str) -> None:
    with pytest.raises((ModelError, SimulationError), match=said):
        make()


def test_redundant_closures_are_reported() -> None:
    twice = tuple(PointClosure(f"k{n}", "c", "tip", GROUND, (1.5, 0.5, 0)) for n in range(2))
    loops = Loops(model(closures=twice), 1e-3)
    assert {r.row for r in loops.redundant} == {"k0.z", "k1.x", "k1.y", "k1.z"}
    with pytest.raises(
        ModelError, match="redundant closure rows: k0.z is met .*; k1.x follows from k0.x; k1.y follows"
    ):
        _ = Loops(model(closures=twice), 1e-3, redundancy="raise").forward_dynamics.function


def test_flexible_bodies_need_modal_mass() -> None:
    from dataclasses import replace

    modes = beam(length=5.0, mass_per_length=4.0, EI_y=2e4, EI_z=2e4, bending=(1, 1))
    with pytest.raises(ModelError, match="the modal mass is not positive definite"):
        replace(modes, modal_mass=np.diag([1.0, 0.0]), bow=None)
    with pytest.raises(ModelError, match="mass and points come from the modes"):
        Body("boom", 3.0, modes=modes)


def test_three_thousand_bodies_in_a_row_are_sorted_without_recursion() -> None:
    names = [f"b{k}" for k in range(3000)]
    joints = [Joint(f"j{n}", p, n, revolute()) for p, n in zip([GROUND, *names], names, strict=False)]
    chain = tuple(Body(n, 1.0, X) for n in names)
    assert Model("long", chain, tuple(joints[::-1])).bodies[-1].name == "b2999"


quick = settings(max_examples=often(100), deadline=None)
anything = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.lists(st.floats(), max_size=4)
)


@quick
@given(mass=anything, com=anything, inertia=anything, axis=anything, position=anything, q0=anything)
def test_any_values_in_python(mass: Any, com: Any, inertia: Any, axis: Any, position: Any, q0: Any) -> None:
    """Constructors raise our errors and no others; so does a start (the run itself is another test's)."""
    from motionbase.multibody.simulate import _checked_state

    for make in (
        lambda: Body("b", mass, com, inertia),
        lambda: Joint("j", GROUND, "b", revolute(axis), position),
        lambda: JointSpring("s", "j", mass, axis=axis),
        lambda: _checked_state("q0", q0),
    ):
        try:
            make()
        except MotionBaseError as e:
            assert "\n" not in str(e)
