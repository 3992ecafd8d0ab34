"""Presets fit together: they hold their weight, have oil springs and speeds of such machines, and say what is ours."""

import dataclasses
import math

import numpy as np
import pytest

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.compile import compile
from motionbase.platform.envelope import axis_limits, extremes
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import Kinematics
from motionbase.platform.load import FOLDER, PRESETS, load_platform
from motionbase.spatial.rotations import skew

G = 9.80665
HYDRAULIC = ["simona", "cmf", "odu"]


def neutral_jacobian(h: Hexapod) -> np.ndarray:
    return np.asarray(compile(Kinematics(h).jacobian)(h.p_neutral, (1, 0, 0, 0)))


def weight_on_legs(h: Hexapod) -> np.ndarray:
    """(6,) forces that hold payload and rods at neutral [N]; the rods' part is spread over the payload's."""
    weight = np.array([0, 0, -h.moving_mass * G])
    return np.asarray(
        np.linalg.solve(neutral_jacobian(h).T, -np.concatenate([np.cross(h.payload.com, weight), weight]))
    )


def test_there_are_six() -> None:
    assert set(PRESETS) == {"simona", "cmf", "odu", "emotion-8000", "emotion-1500", "atlas-stage"}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_called_as_its_file_and_has_sources(name: str) -> None:
    h = load_platform(name)
    assert h.name == name
    assert h.summary and h.sources and h.illustrative
    assert hash(h) == hash(load_platform(name))


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_illustrative_is_marked_where_it_stands(name: str) -> None:
    """Each key, or the table it is in, has a comment that says so."""
    lines = (FOLDER / f"{name}.toml").read_text().splitlines()
    for dotted in load_platform(name).illustrative:
        table, _, key = dotted.rpartition(".")
        start = lines.index(next(line for line in lines if line.startswith(f"[{table}]"))) if table else 0
        places = [line for line in lines[start:] if line.startswith((f"{key or dotted} =", f"[{dotted}]"))]
        header = lines[start] if table else ""
        assert "illustrative" in places[0] + header, f"{dotted} in {name}.toml"


@pytest.mark.parametrize("name", PRESETS)
def test_the_operational_extremes_exist(name: str) -> None:
    found = extremes(load_platform(name))
    assert found.converged.all()
    assert found.condition.max() < 12  # far from any singular pose


@pytest.mark.parametrize("name", PRESETS)
def test_commands_along_one_axis_stay_within_the_stroke(name: str) -> None:
    h = load_platform(name)
    reach = np.abs(axis_limits(h)).min(axis=1)
    assert np.all(np.asarray(h.limits.position) <= reach)


@pytest.mark.parametrize("name", PRESETS)
def test_the_legs_hold_the_weight_with_margin(name: str) -> None:
    """At least three times the weight: it must also be accelerated, away from neutral, at speed."""
    h = load_platform(name)
    if isinstance(h.actuator, HydraulicActuator):
        force = h.actuator.area_cap * h.actuator.p_supply - h.actuator.area_rod * h.actuator.p_return
    else:
        force = h.actuator.force_max
        assert h.actuator.brake_force > 2 * weight_on_legs(h).max()
    assert force > 3 * weight_on_legs(h).max()
    assert weight_on_legs(h).min() > 0


@pytest.mark.parametrize("name", HYDRAULIC)
def test_oil_springs_are_those_of_motion_bases(name: str) -> None:
    """5 to 20 Hz for all six modes at neutral, legs without mass: k = E (A1^2 / V1 + A2^2 / V2)."""
    h = load_platform(name)
    a = h.actuator
    assert isinstance(a, HydraulicActuator)
    x = float(h.l_neutral[0]) - h.stroke.hard_min
    V_cap, V_rod = a.volume_cap + a.area_cap * x, a.volume_rod + a.area_rod * (h.stroke.hard_length - x)
    k = a.bulk_modulus * (a.area_cap**2 / V_cap + a.area_rod**2 / V_rod)
    J, m, c = neutral_jacobian(h), h.payload.mass, np.array(skew(np.array(h.payload.com)))
    M = np.block([[h.payload.inertia_matrix - m * c @ c, m * c], [-m * c, m * np.eye(3)]])
    hertz = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, k * J.T @ J)).real) / (2 * math.pi)
    assert 5 < hertz.min() < hertz.max() < 20


@pytest.mark.parametrize("name", HYDRAULIC)
def test_open_valves_reach_the_speed_of_the_legs(name: str) -> None:
    """Extending against a load of 1.25 times the share of the weight: both lands share what is left, areas unequal."""
    h = load_platform(name)
    a = h.actuator
    assert isinstance(a, HydraulicActuator)
    weight = 1.25 * h.payload.mass * 9.80665 / 6
    left = a.p_supply - a.p_return * a.area_rod / a.area_cap - weight / a.area_cap
    drop = left / (1 + (a.area_rod / a.area_cap) ** 3)
    found = a.rated_flow * math.sqrt(drop / a.rated_drop) / a.area_cap
    assert 0.97 < found / h.limits.leg_velocity < 1.2


@pytest.mark.parametrize("name", ["emotion-8000", "emotion-1500", "atlas-stage"])
def test_electric_legs_reach_their_speed(name: str) -> None:
    h = load_platform(name)
    assert isinstance(h.actuator, ElectricActuator)
    assert h.limits.leg_velocity < h.actuator.v_max


@pytest.mark.parametrize("name", PRESETS)
def test_leg_parts_look_like_rods_in_cylinders(name: str) -> None:
    """Slender: the lateral inertia is that of a rod of one to two times the distance of its centre of mass."""
    h = load_platform(name)
    for part in (h.cylinder, h.rod):
        length = math.sqrt(12 * part.inertia_lateral / part.mass)
        assert 1.0 < length / part.com < 3.0
        assert length < h.stroke.l_min
    # neither part reaches through the other at full stroke: they overlap or at least meet
    assert h.cylinder.com + h.rod.com < h.stroke.hard_max


def test_published_numbers_of_the_emotion_platforms() -> None:
    """Radii and pair spacings as given beside the coordinates, which are rounded to 1 mm and 0.01 mm."""
    for name, base, joints, tolerance in (
        ("emotion-8000", (2.517, 0.2286), (2.115, 0.2286), 1e-3),
        ("emotion-1500", (1.2403, 0.1986), (0.9543, 0.18), 1e-4),
    ):
        h = load_platform(name)
        for points, (radius, spacing) in ((h.base, base), (h.joints, joints)):
            array = np.asarray(points)
            np.testing.assert_allclose(np.linalg.norm(array, axis=1), radius, rtol=0, atol=tolerance)
            distances = np.linalg.norm(array[:, None] - array, axis=2)
            nearest = np.min(distances + 9 * np.eye(6), axis=1)
            np.testing.assert_allclose(nearest, spacing, rtol=0, atol=2 * tolerance)


def test_parts_can_be_replaced() -> None:
    h = load_platform("simona")
    light = dataclasses.replace(h, payload=dataclasses.replace(h.payload, mass=3000.0))
    assert light.moving_mass == 3000.0 + 6 * h.rod.mass
