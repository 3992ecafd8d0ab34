"""Bad elements and closures: each its own sentence, with the name and what would work."""

import math
from collections.abc import Callable
from typing import Any, cast

import pytest

from motionbase.compile import Port
from motionbase.errors import ModelError, MotionBaseError, SingularSystem
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.closures import (
    AxisClosure,
    CouplingClosure,
    DistanceClosure,
    GimbalClosure,
    ImposedAngleClosure,
    ImposedPositionClosure,
    ImposedSpeedClosure,
    InLineClosure,
    InPlaneClosure,
    PlanarClosure,
    PointClosure,
    PrismaticClosure,
    UniversalClosure,
    WeldClosure,
)
from motionbase.multibody.elements import (
    AbstractElement,
    Custom,
    JointDamper,
    JointFriction,
    JointLimit,
    JointSpring,
    Motor,
    PointForce,
    PointSpring,
)
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.models.mechanisms import bar
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from tests.multibody.mechanisms import DOWN, four_bar


def model(elements: tuple[Any, ...] = (), closures: tuple[Any, ...] = ()) -> Model:
    bodies = bar("a", 1.0, 1.0), Body("b", 1.0, inertia=(1.0, 1.0, 1.0))
    joints = Joint("ja", GROUND, "a", revolute()), Joint("jb", GROUND, "b", Free())
    return Model("m", bodies, joints, DOWN, elements, closures)


ELEMENTS: list[tuple[Callable[[], Any], str]] = [
    (lambda: JointSpring("s", "jx", 1.0), r"joint spring 's': joint 'jx' not found; joints: ja, jb"),
    (lambda: JointSpring("s", "jb", 1.0), r"joint 'jb' is free, its orientation is a quaternion"),
    (lambda: JointSpring("s", "ja", 1.0, axis=1), r"joint 'ja' has no axis 1; its axes are 0 to 0"),
    (lambda: JointSpring("s", "ja", math.nan), r"joint spring 's': stiffness is nan"),
    (lambda: JointSpring("1s", "ja", 1.0), r"joint spring '1s': a name is letters"),
    (lambda: JointDamper("d", "ja", -1.0), r"joint damper 'd': damping is -1 .*at least 0"),
    (lambda: JointFriction("f", "ja", coulomb=1.0, v_s=0.0), r"joint friction 'f': v_s is 0 .*must be positive"),
    (lambda: JointLimit("l", "ja", 1.0, 0.5, 1.0), r"joint limit 'l': lower 1.0 must be below upper 0.5"),
    (lambda: JointLimit("l", "ja", 0.0, 0.5, 0.0), r"joint limit 'l': stiffness is 0 .*must be positive"),
    (lambda: Motor("m", "ja", ratio=0.0), r"motor 'm': ratio is 0"),
    (lambda: Motor("m", "ja", rotor_inertia=-1.0), r"motor 'm': rotor_inertia is -1"),
    (lambda: PointForce("p", "c"), r"point force 'p': body 'c' not found; bodies: a, b$"),
    (lambda: PointForce("p", "a", "top"), r"point force 'p': body 'a' has no point 'top'; points: tip"),
    (lambda: PointForce("p", GROUND), r"point force 'p': the ground cannot be pushed"),
    (lambda: PointForce("p", "a", axes="wrold"), r"point force 'p': axes are 'wrold'"),  # type: ignore[arg-type]
    (lambda: PointForce("p", "a", force=False), r"point force 'p': it must have a force or a moment"),
    (lambda: PointSpring("p", "a", body_b="a"), r"point spring 'p': both ends are on 'a'"),
    (lambda: PointSpring("p", "a", length=-1.0), r"point spring 'p': length is -1"),
    (lambda: PointSpring("p", "a", stiffness=1.0, law=lambda l, r: l), r"point spring 'p': a law replaces"),
    (lambda: Custom("c", 3), r"custom element 'c': function is 3"),  # type: ignore[arg-type]
    (lambda: "spring", r"model 'm': elements has 'spring', which is none"),
]


