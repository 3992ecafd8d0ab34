"""A driven sphere: closed forms of holding and slipping, no sliding while the wheels hold, limits of the motors."""

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.plant.sphere.plant import SpherePlant
from tests.plant.sphere.cases import PRESET, moved, plant_of, sphere_on, turn_of

I = 900.0
LAYOUTS = [(3, 45.0), (4, 45.0), (5, 30.0), (3, 0.0), (4, 0.0)]


@pytest.mark.parametrize(("wheels", "gamma"), LAYOUTS)
def test_wheels_that_hold(wheels: int, gamma: float) -> None:
    """Constant torques: M = J_tau tau turns sphere and wheels, I + J_omega' J J_omega; nothing slides meanwhile."""
    atlas = sphere_on(wheels, gamma, inertia=I)
    gear, J = atlas.wheels[0].gear, atlas.wheels[0].axle_inertia
    tau = np.array([3.0, -1.0, 2.0, 0.5, -2.0])[:wheels]
    run = moved(atlas, 12_000, tau_motor=tau)
    alpha = np.linalg.solve(I * np.eye(3) + J * atlas.J_tau @ atlas.J_omega, atlas.J_tau @ (gear * tau))
    Omega = turn_of(run["Q_WS"]).apply(run["omega_S"])
    # the push of the drive sets the sphere in its support into vibration, which is gone after 5 s: exp(-6 * 5)
    np.testing.assert_allclose((Omega[-1] - Omega[-1001]) / 0.5, alpha, rtol=0, atol=1e-9 * abs(alpha).max())
    assert np.abs(run["slip"]).max() < 1e-13  # rounding of speeds of 10 m/s
    np.testing.assert_allclose(run["omega_wheel"][-1], atlas.J_omega @ Omega[-1], rtol=0, atol=1e-9)
    # every wheel's torque, less what spins it up, is on the sphere
    f = run["f_contact"][-1] * plant_of(atlas).motion.contacts.arm
    np.testing.assert_allclose(f, gear * tau - J * (atlas.J_omega @ alpha), rtol=1e-8)


def test_a_wheel_that_slips() -> None:
    """Its force is mu N against the sliding, and turns the sphere; the wheel runs away with the rest of its torque."""
    atlas = sphere_on(inertia=I)
    wheel, tau = atlas.wheels[0], np.array([20.0, 0.0, 0.0])
    scale = np.array([0.3, 1.0, 1.0])
    run = moved(atlas, 4000, tau_motor=tau, friction_scale=scale)
    f, N, slip = run["f_contact"], run["N_wheel"], run["slip"]
    assert (slip[100:, 0] < 0).all()  # the wheel is ahead of the sphere
    np.testing.assert_allclose(f[:, 0], 0.3 * wheel.friction * N[:, 0], rtol=1e-14)
    assert np.abs(slip[:, 1:]).max() < 1e-11  # what the sweeps leave of a wheel beside: 2e-13
    assert (np.abs(f[:, 1:]) < wheel.friction * N[:, 1:]).all()
    # two held wheels move with the sphere
    J, held = wheel.axle_inertia, slice(1, 3)
    inertia = I * np.eye(3) + J * atlas.J_tau[:, held] @ atlas.J_omega[held]
    arm = wheel.radius * np.cos(wheel.roller_angle)
    steady = f[-1, 0] * arm
    alpha = np.linalg.solve(inertia, atlas.J_tau[:, 0] * steady)
    Omega = turn_of(run["Q_WS"]).apply(run["omega_S"])
    np.testing.assert_allclose((Omega[-1] - Omega[-101]) / 0.05, alpha, rtol=0, atol=1e-4 * abs(alpha).max())
    runaway = (run["omega_wheel"][-1, 0] - run["omega_wheel"][-101, 0]) / 0.05
    assert runaway == pytest.approx((wheel.gear * tau[0] - steady) / J, rel=1e-4)  # N still moves by that much


def test_wheels_hold_again_when_the_oil_is_gone() -> None:
    atlas = sphere_on(inertia=I)
    slipping = moved(atlas, 400, tau_motor=np.array([20.0, 0.0, 0.0]), friction_scale=np.array([0.2, 1.0, 1.0]))
    assert abs(slipping["slip"][-1, 0]) > 0.5
    ports = [p.name for p in plant_of(atlas).state_ports]
    run = moved(atlas, 1000, start={name: slipping[name][-1] for name in ports})
    holds = np.abs(run["slip"]).max(axis=1) < 1e-11
    first = int(np.argmax(holds))
    assert 0 < first < 200 and holds[first:].all()
    assert (np.diff(np.abs(run["slip"][:first, 0])) < 0).all()  # the sliding only ever falls


def test_motors_end_at_their_limits() -> None:
    plant = SpherePlant(PRESET, ripple=False)
    step = compile(plant.step)
    wheel, state = PRESET.wheels[0], plant.at_rest()
    J, arm, h = wheel.axle_inertia, wheel.radius * np.cos(wheel.roller_angle), plant.dt

    def torque(asked: float, share: float) -> float:
        """What reaches the axle of the first wheel at a share of its largest speed, over the gear."""
        speed = np.array([share * wheel.speed_limit, 0.0, 0.0])
        given = {**plant.quiet, "tau_motor": np.array([asked, 0.0, 0.0])}
        found = dict(
            zip((p.name for p in plant.step.outputs), step(**{**state, "omega_wheel": speed}, **given), strict=True)
        )
        gained = J * (found["omega_wheel_next"][0] - speed[0]) / h
        return float(gained + arm * found["f_contact"][0]) / wheel.gear

    for asked, share, expected in (
        (1e9, 0.0, 40.0), (-np.inf, 0.0, -40.0), (5.0, 0.8, 5.0), (1e3, 0.95, 20.0), (1e3, 1.0, 0.0), (1e3, 2.0, 0.0),
        (-1e3, 1.5, -40.0), (1e3, -1.5, 40.0), (-1e3, -0.95, -20.0), (np.nan, 0.5, 0.0),
    ):  # fmt: skip
        assert torque(asked, share) == pytest.approx(expected, abs=1e-6), (asked, share)


@pytest.mark.parametrize(("ripple", "order", "error"), [(False, 2, 2e-7), (True, 1, 2e-6)])
def test_order_of_a_driven_motion(ripple: bool, order: int, error: float) -> None:
    """A brisk second with every loss, against steps of 1/32 ms: 1.4e-7 at 0.5 ms, 8e-7 on rollers."""
    atlas, ends = sphere_on(com=(0.02, -0.03, -0.06), lossy=True), []
    for rate in (1000, 2000, 32_000):
        t = (np.arange(rate)[:, None] + 0.5) / rate  # a torque holds over a tick
        tau = 12 * np.sin(2 * np.pi * np.array([1.0, 1.5, 0.5]) * t)
        run = moved(atlas, rate, 1 / rate, ripple, tau_motor=tau)
        ends.append(np.concatenate([run["Q_WS"][-1], run["omega_S"][-1]]))
    off = [np.abs(end - ends[-1]) for end in ends[:2]]
    assert off[1][:4].max() < error
    assert np.log2(np.linalg.norm(off[0]) / np.linalg.norm(off[1])) == pytest.approx(order, abs=0.15)
