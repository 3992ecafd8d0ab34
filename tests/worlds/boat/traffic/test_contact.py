"""Contacts: speeds after head-on meetings, energy that never grows, bounds, buoys that give way and come back."""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from motionbase.arrays import Array
from motionbase.compile import Compiled, Port, Program, Struct, compile, q, scan
from motionbase.record.vehicle import G
from motionbase.spatial.rotations import R_quaternion, quaternion_product, quaternion_rotation_vector, unit_quaternion
from motionbase.worlds.boat.lines import Lines, hull_mesh
from motionbase.worlds.boat.traffic.contact import DISCS, FRICTION, LOSS, MOST, SLOW, Fenders, fenders_of, half_breadths
from motionbase.worlds.boat.traffic.sets import TrafficSet
from motionbase.worlds.boat.traffic.step import BUOYS, TRAFFIC, Adrift, Touched, Traffic
from motionbase.worlds.boat.traffic.things import Buoy, Craft, Wall

LINES = Lines("v", length=7.5, beam=2.5, depth=1.2, draft=0.45, deadrise=20.0)
MASS, CENTRE = 2200.0, (-0.6, 0.0, 0.75)
INERTIA = MASS * np.array([0.8, 1.9, 1.9]) ** 2
QUAY = TrafficSet("quay", "", walls=(Wall("quay", (30.0, 0.0), 200.0, 10.0, heading=90.0),))
H = 0.005
SX = ca.SX


@functools.cache
def compiled(target: Literal["python", "llvm"] = "llvm") -> Compiled:
    return compile(TRAFFIC, target)


@functools.cache
def fenders() -> Array:
    return fenders_of(hull_mesh(LINES), CENTRE, MASS, 0.45)


Step = Callable[..., tuple[Array, Array]]


def stepper(traffic: TrafficSet) -> Step:
    """The compiled step on arrays of its own: called from Python it costs little."""
    arrays = compiled().arrays()
    bound = compiled().bind(**arrays)
    arrays["traffic"][...], arrays["fenders"][...] = traffic.parameters, fenders()

    def step(*given: Array | float) -> tuple[Array, Array]:
        for name, value in zip(("t", "h", "p_W", "Q_WB", "V", "V_dot", "adrift"), given, strict=True):
            arrays[name][...] = value
        bound()
        return arrays["touched"].copy(), arrays["adrift_next"].copy()

    return step


class Free(Struct):
    """A body that nothing but contacts moves; V as in a boat's step, angular rate first, in its own axes."""

    t: SX = q("s")
    p: SX = q("m", 3)
    Q: SX = q("-", 4, start=(1.0, 0.0, 0.0, 0.0))
    V: SX = q("SI, mixed", 6)
    V_dot: SX = q("SI, mixed", 6)
    adrift: Adrift = q(of=Adrift)


def moved(traffic: Any, fenders: Any, h: Any, body: Free) -> Any:
    """By the boat's own integrator, velocity Verlet with the velocity looked ahead."""
    _, touched, adrift = TRAFFIC(traffic, fenders, body.t + h, h, body.p, body.Q, body.V, body.V_dot, body.adrift)
    half, V = body.V + 0.5 * h * body.V_dot, body.V + h * body.V_dot
    mid = quaternion_product(body.Q, quaternion_rotation_vector(0.5 * h * half[:3]))
    Q = unit_quaternion(quaternion_product(body.Q, quaternion_rotation_vector(h * half[:3])))
    inertia = SX(INERTIA)
    spin = (touched.push[:3] - ca.cross(V[:3], inertia * V[:3])) / inertia
    V_dot = ca.vertcat(spin, touched.push[3:] / MASS - ca.cross(V[:3], V[3:]))
    after = Free(body.t + h, body.p + h * (R_quaternion(mid) @ half[3:]), Q, half + 0.5 * h * V_dot, V_dot, adrift)
    return after, touched, after.p, after.V, ca.horzcat(adrift.x, adrift.y)


FREE = Program(
    "free_body",
    (Traffic.port("traffic"), Fenders.port("fenders"), Port("h", (), "s"), Free.port("body")),
    (
        Free.port("body_next"), Touched.port("touched"), Port("p", 3, "m"), Port("V", 6, "SI, mixed"),
        Port("adrift", (BUOYS, 2), "m"),
    ),
    moved,
)  # fmt: skip


@functools.cache
def run() -> Any:
    return scan(FREE, record=["touched", "p", "V", "adrift"])


class Flight(NamedTuple):
    """Places, velocities, what touches it, how far buoys are away, after every step."""

    p: Array
    V: Array
    touched: Array
    adrift: Array

    @property
    def energy(self) -> Array:
        """Kinetic [J]."""
        return np.asarray(0.5 * (self.V**2 @ np.concatenate([INERTIA, np.full(3, MASS)])))


