"""A hydraulic leg: accuracy and order of its step, energy, and what it does at the ends and in trouble."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from motionbase.actuators.energy import ENERGY_PORTS
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import leg_rates, leg_step
from motionbase.actuators.linear import oil_stiffness
from motionbase.compile import compile, scan
from motionbase.errors import ModelError
from tests.actuators.legs import FRICTION, GRAVITY, LEG, MASS, STROKE, balanced, motion, reference, stepper
from tests.tier import often

TICK = 2e-3
STEP = compile(leg_step(LEG, STROKE))
ENERGY = compile(leg_step(LEG, STROKE, energy=True))
RATES = compile(leg_rates(LEG, STROKE))
LINES: dict[str, Any] = {"p_supply": LEG.p_supply, "p_return": LEG.p_return, "abort": 0.0}


def reversals() -> NDArray[np.float64]:
    """Up, a jump to down, a creep, and a slow swing that reverses the friction."""
    t = TICK * np.arange(800)
    swing = 0.15 * np.sin(2 * np.pi * 4 * (t - 1.0))
    return np.where(t < 0.2, 0.35, np.where(t < 0.6, -0.4, np.where(t < 1.0, -0.02, swing)))


CASES: dict[str, tuple[NDArray[np.float64], float]] = {
    "friction reversals": (reversals(), 2.7),
    "into the lower cushion": (np.full(250, -0.6), 2.25),
    "into the upper cushion": (np.full(250, 0.6), 3.2),
}


@pytest.mark.parametrize("case", CASES)
def test_step_of_half_a_millisecond_against_one_microsecond(case: str) -> None:
    """Wanted of a leg with 700 kg: length within 0.1 mm and pressures within 1 % of the supply."""
    u, l = CASES[case]
    exact = motion(reference(LEG), LEG, u, TICK, 1e-6, l=l)
    found = motion(stepper(LEG), LEG, u, TICK, 5e-4, l=l)
    assert np.max(np.abs(found["l_next"] - exact["l_next"])) < 0.1e-3
    p = np.max(np.abs(found["x_next"][:, 2:4] - exact["x_next"][:, 2:4]))
    assert p < 0.01 * LEG.p_supply
    if "cushion" in case:
        slowest = np.min(np.abs(exact["l_dot_next"][-10:]))
        assert slowest < 0.4 * np.max(np.abs(exact["l_dot_next"]))  # the cushion was entered and it braked


def test_step_is_of_second_order() -> None:
    """Smooth motion away from the limits: valve opening, sliding friction, oil spring."""
    u = 0.1 + 0.05 * np.sin(2 * np.pi * 3 * TICK * np.arange(100))
    exact = motion(reference(LEG), LEG, u, TICK, 2e-6)
    errors = []
    for h in (5e-4, 2.5e-4, 1.25e-4):
        found = motion(stepper(LEG), LEG, u, TICK, h)
        errors.append(np.sqrt(np.mean((found["x_next"][20:, 2:4] - exact["x_next"][20:, 2:4]) ** 2)))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert np.all(orders > 1.7), (errors, orders)


def test_rates_and_step_agree_for_short_steps() -> None:
    """(x_next - x) / h goes to x_dot; with h = 1e-8 s the difference is of the order of h."""
    x = np.array([0.3, 5.0, 7e6, 6e6, 1e-5])
    l, l_dot, h = 2.1, -0.3, 1e-8
    x_dot, f, q_supply, q_return = RATES(x=x, l=l, l_dot=l_dot, u=0.5, **LINES)
    x_next, f_next, supply, back = STEP(h=h, x=x, l=l, l_next=l + h * l_dot, l_dot_next=l_dot, u=0.5, **LINES)
    np.testing.assert_allclose((x_next - x) / h, x_dot, rtol=3e-3)
    assert f_next == pytest.approx(float(f), rel=1e-3)
    assert [float(supply), float(back)] == pytest.approx([float(q_supply), float(q_return)], rel=1e-4)


def driven(**given: Any) -> dict[str, NDArray[np.float64]]:
    """A leg moved up and down through both cushions, with its energy recorded at every step."""
    n = 4000
    h = 5e-4
    t = h * np.arange(n + 1)
    l = 2.706 + 0.62 * np.sin(2 * np.pi * 0.5 * t)
    v = 0.62 * np.pi * np.cos(2 * np.pi * 0.5 * t)
    kernel = leg_step(LEG, STROKE, energy=True)
    run = scan(
        kernel,
        {"x": "x_next"},
        per_step=["l", "l_next", "l_dot_next", "u", "abort"],
        record=[p.name for p in kernel.outputs],
    )
    values: dict[str, Any] = {"u": 0.9 * np.cos(2 * np.pi * 0.5 * t[:-1]), "abort": np.zeros(n), **given}
    lines: dict[str, Any] = {"p_supply": LEG.p_supply, "p_return": LEG.p_return}
    return run(n, h=h, x=balanced(LEG), l=l[:-1], l_next=l[1:], l_dot_next=v[1:], **lines, **values)


@pytest.mark.parametrize(
    "trouble", [{}, {"u": np.full(4000, -1.0)}, {"abort": np.ones(4000)}], ids=["", "full", "abort"]
)
def test_energy_balances_in_every_step(trouble: dict[str, Any]) -> None:
    """Supply less return is piston work, compression and losses; 1e-9 is rounding of 1e4 J in parts."""
    rows = driven(**trouble)
    spent = rows["work_piston"] + rows["stored_oil"] + rows["loss_valve"] + rows["loss_leakage"] + rows["loss_relief"]
    scale = np.abs(rows["work_piston"]) + rows["loss_valve"] + rows["loss_relief"] + np.abs(rows["stored_oil"])
    assert np.max(np.abs(rows["work_supply"] - rows["work_return"] - spent) / scale) < 1e-9
    assert np.min(rows["loss_valve"]) >= 0 and np.min(rows["loss_leakage"]) >= 0
    np.testing.assert_allclose(rows["work_friction"], rows["stored_bristle"] + rows["loss_friction"], rtol=1e-12)
    assert np.sum(rows["loss_friction"]) > 0.9 * FRICTION.coulomb * 2 * 0.62


def test_flows_balance_with_what_the_chambers_take() -> None:
    """In each step supply less return less external leakage is what volume and compression take, to rounding."""
    rows = driven()
    p = np.concatenate([balanced(LEG)[None, 2:4], rows["x_next"][:, 2:4]])
    t = 5e-4 * np.arange(4001)
    l = 2.706 + 0.62 * np.sin(2 * np.pi * 0.5 * t)
    mid = 0.5 * (l[1:] + l[:-1])
    volumes = (
        LEG.volume_cap + LEG.area_cap * (mid - STROKE.hard_min),
        LEG.volume_rod + LEG.area_rod * (STROKE.hard_max - mid),
    )
    taken = (LEG.area_cap - LEG.area_rod) * np.diff(l)
    for k, volume in enumerate(volumes):
        taken = taken + volume / LEG.bulk_modulus * np.diff(p[:, k])
    leaked = 5e-4 * LEG.leakage_external * 0.5 * (p[1:] + p[:-1]).sum(axis=1)
    given = 5e-4 * (rows["q_supply"] - rows["q_return"])
    # leakage here is taken at the mean of both ends, which differs by 1e-13 * 1e7 Pa * 5e-4 s at most
    assert np.max(np.abs(given - leaked - taken)) < 1e-9


def test_energy_of_a_drop_on_the_closed_valve_goes_into_the_oil_spring() -> None:
    """m g s = k s^2 / 2 at the lowest point of a mass let go on the balanced oil: s = 2 m g / k."""
    smooth = replace(FRICTION, coulomb=0.01, static=0.01, sigma0=1e3, sigma1=0.0, sigma2=0.0)
    ideal = replace(LEG, leakage_internal=0.0, leakage_external=0.0, friction=smooth)
    unloaded = np.array([0, 0, LEG.area_rod * 8e6 / LEG.area_cap, 8e6, 0.0])
    k = oil_stiffness(ideal, STROKE, 2.7)
    expected = 2 * MASS * GRAVITY / k
    rows = motion(stepper(ideal), ideal, np.zeros(400), 2.5e-4, 2.5e-4, l=2.7, x=unloaded, l_ddot=-GRAVITY)
    assert 2.7 - np.min(rows["l_next"]) == pytest.approx(expected, rel=5e-3)  # the spring stiffens by s A / V
    assert np.max(rows["l_next"]) < 2.7 + 1e-3 * expected


def test_taking_turns_neither_feeds_nor_damps_the_oil_spring() -> None:
    """A minute of free swing on lossless, shut-in oil at half a millisecond keeps its amplitude."""
    smooth = replace(FRICTION, coulomb=1e-6, static=1e-6, sigma0=1.0, sigma1=0.0, sigma2=0.0)
    ideal = replace(LEG, leakage_internal=0.0, leakage_external=0.0, friction=smooth)
    rows = motion(stepper(ideal), ideal, np.zeros(120_000), 5e-4, 5e-4, l_dot=0.05)
    v, l = rows["l_dot_next"], rows["l_next"]
    assert np.max(v[-2000:]) == pytest.approx(np.max(v[:2000]), rel=2e-5)
    assert np.mean(l[-2000:]) == pytest.approx(np.mean(l[:2000]), abs=1e-6)  # no oil went missing


@pytest.mark.parametrize("remaining", [0.0, 0.25, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("opening", "end"), [(1.0, "lower"), (1.0, "upper"), (0.3, "lower")])
def test_cushion_narrows_the_way_out(remaining: float, opening: float, end: str) -> None:
    """Linear in the way left behind a fully open valve, in series with a partly open one; the way in stays open."""
    way = remaining * STROKE.cushion
    sign, l = (-1.0, STROKE.hard_min + way) if end == "lower" else (1.0, STROKE.hard_max - way)
    p = np.array([9e6, 9e6])
    x = np.array([sign * opening, 0.0, *p, 0.0])
    _, _, q_supply, q_return = RATES(x=x, l=l, l_dot=0.0, u=0.0, **LINES)
    area = LEG.cushion_area_min + (1 - LEG.cushion_area_min) * min(remaining, 1.0)
    series = 1 / np.sqrt(1 / opening**2 + 1 / area**2 - 1)
    assert q_return == pytest.approx(LEG.flow_gain * series * np.sqrt(9e6 - LEG.p_return), rel=1e-9)
    assert q_supply == pytest.approx(LEG.flow_gain * opening * np.sqrt(LEG.p_supply - 9e6), rel=1e-12)


def test_cushion_pressure_is_at_least_that_of_uniform_braking() -> None:
    """A mass thrown into the cushion with the valve at full return: peak rise above m v^2 / (2 A length)."""
    m, v = 3000.0, 0.8
    no_relief = replace(LEG, relief_gain=0.0)
    x = np.array([-1.0, 0.0, 2e6, 2e6, 0.0])
    start = STROKE.hard_min + STROKE.cushion
    rows = motion(
        stepper(no_relief), no_relief, np.full(1000, -1.0), 5e-4, 1e-4, l=start, l_dot=-v, m=m, f_load=0.0, x=x,
        p_supply=np.full(5000, LEG.p_return + 1.0),
    )  # fmt: skip
    peak = np.max(rows["x_next"][:, 2]) - 2e6
    used = start - np.min(rows["l_next"])
    assert used < STROKE.cushion  # it stopped within the cushion
    assert peak > m * v**2 / (2 * LEG.area_cap * STROKE.cushion)
    assert peak < 10 * m * v**2 / (2 * LEG.area_cap * STROKE.cushion)


def test_runaway_neither_tears_the_oil_nor_bursts_the_cylinder() -> None:
    """Full retraction from the top under a pulling load, into the stop."""
    rows = motion(
        stepper(LEG), LEG, np.full(3000, -1.0), 1e-3, 5e-4, l=3.3, f_load=-MASS * GRAVITY - 2e4, x=balanced(LEG, 1e6)
    )
    lowest, highest = np.min(rows["x_next"][:, 2:4]), np.max(rows["x_next"][:, 2:4])
    assert lowest > -1e5
    assert highest < LEG.relief_pressure + 4e6
    assert np.min(rows["l_next"]) > STROKE.hard_min - 2e-3
    assert abs(rows["l_dot_next"][-1]) < 1e-4


@pytest.mark.parametrize("spool", [0.0, 1.0, -1.0])
def test_abort_settles_at_a_bounded_speed_whatever_the_valve_does(spool: float) -> None:
    """With the valve shut off the load sinks at the speed of the regulated bleed and of its leakage."""
    n = 40_000
    rows = motion(
        stepper(LEG), LEG, np.full(n, spool), 1e-3, 1e-3, l=2.7, abort=np.ones(n), p_supply=np.full(n, LEG.p_return)
    )
    leaks = LEG.leakage_internal * MASS * GRAVITY / LEG.area_cap**2
    speed = LEG.bleed_flow / LEG.area_cap + leaks
    assert np.min(rows["l_dot_next"]) > -2 * speed  # it swings about that speed when the manifold shuts, and no more
    swung = rows["l_next"][[500, 10_500]]
    assert (swung[0] - swung[1]) / 10 == pytest.approx(speed, rel=0.03)  # less load on the oil by friction
    assert rows["l_next"][-1] == pytest.approx(STROKE.hard_min, abs=2e-3)
    assert abs(rows["l_dot_next"][-1]) < 1e-3


def test_loss_of_supply_lets_the_leg_sink_and_stay_finite() -> None:
    n = 4000
    supply = np.where(np.arange(n) < 500, LEG.p_supply, LEG.p_return)
    rows = motion(stepper(LEG), LEG, np.full(n, 0.2), 5e-4, 5e-4, p_supply=supply)
    assert np.all(np.isfinite(rows["x_next"]))
    assert rows["l_next"][499] > 2.71 and rows["l_next"][-1] < rows["l_next"][700]
    assert np.min(rows["x_next"][:, 2:4]) > -1e5


@given(
    h=st.floats(1e-6, 5e-3),
    x=st.tuples(*(st.floats(a, b) for a, b in ((-1, 1), (-60, 60), (-1e6, 4e7), (-1e6, 4e7), (-1e-3, 1e-3)))),
    l=st.floats(2.07, 3.34),
    dl=st.floats(-5e-3, 5e-3),
    l_dot=st.floats(-3, 3),
    u=st.floats(-10, 10),
    p_supply=st.floats(0, 3e7),
    p_return=st.floats(0, 2e6),
    abort=st.floats(-1, 2),
)
@settings(max_examples=often(400), deadline=None)
def test_a_step_is_finite_and_bounded_for_anything(
    h: float, x: Any, l: float, dl: float, l_dot: float, u: float, p_supply: float, p_return: float, abort: float
) -> None:
    """Pressures end between the least and the largest that lines, start and the piston's squeeze can make."""
    rows = ENERGY(
        h=h, x=np.array(x), l=l, l_next=l + dl, l_dot_next=l_dot, u=u, p_supply=p_supply, p_return=p_return, abort=abort
    )
    assert all(np.all(np.isfinite(r)) for r in rows)
    x_next = rows[0]
    assert abs(x_next[0]) <= 1.0 and abs(x_next[1]) <= LEG.valve_rate
    squeeze = LEG.bulk_modulus * LEG.area_cap * abs(dl) / (0.5 * LEG.volume_cap)
    assert np.all(np.abs(x_next[2:4]) < 4e7 + p_supply + 2 * squeeze + 1e6)
    assert len(rows) == 4 + len(ENERGY_PORTS)


