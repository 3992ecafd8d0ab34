"""Articulated rotors as models: how many equations they have, that they start, and that they fly alike."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.errors import ModelError, MotionBaseError
from motionbase.rotor.blades.planform import load_planform
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.models.articulated import Articulated, Swashplate, articulated_rotor
from motionbase.rotor.models.library import rotor_model, rotor_names


@pytest.mark.parametrize(
    ("name", "equations"),
    [("puma", 283), ("puma_compact", 211), pytest.param("puma_beams", 763, marks=pytest.mark.long("many beams"))],
)
def test_equations_are_as_many_as_formulations_count(name: str, equations: int) -> None:
    """With a node for the ground and three unknowns for the direction of each rod."""
    assert rotor_model(name).network().equations == equations


@pytest.mark.parametrize("root", ["hinges", "compact"])
def test_directions_and_the_ground_are_counted_or_not(root: str) -> None:
    """The ground has twelve equations, four links and three control rods a direction each."""

    counted, not_counted = (rotor_model("puma", root=root, counted=c).network().equations for c in (True, False))
    assert counted - not_counted == 12 + 3 * 7


@pytest.mark.long("compiles rotors")
def test_the_steps_of_the_start_are_solved() -> None:
    """Of the compact rotor; `Flying.of` raises where one is not. All blades are alike."""
    flying = started("puma_compact")
    assert flying.state["worst"][1] == 0.0  # no growth of pivots
    flown = flying.fly(1, {})
    for which in ("lag", "flap", "pitch"):
        angles = flown.angles(which)[0]
        np.testing.assert_allclose(angles, angles[0], atol=1e-9)


@pytest.mark.long("compiles 283 and 763 equations")
@pytest.mark.parametrize("name", ["puma", "puma_beams"])
def test_larger_rotors_start_too(name: str) -> None:
    flying = started(name)
    assert flying.state["worst"][1] == 0.0
    flown = flying.fly(180, {"collective": 0.1})
    compact = started("puma_compact").fly(180, {"collective": 0.1})
    # two revolutions after a step of the collective; hinges 2 cm apart, and elastic twist and bending
    assert flown.loads[-1, 2] == pytest.approx(compact.loads[-1, 2], rel=0.01 if name == "puma" else 0.1)


@cache
def compiled(name: str) -> Flying:
    return Flying.of(rotor_model(name))


def started(name: str) -> Flying:

    return copy.copy(compiled(name))


def test_names_of_blades_are_those_of_the_model() -> None:
    for name in rotor_names():
        rotor = rotor_model(name)
        bodies, joints = {body.name for body in rotor.model.bodies}, {joint.name for joint in rotor.model.joints}
        for k, blade in enumerate(rotor.blades):
            assert {blade.lag, blade.flap, blade.pitch} - {""} <= joints and set(blade.bodies) <= bodies
            assert blade.azimuth == pytest.approx(k * 2 * np.pi / len(rotor.blades))


def test_the_plane_of_the_swashplate_pitches_the_blades() -> None:
    """Height under each link, over the horn, is the pitch at its azimuth: collective, cos, sin."""
    plate = Swashplate(0.3, 0.2, 0.4)
    for psi in np.linspace(0.0, 6.0, 7):
        c, s = np.cos(psi), np.sin(psi)
        x, y = -0.3 * c + 0.2 * s, -0.3 * s - 0.2 * c
        np.testing.assert_allclose(np.array([1.0, x, y]) @ plate.plane() / 0.2, [1.0, c, s], atol=1e-15)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"root": "compact", "beams": 5}, r"root = 'compact' has rigid blades"),
        ({"beams": 1}, r"beams is 1, a whole number from 2"),
        ({"points": 0}, r"0 Gauss points"),
        ({"inflow": "strange"}, r"no inflow 'strange'; "),
        ({"root": "welded"}, r"root is 'welded', must be 'hinges' or 'compact'"),
    ],
)
def test_what_cannot_be_built_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(MotionBaseError, match=message):
        rotor_model("puma", **how)


def test_a_delay_shorter_than_a_few_steps_is_refused() -> None:
    """With two steps of 2.49 ms the inflow would swing between -8 and 15 m/s for ever."""
    with pytest.raises(ModelError, match=r"a delay of 0.005 s, it must be 4 steps of 0.00249 s or more"):
        rotor_model("puma_compact", delay=0.005).network()
    assert rotor_model("puma_compact", delay=0.005).network(1e-3).equations == 211


def test_two_hinges_at_one_radius_are_refused() -> None:
    planform = load_planform("puma")
    assert planform.blade is not None and planform.blade.lag is not None
    together = replace(planform, blade=replace(planform.blade, flap=planform.blade.lag))
    with pytest.raises(ModelError, match=r"two hinges are at one radius; part them, or take root = 'compact'"):
        articulated_rotor(together, Swashplate(0.3, 0.2, 0.4))
    assert articulated_rotor(together, Swashplate(0.3, 0.2, 0.4), Articulated(root="compact")).blades


def test_a_rotor_without_structure_is_refused() -> None:
    bare = replace(load_planform("puma"), blade=None)
    with pytest.raises(ModelError, match=r"rotor 'puma' has no \[blade\] in its file"):
        articulated_rotor(bare, Swashplate(0.3, 0.2, 0.4))


@pytest.mark.long("compiles a rotor")
def test_a_rotor_neither_lifts_nor_pulls_down_at_the_start_and_after_a_stop() -> None:
    rotor = rotor_model("puma_compact")
    collective = rotor.controls[0]
    assert collective.start == collective.safe == pytest.approx(np.deg2rad(4.3), abs=2e-3)
    flown = Flying.of(rotor).fly(450, {})
    # sections cancel for one slope of lift; with Mach number, stall and the tip's loss 2 % of 50 kN are left
    assert abs(flown.loads[-1, 2]) < 1000.0


@pytest.mark.long("compiles two rotors")
def test_a_hingeless_rotor_of_beams_lifts_as_the_rigid_one() -> None:
    """Stiff beams from the pitch bearing on, without flap and lag hinges; to bend and twist changes it by under 1 %."""
    thrusts = []
    for beams in (0, 2):
        flying = Flying.of(rotor_model("caradonna_tung", beams=beams))
        flying.fly(400, lambda t: {"collective": np.deg2rad(8.0) * min(1.0, t / 0.1)})
        thrusts.append(flying.fly(600, {"collective": np.deg2rad(8.0)}).loads[-1, 2])
    assert thrusts[1] == pytest.approx(thrusts[0], rel=0.01)
