"""The car against closed forms: rest, ride, cornering, braking, energy, order of the step, standstill on a slope."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.multibody.tree.outputs import Outputs
from motionbase.record.vehicle import G
from motionbase.worlds.drive import driveline
from motionbase.worlds.drive.chassis import TRAVEL_Q, Chassis
from motionbase.worlds.drive.dynamics import INNER, Demand, Dynamics, Motion
from motionbase.worlds.drive.roads import road_of
from motionbase.worlds.drive.simulation import DT, Simulation
from motionbase.worlds.drive.surface import Surface
from motionbase.worlds.drive.world import DriveWorld
from tests.worlds.drive.pads import PLAIN, driven, on_pad, without_losses


def test_at_rest_loads_and_ride_height_are_those_of_statics() -> None:
    """Levers of the centre of mass give the loads, tyres sink by load over stiffness: its point is on the road."""
    car = on_pad()
    rear = (PLAIN.wheelbase / 2 - PLAIN.body.ahead) / PLAIN.wheelbase * PLAIN.body.mass * G / 2
    front = PLAIN.body.mass * G / 2 - rear
    wanted = [front + PLAIN.front.unsprung * G] * 2 + [rear + PLAIN.rear.unsprung * G] * 2
    np.testing.assert_allclose(car.seen["load"], wanted, rtol=1e-9)
    rows = driven(car, 1.0, (0, 0, 0, 0))
    np.testing.assert_allclose(rows[-1, :3], 0, atol=1e-9)
    np.testing.assert_allclose(rows[-1, TRAVEL_Q], 0, atol=1e-9)


def _frequencies(corner: float, spring: float, unsprung: float, tyre: float) -> tuple[float, float]:
    """Of a quarter of a car without dampers: body and wheel [Hz]."""
    M = np.diag([corner, unsprung])
    K = np.array([[spring, -spring], [-spring, spring + tyre]])
    found = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real) / (2 * math.pi)
    return float(found.min()), float(found.max())


def test_the_front_rides_at_the_frequency_of_a_quarter_of_the_car() -> None:
    """After a small drop of the car, without dampers. Front and rear would bounce on their own if the radius of
    gyration squared were the product of the levers; it is 0.82 of it, which couples them a little."""
    car = on_pad(without_losses())
    body = PLAIN.body
    a, b = PLAIN.wheelbase / 2 - body.ahead, PLAIN.wheelbase / 2 + body.ahead
    assert body.inertia[1] / body.mass / (a * b) == pytest.approx(0.82, abs=0.05)
    car.q[2] += 0.004
    rows = driven(car, 4.0, (0, 0, 0, 0))
    z = rows[:, 2] - rows[:, 2].mean()
    spectrum = np.abs(np.fft.rfft(z * np.hanning(len(z)), 1 << 15))
    peak = np.fft.rfftfreq(1 << 15, DT)[int(spectrum.argmax())]
    low = [
        _frequencies(body.mass / 2 * other / (a + b), axle.spring, axle.unsprung, PLAIN.tyre.stiffness)[0]
        for axle, other in zip(PLAIN.axles, (b, a), strict=True)
    ]
    assert min(low) * 0.93 < peak < max(low) * 1.07


def _linear_gradient() -> float:
    """Understeer gradient of the linear single-track model [rad s^2/m]: what the axles carry over their stiffnesses.

    Forces of the tyres act behind the axles by the pneumatic trail, so the front axle takes more of them, and the
    rack gives way to their moment about the kingpins.
    """
    total, steering, tyre = 0.0, PLAIN.steering, PLAIN.tyre
    mass = sum(PLAIN.loads) / G
    for load, other, sign in zip(PLAIN.loads, PLAIN.loads[::-1], (1, -1), strict=True):
        share = load / (tyre.cornering_load * tyre.load)
        stiffness = tyre.cornering * tyre.load * math.sin(2 * math.atan(share))
        arm = PLAIN.wheelbase * load / (load + other) + sign * tyre.trail  # of the other axle's force
        if sign > 0:
            stiffness /= 1 + stiffness * (steering.trail + tyre.trail) / steering.stiffness
        total += sign * mass * arm / PLAIN.wheelbase / stiffness
    return total


def test_it_understeers_as_the_linear_single_track_model() -> None:
    """Steady turns of about 1 m/s^2: wheel angle = L / R + K a. Left out are load transfer, the drive's force and the
    curves of the tyres at 1 m/s^2, each a few per cent of K."""
    speed, angle, rows, _ = _steady_turn()
    r, v = rows[-200:, 17 + 2].mean(), rows[-200:, 17 + 3].mean()
    assert v == pytest.approx(speed, rel=0.02)
    assert rows[-1, 17 + 2] == pytest.approx(rows[-300, 17 + 2], rel=0.03)
    assert (angle - PLAIN.wheelbase * r / v) / (r * v) == pytest.approx(_linear_gradient(), rel=0.12)


@cache
def _steady_turn() -> tuple[float, float, np.ndarray, np.ndarray]:
    """Speed, wheel angle, coordinates and speeds, and loads at the end of a left turn of about 1 m/s^2."""
    speed = 18.0
    car = on_pad(speed=speed, assisted=False)
    angle = PLAIN.wheelbase * 1.0 / speed**2 + _linear_gradient()
    extra = 0.0

    def controls(t: float) -> tuple[float, float, float, float]:
        nonlocal extra
        by = speed - float(car.v[3])
        extra += 0.002 * by
        return angle / PLAIN.steering.lock, max(0.0, 0.08 + extra + 0.2 * by), 0.0, 0.0

    return speed, angle, driven(car, 7.0, controls), car.seen["load"].copy()


def _height() -> float:
    """Of the centre of mass of the whole car at rest [m]; the wheels sink by their load over the stiffness."""
    body, tyre = PLAIN.body, PLAIN.tyre
    wheels = (
        2 * a.unsprung * (tyre.radius - F / tyre.stiffness) for a, F in zip(PLAIN.axles, PLAIN.loads, strict=True)
    )
    return (body.mass * body.height + sum(wheels)) / PLAIN.mass


def test_a_turn_loads_the_outer_wheels_and_rolls_the_body_outwards() -> None:
    """To the left: m a h over the track goes to the right wheels, and the body leans right, which is a positive roll.

    The roll is that of springs and anti-roll bars about the roll axis, with the moment of the leaning body's weight,
    and of the tyres. The leaning weight on the tyres, 1 %, and changes of the track are left out.
    """
    _, _, rows, loads = _steady_turn()
    a = rows[-1, 17 + 2] * rows[-1, 17 + 3]
    track = (PLAIN.front.track + PLAIN.rear.track) / 2
    assert a > 0.8 and loads[[1, 3]].sum() - loads[[0, 2]].sum() == pytest.approx(
        2 * PLAIN.mass * a * _height() / track, rel=0.05
    )
    body = PLAIN.body
    share = 0.5 + body.ahead / PLAIN.wheelbase
    axis = share * PLAIN.front.roll_centre + (1 - share) * PLAIN.rear.roll_centre
    springs = sum(axle.track**2 * (axle.spring / 2 + axle.anti_roll) for axle in PLAIN.axles)
    tyres = sum(axle.track**2 * PLAIN.tyre.stiffness / 2 for axle in PLAIN.axles)
    arm = body.height - axis
    roll = body.mass * a * arm / (springs - body.mass * G * arm) + PLAIN.mass * a * _height() / tyres
    w, x, *_ = rows[-1, 3:7]
    assert 2 * math.atan2(x, w) == pytest.approx(roll, rel=0.06)


@pytest.mark.parametrize("gear", (8.0, -8.0))
def test_gears_lose_power_whether_the_engine_drives_or_brakes(gear: float) -> None:
    """Of the power of the turbine the wheels get the efficiency; of what the wheels give, the turbine gets it."""
    found = []
    for engine, throttle in ((400.0, 1.0), (100.0, 0.0)):
        motion = Motion.of(ca.SX(Motion.layout.vector({"engine": engine})))
        demand = Demand.of(ca.SX(Demand.layout.vector({"ratio": gear, "coupled": 1.0, "throttle": throttle})))
        spin = 25.0 * math.copysign(1.0, gear)
        torques, _, _ = Dynamics(PLAIN)._driven(motion, demand, ca.SX([spin] * 4))
        turbine = driveline.torques(
            PLAIN.engine, ca.SX(engine), ca.SX(gear * spin), ca.SX(throttle), ca.SX(1.0)
        ).turbine
        found.append((spin * float(np.array(ca.evalf(torques)).sum()), float(ca.evalf(turbine * gear * spin))))
    (driven_wheels, driving), (braking_wheels, braked) = found
    assert driving > 0 > braked
    assert driven_wheels == pytest.approx(PLAIN.engine.efficiency * driving)
    assert braked == pytest.approx(PLAIN.engine.efficiency * braking_wheels)


def test_braking_loads_the_front_wheels_and_lowers_the_nose() -> None:
    """By m a h over the wheelbase, a the deceleration; drag and its height, and the dive of the body, are 1 % of it."""
    car = on_pad(speed=25.0)
    rows = driven(car, 1.5, (0, 0, 0.4, 0))
    a = -(rows[-1, 17 + 3] - rows[-41, 17 + 3]) / (40 * DT)
    found = car.seen["load"][:2].sum() - 2 * PLAIN.loads[0]
    assert 2.0 < a < 7.0 and found == pytest.approx(PLAIN.mass * a * _height() / PLAIN.wheelbase, rel=0.04)
    assert rows[-1, 5] > 0.005  # a positive pitch


def test_what_the_driver_feels_is_the_derivative_of_the_motion() -> None:
    """The eye's place, twice differenced over 5 ms, while it brakes in a turn."""
    car = replace(PLAIN, engine=replace(PLAIN.engine, vibration=0.0))
    world = DriveWorld(car, "test", lambda: Surface(road_of("pad"), rough=0.0), 20.0)
    world.reset()
    places, rows = [], []
    for k in range(400):
        world.step((0.5 * math.sin(4 * k * DT), 0.0, 0.15 + 0.1 * math.sin(6 * k * DT), 0.0))
        place = np.array(world.place)
        places.append(place[:3] + R_of(place[3:7]) @ car.body.eye)
        rows.append((R_of(place[3:7]), np.array(world.vehicle)))
    for k in range(50, 390, 20):
        acceleration = (places[k + 1] - 2 * places[k] + places[k - 1]) / DT**2
        R, row = rows[k]
        np.testing.assert_allclose(row[:3], R.T @ (acceleration + [0, 0, G]), atol=0.03)
        spin = R.T @ (rows[k + 1][0] - rows[k - 1][0]) / (2 * DT)
        np.testing.assert_allclose(row[3:6], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-3)
        np.testing.assert_allclose(row[6:9], (rows[k + 1][1][3:6] - rows[k - 1][1][3:6]) / (2 * DT), atol=0.03)
    assert max(abs(row[1]) for _, row in rows) > 2.0