@pytest.mark.parametrize(("make", "message"), ELEMENTS)
def test_bad_elements(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model((make(),))


CLOSURES: list[tuple[Callable[[], Any], str]] = [
    (lambda: PointClosure("c", "x"), r"closure 'c': body 'x' not found; bodies: a, b, ground"),
    (lambda: PointClosure("c", "a", "top"), r"closure 'c': body 'a' has no point 'top'; points: tip"),
    (lambda: PointClosure("c", "a", "tip", GROUND, "tip"), r"closure 'c': the ground has no point 'tip'"),
    (lambda: PointClosure("c", "a", body_b="a"), r"closure 'c': both places are on 'a'"),
    (lambda: PointClosure("c", "a", (0, math.inf, 0)), r"closure 'c': point_a is .* three finite numbers"),
    (lambda: AxisClosure("c", "a", (0, 0, 0)), r"closure 'c': axis_a: axis .* not all zero"),
    (
        lambda: WeldClosure("c", "a", orientation=((1, 0, 0), (0, 2, 0), (0, 0, 1))),
        r"closure 'c': orientation .* must be a rotation",
    ),
    (lambda: InLineClosure("c", "a", axis=(0, 0, 0)), r"closure 'c': axis: axis .* not all zero"),
    (lambda: InPlaneClosure("c", "a", normal=(0, math.nan, 0)), r"closure 'c': normal is .* three finite numbers"),
    (lambda: PlanarClosure("c", "a", body_b="a"), r"closure 'c': both places are on 'a'"),
    (lambda: PrismaticClosure("c", "a", "top"), r"closure 'c': body 'a' has no point 'top'; points: tip"),
    (lambda: UniversalClosure("c", "a", angle=0.0), r"closure 'c': angle is 0 rad, it must lie between 0 and pi"),
    (lambda: GimbalClosure("c", "a", form="two"), r"closure 'c': form is 'two', it must be 'compact' or 'angles'"),  # type: ignore[arg-type]
    (lambda: GimbalClosure("c", "a", form="angles", switchable=True), r"closure 'c': .* cannot be switched"),
    (lambda: ImposedPositionClosure("c", "x"), r"closure 'c': body 'x' not found; bodies: a, b, ground"),
    (lambda: ImposedAngleClosure("c", "a", axis=(0, 0, 0)), r"closure 'c': axis: axis .* not all zero"),
    (lambda: ImposedSpeedClosure("c", "a", motion="fly"), r"closure 'c': motion is 'fly', it must be 'slide'"),  # type: ignore[arg-type]
    (lambda: DistanceClosure("c", "a", distance=0.0), r"closure 'c': distance is 0 m, it must be positive"),
    (lambda: CouplingClosure("c", "ja", "jx"), r"closure 'c': joint 'jx' not found; joints: ja, jb"),
    (lambda: CouplingClosure("c", "ja", "jb", axis=1), r"closure 'c': joint 'ja' has no axis 1"),
    (lambda: CouplingClosure("c", "ja", "jb"), r"closure 'c': joint 'jb' is free, its orientation is a quaternion"),
    (lambda: CouplingClosure("c", "ja", "ja"), r"closure 'c': joint 'ja' cannot follow itself"),
    (lambda: CouplingClosure("c", "ja", "jb", math.nan), r"closure 'c': ratio is nan, a finite number is wanted"),
    (lambda: 7, r"model 'm': closures has 7, which is none"),
]


@pytest.mark.parametrize(("make", "message"), CLOSURES)
def test_bad_closures(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        model(closures=(make(),))


def test_names_are_distinct() -> None:
    with pytest.raises(ModelError, match="two elements or closures are named 'x'"):
        model((JointDamper("x", "ja", 1.0),), (PointClosure("x", "b"),))


def test_custom_shapes() -> None:
    wrong = model((Custom("c", lambda state: [1.0, 2.0], body="b"),))
    with pytest.raises(ModelError, match=r"custom element 'c': the function returns shape \(2, 1\), \(6, 1\)"):
        _ = Tree(wrong).element_force.function
    unlisted = model((Custom("c", lambda state: (1.0,)),))
    with pytest.raises(ModelError, match="custom element 'c': a tuple of Wrench is wanted"):
        _ = Tree(unlisted).element_force.function


LAWS: list[tuple[AbstractElement, str]] = [
    (Custom("c", lambda: 0), r"custom element 'c': the function takes no arguments, it is called with the state \("),
    (Custom("c", lambda s, x: 0), r"the function takes \(s, x\), it is called with the state \(.*test_part_errors.py:"),
    (
        Custom("c", lambda s: 0, ports=(Port("x", ()), Port("y", ()))),
        r"takes \(s\), it is called with the state and input 'x' and input 'y'",
    ),
    (Custom("c", lambda s: None), "custom element 'c': the function returns None, an expression or numbers are wanted"),
    (Custom("c", lambda s: 1 / 0), r"custom element 'c': the function: ZeroDivisionError: division by zero \("),
    (
        PointSpring("p", "b", law=cast(Any, lambda l: l)),
        r"point spring 'p': the law takes \(l\), it is called with length \[m\] and",
    ),
    (
        PointSpring("p", "b", law=lambda l, l_dot: "x"),
        "point spring 'p': the law returns 'x', an expression or numbers",
    ),
]


@pytest.mark.parametrize(("element", "said"), LAWS)
def test_laws_of_wrong_arguments(element: AbstractElement, said: str) -> None:
    with pytest.raises(MotionBaseError, match=said):
        simulate(model((element,)), 0.01, 1e-3)


def test_stored_energy_of_wrong_arguments() -> None:
    wrong = model((Custom("c", lambda s: [0.0] * 7, stored=cast(Any, lambda: 0)),))
    with pytest.raises(
        MotionBaseError, match="custom element 'c': stored takes no arguments, it is called with the st"
    ):
        simulate(wrong, 0.01, 1e-3)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (lambda: 0, r"input 'tau': the function takes no arguments, it is called with the time \[s\] \("),
        (lambda t, x: 0, r"input 'tau': the function takes \(t, x\), it is called with the time \[s\]"),
        (lambda t: [1.0 / 0, 0.0], "input 'tau': the function: ZeroDivisionError"),
    ],
)
def test_drives_of_wrong_arguments(law: Callable[..., Any], said: str) -> None:
    with pytest.raises(MotionBaseError, match=said):
        simulate(model(), 0.01, 1e-3, inputs=law)


