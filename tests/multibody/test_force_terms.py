"""The force terms one by one: their sum is what forward dynamics uses, and each is what its name says."""

import casadi as ca
import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import Custom, JointDamper, JointSpring, Motor, PointForce, PointSpring
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.models import MODELS
from motionbase.multibody.tree.dynamics import Tree

BOOM = beam(length=3.0, mass_per_length=4.0, EI_y=2e4, EI_z=2e4, bending=(2, 1), damping=0.01)
NAMES = ("G_j", "G_nl", "G_g", "G_ext", "G_el")


def laden() -> Model:
    """A free base with a flexible boom and one element of every kind of term."""
    return Model(
        "laden",
        (
            Body("base", 50.0, (0.1, 0.0, 0.0), (5.0, 6.0, 7.0)),
            Body("boom", modes=BOOM),
            Body("load", 5.0, (0.2, 0.0, 0.0), (0.3, 0.2, 0.2)),
        ),
        (
            Joint("flight", GROUND, "base", Free()),
            Joint("shoulder", "base", "boom", revolute((0, 1, 0)), (0.5, 0.0, 0.0)),
            Joint("hold", "boom", "load", fixed(), "tip"),
        ),
        (0.0, 0.0, -9.81),
        (
            JointSpring("spring", "shoulder", 40.0, rest=0.2),
            JointDamper("damper", "shoulder", 3.0),
            Motor("motor", "shoulder", ratio=50.0, rotor_inertia=1e-3),
            PointForce("push", "boom", "tip", axes="body"),
            PointSpring("rope", "load", (0.1, 0.0, 0.0), GROUND, (2.0, 0.0, 1.0), 30.0, 1.0),
            Custom("drag", lambda state: -0.5 * state.v),
        ),
    )


MODELS_HERE = {
    "laden": laden,
    "arm7": MODELS["arm7"].build,
    "arm7_free": MODELS["arm7_free"].build,
    "srms_on_orbiter": MODELS["srms_on_orbiter"].build,
}


def moment(model: Model, seed: int = 0) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """A generic state, with tau and the elements' inputs."""
    rng = np.random.default_rng(seed)
    q = model.neutral + 0.3 * rng.standard_normal(model.nq)
    for k, joint in enumerate(model.joints):
        at, modes = model.q_slices[k]
        q[modes] *= 0.1
        if joint.motion.has_quaternion:
            q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
    inputs = [rng.standard_normal(p.dims) for p in Tree(model).ports[2:]]
    return q, rng.standard_normal(model.nv), inputs


def terms(tree: Tree, q: np.ndarray, v: np.ndarray, inputs: list[np.ndarray]) -> dict[str, np.ndarray]:
    found = tree.force_terms.function.call([ca.DM(x) for x in (q, v, *inputs)])
    return {name: np.array(x).ravel() for name, x in zip(NAMES, found, strict=True)}


@pytest.mark.parametrize("name", MODELS_HERE)
def test_terms_sum_to_mass_times_acceleration(name: str) -> None:
    """M v_dot of the forward dynamics, whichever recursion it takes."""
    tree = Tree(MODELS_HERE[name]())
    q, v, inputs = moment(tree.model)
    found = terms(tree, q, v, inputs)
    v_dot = np.array(tree.forward_dynamics.function.call([ca.DM(x) for x in (q, v, *inputs)])[0]).ravel()
    M = np.array(tree.mass_matrix.function(q))
    size = np.abs(M) @ np.abs(v_dot) + sum(np.abs(x) for x in found.values())
    # a solve of n unknowns is backward stable to a few n eps of |M| |v_dot|
    np.testing.assert_array_less(np.abs(M @ v_dot - sum(found.values())), 1e-13 * size.max())
    assert [p.name for p in tree.force_terms.outputs] == list(NAMES)
    assert all(p.description for p in tree.force_terms.outputs)


@pytest.mark.parametrize("name", MODELS_HERE)
def test_terms_agree_with_the_kernels_that_join_them(name: str) -> None:
    """Sums of other kernels differ in the order of additions only."""
    tree = Tree(MODELS_HERE[name]())
    q, v, inputs = moment(tree.model, seed=1)
    found = terms(tree, q, v, inputs)
    bias = np.array(tree.bias_force.function(q, v)).ravel()
    elements = np.array(tree.element_force.function.call([ca.DM(x) for x in (q, v, *inputs[1:])])[0]).ravel()
    size = max(np.abs(x).max() for x in found.values())
    np.testing.assert_allclose(found["G_nl"] + found["G_g"], bias, rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(found["G_j"] + found["G_ext"] - inputs[0], elements, rtol=0, atol=1e-13 * size)


def test_velocity_terms_vanish_at_rest_and_grow_with_the_square() -> None:
    """They are quadratic in all speeds, those of modes included."""
    tree = Tree(laden())
    q, v, inputs = moment(tree.model)
    rest, once, twice = (terms(tree, q, k * v, inputs)["G_nl"] for k in (0.0, 1.0, 2.0))
    assert not rest.any()
    np.testing.assert_allclose(twice, 4.0 * once, rtol=0, atol=1e-13 * np.abs(twice).max())


def test_gravity_is_the_gradient_of_its_potential() -> None:
    """Of one hanging bar: -m g l cos(q); and speeds do not change it."""
    bar = Body("bar", 2.0, (0.5, 0.0, 0.0), (0.001, 0.17, 0.17))
    tree = Tree(Model("bar", (bar,), (Joint("pin", GROUND, "bar", revolute((0, 1, 0))),), (0.0, 0.0, -9.81)))
    for v in (0.0, 3.0):
        found = terms(tree, np.array([0.4]), np.array([v]), [np.zeros(1)])["G_g"]
        np.testing.assert_allclose(found, 2.0 * 9.81 * 0.5 * np.cos(0.4), rtol=1e-15)


def test_each_element_is_in_its_own_term() -> None:
    """Elements are put in one by one: those within joints change G_j alone, those from outside G_ext alone."""
    whole = laden()
    bare = Tree(Model("bare", whole.bodies, whole.joints, whole.gravity))
    q, v, _ = moment(whole)
    tau = np.zeros(whole.nv)
    without = terms(bare, q, v, [tau])
    for element in whole.elements:
        tree = Tree(Model("one", whole.bodies, whole.joints, whole.gravity, (element,)))
        inputs = [np.ones(p.dims) for p in tree.ports[3:]]
        found = terms(tree, q, v, [tau, *inputs])
        own = "G_ext" if isinstance(element, (PointForce, PointSpring, Custom)) else "G_j"
        changed = {name for name in NAMES if not np.array_equal(found[name], without[name])}
        assert changed == {own}, element.name


def test_elastic_force_is_that_of_the_constant_matrices() -> None:
    tree = Tree(laden())
    q, v, inputs = moment(tree.model)
    x = np.zeros(tree.model.nv)
    for (_, at_q), (_, at_v) in zip(tree.model.q_slices, tree.model.v_slices, strict=True):
        x[at_v] = q[at_q]
    wanted = -tree.stiffness @ x - tree.damping @ v
    assert wanted.any()
    np.testing.assert_allclose(terms(tree, q, v, inputs)["G_el"], wanted, rtol=0, atol=1e-14 * np.abs(wanted).max())
