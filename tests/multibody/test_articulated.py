"""Articulated bodies against the mass matrix: two recursions, one answer."""

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import JointDamper, JointSpring, Motor
from motionbase.multibody.flexible import Modes
from motionbase.multibody.joints import fixed, revolute
from motionbase.multibody.tree.dynamics import Tree
from tests.multibody.random_models import random_model, random_state
from tests.tier import some_of

KINDS = ["revolute", "prismatic", "universal", "cylindrical", "planar", "spherical", "fixed"]


@pytest.mark.parametrize("seed", some_of(range(12), 6))
def test_random_trees(seed: int) -> None:
    """1e-9 relative: roundings times the condition of random trees, as against Pinocchio."""
    model = random_model(seed + 50, 2 + seed, KINDS, free_base=seed % 3 == 0)
    if model.nv == 0:
        pytest.skip("every joint came out fixed")
    state = random_state(model, seed)
    by_mass = np.array(Tree(model, recursion="mass").forward_dynamics.function(*state))
    articulated = np.array(Tree(model, recursion="articulated").forward_dynamics.function(*state))
    np.testing.assert_allclose(articulated, by_mass, rtol=0, atol=1e-9 * np.abs(by_mass).max())


def chain(links: int, **parts: object) -> Model:
    bodies = tuple(Body(f"b{k}", 2.0, (0.25, 0.0, 0.0), (0.01, 0.05, 0.05)) for k in range(links))
    axes = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0)]
    joints = tuple(
        Joint(f"j{k}", GROUND if k == 0 else f"b{k - 1}", f"b{k}", revolute(axes[k % 2]), (0.5 if k else 0.0, 0.0, 0.0))
        for k in range(links)
    )
    return Model("chain", bodies, joints, **parts)  # type: ignore[arg-type]


def test_elements_and_motor_inertia() -> None:
    elements = (
        JointSpring("spring", "j1", 30.0),
        JointDamper("damper", "j2", 0.5),
        Motor("motor", "j0", ratio=20.0, rotor_inertia=1e-3),
    )
    model = chain(4, elements=elements)
    q, v, tau = random_state(model, 3)
    by_mass = np.array(Tree(model, recursion="mass").forward_dynamics.function(q, v, tau, 0.7))
    articulated = np.array(Tree(model, recursion="articulated").forward_dynamics.function(q, v, tau, 0.7))
    np.testing.assert_allclose(articulated, by_mass, rtol=0, atol=1e-11 * np.abs(by_mass).max())


@pytest.mark.parametrize(("links", "wanted"), [(3, "mass"), (14, "articulated")])
def test_the_shorter_one_is_chosen(links: int, wanted: str) -> None:
    tree = Tree(chain(links))
    assert tree.chosen == wanted
    other = Tree(chain(links), recursion="mass" if wanted == "articulated" else "articulated")
    assert tree.forward_dynamics.function.n_instructions() < other.forward_dynamics.function.n_instructions()


def test_flexible_bodies_go_by_the_mass_matrix() -> None:
    places = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]])
    shapes = np.zeros((3, 3, 1))
    shapes[:, 2, 0] = 0.0, 0.3, 1.0
    rod = Modes.from_particles(np.ones(3), places, shapes, stiffness=np.array([[100.0]]))
    model = Model("rod", (Body("rod", modes=rod),), (Joint("root", GROUND, "rod", fixed()),))
    assert Tree(model).chosen == "mass"
    with pytest.raises(ModelError, match="model 'rod' has flexible bodies"):
        Tree(model, recursion="articulated").forward_dynamics  # noqa: B018
