"""The simple mode's boat: its box keeps on the surface, and what a person feels is the motion's own derivative."""

import json
import math

import numpy as np
import pytest

from motionbase.record.vehicle import G
from motionbase.worlds.felt import angles_of, felt, held, quaternion
from motionbase.worlds.library import world_url
from motionbase.worlds.seed.boat import Boat, Course, Pull, afloat
from motionbase.worlds.seed.wave import Wave
from motionbase.worlds.seed.world import DT, EYE, SeedWorld


def test_on_still_water_a_boat_at_rest_feels_gravity_alone() -> None:
    world = SeedWorld(Boat(), Wave(height=0.0))
    world.step((0.0, 0.0))
    assert world.vehicle == pytest.approx((0, 0, G, *(0,) * 10), abs=1e-12)
    assert world.place == pytest.approx((0, 0, 0, 1, *(0,) * 6), abs=1e-12)


def test_in_a_steady_turn_it_feels_the_centripetal_acceleration() -> None:
    """Flat water, long after the start: speed 6 m/s and 0.35 rad/s at full throttle and rudder, to the left."""
    world = SeedWorld(Boat(), Wave(height=0.0))
    for _ in range(12000):
        world.step((1.0, 1.0))
    f_x, f_y, f_z = world.vehicle[:3]
    assert f_y == pytest.approx(6.0 * 0.35, rel=1e-6) and f_z == pytest.approx(G)
    assert f_x == pytest.approx(-EYE[0] * 0.35**2, rel=1e-4)  # the eye is behind the middle: pulled forward


def test_on_long_waves_the_box_lies_in_the_surface() -> None:
    """Waves far longer than the box: its corners lie on the surface, to the second order of length over wavelength."""
    wave, course = Wave(height=1.0), Course(20.0, -7.0, 0.8, 3.0, 0.1)
    boat = Boat(length=0.02, beam=0.01)
    m = afloat(boat, wave, 3.3, course, Pull(0.4, 0.05))
    R = _rotation(m.angles)
    corners = np.array([[x, y, 0.0] for x in (0.01, -0.01) for y in (0.005, -0.005)]) @ R.T + m.p
    still = np.zeros((4, 2))
    np.testing.assert_allclose(corners[:, 2], wave.under(3.3, corners[:, :2], still, still).now, atol=2e-5)


def _rotation(angles: tuple[float, float, float]) -> np.ndarray:
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in angles)
    x, y, z = (
        np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]),
        np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]]),
        (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])),
    )
    R: np.ndarray = z @ y @ x
    return R


def test_what_is_felt_is_the_derivative_of_the_motion() -> None:
    """The motion of the eye by central differences of its place over 1 ms in a course of constant turn and speed."""
    boat, wave, h = Boat(), Wave(height=0.6), 1e-3

    def at(t: float) -> tuple[np.ndarray, np.ndarray, tuple[float, ...]]:
        turn, speed = 0.2, 4.0
        course = Course(
            speed / turn * math.sin(turn * t), speed / turn * (1 - math.cos(turn * t)), turn * t, speed, turn
        )
        m = afloat(boat, wave, t, course, Pull(0.0, 0.0))
        R = _rotation(m.angles)
        return np.array(m.p) + R @ EYE, R, felt(m.angles, m.omega, m.alpha, m.a, EYE)

    for t in (1.0, 6.2, 9.999):
        (low, R_low, row_low), (middle, R, row), (high, R_high, row_high) = at(t - h), at(t), at(t + h)
        acceleration = (high - 2 * middle + low) / h**2
        np.testing.assert_allclose(row[:3], R.T @ (acceleration + [0, 0, G]), atol=2e-4)
        spin = R.T @ (R_high - R_low) / (2 * h)
        np.testing.assert_allclose(row[3:6], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=2e-5)
        np.testing.assert_allclose(row[6:9], (np.array(row_high[3:6]) - row_low[3:6]) / (2 * h), atol=2e-4)


def test_a_course_is_integrated_to_the_second_order() -> None:
    """Velocity in the record is the rate of the place: half a step in the middle leaves 1e-5."""
    world = SeedWorld()
    places = []
    script = world.scripts["cruise"]()
    for _ in range(400):
        world.step(script(world.t))
        places.append(world.place)
    p = np.array(places)
    np.testing.assert_allclose((p[2:, :2] - p[:-2, :2]) / (2 * DT), p[1:-1, 7:9], atol=2e-5)


def test_controls_that_are_no_numbers_count_as_zero() -> None:
    world = SeedWorld()
    for _ in range(20):
        world.step((math.nan, math.inf))
    assert world.told[:2] == (0.0, 0.0) and np.isfinite([*world.vehicle, *world.place, *world.told]).all()


def test_attitudes_as_angles_and_quaternions_agree() -> None:
    angles = (0.3, -0.4, 2.0)
    assert angles_of(quaternion(angles)) == pytest.approx(angles)
    row = felt(angles, (0.1, 0.2, 0.3), (0, 0, 0), (1.0, 0, 0), (1, 0, 0))
    assert math.hypot(*held(row)[:3]) == pytest.approx(G) and held(row)[9:] == row[9:]


def test_every_script_moves_the_boat_within_ten_seconds() -> None:
    for script in SeedWorld().scripts:
        world = world_url(f"boat://seed?script={script}")
        assert world is not None
        made = world.made()
        steer = made.scripts[script]()
        rows = []
        for _ in range(2000):
            made.step(steer(made.t))
            rows.append(made.vehicle)
        spread = np.ptp(np.array(rows), axis=0)
        assert spread[2] > 0.5 and spread[10] > 0.02  # m/s^2 up and down, rad of pitch


def test_its_scene_is_plain_json_that_names_channels_of_its_own() -> None:
    world = SeedWorld()
    scene = json.loads(json.dumps(world.scene))
    names = {c.name for c in world.channels}
    assert {i["channel"] for i in scene["instruments"]} | {c["channel"] for c in scene["controls"]} <= names
    assert len(world.told) == len(world.channels) and len(world.place) == 10
