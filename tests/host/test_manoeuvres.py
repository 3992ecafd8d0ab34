"""Manoeuvres: attitude, rates, accelerations and specific force belong together, and the figures they are told by."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError
from motionbase.host.manoeuvres import Manoeuvre, manoeuvre, manoeuvre_names, manoeuvre_of, recipe_of
from motionbase.host.manoeuvres.spectra import bretschneider, dryden_across, dryden_along
from motionbase.record.vehicle import VEHICLE, G
from tests.tier import often

F, OMEGA, ALPHA, ANGLES = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
ROLL, PITCH, YAW = 9, 10, 11
RATE = 200.0
# aircraft, cars and boats each; of single axes, whose shapes are the same, some
MOST = [*manoeuvre_names()[:14], "heave_ramp", "roll_step", "pitch_doublet", "yaw_sine"]


@cache
def made(name: str, **options: float) -> Manoeuvre:
    return manoeuvre(name, RATE, **{"duration": min(25.0, recipe_of(name).options["duration"].default), **options})


def integral(x: Array, rate: float) -> Array:
    """From the first sample on, by the trapezoidal rule."""
    return np.concatenate([np.zeros((1, *x.shape[1:])), np.cumsum((x[1:] + x[:-1]) / 2, axis=0)]) / rate


def R_of(angles: Array) -> Array:
    """Vehicle to ground as a product of three elementary rotations, one after the other: yaw, pitch, roll."""
    R: Array = np.broadcast_to(np.eye(3), (len(angles), 3, 3))
    for k, (i, j) in ((2, (0, 1)), (1, (2, 0)), (0, (1, 2))):
        turn = np.zeros((len(angles), 3, 3))
        turn[:, k, k] = 1
        turn[:, i, i] = turn[:, j, j] = np.cos(angles[:, k])
        turn[:, j, i] = np.sin(angles[:, k])
        turn[:, i, j] = -np.sin(angles[:, k])
        R = R @ turn
    return R


@pytest.mark.parametrize("name", MOST)
def test_attitude_rates_and_accelerations_belong_together(name: str) -> None:
    """alpha integrates to omega; a rotation matrix turned by omega sample by sample ends where the angles say."""
    rows = made(name).rows
    assert rows.shape == (len(made(name).t), len(VEHICLE)) and np.isfinite(rows).all()
    omega = rows[0, OMEGA] + integral(rows[:, ALPHA], RATE)
    # the trapezoidal rule: duration h^2 / 12 * the largest second derivative, at 9 Hz and 1 rad/s^2 some 1e-3
    np.testing.assert_allclose(omega, rows[:, OMEGA], atol=2e-3)
    R, given = R_of(rows[:1, ANGLES])[0], R_of(rows[:, ANGLES])
    for k, mean in enumerate((rows[1:, OMEGA] + rows[:-1, OMEGA]) / 2 / RATE):
        angle = np.linalg.norm(mean)
        if angle > 0:
            x, y, z = mean / angle
            K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            R = R @ (np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K)
        if k % 200 == 0:
            np.testing.assert_allclose(R, given[k + 1], atol=2e-4)  # also h^2
    np.testing.assert_allclose(R, given[-1], atol=2e-4)


@pytest.mark.parametrize("name", MOST)
def test_starts_in_a_steady_state_and_does_not_jump(name: str) -> None:
    """No turning at first, and 1 g altogether but for acceleration along a path; no jump between samples."""
    rows = made(name).rows
    np.testing.assert_allclose(rows[0, OMEGA], 0, atol=1e-12)
    np.testing.assert_allclose(rows[0, ALPHA], 0, atol=1e-12)
    assert abs(np.linalg.norm(rows[0, F]) - G) < 0.2
    largest = np.abs(rows[:, F] - rows[0, F]).max()
    assert np.abs(np.diff(rows[:, F], axis=0)).max() < 0.3 * largest + 1e-9


@pytest.mark.parametrize("name", MOST)
def test_samples_do_not_depend_on_the_rate(name: str) -> None:
    slow, fast = manoeuvre(name, 50.0, duration=3.0), manoeuvre(name, 150.0, duration=3.0)
    np.testing.assert_allclose(slow.rows, fast.rows[::3], rtol=1e-12, atol=1e-12)


@given(st.data())
@settings(max_examples=often(60), deadline=None)
def test_any_options_within_their_bounds_make_a_consistent_motion(data: st.DataObject) -> None:
    """Finite numbers whose angular acceleration is the slope of the rates, whatever a person asks for."""
    name = data.draw(st.sampled_from(manoeuvre_names()))
    options = {
        key: data.draw(st.floats(o.least, o.most), key)
        for key, o in recipe_of(name).options.items() if key not in ("duration", "seed")
    }  # fmt: skip
    rows = manoeuvre(name, 100.0, duration=6.0, **options).rows
    assert np.isfinite(rows).all()
    slope = (rows[2:, OMEGA] - rows[:-2, OMEGA]) * 50.0
    # central differences: h^2 / 6 of the second derivative of alpha, at 20 Hz (126 rad/s)^2 of alpha itself
    allowed = 0.3 * np.abs(rows[:, ALPHA]).max() + 1e-9
    np.testing.assert_allclose(slope, rows[1:-1, ALPHA], atol=allowed)


def world_acceleration(rows: Array) -> Array:
    return np.asarray(np.einsum("nij,nj->ni", R_of(rows[:, ANGLES]), rows[:, F]) - (0, 0, G))


def test_a_turn_is_coordinated() -> None:
    """Nothing pulls sideways, the load factor is 1 / cos(bank), and the heading changes by g tan(bank) / V."""
    rows = made("turn", amplitude=30.0, speed=110.0, duration=40.0).rows
    np.testing.assert_allclose(rows[:, 1], 0, atol=1e-12)
    steady = rows[round(17 * RATE)]
    bank = np.radians(30.0)
    np.testing.assert_allclose(steady[F], [0, 0, G / np.cos(bank)], atol=1e-9)
    assert steady[ROLL] == pytest.approx(-bank)  # to the left: the left wing is down
    turned = integral(world_acceleration(rows), RATE)
    ends = 110.0 * np.array([np.cos(rows[-1, YAW]), np.sin(rows[-1, YAW])]) - (110.0, 0)
    np.testing.assert_allclose(turned[-1, :2], ends, atol=1e-3)  # trapezoidal rule
    assert rows[-1, YAW] == pytest.approx(G * np.tan(bank) / 110.0 * 20.0)  # 15 s steady, and 5 s of entry and exit


def test_a_car_brakes_to_a_standstill() -> None:
    """The specific force, turned to the ground, takes all of its speed; the head returns to its place in the car."""
    a = world_acceleration(made("braking", speed=100.0, amplitude=8.0).rows)
    v = 100 / 3.6 + integral(a, RATE)[:, 0]
    assert v[0] == pytest.approx(100 / 3.6) and abs(v[-1]) < 2e-3
    way = integral(100 / 3.6 + integral(a, RATE), RATE)[-1, 0]
    # v^2 / 2 a, and half of the time of the brakes' bite and release at full speed, and the 2 s before
    assert way == pytest.approx(100 / 3.6 * (2.0 + (0.4 + 0.35) / 4) + (100 / 3.6) ** 2 / 16, rel=0.01)


def test_a_lane_change_ends_in_the_first_lane() -> None:
    a = world_acceleration(made("double_lane_change").rows)
    y = integral(integral(a, RATE), RATE)[:, 1]
    assert abs(y[-1]) < 5e-3 and y.max() == pytest.approx(2.5, abs=0.06)  # its head leans by some centimetres
    assert 5.0 < np.abs(made("double_lane_change").rows[:, 1]).max() < 8.0  # what a car's tyres give


def test_take_off_leaves_the_ground_at_its_speed_and_climbs() -> None:
    m = manoeuvre("take_off", 50.0, amplitude=2.5, duration=60.0)
    ground = m.rows[:, 12]
    leaves = int(np.argmin(ground))
    v = integral(world_acceleration(m.rows), 50.0)
    assert 70.0 < v[leaves, 0] < 82.0 and ground[0] == 1 and ground[-1] == 0
    assert np.degrees(np.arctan2(v[-1, 2], v[-1, 0])) == pytest.approx(8.0, abs=0.1)
    assert np.degrees(m.rows[-1, PITCH]) == pytest.approx(-11.7, abs=1e-6)  # nose up is negative
    assert np.degrees(-m.rows[:, 4].min()) == pytest.approx(3.0, abs=0.01)  # peak rate of the rotation


def test_touchdown_takes_the_sink_rate_up() -> None:
    m = made("landing", sink=1.5)
    touch = int(np.argmax(m.rows[:, 12]))
    assert m.t[touch] == pytest.approx(10.0)
    low, high = manoeuvre("landing", sink=0.2).rows[:, 2].max(), m.rows[:, 2].max()
    assert high > low + 3.0


def test_a_boat_that_follows_swell_feels_gravity_across_the_water() -> None:
    """To first order the force in a small body on a free surface is normal to it; the rest is of second order."""
    m = made("swell", amplitude=0.5, duration=40.0)
    steady = m.rows[m.t > 5]
    at_water = steady[:, F] - np.cross(steady[:, ALPHA], (1.0, 0.0, 3.0))  # without the lever arm's part
    slope = np.abs(steady[:, ROLL : PITCH + 1]).max()
    assert slope > 0.01
    assert np.abs(at_water[:, :2]).max() < 0.05 * slope * G


def test_slamming_does_not_climb() -> None:
    """What an impact gives, the light time between takes: the same velocity one period later."""
    m = made("slamming", period=2.5)
    v = integral(world_acceleration(m.rows), RATE)
    period = round(2.5 * RATE)
    at = round(3.2 * RATE)
    # the head is 1 m ahead and pitches, which repeats too
    np.testing.assert_allclose(v[at], v[at + 5 * period], atol=2e-3)
    assert m.rows[:, 2].max() > 20.0 and m.rows[:, 2].min() > 0.0


def test_spectra_have_the_power_they_are_told() -> None:
    omega = np.geomspace(1e-5, 1e4, 200_001)
    for spectrum in (dryden_along, dryden_across):
        assert np.trapezoid(spectrum(omega, 1.7, 300.0, 110.0), omega) == pytest.approx(1.7**2, rel=1e-3)
    waves = bretschneider(omega[omega > 0.05], 2.0, 8.0)
    assert 4 * np.sqrt(np.trapezoid(waves, omega[omega > 0.05])) == pytest.approx(2.0, rel=1e-3)


def test_turbulence_is_the_same_every_time_and_other_with_another_seed() -> None:
    rows = manoeuvre("turbulence", 50.0, duration=5.0).rows
    np.testing.assert_array_equal(rows, manoeuvre("turbulence", 50.0, duration=5.0).rows)
    assert np.abs(rows - manoeuvre("turbulence", 50.0, duration=5.0, seed=2).rows).max() > 0.1


@pytest.mark.parametrize("dof", ["surge", "sway", "heave", "roll", "pitch", "yaw"])
def test_single_axes_move_alone(dof: str) -> None:
    k = ["surge", "sway", "heave", "roll", "pitch", "yaw"].index(dof)
    rows = made(f"{dof}_step").rows
    moved = rows[-1, :6] - (0, 0, G, 0, 0, 0)
    if k < 3:
        np.testing.assert_allclose(moved, np.eye(6)[k], atol=1e-12)
    else:
        np.testing.assert_allclose(moved[3:], np.radians(4.0) * np.eye(6)[k, 3:], atol=1e-12)
        np.testing.assert_allclose(np.linalg.norm(rows[:, F], axis=1), G)  # it turns about the head
    doublet = integral(made(f"{dof}_doublet").rows, RATE)[-1, k]
    start = G * made(f"{dof}_doublet").t[-1] if k == 2 else 0.0
    assert doublet == pytest.approx(start, abs=1e-3)


def test_options_by_name_and_as_text() -> None:
    by_name = manoeuvre("landing", sink=2, duration=20)
    as_text = manoeuvre_of("manoeuvre://landing?sink=2&duration=20")
    np.testing.assert_array_equal(by_name.rows, as_text.rows)
    assert by_name.t[-1] == 20.0 and by_name.options["sink"] == 2.0 and by_name.options["amplitude"] == 2.5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lading", "no manoeuvre 'lading'; did you mean 'landing'?"),
        ("landing?sinks=2", "no option 'sinks'; did you mean 'sink'? (options of landing: "),
        ("landing?sink=9", "manoeuvre 'landing': sink is 9 m/s, it must be 0.1 to 3.5 m/s"),
        ("landing?sink=nan", "'sink=nan' is no option such as amplitude=2"),
        ("landing?sink", "'sink' is no option such as amplitude=2"),
        ("landing?sink=1&sink=2", "option 'sink' is given twice"),
        ("turn?duration=inf", "duration is inf s, it must be 0.1 to 3600 s"),
    ],
)
def test_wrong_names_and_numbers_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(MotionBaseError) as error:
        manoeuvre_of(text)
    assert sentence in str(error.value)


def test_every_manoeuvre_says_where_it_comes_from() -> None:
    for name in manoeuvre_names():
        recipe = recipe_of(name)
        assert recipe.about and recipe.source and {"amplitude", "duration"} <= recipe.options.keys()
    with pytest.raises(MotionBaseError, match="no vehicle 'bus'"):
        manoeuvre_names("bus")
    with pytest.raises(MotionBaseError, match="rate of manoeuvre"):
        manoeuvre("turn", 1e9)
