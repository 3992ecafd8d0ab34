"""A sphere in its support: balance at rest and under steady acceleration, preload, lift-off and return, refusals."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import PlatformError
from motionbase.plant.sphere.contacts import contact_pressure
from motionbase.plant.sphere.plant import SpherePlant
from motionbase.platform.atlas.analysis import analyse, rest_normals
from motionbase.platform.atlas.atlas import Atlas
from tests.plant.sphere.cases import PRESET, G, moved, plant_of, runner, sphere_on, turn_of

COM = (0.01, -0.02, -0.05)


def pushed(atlas: Atlas, run: dict[str, Any], row: int = -1) -> Any:
    """(3,) sum of all contact forces on the sphere but rolling resistance, in W [N]."""
    at = plant_of(atlas).motion.contacts
    N = np.concatenate([run["N_wheel"][row], run["N_passive"][row]])
    return run["f_contact"][row] @ at.roller - N @ at.outward


@pytest.mark.parametrize("seed", range(4))
def test_it_rests_in_any_orientation(seed: int) -> None:
    """Held against its weight off the centre, it stays; contacts carry the weight."""
    atlas = sphere_on(com=COM, lossy=True)
    plant = plant_of(atlas)
    Q = turn_of(np.random.default_rng(seed).standard_normal(4)).as_quat(scalar_first=True)
    start = plant.at_rest(Q)
    run = moved(atlas, 2000, start=start, tau_motor=plant.holding_torque(Q))
    m = atlas.sphere.mass
    np.testing.assert_allclose(pushed(atlas, run), [0, 0, m * G], rtol=0, atol=1e-6 * m * G)
    np.testing.assert_allclose(run["Q_WS"][-1], Q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(run["d_C"][-1], start["d_C"], rtol=0, atol=1e-9)
    # the stage carries a mass that rests, and the moment of the motors besides
    np.testing.assert_allclose(run["load_stage"][-1, 3:], 0, rtol=0, atol=1e-6 * m * G)
    moment = np.cross(turn_of(Q).apply(COM) + run["d_C"][-1], [0, 0, -m * G])
    np.testing.assert_allclose(run["load_stage"][-1, :3], moment, rtol=0, atol=1e-3)


@pytest.mark.parametrize("a", [(0.0, 0.0, 2.0), (3.0, 0.0, 0.0), (-1.0, 2.0, -3.0)])
def test_a_steady_acceleration_of_the_stage(a: tuple[float, float, float]) -> None:
    atlas = sphere_on(lossy=True)
    run = moved(atlas, 8000, a_stage=np.array(a))
    m = atlas.sphere.mass
    np.testing.assert_allclose(pushed(atlas, run), m * (np.array(a) + [0, 0, G]), rtol=0, atol=1e-4 * m)
    np.testing.assert_allclose(run["load_stage"][-1, 3:], 0, rtol=0, atol=1e-4 * m)


def test_normal_forces_at_rest_are_those_of_the_analysis() -> None:
    plant = SpherePlant(PRESET, ripple=False)
    names = [p.name for p in plant.step.outputs]
    found = dict(zip(names, compile(plant.step)(**plant.at_rest(), **plant.quiet), strict=True))
    rest = analyse(PRESET).rest
    assert rest is not None
    np.testing.assert_allclose(found["N_wheel"], rest, rtol=1e-12)
    rings = [ring.preload for ring in PRESET.rings for _ in range(ring.count)]
    np.testing.assert_allclose(found["N_passive"], rings, rtol=1e-12)
    assert found["N_passive"].shape == (24,)


def test_less_preload_presses_the_driven_wheels_less() -> None:
    """Against the balance of forces, in which springs of wheels and rings share what is missing."""
    atlas, scale = sphere_on(), np.array([1.0, 0.5])
    plant = plant_of(atlas)
    run = moved(atlas, 200, start=plant.at_rest(preload_scale=scale), preload_scale=scale)
    at = plant.motion.contacts
    k_zz = float(at.stiffness @ at.outward[:, 2] ** 2)
    upper = atlas.rings[1]
    missing = 0.5 * upper.preload * upper.contacts[:, 2].sum()  # upward force that nothing takes now
    d_z = missing / k_zz
    assert run["d_C"][-1] == pytest.approx([0, 0, d_z], abs=1e-9)
    wheel = atlas.wheels[0]
    rest = rest_normals(atlas)
    assert rest is not None
    assert run["N_wheel"][-1] == pytest.approx(rest + wheel.stiffness * np.sin(wheel.elevation) * d_z, rel=1e-9)
    assert (run["N_wheel"][-1] < rest).all()


def test_passive_wheels_lift_off_and_come_back() -> None:
    """2 g along x for 0.3 s: wheels behind let go, then all press as before; nothing is thrown."""
    atlas = sphere_on()
    a = np.zeros((8000, 3))
    a[200:800, 0] = -2 * G
    run = moved(atlas, 8000, a_stage=a)
    lifted = run["N_passive"] == 0
    assert lifted[200:800].any() and not lifted[:200].any() and not lifted[-1000:].any()
    assert (run["N_passive"] >= 0).all() and (run["N_wheel"] >= 0).all()
    # the whole force over the stiffness of half the contacts, and half as much again by its sudden begin
    assert np.abs(run["d_C"]).max() < 0.02
    np.testing.assert_allclose(run["N_passive"][-1], run["N_passive"][0], rtol=1e-6)


def test_thrown_out_of_all_contacts_it_falls_back() -> None:
    """Falling free for a while: parabola while nothing touches, rest in the end."""
    atlas = sphere_on()
    away = {"d_C": np.array([0.0, 0.0, 0.2])}  # above all reach of the springs below; the ring above is far compressed
    above = replace(atlas, rings=tuple(replace(r, elevation=-0.2) for r in atlas.rings))
    run = moved(above, 20_000, start=away)
    free = (run["N_wheel"].sum(axis=1) + run["N_passive"].sum(axis=1)) == 0
    assert free[:100].all()
    t = 5e-4 * np.arange(1, 101)
    np.testing.assert_allclose(run["d_C"][1:101, 2], 0.2 - 0.5 * G * t**2, rtol=1e-10)
    assert np.isfinite(run["d_C"]).all() and np.abs(run["d_C"]).max() < 0.3
    np.testing.assert_allclose(run["d_C"][-1], 0, atol=1e-6)


def test_nothing_becomes_nan() -> None:
    atlas, rng = sphere_on(com=COM, lossy=True), np.random.default_rng(5)
    odd = np.array([np.nan, np.inf, -np.inf, 1e300, -1e6, 0.0, 3.0])
    ticks = 4000
    run = moved(
        atlas, ticks, ripple=True, tau_motor=rng.choice(odd, (ticks, 3)), a_stage=rng.choice(odd, (ticks, 3)),
        friction_scale=np.array([np.nan, 1.0, -2.0]), preload_scale=np.array([np.nan, 1.0]),
    )  # fmt: skip
    assert all(np.isfinite(rows).all() for rows in run.values())


def test_pressure_of_a_contact() -> None:
    """A force on the published 2 square inches; Hertz's distribution p0 sqrt(1 - r^2/a^2) has 2/3 p0 as its mean."""
    mean, peak = contact_pressure(6771.0, PRESET.wheels[0].contact_area)
    assert mean == pytest.approx(6771.0 / 1.29032e-3) and mean == pytest.approx(2 / 3 * peak)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpherePlant(PRESET, dt=0.0), "dt is 0.0 s, a finite number above 0 is wanted"),
        (lambda: SpherePlant(PRESET, substeps=0), "substeps is 0, a whole number of at least 1 is wanted"),
        (lambda: SpherePlant(PRESET, dt=0.02).step, "a step of 0.02 s is too long for its contacts"),
        (lambda: SpherePlant(replace(PRESET, rings=())).step, "rings are none, the dynamics need at least one"),
        (lambda: SpherePlant(PRESET).at_rest((0, 0, 0, 0)), "Q is (0, 0, 0, 0), four finite numbers, not all 0"),
        (lambda: SpherePlant(PRESET).at_rest(preload_scale=(1, 2, 3)), "preload_scale is (1, 2, 3), one number or 2"),
    ],
)
def test_refusals(make: Any, message: str) -> None:
    with pytest.raises(PlatformError, match=re.escape(message)):
        make()


