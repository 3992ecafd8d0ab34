"""Evolution of a front: sorting against brute force, variation within the cube, convergence to a known front."""

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cueing.tune.front import best_of, children, crowding, dominates, ranked


def random(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def over(a: Array, b: Array) -> bool:
    """Definition of dominance."""
    return bool(all(x <= y for x, y in zip(a, b, strict=True)) and any(x < y for x, y in zip(a, b, strict=True)))


@pytest.mark.parametrize("seed", range(5))
def test_fronts_are_those_of_the_definition(seed: int) -> None:
    """Peeling off, one by one, those that nobody left dominates; with equal goals among them."""
    goals = random(seed).integers(0, 6, (30, 2)).astype(float)
    rank = ranked(goals, np.zeros(30))
    left, number = set(range(30)), 0
    while left:
        best = {k for k in left if not any(over(goals[j], goals[k]) for j in left)}
        assert best == set(np.flatnonzero(rank == number).tolist())
        left, number = left - best, number + 1


def test_constraints_come_first() -> None:
    goals = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]])
    violation = np.array([2.0, 0.0, 1.0])
    assert ranked(goals, violation).tolist() == [2, 0, 1]
    assert dominates(goals, violation)[1, 0] and not dominates(goals, violation)[0, 1]
    assert best_of(goals, violation, 2).tolist() == [1, 2]


def test_crowding_keeps_the_ends_and_the_lonely() -> None:
    goals = np.array([[0.0, 1.0], [0.1, 0.9], [0.2, 0.8], [0.8, 0.2], [1.0, 0.0]])
    room = crowding(goals, np.zeros(5, np.intp))
    assert np.isinf(room[[0, 4]]).all()
    np.testing.assert_allclose(room[1:4], [0.4, 1.4, 1.6])  # sides of the box between both neighbours
    assert best_of(goals, np.zeros(5), 4).tolist() == [0, 4, 3, 2]
    assert best_of(goals[[0, 0, 1, 0]], np.zeros(4), 3).tolist() == [0, 2, 1]  # a copy comes last


def test_children_stay_in_the_cube_and_near_their_parents() -> None:
    parents = random(1).uniform(size=(33, 4))
    young = children(parents, random(2))
    assert young.shape == (33, 4) and young.min() >= 0 and young.max() <= 1
    np.testing.assert_array_equal(young, children(parents, random(2)))
    equal = np.full((8, 3), 0.4)  # crossing equal parents gives them again; what mutates stays near
    assert np.abs(children(equal, random(3)) - 0.4).max() < 0.4


def test_it_finds_a_front_that_is_known() -> None:
    """ZDT1 (Zitzler, Deb, Thiele 2000) in six variables: all but the first are 0 on the front, f2 = 1 - sqrt(f1)."""
    generator = random(7)

    def goals_of(x: Array) -> Array:
        g = 1 + 9 * x[:, 1:].mean(axis=1)
        return np.stack([x[:, 0], g * (1 - np.sqrt(x[:, 0] / g))], axis=1)

    x, good = generator.uniform(size=(40, 6)), np.zeros(40)
    for _ in range(150):
        both = np.concatenate([x, children(x, generator)])
        x = both[best_of(goals_of(both), np.zeros(80), 40)]
    found = goals_of(x)
    assert (ranked(found, good) == 0).all()
    assert np.abs(found[:, 1] - (1 - np.sqrt(found[:, 0]))).max() < 0.05
    assert found[:, 0].min() < 0.02 and found[:, 0].max() > 0.95  # both ends
