"""A sphere under its law: it follows, drifts nowhere, slips where friction ends, tells of it, and comes to rest."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.compile import scan
from motionbase.errors import SimulationError
from motionbase.platform.atlas.load import load_atlas
from motionbase.system.manoeuvre import Manoeuvre, angle_between, drive
from motionbase.system.manoeuvre_plot import write_manoeuvre
from motionbase.system.sphere_loop import SphereLoop
from motionbase.system.spins import burst, hardest_axis, tumbling
from tests.compile.on_targets import assert_all_targets

ATLAS = load_atlas("atlas")
LOOP = SphereLoop(ATLAS)


@cache
def burst_with(friction: float, preload: float) -> Manoeuvre:
    spin = burst(hardest_axis(ATLAS), ATLAS.limits.acceleration, ATLAS.limits.velocity, LOOP.dt)
    return drive(LOOP, spin, friction_scale=friction, preload_scale=preload)


def test_a_minute_of_tumbling_drifts_nowhere() -> None:
    found = drive(LOOP, tumbling(60.0, ATLAS.limits.velocity, LOOP.dt, seed=3), every=20)
    assert np.degrees(found.drift).max() < 0.1
    assert found.tally.unit_error <= 1e-12
    assert found.slips == () and found.tally.told_at is None and found.tally.lost_at is None


def test_the_command_is_what_its_spin_integrates_to() -> None:
    """Against five times finer steps of the midpoint rule, which is of second order: what remains is its own error."""
    spin, fine = tumbling(3.0, 0.6, 5e-4, seed=1), tumbling(3.0, 0.6, 1e-4, seed=1)
    Q = np.array([1.0, 0, 0, 0])
    for omega, alpha in zip(fine.omega, fine.alpha, strict=True):
        w = omega + 0.5 * fine.dt * alpha
        theta = float(np.linalg.norm(w)) * fine.dt
        s = math.sin(theta / 2) / theta * fine.dt if theta else 0.5 * fine.dt
        a, v = math.cos(theta / 2), s * w
        Q = np.array([a * Q[0] - v @ Q[1:], *(a * Q[1:] + Q[0] * v + np.cross(v, Q[1:]))])
    last = tumbling(3.0 + 5e-4, 0.6, 5e-4, seed=1).Q[-1]
    assert angle_between(Q[None], last[None])[0] < 1e-7
    assert np.abs(np.linalg.norm(spin.omega, axis=1)[2100:] - 0.6).max() < 1e-14


def test_the_largest_manoeuvre_holds_with_the_presets_preload() -> None:
    found = burst_with(1.0, 1.0)
    assert found.slips == () and found.tally.told_at is None
    assert np.degrees(found.drift).max() < 0.05
    assert 0.9 < found.tally.traction.max() < 1.0  # the drive's own forces leave little of what there is at rest


@pytest.mark.parametrize(("friction", "preload"), [(1.0, 0.5), (1.0, 0.0), (0.5, 1.0)])
def test_without_enough_normal_force_it_slips_and_the_law_tells(friction: float, preload: float) -> None:
    found = burst_with(friction, preload)
    first = min(found.slips, key=lambda one: one.begins)
    assert first.fastest > 0.5
    at_bound = np.abs(found.rows["slip"][:, first.wheel - 1]) > 1e-3
    force, normal = found.rows["f_contact"][:, first.wheel - 1], found.rows["N_wheel"][:, first.wheel - 1]
    np.testing.assert_allclose(np.abs(force[at_bound]), (found.friction[0] * normal)[at_bound], rtol=1e-9)
    assert found.tally.told_at is not None and 0 < found.tally.told_at - first.begins < 0.1


def test_lost_traction_brings_the_sphere_to_rest_until_a_reset() -> None:
    found = burst_with(0.5, 0.0)
    assert (
        found.tally.told_at is not None
        and found.tally.lost_at is not None
        and found.tally.lost_at > found.tally.told_at
    )
    assert np.linalg.norm(found.rows["omega_S_next"][-1]) < math.radians(2)
    assert math.degrees(found.drift[-1]) > 5  # it did not go on as if nothing had been
    assert found.tally.spin < 1.3 * ATLAS.limits.velocity


def test_traction_that_comes_back_pulls_nothing_back() -> None:
    """A sphere without any friction coasts; with friction again it is stopped where it is then, not taken back."""
    run = scan(LOOP.program, LOOP.feedback, per_step=["Q_target", "omega_target", "alpha_target", "friction_scale"],
               record=["omega_S_next", "Q_WS_next", "lost"])  # fmt: skip
    spin = burst([0, 0, 1], ATLAS.limits.acceleration, ATLAS.limits.velocity, LOOP.dt, pause=2.0)
    slick = np.ones((len(spin), 3))
    slick[(np.arange(len(spin)) * LOOP.dt > 2.5) & (np.arange(len(spin)) * LOOP.dt < 4.5)] = 0.0
    out = run(len(spin), **{**LOOP.quiet_inputs(), **LOOP.at_rest(), **spin.inputs, "friction_scale": slick})
    assert out["lost"][-1] == 1
    assert np.linalg.norm(out["omega_S_next"], axis=1).max() < 1.1 * ATLAS.limits.velocity
    assert np.linalg.norm(out["omega_S_next"][-1]) < math.radians(0.5)
    came_back = round(4.5 / LOOP.dt)
    assert math.degrees(angle_between(out["Q_WS_next"][came_back][None], out["Q_WS_next"][-1][None])[0]) < 10


def test_slip_is_counted_tick_by_tick_however_long_the_run() -> None:
    brief, long = (
        drive(LOOP, tumbling(seconds, ATLAS.limits.velocity, LOOP.dt), every, friction_scale=0.15)
        for seconds, every in ((2.0, 1), (4.0, 400))
    )
    assert brief.slips and long.slips[0].begins == brief.slips[0].begins
    assert long.slips[0].lasts >= brief.slips[0].lasts


def test_what_the_law_sees_is_the_slip_that_there_is() -> None:
    """Filtered at 20 Hz, and with ripple of the rollers: a fifth of the largest."""
    found = burst_with(0.5, 1.0)
    k = found.slips[0].wheel - 1
    seen, true = found.rows["slip_hat"][:, k], found.rows["slip"][:, k]
    assert abs(np.abs(seen).max() - np.abs(true).max()) < 0.2 * np.abs(true).max()
    assert np.corrcoef(seen, true)[0, 1] > 0.9


def test_a_measurement_that_is_no_number_gives_no_torque() -> None:
    from motionbase.compile import compile

    law = LOOP.law
    given = {**LOOP.quiet_inputs(), "sphere_x": law.state.vector(), **LOOP.plant.at_rest()}
    given["omega_S"] = np.full(3, np.nan)
    ports = {p.name: given[p.name] for p in law.program.inputs}
    out = dict(zip((p.name for p in law.program.outputs), compile(law.program)(**ports), strict=True))
    np.testing.assert_array_equal(out["tau_motor"], 0.0)
    assert np.isfinite(law.state.part(out["sphere_x_next"], "integral")).all()


def test_it_is_the_same_to_the_bit_on_every_lane() -> None:
    """Wheels that hold and slip, motors on and off, and a law that is broken, side by side."""
    random, n = np.random.default_rng(0), 24
    start = {**LOOP.quiet_inputs(), **LOOP.at_rest()}
    batch = {p.name: np.array([np.reshape(start[p.name], p.dims)] * n, dtype=float) for p in LOOP.program.inputs}
    for name, size in {
        "omega_S": 0.5,
        "v_C": 1e-3,
        "d_C": 1e-4,
        "omega_wheel": 3.0,
        "psi": 1.0,
        "a_stage": 1.0,
    }.items():
        batch[name] += size * random.normal(size=batch[name].shape)
    batch["friction_scale"] *= random.choice([0.02, 1.0], (n, 3))
    batch["on"], batch["sphere_x"][:, 0] = random.choice([0.0, 1.0], n), random.choice([0.0, 1.0], n)
    batch["sphere_parameters"][3] = math.nan
    found = assert_all_targets(LOOP.program, batch, ("llvm1", "llvm8"))
    assert np.flatnonzero(found["sphere_fault"]).tolist() == [3]
    assert np.isfinite(found["tau_motor"]).all() and np.ptp(np.abs(found["slip"])) > 0.1


def test_a_picture_of_it(tmp_path: Path) -> None:
    write_manoeuvre(burst_with(1.0, 0.0), tmp_path / "slip.png")
    assert (tmp_path / "slip.png").stat().st_size > 20_000


@pytest.mark.parametrize(
    ("axis", "acceleration", "speed", "sentence"),
    [
        ([0, 0, 0], 1.0, 1.0, "the axis is"),
        ([0, 0, math.nan], 1.0, 1.0, "the axis is"),
        ([0, 0, 1], 0.0, 1.0, "both must be above 0"),
    ],
)
def test_a_burst_that_is_none(axis: list[float], acceleration: float, speed: float, sentence: str) -> None:
    with pytest.raises(SimulationError, match=sentence):
        burst(axis, acceleration, speed, 5e-4)