@pytest.mark.parametrize("l", [2.082, 2.7, 3.33])
@pytest.mark.parametrize("u", [0.0, 0.01, 1.0, -1.0])
@pytest.mark.parametrize("lap", [0.0, 0.03, -0.03])
def test_held_leg_comes_to_rest_at_half_a_millisecond(l: float, u: float, lap: float) -> None:
    """Length held, valve anywhere, chambers small or large: pressures settle without ringing."""
    actuator = replace(LEG, lap=lap)
    run = scan(leg_step(actuator, STROKE), {"x": "x_next"}, record=["x_next"])
    rows = run(4000, h=5e-4, x=balanced(LEG), l=l, l_next=l, l_dot_next=0.0, u=u, **LINES)["x_next"]
    assert np.max(np.abs(np.diff(rows[-50:, 2:4], axis=0))) < 5e3  # the closed valve still leaks
    assert np.min(rows[:, 2:4]) > 0 and np.max(rows[:, 2:4]) < LEG.p_supply * 1.001


def test_live_parameters_are_ports() -> None:
    kernel = leg_step(LEG, STROKE, live=("bulk_modulus", "friction.coulomb"))
    assert [p.name for p in kernel.inputs[:3]] == ["bulk_modulus", "friction_coulomb", "h"]
    given: dict[str, Any] = {"h": 5e-4, "x": balanced(LEG), "l": 2.7, "l_next": 2.7001, "l_dot_next": 0.2, "u": 0.1}
    same = compile(kernel)(bulk_modulus=LEG.bulk_modulus, friction_coulomb=FRICTION.coulomb, **given, **LINES)
    for a, b in zip(same, STEP(**given, **LINES), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    soft = compile(kernel)(bulk_modulus=0.5e9, friction_coulomb=FRICTION.coulomb, **given, **LINES)
    assert soft[0][2] > same[0][2]  # the softer oil loses less pressure to the moving piston
    rough = compile(kernel)(bulk_modulus=LEG.bulk_modulus, friction_coulomb=2 * FRICTION.coulomb, **given, **LINES)
    assert same[1] - rough[1] == pytest.approx(FRICTION.coulomb, rel=0.02)  # sliding at 0.2 m/s, far above Stribeck's
    with pytest.raises(ModelError, match="'lap' cannot be a port; those that can: area_cap"):
        leg_step(LEG, STROKE, live=("lap",))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"area_cap": 0.0}, "area_cap is 0 m\\^2, it must be positive"),
        ({"lap": 1.0}, "lap is 1, it must be between"),
        ({"p_return": 2e7}, "p_return 2e\\+07 Pa must be below"),
        ({"relief_pressure": 1e7}, "relief_pressure 1e\\+07 Pa must be above"),
        ({"cushion_area_min": 1.5}, "cushion_area_min is 1.5, it must be at most 1"),
        ({"friction": None}, "friction is None, a Friction is wanted"),
        ({"leakage_internal": -1e-12}, "leakage_internal is -1e-12"),
    ],
)
def test_wrong_parameters(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        replace(LEG, **change)


def test_all_targets_give_the_same_bits() -> None:
    """Strict mode: eight legs side by side are eight legs one by one, and those of the interpreter."""
    lanes, interpreter = compile(leg_step(LEG, STROKE), lanes=8), compile(leg_step(LEG, STROKE), "python")
    rng = np.random.default_rng(1)
    x = np.stack([[rng.uniform(-1, 1), 0.0, *rng.uniform(1e6, 1.5e7, 2), rng.uniform(-4e-5, 4e-5)] for _ in range(8)])
    l, u = rng.uniform(2.1, 3.3, 8), rng.uniform(-1, 1, 8)
    held = {name: np.full(8, value) for name, value in {"h": 5e-4, "l_dot_next": 0.2, **LINES}.items()}
    together = lanes(x=x.T.copy(), l=l, l_next=l + 1e-4, u=u, **held)
    for k in range(8):
        given: dict[str, Any] = {"x": x[k], "l": l[k], "l_next": l[k] + 1e-4, "l_dot_next": 0.2, "u": u[k], **LINES}
        alone = STEP(h=5e-4, **given)
        assert np.array_equal(together[0][:, k], alone[0]) and together[1][k] == alone[1]
        assert all(np.array_equal(a, b) for a, b in zip(interpreter(h=5e-4, **given), alone, strict=True))


def test_very_stiff_chambers_settle_without_overshoot() -> None:
    """Steps a thousand time constants long: about steady flow through an open valve deviations shrink."""
    tight = replace(LEG, bulk_modulus=1e13, leakage_internal=0.0, leakage_external=0.0)
    stiff = compile(leg_step(tight, STROKE))
    v, x = 0.3, np.array([0.5, 0.0, 8e6, 8e6, 0.0])
    rows = [x]
    for k in range(60):
        l = 2.6 + 5e-4 * v * k
        rows.append(stiff(h=5e-4, x=rows[-1], l=l, l_next=l + 5e-4 * v, l_dot_next=v, u=0.5, **LINES)[0])
    drop = np.array([LEG.area_cap, LEG.area_rod]) * v / (0.5 * LEG.flow_gain)
    steady = np.array([LEG.p_supply, LEG.p_return]) + np.array([-1, 1]) * drop**2
    off = np.array(rows)[:, 2:4] - steady
    np.testing.assert_allclose(off[-1], 0.0, atol=1.0)
    far = np.abs(off[:-1]) > 1e5
    assert np.all(np.abs(off[1:])[far] < 0.5 * np.abs(off[:-1])[far])
    assert np.all((off[1:] * off[:-1])[far] > 0)  # and never on the other side


def test_actuator_is_hashable_data() -> None:
    assert isinstance(LEG, HydraulicActuator) and hash(LEG) == hash(replace(LEG))