def free(traffic: TrafficSet, p: Array, heading: float, V: Array, steps: int, h: float = H) -> Flight:
    """Steps from a place with a heading."""
    start = Free.layout.vector({"p": p, "Q": [math.cos(heading / 2), 0, 0, math.sin(heading / 2)], "V": V})
    found = run()(steps, traffic=traffic.parameters, fenders=fenders(), h=np.array(h), body=start)
    return Flight(found["p"], found["V"], found["touched"], found["adrift"])


def ahead(speed: float) -> Array:
    return np.array([0, 0, 0, speed, 0, 0.0])


# ---- a hull and a wall ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("speed", [1.5, 6.0, 18.0])
def test_head_on_she_leaves_with_a_third_of_her_speed(speed: float) -> None:
    """m v dv = f(x) (1 + beta w(v)) dx on the way in, with 1 - beta w on the way out: both have the same integral of f.

    So the speed of leaving follows without f; far over v_0, where w = 1, it is sqrt((1 - beta) / (1 + beta)).
    """

    def spring_energy(v: float, sign: float) -> float:
        made: float = quad(lambda u: u / (1 + sign * LOSS * u / math.hypot(u, SLOW)), 0, v)[0]
        return made

    stored = spring_energy(speed, 1.0)
    e = brentq(lambda v: spring_energy(v, -1.0) - stored, 1e-9, speed) / speed
    assert e == pytest.approx(math.sqrt((1 - LOSS) / (1 + LOSS)), rel=0.2 if speed < 2 else 0.03)
    found = free(QUAY, np.array([25 - 6.0, 0.0, 0.3]), 0.0, ahead(speed), int((5 / speed + 8 / speed + 1) / H))
    assert found.touched[-1, 6] == 0.0  # she is clear of the wall again
    assert -found.V[-1, 3] / speed == pytest.approx(e, rel=0.02)


def test_contacts_converge_with_the_step() -> None:
    """Second order, as the method is: an oblique meeting, places after 1.5 s against those of very short steps."""
    V = np.array([0, 0, 0.2, 5.0, 1.0, 0.0])
    ends = [
        free(QUAY, np.array([19.5, 0.0, 0.3]), 0.4, V, round(1.5 / h), h).p[-1] for h in (H, H / 2, H / 4, H / 32)
    ]  # fmt: skip
    errors = [np.abs(end - ends[-1]).max() for end in ends[:-1]]
    assert errors[0] < 0.02 and errors[0] / errors[2] > 4.0, errors


