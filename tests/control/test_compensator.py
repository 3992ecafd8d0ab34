"""The leg loop: orifice law inverted, limits of the command, and the closed loop against the hydraulic leg."""

import math
from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.single_leg import single_leg_step
from motionbase.compile import Port, Program, kernel, scan
from motionbase.control.compensator import Gains, LegState, compensator
from motionbase.control.design import LinearLeg, gains_for, is_stable, linear_leg, margins, oil_spring, open_loop
from motionbase.control.leg_control import usual_values
from motionbase.platform.load import load_platform
from tests.control.named import Named, Target

DT, MASS = 0.0005, 700.0
TARGETS: tuple[Target, ...] = ("python", "c")
SIMONA = load_platform("simona")
assert isinstance(SIMONA.actuator, HydraulicActuator)
ACTUATOR, STROKE = SIMONA.actuator, SIMONA.stroke
LEG = kernel(compensator(ACTUATOR, STROKE.hard_min, STROKE.hard_max))
RUN = Named(LEG)
PLAIN = usual_values(Gains.layout)
MIDDLE = (STROKE.l_min + STROKE.l_max) / 2
LINEAR = linear_leg(ACTUATOR, STROKE.hard_length, np.array([1400.0, 700.0, 250.0]), DT)


def command(p_supply: float = 16e6, before: float = 0.0, **changes: float | list[float]) -> list[float]:
    """Integral, slow force error, command before; command, feed-forward, feedback. At rest in the middle."""
    values: dict[str, float | list[float]] = {
        **PLAIN, "dt": DT, "leg_state": [0.0, 0.0, before, 0.0, 0.0], "reference": [MIDDLE, 0.0, 0.0], "f_ff": 0.0,
        "quiet": 0.0, "l": MIDDLE, "l_dot": 0.0, "l_ddot": 0.0, "p_cap": 8e6, "p_rod": 8e6, "p_supply": p_supply,
        "p_return": 0.5e6,
    }  # fmt: skip
    made = RUN(**(values | {"valve_rate_max": 1e9, "ff_compression": 0.0} | changes))
    return [*made[0][:3], *(float(x) for x in made[1:])]


@pytest.mark.parametrize("v", [0.3, -0.3])
@pytest.mark.parametrize("load", [0.0, 12e3, -9e3])
def test_feed_forward_inverts_the_orifice_law(v: float, load: float) -> None:
    """Both lands in series with the load, unequal areas: flow in each land by the rated form gives the velocity."""
    unequal = kernel(compensator(REPLACED, STROKE.hard_min, STROKE.hard_max))
    A, B = REPLACED.area_cap, REPLACED.area_rod
    p_rod = 4e6
    p_cap = (load + B * p_rod) / A  # any pair with this load: the law uses their difference alone
    given: dict[str, Any] = {
        **PLAIN, "valve_rate_max": 1e9, "dt": DT, "leg_state": [0, 0, 0, 0, 0], "reference": [MIDDLE, v, 0],
        "f_ff": 0.0, "quiet": 0.0, "l": MIDDLE, "l_dot": v, "l_ddot": 0.0, "p_cap": p_cap, "p_rod": p_rod,
        "p_supply": 16e6, "p_return": 0.5e6, "k_dp": 0.0, "ff_compression": 0.0,
    }  # fmt: skip
    u = float(Named(unequal)(**given)[1])

    def drop(area: float) -> float:
        return REPLACED.rated_drop * (area * abs(v) / (REPLACED.rated_flow * abs(u))) ** 2

    if v > 0:
        force = A * (16e6 - drop(A)) - B * (0.5e6 + drop(B))
    else:
        force = A * (0.5e6 + drop(A)) - B * (16e6 - drop(B))
    assert math.copysign(1, u) == math.copysign(1, v)
    np.testing.assert_allclose(force, load, atol=1e-9 * 16e6 * A)


REPLACED = replace(ACTUATOR, area_rod=0.7 * ACTUATOR.area_cap)


def test_lead_is_the_velocity_of_later() -> None:
    later = command(reference=[MIDDLE, 0.3 + 0.004 * 2.0, 0.0], ff_friction=0.0)[4]
    np.testing.assert_allclose(command(reference=[MIDDLE, 0.3, 2.0], lead=0.004, ff_friction=0.0)[4], later, rtol=1e-14)


