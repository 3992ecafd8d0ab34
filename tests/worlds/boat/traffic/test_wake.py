"""Wakes against Michell's integral over the hull, dispersion, Kelvin's angle, and courses against their closed form."""

import functools
import math
from typing import Any, Literal

import casadi as ca
import numpy as np
import pytest
from scipy.special import airy as scipy_airy

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, Port, Program, compile
from motionbase.errors import WorldError
from motionbase.worlds.boat.traffic.airy import airy
from motionbase.worlds.boat.traffic.courses import Course, circle, moored, round_trip, straight
from motionbase.worlds.boat.traffic.kelvin import Shape, pair
from motionbase.worlds.boat.traffic.wake import ENTRANCE, WAVES, Hull, Ship, place_of, ship_row, waves_of
from motionbase.worlds.sea.patch import Wave
from motionbase.worlds.sea.waves import G

FERRY, U = Hull(40.0, 9.0, 2.2), 7.0
K0 = G / U**2
CUSP = math.asin(1 / 3)
SHORTEST = 14.0  # S at which quadrature ends
Target = Literal["python", "llvm", "c"]


def made(ship: Ship, t: Any, p: Any) -> Any:
    waves = waves_of(ship, t, p)
    return waves, ca.sum1(waves.re), ca.vertcat(*place_of(ship, t))


WAKE = Program(
    "wake",
    (Ship.port("ship"), Port("t"), Port("p", 2)),
    (Wave.port("waves", rows=WAVES), Port("height", (), "m"), Port("pose", 6)),
    made,
)
PAIR = Kernel(
    "pair",
    (Port("k0"), Port("behind"), Port("aside")),
    (Port("c", 4, "m"), Port("k", 4, "rad/m")),
    lambda k0, x, y: tuple(
        ca.vertcat(*(number for wave in part for number in wave))
        for part in pair(Shape(k0, SX(9.0), SX(2.2), SX(3.0)), x, y)
    ),
)
SX = ca.SX


@functools.cache
def compiled(target: Target = "llvm") -> Compiled:
    return compile(WAKE, target)


def wake(course: Course, t: Array, p: Array, hull: Hull = FERRY) -> dict[str, Array]:
    """Results at times and places, a row for each."""
    row = ship_row(course, hull)
    n = len(t)
    found: dict[str, Array] = compiled().map(ship=np.tile(row, (n, 1)), t=t, p=np.ascontiguousarray(p))
    return found


def asymptotic(behind: Array, aside: Array) -> tuple[Array, Array]:
    """Complex amplitudes and wave numbers of both waves from one end of a hull: (n, 2), (n, 2, 2)."""
    n = len(behind)
    out = compile(PAIR).map(k0=np.full(n, K0), behind=behind, aside=aside)
    return out["c"].reshape(n, 2, 2) @ [1, 1j], out["k"].reshape(n, 2, 2)


# ---- against integrals over the hull -------------------------------------------------------------------------------


@functools.cache
def spectrum(hull: Hull) -> tuple[Array, Array]:
    """Parameters t (q = sinh t) and Michell's spectrum, by quadrature over the hull's offsets, up to S = 10.

    zeta = Re integral A exp(-i k0 S (x + y q)) dtheta with x astern, A = -(2 i / pi) k0^2 S^4 int int Y exp(k0 z S^2 +
    i k0 x S) dx dz (Tuck, Scullen and Lazauskas 2002); S = cosh t, dtheta = dt / S.
    """
    e = ENTRANCE * hull.length
    half = hull.length / 2 - e
    x = np.linspace(-half - 20 * e, half + 20 * e, 6001)

    def grown(u: Array) -> Array:  # from 0 to 1 about 0, with the slope exp(-|u| / e) / (2 e)
        return np.where(u < 0, np.exp(-np.abs(u) / e) / 2, 1 - np.exp(-np.abs(u) / e) / 2)

    Y = hull.beam / 2 * (grown(half + x) - grown(x - half))
    nodes, weights = np.polynomial.legendre.leggauss(24)
    z, w = (nodes - 1) * hull.draft / 2, weights * hull.draft / 2
    t = np.linspace(-1, 1, 40001) * np.arccosh(SHORTEST)
    S = np.cosh(np.linspace(0, t[-1], 1001))
    along = np.array([np.trapezoid(Y * np.cos(K0 * s * x), x) for s in S])
    down = np.exp(K0 * np.outer(S**2, z)) @ w
    half_A = 2 / math.pi * K0**2 * S**4 * along * down / S
    half_A = np.interp(t[20000:], np.linspace(0, t[-1], 1001), half_A)
    half_A *= 0.5 + 0.5 * np.cos(np.pi * np.clip((np.cosh(t[20000:]) - 10) / (SHORTEST - 10), 0, 1))
    return t, np.concatenate([half_A[:0:-1], half_A])


