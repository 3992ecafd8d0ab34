"""Equal groups of a network: found, solved for by one routine, and in motion as the tree engine has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from motionbase.compile.linear import AbstractFactors, factorize_soundly
from motionbase.compile.linear.blocks import BlockFactorization
from motionbase.compile.routine import instructions
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.compare import compare
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import prismatic, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.models.rotor import articulated_rotor, turning
from motionbase.multibody.network import step
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.repeated import repeated_groups

Y = (0.0, 1.0, 0.0)


def cart(arms: int = 3) -> Model:
    """A cart with double pendulums, 17 + 34 arms equations; masses differ, so that only the structure is equal."""
    bodies, joints = [Body("cart", 5.0, inertia=(1.0, 1.0, 1.0))], [Joint("rail", GROUND, "cart", prismatic())]
    for k in range(arms):
        for n, parent in enumerate(("cart", f"rod{k}_0")):
            name, at = f"rod{k}_{n}", (0.0, 0.3 * k, 0.0) if n == 0 else (0.0, 0.0, -0.5)
            inertia = (0.03 + 0.001 * k, 0.03, 0.002)
            bodies.append(Body(name, 1.0 + 0.3 * k, com=(0.0, 0.0, -0.25), inertia=inertia))
            joints.append(Joint(name, parent, name, revolute(Y), at))
    return Model("cart", tuple(bodies), tuple(joints))


def test_groups_are_found_by_what_they_are_joined_to() -> None:
    rotor = articulated_rotor(blades=4, beams=1)
    (family,) = repeated_groups(Network(rotor, 1e-3, rotor.neutral, turning(rotor)).network.assembly)
    assert [len(group) for group in family] == [76] * 4
    assert len({place for group in family for place in group}) == 4 * 76
    (arms,) = repeated_groups(Network(cart(), 1e-3).network.assembly)
    assert [len(group) for group in arms] == [34] * 3
    assert repeated_groups(Network(MODELS["robot6_servos"].build(), 1e-3).network.assembly) == []  # a chain


@pytest.mark.long("compiles four seconds")
def test_turned_blades_are_one_family_and_their_code_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quarter of a turn changes which entries of the flap hinge vanish, but not that one routine serves all blades.

    The bound is a tenth above what was counted; with growth by every entry, or without families, there is more.
    """
    found: list[AbstractFactors] = []

    def kept(*arguments: Any, **options: Any) -> AbstractFactors:
        found.append(factorize_soundly(*arguments, **options))
        return found[-1]

    monkeypatch.setattr(step, "factorize_soundly", kept)
    rotor = articulated_rotor(blades=4, beams=1)
    program = Network(rotor, 1e-3, rotor.neutral, turning(rotor)).program
    count = instructions(program.routine)
    (factors,) = found
    assert isinstance(factors, BlockFactorization)
    assert [len(family.of.family.places) for family in factors.families] == [4]
    assert count < 93_000, count


def test_the_rotor_has_the_equations_that_were_counted() -> None:
    rotor = articulated_rotor()
    network = Network(rotor, 1e-3, rotor.neutral, turning(rotor))
    assert network.equations == 71 + 4 * (52 + 24 * 5) == 759
    assert network.dependence(network.start().ports())[0] > 1e-6  # no row follows from others


def test_groups_move_as_in_the_tree_engine() -> None:
    start = {"rod0_0": 1.0, "rod1_0": -0.5, "rod2_1": 0.7}
    found = compare(cart(), 0.3, 1e-3, q0=start)
    assert found.difference < 1e-7, str(found)  # what Richardson's extrapolation leaves is of fourth order
    assert np.isnan(found.order) or 1.9 < found.order < 2.1