@pytest.mark.parametrize("x", [0.1, 0.6, 1.1])
def test_compression_flow_is_that_of_the_oil_spring(x: float) -> None:
    """A force that grows by 1 kN/s, and did so before, needs the velocity 1000 / k(l), at any place of the stroke."""
    l = STROKE.hard_min + x
    place = {"l": l, "reference": [l, 0.0, 0.0], "f_ff": 1000.0 * DT, "ff_compression": 1.0, "lead": 0.003}
    place["leg_state"] = [0.0, 0.0, 0.0, 0.0, 1000.0]
    wanted = command(l=l, reference=[l, 1000.0 / oil_spring(ACTUATOR, x, STROKE.hard_length), 0.0], ff_friction=0.0)[4]
    np.testing.assert_allclose(command(**place)[4], wanted, rtol=1e-12)  # type: ignore[arg-type]


def test_rate_of_the_command_is_limited() -> None:
    u = command(reference=[MIDDLE, 0.9, 0.0], valve_rate_max=40.0, before=-0.2)[3]
    np.testing.assert_allclose(u, -0.2 + 40.0 * DT, rtol=1e-14)


def test_authority_falls_towards_an_end_only() -> None:
    near_top = STROKE.hard_max - 0.03
    towards = command(l=near_top, reference=[near_top, 5.0, 0.0])[3]
    away = command(l=near_top, reference=[near_top, -5.0, 0.0])[3]
    np.testing.assert_allclose([towards, away], [0.03 / 0.15, -1.0], rtol=1e-9)
    at_end = command(l=STROKE.hard_max, reference=[STROKE.hard_max, 5.0, 0.0])[3]
    assert at_end == PLAIN["authority_min"]


def test_integral_does_not_wind_up() -> None:
    """A command at its limit stops the integral; an error of the other sign takes it back at once."""
    gains = {"k_p": 30.0, "k_i": 40.0}
    held = command(l=MIDDLE - 0.5, reference=[MIDDLE, 0.0, 0.0], **gains)[0]
    assert held == 0.0
    grows = command(l=MIDDLE - 0.001, **gains)[0]
    np.testing.assert_allclose(grows, 40.0 * 0.001 * DT)
    back = RUN(**(ARGUMENTS | gains | {"leg_state": [0.02, 0, 0, 0, 0], "l": MIDDLE + 1e-3}))
    np.testing.assert_allclose(back[0][0], 0.02 - 40.0 * 0.001 * DT)


ARGUMENTS: dict[str, Any] = {
    **PLAIN, "dt": DT, "leg_state": [0.0, 0.0, 0.0, 0.0, 0.0], "reference": [MIDDLE, 0.0, 0.0], "f_ff": 0.0,
    "quiet": 0.0, "l": MIDDLE, "l_dot": 0.0, "l_ddot": 0.0, "p_cap": 8e6, "p_rod": 8e6, "p_supply": 16e6,
    "p_return": 0.5e6, "valve_rate_max": 1e9,
}  # fmt: skip


def test_quiet_closes_the_valve_gently() -> None:
    made = command(quiet=1.0, before=0.5, close_rate=4.0, reference=[MIDDLE + 0.1, 0.5, 0.0], k_p=20.0)
    assert made[3] == 0.5 - 4.0 * DT
    assert made[0] == made[4] == made[5] == 0.0


def test_design_keeps_its_margins() -> None:
    gains = gains_for(LINEAR)
    found = margins(LINEAR, gains)
    assert found.stable and found.phase >= math.radians(45) and found.gain >= 2.0
    assert gains["k_p"] > 0.1 * math.sqrt(LINEAR.stiffness / LINEAR.masses[0])


def test_pressure_feedback_damps_as_designed() -> None:
    """With a valve fast enough for all of it, the velocity loop answers at its own frequency with 1 / (2 zeta)."""
    fast = LinearLeg(LINEAR.stiffness, LINEAR.droop, LINEAR.masses[:1], 1e6, 1.0, 0.0)
    gains = gains_for(fast, zeta=0.7) | {"k_p": 0.0, "k_i": 0.0, "dp_corner": 1e-6}
    w = np.array([math.sqrt(fast.stiffness / fast.masses[0])])
    alone = abs(1 / (fast.stiffness * fast.droop * 1j / w[0]))  # the same resonance without feedback
    answer = alone / np.abs(1 + open_loop(fast, gains, fast.masses[0], w))
    np.testing.assert_allclose(answer, 1 / (2 * 0.7), rtol=1e-3)  # the valve's phase at 1e6 rad/s is 1e-4