def michell(hull: Hull, behind: Array, aside: Array) -> Array:
    """Elevation behind the middle of a hull."""
    t, A = spectrum(hull)
    return np.array([
        -np.trapezoid(A * np.sin(K0 * np.cosh(t) * (x + y * np.sinh(t))), t)
        for x, y in zip(behind, aside, strict=True)
    ])  # fmt: skip


def test_a_wake_is_that_of_michells_hull() -> None:
    """Inside the wedge, at the cusp and outside of it. The expansion's next term is smaller by k0 times the distance
    from the nearer end of the hull."""
    errors = []
    for distance in (60.0, 120.0, 240.0):
        angles = np.linspace(0.25, 1.35, 23) * CUSP  # nearer to the track waves are shorter than the quadrature's
        angles = np.concatenate([angles, -angles[::4]])
        x, y = distance * np.cos(angles), distance * np.sin(angles)
        found = wake(straight(0.0, 0.0, 0.0, U), np.zeros(len(x)), np.stack([-x, y], -1))["height"]
        wanted = michell(FERRY, x, y)
        errors.append(np.abs(found - wanted).max() / np.abs(wanted).max())
    assert errors[0] < 0.12 and errors[1] < 0.05 and errors[2] < 0.025, errors


def test_waves_spread_as_kelvins_do() -> None:
    """Amplitudes fall with the root of the distance inside, with its third root at the cusp (Kelvin 1887)."""
    far = np.array([500.0, 4000.0])
    c, _ = asymptotic(far, np.tan(0.2) * far)
    np.testing.assert_allclose(np.abs(c[1]) / np.abs(c[0]), 8**-0.5, rtol=0.01)
    c, _ = asymptotic(far, np.tan(CUSP) * far)
    total = np.abs(c.sum(axis=1))
    assert total[1] / total[0] == pytest.approx(8 ** (-1 / 3), rel=0.02)  # Airy's derivative falls faster


def test_waves_are_highest_just_inside_of_kelvins_angle() -> None:
    """19.47 deg, approached as the distance to the power of -2/3: Airy's function is largest 1.019 inside."""
    away = []
    for distance in (1e3, 8e3):
        angles = np.linspace(0.9, 1.05, 6001) * CUSP
        c, _ = asymptotic(distance * np.cos(angles), distance * np.sin(angles))
        away.append(CUSP - angles[np.argmax(np.abs(c.sum(axis=1)))])
    assert away[1] > 0 and away[0] / away[1] == pytest.approx(4.0, rel=0.1)
    c, _ = asymptotic(np.full(2, 3000.0), 3000 * np.tan(np.array([1.0, 1.3]) * CUSP))
    assert np.abs(c[1].sum()) < 1e-6 * np.abs(c[0].sum())


def test_waves_keep_up_with_the_hull() -> None:
    """Free waves: omega^2 = g k; seen from her they stand still: their phase speed along her way is hers."""
    x = np.full(10, 300.0)
    y = 300 * np.tan(np.linspace(-0.8, 0.8, 10) * CUSP)  # nearer to the cusp both waves are taken as one
    _, k = asymptotic(x, y)
    np.testing.assert_allclose(
        k[..., 0] * U, np.sqrt(G * np.hypot(k[..., 0], k[..., 1])), rtol=4e-3
    )  # sides join smoothly
    angles = np.abs(np.arctan2(k[..., 1], k[..., 0]))
    assert np.all(angles[:, 0] < np.arctan(math.sqrt(0.5))) and np.all(angles[:, 1] > np.arctan(math.sqrt(0.5)))


def test_the_slope_is_that_of_the_waves() -> None:
    """Wave numbers give the gradient of the height, but for the gradient of amplitudes: smaller by k times distance."""
    rng = np.random.default_rng(2)
    aside = np.concatenate([rng.uniform(-160, -20, 20), rng.uniform(20, 160, 20)])  # on the track waves are very short
    p = np.stack([-rng.uniform(200, 400, 40), aside], -1)
    course, step, zero = straight(0.0, 0.0, 0.0, U), 1e-3, np.zeros(40)
    waves = wake(course, zero, p)["waves"].reshape(-1, WAVES, 5)
    for axis, column in ((0, 2), (1, 3)):
        by = step * np.eye(2)[axis]
        ahead, astern = (wake(course, zero, p + s * by)["height"] for s in (1, -1))
        slope = -np.sum(waves[:, :, 1] * waves[:, :, column], axis=1)
        wanted = (ahead - astern) / (2 * step)
        np.testing.assert_allclose(slope, wanted, atol=0.08 * np.abs(wanted).max(), rtol=0)


# ---- courses -------------------------------------------------------------------------------------------------------

TRIP = round_trip([(0, 0), (400, 0), (400, 300), (0, 300)], 50.0, U, 0.3)
COURSES = (TRIP, circle(10.0, -5.0, -120.0, 6.0, 1.0), straight(5.0, 6.0, 2.0, 4.0), moored(3.0, 4.0, 1.0))