def test_no_meeting_makes_energy() -> None:
    """Whatever the attitude and speed: after each meeting there is less; while she is pressed in, some is stored."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        heading, speed = rng.uniform(-math.pi, math.pi), rng.uniform(1, 12)
        c, n, aside = math.cos(heading), math.sin(heading), rng.uniform(-3, 3)
        V = np.array([0, 0, rng.uniform(-1, 1), c * speed + n * aside, c * aside - n * speed, 0])
        found = free(QUAY, np.array([18.0, rng.uniform(-50, 50), 0.3]), heading, V, round(14 / speed / H))
        apart = found.touched[:, 6] == 0
        energy = found.energy[apart]
        assert not apart.all()
        assert np.diff(energy).max() < 1e-3 * energy[0]
        assert energy[-1] < 0.9 * energy[0]


def test_forces_are_bounded_and_finite() -> None:
    """At any depth and speed, also far inside of a wall."""
    rng = np.random.default_rng(5)
    most = DISCS * (1 + LOSS) * math.sqrt(1 + FRICTION**2) * MOST * G * MASS
    step, none = stepper(QUAY), Adrift.layout.vector()
    for _ in range(500):
        Q = rng.normal(size=4)
        V = rng.normal(size=6) * 10 ** rng.uniform(-2, 4)
        p = np.array([rng.uniform(15, 45), rng.uniform(-100, 100), rng.uniform(-3, 3)])
        touched, _ = step(0.0, 0.0, p, Q / np.linalg.norm(Q), V, np.zeros(6), none)
        assert np.isfinite(touched).all()
        assert touched[6] <= most


def test_alongside_friction_slows_her_down() -> None:
    """Pressed against a wall with a constant force F, she slows at mu F / m (Coulomb)."""
    F, h = 4000.0, 0.002
    step, adrift = stepper(QUAY), Adrift.layout.vector()
    p, V, Q = (
        np.array([25 - 1.4, 0.0, 0.3]),
        ahead(3.0),
        np.array([math.cos(math.pi / 4), 0, 0, math.sin(math.pi / 4)]),
    )
    speeds = []
    for n in range(1500):
        touched, _ = step(0.0, h, p, Q, V, np.zeros(6), adrift)
        force = np.array([touched[3], touched[4] - F, 0.0])  # to port is away from the wall
        V = V + h * np.concatenate([np.zeros(3), force / MASS])
        p = p + h * np.array([-V[4], V[3], 0.0])
        speeds.append(V[3])
        if n > 1000:
            assert touched[4] == pytest.approx(F, rel=0.02)
    rate = (speeds[1000] - speeds[-1]) / (499 * h)
    assert rate == pytest.approx(FRICTION * F / MASS, rel=0.03)


# ---- what moves ----------------------------------------------------------------------------------------------------

MARK = TrafficSet("mark", "", buoys=(Buoy("mark", (8.0, 0.6)), Buoy("other", (300.0, 0.0))))


def test_a_buoy_is_pushed_aside_and_comes_back() -> None:
    found = free(MARK, np.zeros(3), 0.0, ahead(4.0), 4000)
    far = np.hypot(found.adrift[:, 0, 0], found.adrift[:, 0, 1])
    assert far.max() > 0.5 and far[-1] < 0.01
    assert not found.adrift[:, 1].any()  # the other one
    told = found.touched[np.argmax(far)]
    assert told[7] == 1 and math.hypot(told[8], told[9]) == pytest.approx(far.max())
    assert 2.5 < np.linalg.norm(found.V[-1, 3:]) < 4.0


def test_a_buoy_takes_what_she_gives() -> None:
    """Momentum: what the boat loses in a step the buoy has, but for its mooring and drag, which are slow."""
    h, p = 1e-6, np.array([3.2, 0.0, 0.0])
    _, touched, adrift = compiled()(
        MARK.parameters, fenders(), 0.0, h, p, np.array([1.0, 0, 0, 0]), ahead(4.0), np.zeros(6), Adrift.layout.vector()
    )  # fmt: skip
    assert touched[3] < -100
    np.testing.assert_allclose(2 * 300.0 * adrift[[20, 30]], -h * touched[[3, 4]], rtol=1e-4)


def test_a_ship_that_runs_her_down_shoves_her_away() -> None:
    ship = Craft("ship", 60.0, 10.0, 3.0, "ship", 6.0, (-60.0, 0.0))
    found = free(TrafficSet("ship", "", craft=(ship,)), np.array([0.0, 1.5, 0.3]), math.pi / 2, np.zeros(6), 1600)
    speed = np.linalg.norm(found.V[:, 3:], axis=1)
    assert 5.0 < speed.max() < 6.0 * (1 + 1 / 3) * 1.5
    assert found.touched[-1, 6] == 0.0


def test_nothing_on_the_water_touches_nothing() -> None:
    wakes, touched, adrift = compiled()(
        TrafficSet("none", "").parameters, fenders(), 3.0, H, np.zeros(3), np.array([1.0, 0, 0, 0]), ahead(5.0),
        np.zeros(6), Adrift.layout.vector(),
    )  # fmt: skip
    assert not touched.any() and not adrift.any() and not wakes[:, :2].any()
    assert np.isfinite(wakes).all() and (wakes[:, 4] > 0).all()


# ---- the row of discs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines", [LINES, Lines("ship", length=180.0, beam=25.4, depth=15.0, draft=9.5), Lines("box", 2.0, 1.0, 0.5, 0.2)]
)
def test_discs_follow_the_outline(lines: Lines) -> None:
    """Ends within a tenth of the beam; no disc wider than the hull; sides bare by less than a tenth of the beam."""
    mesh = hull_mesh(lines)
    low, high = mesh.vertices[:, 0].min(), mesh.vertices[:, 0].max()
    f = fenders_of(mesh, (0.0, 0.0, 0.0), 1000.0, lines.draft)
    x, r = Fenders.layout.part(f, "x"), Fenders.layout.part(f, "radius")
    assert (x + r).max() == pytest.approx(high, abs=0.1 * lines.beam)
    assert (x - r).min() == pytest.approx(low, abs=0.1 * lines.beam)
    middle = np.linspace(low + 0.3 * (high - low), low + 0.7 * (high - low), 50)
    side = np.sqrt(np.maximum(r**2 - (middle[:, None] - x) ** 2, 0)).max(axis=1)
    np.testing.assert_allclose(side, half_breadths(mesh, middle), atol=0.1 * lines.beam)
    assert (r <= half_breadths(mesh, np.array([0.0]))[0] * 1.3).all()


def test_the_interpreter_gives_the_same_bits() -> None:
    given = (
        MARK.parameters, fenders(), 1.0, H, np.array([2.9, 0.0, 0.0]), np.array([1.0, 0, 0, 0]), ahead(4.0),
        np.zeros(6), Adrift.layout.vector(),
    )  # fmt: skip
    for got, wanted in zip(compiled("python")(*given), compiled()(*given), strict=True):
        np.testing.assert_array_equal(got, wanted)


def test_touched_is_in_the_order_that_tests_use() -> None:
    starts = Touched.layout.starts
    assert (starts["push"], starts["force"], starts["buoy"], starts["buoy_x"]) == (0, 6, 7, 8)