def test_oil_spring_of_equal_areas_at_mid_stroke() -> None:
    """4 E A / stroke without dead volume."""
    bare = replace(ACTUATOR, volume_cap=1e-15, volume_rod=1e-15)
    wanted = 4 * bare.bulk_modulus * bare.area_cap / 1.25
    np.testing.assert_allclose(oil_spring(bare, 0.625, 1.25), wanted, rtol=1e-9)


def test_stability_by_roots_agrees_with_nyquist() -> None:
    """Raising the gain by a little less than its margin is stable, by a little more is not."""
    gains = gains_for(LINEAR)
    for mass in LINEAR.masses:
        alone = linear_leg(ACTUATOR, STROKE.hard_length, np.array([mass]), DT)
        factor = margins(alone, gains).gain
        for scale, stable in ((0.97 * factor, True), (1.03 * factor, False)):
            raised = {n: g * scale if n.startswith("k_") else g for n, g in gains.items()}
            assert is_stable(alone, raised, mass) is stable
    assert np.abs(open_loop(LINEAR, gains, 700.0)[0]) > 1e3  # an integrator at low frequency


# ---- closed loop ----------------------------------------------------------------------------------------------------

PLANT = single_leg_step(ACTUATOR, STROKE)


def closed_leg(leg_state: Any, x: Any, motion: Any, reference: Any) -> Any:
    lines, weight = (16e6, 0.5e6), MASS * 9.80665
    after, u, _, _ = LEG(
        Gains.layout.vector(GAIN_VALUES), DT, leg_state, reference, weight, 0, motion[0], motion[1], motion[2], x[2],
        x[3], *lines,
    )  # fmt: skip
    x_next, *moved = PLANT(
        h=DT, m=MASS, f_load=-weight, x=x, l=motion[0], l_dot=motion[1], l_ddot=motion[2], u=u, p_supply=lines[0],
        p_return=lines[1], abort=0,
    )  # fmt: skip
    return after, x_next.column, ca.vertcat(*moved[:3])


GAIN_VALUES = PLAIN | gains_for(LINEAR)
CLOSED = Program(
    "closed_leg",
    (LegState.port("leg_state"), Port("x", 5, "-, 1/s, Pa, Pa, m"), Port("motion", 3, "SI, mixed"),
     Port("reference", 3, "SI, mixed")),
    (LegState.port("leg_state_next"), Port("x_next", 5, "-, 1/s, Pa, Pa, m"),
     Port("motion_next", 3, "SI, mixed")),
    closed_leg,
)  # fmt: skip


def test_closed_loop_follows_a_sine() -> None:
    """0.1 m at 0.5 Hz with 700 kg: the error is far below that of feedback alone, v / k_p."""
    t = np.arange(12_000) * DT
    w = 2 * math.pi * 0.5
    s, c = np.sin(w * t), np.cos(w * t)
    reference = np.stack([MIDDLE + 0.1 * s, 0.1 * w * c, -0.1 * w**2 * s], axis=1)
    run = scan(
        CLOSED, {"leg_state": "leg_state_next", "x": "x_next", "motion": "motion_next"}, per_step=["reference"],
        record=["motion_next"],
    )  # fmt: skip
    p = 8e6
    start = [0.0, 0.0, p + MASS * 9.80665 / ACTUATOR.area_cap / 2, p - MASS * 9.80665 / ACTUATOR.area_cap / 2, 0.0]
    made = run(
        len(t), leg_state=[0, 0, 0, 0, 0], x=start, motion=[MIDDLE, 0.1 * w, 0.0], reference=reference
    )["motion_next"]  # fmt: skip
    error = made[6000:, 0] - reference[6000:, 0]
    assert np.abs(error).max() < 0.05 * 0.1 * w / GAIN_VALUES["k_p"]
    assert np.abs(np.diff(made[6000:, 2])).max() < 0.5  # no chatter: less than 0.5 m/s^2 from tick to tick


def test_same_bits_on_python_and_c() -> None:
    rng = np.random.default_rng(3)
    for target in TARGETS:
        other = Named(LEG, target)
        for _ in range(20):
            noise = {k: np.asarray(v) * (1 + 0.01 * rng.normal(size=np.shape(v))) for k, v in ARGUMENTS.items()}
            noise["k_p"], noise["k_dp"] = np.asarray(12.0), np.asarray(1e-6)
            for got, want in zip(other(**noise), RUN(**noise), strict=True):
                np.testing.assert_array_equal(got, want)