def test_substeps_are_steps() -> None:
    """A tick of two parts is two ticks of half the length, bit by bit."""
    atlas = sphere_on(com=COM, lossy=True)
    tau = np.array([4.0, -3.0, 1.0])
    fine = moved(atlas, 20, 2.5e-4, tau_motor=tau)
    plant = SpherePlant(atlas, substeps=2, ripple=False)
    step, state = compile(plant.step), plant.at_rest()
    names = [p.name for p in plant.step.outputs]
    for _ in range(10):
        found = dict(zip(names, step(**state, **{**plant.quiet, "tau_motor": tau}), strict=True))
        state = {name: found[after] for name, after in plant.feedback.items()}
    for name in state:
        np.testing.assert_array_equal(state[name], fine[name][-1])


def test_a_quaternion_keeps_its_length() -> None:
    """Over 1e5 steps that turn it many times."""
    atlas = sphere_on(com=COM)
    plant = plant_of(atlas)
    start = {**plant.at_rest(), "omega_S": np.array([2.0, -1.0, 3.0])}
    given = {**plant.quiet, "friction_scale": np.zeros(3)}
    many = {name: np.zeros((100_000, 3)) for name in ("tau_motor", "a_stage")}
    everything: dict[str, Any] = {**start, **given, **many}
    out = runner(atlas)(100_000, every=100_000, **everything)
    assert abs(np.linalg.norm(out["Q_WS"]) - 1) < 1e-12
    assert np.linalg.norm(out["omega_S"]) > 2