@pytest.mark.parametrize("course", COURSES)
def test_craft_are_where_their_course_says(course: Course) -> None:
    t = np.linspace(-100, 600, 141)
    found = wake(course, t, np.zeros((len(t), 2)))["pose"]
    wanted = np.array([course.at(now) for now in t])
    turned = np.cos(found[:, 2] - wanted[:, 2])
    np.testing.assert_allclose(turned, 1, atol=1e-12)
    np.testing.assert_allclose(np.delete(found, 2, 1), np.delete(wanted, 2, 1), atol=1e-8)


@pytest.mark.parametrize("course", COURSES)
def test_craft_sail_on_for_years(course: Course) -> None:
    """After 30 years as after a minute; places are then known to a hundredth of a millimetre."""
    t = np.array([1e9 + k for k in range(5)])
    found = wake(course, t, np.zeros((5, 2)))
    wanted = np.array([course.at(now)[:2] for now in t])
    np.testing.assert_allclose(found["pose"][:, :2], wanted, atol=1e-4)
    assert np.isfinite(found["height"]).all()


def test_a_course_is_what_its_velocity_makes_of_it() -> None:
    """Places change by the velocity, headings by the turn; a lap leads back."""
    t, h = np.linspace(0.3, 150.3, 301), 1e-4
    rows = np.array([[TRIP.at(now + by) for by in (-h, 0.0, h)] for now in t])
    change = (rows[:, 2] - rows[:, 0]) / (2 * h)
    np.testing.assert_allclose(change[:, :2], rows[:, 1, 3:5], atol=1e-3)  # h times the change of turn at a joint
    np.testing.assert_allclose(np.hypot(rows[:, 1, 3], rows[:, 1, 4]), U, rtol=1e-12)
    np.testing.assert_allclose(TRIP.at(7.0)[:2], TRIP.at(7.0 + TRIP.length / U)[:2], atol=1e-9)


@pytest.mark.parametrize(
    ("course", "place"), [(TRIP, (280.0, 120.0)), (TRIP, (460.0, 260.0)), (COURSES[1], (60.0, -40.0))]
)
def test_a_wake_is_smooth_while_she_turns(course: Course, place: tuple[float, float]) -> None:
    """Over more than a lap no rate is higher than waves of this height have, and none jumps from step to step."""
    dt = 0.02
    t = np.arange(0.0, 1.1 * course.length / course.speed, dt)
    z = wake(course, t, np.tile(place, (len(t), 1)))["height"]
    height = np.abs(z).max()
    assert height > 0.02
    omega = 3 * G / course.speed  # of waves that divergent
    assert np.abs(np.diff(z)).max() < omega * dt * height
    assert np.abs(np.diff(z, 2)).max() < (omega * dt) ** 2 * height


def test_far_ahead_and_around_her_the_water_is_calm() -> None:
    """No waves ahead of her or abeam, and bounded ones at the hull itself."""
    course = straight(0.0, 0.0, 0.0, U)
    calm = np.array([[30.0, 0.0], [500.0, 40.0], [0.0, 90.0], [-30.0, -120.0]])
    assert not wake(course, np.zeros(4), calm)["height"].any()
    rng = np.random.default_rng(1)
    near = rng.uniform((-60, -30), (25, 30), (2000, 2))
    assert np.abs(wake(course, np.zeros(2000), near)["height"]).max() < U**2 / (2 * G)  # the height of stagnation


def test_craft_that_do_not_move_have_no_wake() -> None:
    p = np.random.default_rng(1).uniform(-200, 200, (50, 2))
    assert not wake(moored(0.0, 0.0), np.zeros(50), p)["height"].any()


# ---- parts ---------------------------------------------------------------------------------------------------------


def test_airys_function() -> None:
    x = np.linspace(-6, 40, 2001)
    run = compile(Kernel("ai", (Port("x"),), (Port("ai"), Port("ai_prime")), airy))
    found = run.map(x=x)
    ai, ai_prime, _, _ = scipy_airy(-x)
    quiet = x < -3.5  # both are faded to zero there
    for name, wanted, small in (("ai", ai, 0.003), ("ai_prime", ai_prime, 0.006)):
        np.testing.assert_allclose(found[name][~quiet], wanted[~quiet], atol=4e-6)
        np.testing.assert_allclose(found[name][quiet], wanted[quiet], atol=small)


def test_the_interpreter_gives_the_same_bits() -> None:
    row, p = ship_row(TRIP, FERRY), np.array([280.0, 120.0])
    for got, wanted in zip(compiled("python")(row, 33.0, p), compiled()(row, 33.0, p), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: round_trip([(0, 0), (9, 0)], 1.0, 1.0), "at least three"),
        (lambda: round_trip([(0, 0), (90, 0), (90, 90)], 60.0, 1.0), "too short"),
        (lambda: circle(0, 0, 0.0, 1.0), "radius"),
        (lambda: ship_row(circle(0, 0, 30.0, 5.0), FERRY), "400 m or more"),
        (lambda: ship_row(straight(0, 0, 0, -5.0), FERRY), "bow first"),
    ],
)
def test_courses_that_cannot_be(make: Any, words: str) -> None:
    with pytest.raises(WorldError, match=words):
        make()