def test_a_row_without_mass_names_its_joint() -> None:
    bare = Body("a", 1.0), Body("b", 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1))
    joints = Joint("ja", GROUND, "a", revolute()), Joint("jb", GROUND, "b", revolute())
    with pytest.raises(SingularSystem, match=r"structurally singular: row 'ja\[0\]'"):
        _ = Tree(Model("m", bare, joints)).forward_dynamics.function


def test_loops() -> None:
    with pytest.raises(ModelError, match=r"has closures \(loop\), which a tree alone does not hold; use Loops"):
        _ = Tree(four_bar()).forward_dynamics
    with pytest.raises(ModelError, match="the model has no closures; use Tree"):
        Loops(model(), 1e-3)
    with pytest.raises(ModelError, match="step is 0 s, it must be positive"):
        Loops(four_bar(), 0.0)
    with pytest.raises(ModelError, match="corrections name 'lop'; closures: loop"):
        Loops(four_bar(), 1e-3, {"lop": 1.0})
    with pytest.raises(ModelError, match="must be 0 to below 2 / step = 2000"):
        Loops(four_bar(), 1e-3, {"loop": 5000.0})
    with pytest.raises(ModelError, match="around must be 3 finite coordinates"):
        _ = Loops(four_bar(), 1e-3, around=[0.0]).redundant
    with pytest.raises(ModelError, match="redundancy is 'ignore'"):
        Loops(four_bar(), 1e-3, redundancy="ignore")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="iterations are 0"):
        Loops(four_bar(), 1e-3).position_projection(iterations=0)


def test_closures_that_cannot_be_met() -> None:
    far = model(closures=(PointClosure("far", "a", "tip", GROUND, (5.0, 0.0, 0.0)),))
    with pytest.raises(ModelError, match=r"cannot be met; the best place found misses far\.x by 4: check the geometry"):
        _ = Loops(far, 1e-3).forward_dynamics.function