@pytest.mark.parametrize("grip", (1.0, 0.4))
def test_it_brakes_within_the_distance_of_its_grip(grip: float) -> None:
    """From 25 m/s: at least v^2 / (2 mu g), with air and engine a few per cent less; the ABS loses up to 15 %."""
    car = on_pad(speed=25.0, grip=grip)
    begin, v = float(car.q[0]), float(car.v[3])
    rows = driven(car, 4.5 / grip, (0, 0, 1, 0))
    assert abs(rows[-1, 17 + 3]) < 0.02
    ideal = v * v / (2 * PLAIN.tyre.grip_x * grip * G)
    assert 0.93 * ideal < rows[-1, 0] - begin < 1.2 * ideal
    assert abs(rows[-1, 1]) < 0.05  # and it keeps its lane


@cache
def _energies() -> Callable[..., tuple[np.ndarray, ...]]:
    compiled: Callable[..., tuple[np.ndarray, ...]] = compile(Outputs(Chassis(PLAIN).tree).energies)
    return compiled


def R_of(Q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion wxyz."""
    w, x, y, z = Q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def _energy(q: np.ndarray, v: np.ndarray) -> float:
    """Of motion, height, springs, stops beyond reach, tyres upwards: all relative to rest."""
    car, chassis = PLAIN, Chassis(PLAIN)
    kinetic, potential, _ = (float(x) for x in _energies()(q=q, v=v))
    z = q[TRAVEL_Q]
    total = kinetic + potential
    R = R_of(q[3:7])
    for k in range(4):
        axle, other = car.axles[k // 2], k ^ 1
        up = q[2] + (R @ (np.array(chassis.centre(k)) + z[k] * np.array(chassis.slide(k))))[2] - chassis.centre(k)[2]
        total += axle.spring * z[k] ** 2 / 2 + axle.anti_roll * (z[k] - z[other]) ** 2 / 4
        total += car.carried[k // 2] * chassis.upright(k // 2) * z[k]
        depth = car.loads[k // 2] / car.tyre.stiffness - up
        total += car.tyre.stiffness * depth**2 / 2
    return total


def test_without_dampers_a_bouncing_car_keeps_its_energy() -> None:
    """Dropped by 8 mm with roll centres on the road, so that tyres are not dragged sideways. Energy of the bounce is
    26 J; what the sum leaves out, tyres and brakes that pitch strains lengthwise, is below 1 %."""
    car = on_pad(without_losses())
    car.q[2] += 0.008
    rest = _energy(np.array([0, 0, 0, 1.0, *(0,) * 13]), np.zeros(16))
    before = _energy(car.q.copy(), car.v.copy()) - rest
    rows = driven(car, 2.0, (0, 0, 0, 0))
    after = _energy(rows[-1, :17], rows[-1, 17:]) - rest
    assert before > 20 and after == pytest.approx(before, rel=0.02)


def test_the_step_is_of_second_order() -> None:
    """Half a second of a bend under throttle with inner steps of 1/2, 1 and 2 times the usual: errors fall by four."""
    ends = []
    for factor in (4.0, 2.0, 1.0):
        car = on_pad(speed=15.0)
        car._arrays["h"][...] = DT / INNER * factor
        for k in range(round(40 / factor) * 2):
            demand = {"throttle": 0.5, "ratio": 6.0, "coupled": 1.0, "rack": 0.0, "rack_rate": 0.0}
            t = k * DT * factor
            demand["rack"], demand["rack_rate"] = 0.03 * min(1.0, t / 0.1), 0.3 if t < 0.0999 else 0.0
            for name, value in demand.items():
                car.demand[name][...] = value
            car.demand["brakes"][:] = 0.0
            car.surface.look(car.wheels(), (0.0, 0.0))
            car.run()
            car.motion[:] = car._next
        ends.append(car.motion[:34].copy())
    coarse, fine = (np.abs(a - b).max() for a, b in zip(ends, ends[1:], strict=False))
    assert 1.6 < math.log2(coarse / fine) < 2.6


def test_it_stands_still_on_a_slope() -> None:
    """Ten seconds on the circuit's slope of some per cent: it creeps less than 0.1 mm, and nothing moves or buzzes."""
    car = Simulation(PLAIN, Surface(road_of("circuit"), "C", hills=2.0))
    driven(car, 4.0, (0, 0, 0, 0))
    rows = driven(car, 10.0, (0, 0, 0, 0))
    assert np.abs(np.diff(rows[:, 17:23], axis=0)).max() < 1e-6
    assert np.hypot(*(rows[-1, :2] - rows[0, :2])) < 1e-4
