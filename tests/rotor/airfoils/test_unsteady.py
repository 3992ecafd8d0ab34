"""Unsteady sections against Wagner's and Theodorsen's functions, Theodorsen's loads, and the static table."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.special import hankel2

from motionbase.arrays import Array, Complex
from motionbase.compile import Kernel, Port, compile
from motionbase.errors import ModelError, UsageError
from motionbase.rotor.airfoils.own import naca0012, thin
from motionbase.rotor.airfoils.unsteady import (
    A1,
    A2,
    B1,
    B2,
    UNSTEADY,
    Found,
    UnsteadyFlow,
    added_mass,
    dynamic_stall,
    expansion,
    flow_at,
    unsteady,
)
from tests.rotor.airfoils.section import REFERENCE, B, Section
from tests.tier import often

K = np.logspace(-3, 2, 200)
JONES = 0.0146  # largest |difference| of Jones' two exponentials from Theodorsen's function, at k = 0.41
SECTIONS = {name: Section(unsteady(name), naca0012()) for name in UNSTEADY}
speeds = st.floats(-300.0, 300.0)


def theodorsen(k: Array) -> Complex:
    """C(k) by Hankel functions of the second kind."""
    found: Complex = hankel2(1, k) / (hankel2(1, k) + 1j * hankel2(0, k))
    return found


def wake_response(k: Array) -> Complex:
    """Effective over geometric normal velocity at reduced frequencies k, from the rates as the model has them."""
    x, w = ca.SX.sym("x", 2), ca.SX.sym("w")
    model, flow = unsteady("indicial"), UnsteadyFlow(100.0, w, B, 1.0)
    rates = model.response(x, flow, [Found(0.0, 0.0, 0.0)]).rates
    effective = 100.0 * model.asks(x, flow)  # small angles
    matrices = ca.Function("m", [x, w], [ca.jacobian(y, v) for y in (rates, effective) for v in (x, w)])(0, 0)
    A, b, c, d = (np.asarray(m, float) for m in matrices)
    inverse = [np.linalg.solve(1j * each * 100.0 / B * np.eye(2) - A, b) for each in k]
    return np.array([(c @ each + d)[0, 0] for each in inverse])


def test_a_step_gives_jones_function() -> None:
    """Exactly: the states are linear in themselves, so the matrix exponential integrates them."""
    section, u, w = Section(unsteady("indicial"), thin()), 80.0, 5.0
    speed = np.hypot(u, w)
    A = np.asarray(section.by_states([0, 0], [u, w], np.zeros((7, 1))), float)
    rest = section.at_rest(u, w)
    for s in (0.0, 0.5, 2.0, 10.0, 60.0):
        x = rest - expm(A * s * B / speed) @ rest
        wagner = 1 - A1 * np.exp(-B1 * s) - A2 * np.exp(-B2 * s)
        np.testing.assert_allclose(np.tan(section.angles(x, u, w)) * u / w, wagner, atol=1e-12)


def test_lags_count_semichords_at_any_speed() -> None:
    """A normal velocity that stays while the speed changes and turns round: Wagner's function of the way travelled."""
    section, w = Section(unsteady("indicial"), thin()), 1e-3
    t = np.linspace(0.0, 1.5, 7)[1:]  # reversed after pi / 4
    x = section.flown(lambda t: (120.0 * np.cos(2.0 * t), w), np.zeros(2), t, 0.01)
    there = 60.0 * np.sin(2.0 * t)
    s = np.where(t < np.pi / 4, there, 120.0 - there) / B
    effective = (1 - A1 - A2) * w + REFERENCE * x.sum(axis=0)
    wagner = 1 - A1 * np.exp(-B1 * s) - A2 * np.exp(-B2 * s)
    np.testing.assert_allclose(effective / w, wagner, atol=1e-5)  # states are 1e-6, integrated to 1e-12


def test_oscillation_is_theodorsens() -> None:
    assert np.abs(wake_response(K) - theodorsen(K)).max() < JONES
    jones = 1 - A1 * 1j * K / (1j * K + B1) - A2 * 1j * K / (1j * K + B2)
    np.testing.assert_allclose(wake_response(K), jones, atol=1e-12)


@pytest.mark.parametrize("a", [-0.5, 0.0, 0.3])
@pytest.mark.parametrize("k", [0.05, 0.5, 5.0])
def test_pitch_and_plunge_have_theodorsens_loads(a: float, k: float) -> None:
    """Lift and moment about an axis a b behind mid-chord, per density (Theodorsen 1935), for h (down) and alpha."""
    V, alpha, h = 50.0, 0.8 - 0.2j, 0.1 + 0.3j
    omega = k * V / B
    C = wake_response(np.array([k]))[0]
    rate, accel, h_dot, h_ddot = 1j * omega * alpha, -(omega**2) * alpha, 1j * omega * h, -(omega**2) * h
    at_34 = V * alpha + h_dot + B * (0.5 - a) * rate
    lift = np.pi * B**2 * (h_ddot + V * rate - B * a * accel) + 2 * np.pi * V * B * C * at_34
    moment = (
        np.pi * B**2 * (B * a * h_ddot - V * B * (0.5 - a) * rate - B**2 * (1 / 8 + a**2) * accel)
        + 2 * np.pi * V * B**2 * (a + 0.5) * C * at_34
    )
    # ours: real and imaginary part apart, as two phases
    parts = [
        [float(load) for load in added_mass(V, part(rate), B, part(h_ddot - B * a * accel), part(accel))]
        for part in (np.real, np.imag)
    ]
    normal, at_quarter = (parts[0][i] + 1j * parts[1][i] for i in range(2))
    circulatory = V**2 * B * 2 * np.pi * C * at_34 / V  # of cl = 2 pi alpha_E
    np.testing.assert_allclose(normal + circulatory, lift, rtol=1e-12)
    about_axis = at_quarter + (normal + circulatory) * B * (a + 0.5)
    np.testing.assert_allclose(about_axis, moment, rtol=1e-11)


def test_added_mass_at_high_frequency_is_a_cylinder_of_air() -> None:
    normal, moment = added_mass(0.0, 0.0, B, w_dot=1.0)
    assert float(normal) == pytest.approx(np.pi * B**2) and float(moment) == pytest.approx(-np.pi * B**3 / 2)
    forwards, backwards = (added_mass(u, 1.0, B) for u in (50.0, -50.0))
    at_middle = [float(x.moment + x.normal * B / 2) for x in (forwards, backwards)]
    assert at_middle[0] == at_middle[1] < 0, "the rate of pitch is damped, whichever end leads"


@pytest.mark.parametrize("name", UNSTEADY)
@pytest.mark.parametrize("mach", [0.0, 0.33, 0.9])
def test_a_constant_flow_leads_to_the_static_table(name: str, mach: float) -> None:
    """At any angle; what is left is rounding of angles times slopes of the table, over the time of a semichord."""
    section = Section(unsteady(name), naca0012(), mach)
    for alpha in np.concatenate([np.deg2rad(np.arange(-180.0, 181.0, 5.0)), np.linspace(-3.14, 3.14, 37)]):
        u, w = 90.0 * np.cos(alpha), 90.0 * np.sin(alpha)
        rates, c = section.out(section.at_rest(u, w), u, w)
        np.testing.assert_allclose(c, section.table.airfoil.at(alpha, mach), atol=1e-12)
        np.testing.assert_allclose(rates * B / 90.0, 0.0, atol=1e-12)


@settings(max_examples=often(60), deadline=None)
@given(x=st.tuples(*[st.floats(-0.5, 0.5)] * 3), u=speeds, w=speeds)
def test_without_separation_dynamic_stall_is_indicial(x: tuple[float, float, float], u: float, w: float) -> None:
    lagged, attached = (Section(unsteady(name), thin()) for name in ("dynamic_stall", "indicial"))
    rates, c = lagged.out(np.array([*x, 1.0]), u, w)
    attached_rates, attached_c = attached.out(np.array(x[:2]), u, w)
    np.testing.assert_allclose(c, attached_c, atol=1e-12)
    np.testing.assert_array_equal(rates[:2], attached_rates)
    assert abs(rates[3]) <= 1e-12 * np.hypot(u, w) / B  # stays attached


def loop(k: float) -> tuple[Array, Array]:
    """Angles [deg], and cl, cd, cm over the second of two periods of 10 + 8 sin degrees, of NACA 0012 at Mach 0.3."""
    section, V = SECTIONS["dynamic_stall"], 100.0
    omega = k * V / B

    def flow(t: float) -> tuple[float, float]:
        alpha = np.deg2rad(10 + 8 * np.sin(omega * t))
        return V * np.cos(alpha), V * np.sin(alpha)

    t = np.linspace(2 * np.pi, 4 * np.pi, 81) / omega
    x = section.flown(flow, section.at_rest(*flow(0.0)), t, 0.2 / omega, rtol=1e-4)
    c = [section.out(each, *flow(s))[1] for each, s in zip(x.T, t, strict=True)]
    return 10 + 8 * np.sin(omega * t), np.array(c)


def test_lift_overshoots_upwards_and_comes_back_low() -> None:
    """Stall comes later the faster the angle grows, and so does the flow's return (McCroskey 1981)."""
    static = naca0012().at(np.deg2rad(np.arange(0.0, 19.0)), 0.3)[:, 0].max()
    peaks, widths = [], []
    for k in (0.02, 0.05, 0.1):
        alpha, c = loop(k)
        up = np.gradient(alpha) > 0
        upwards, downwards = (c[side][np.abs(alpha[side] - 13.0).argmin()] for side in (up, ~up))
        peaks.append(c[:, 0].max() / static)
        widths.append(upwards[0] - downwards[0])
        assert up[c[:, 0].argmax()] and alpha[c[:, 0].argmax()] > 12.0
        assert upwards[2] > downwards[2] + 0.03, "the nose-down moment comes later too"
    assert 1.03 < peaks[0] < peaks[1] < peaks[2] < 1.5
    assert 0.1 < widths[0] < widths[1] < widths[2]


def test_pressure_and_separation_follow_with_their_lags() -> None:
    """1.7 and 3 semichords; separation follows the pressure, not the wake."""
    section, u, w = SECTIONS["dynamic_stall"], 90.0, 25.0
    per_semichord, x = np.hypot(u, w) / B, section.at_rest(u, w)
    behind = x - [0.0, 0.0, 0.05, 0.1]
    f = section.table.f.at(np.arctan2(behind[2] * REFERENCE, u), section.mach)
    assert f - x[3] > 0.1, "the separation point of the pressure is that of a smaller angle"
    wanted = per_semichord * np.array([0.0, 0.0, 0.05 / 1.7, (f - behind[3]) / 3.0])
    np.testing.assert_allclose(section.rates(behind, u, w), wanted, atol=1e-12 * per_semichord)


def test_flow_that_is_still_attached_has_attached_lift_and_less_drag() -> None:
    """Behind stall with f held at 1: Kirchhoff's attached lift, the moment of attached flow, a quarter less of rise."""
    section, alpha = SECTIONS["dynamic_stall"], np.deg2rad(20.0)
    u, w = 90.0 * np.cos(alpha), 90.0 * np.sin(alpha)
    x = section.at_rest(u, w)
    x[3] = 1.0
    cl, cd, cm = section.out(x, u, w)[1]
    slope = naca0012().at(np.deg2rad(1.0), 0.3)[0] / np.sin(np.deg2rad(1.0))
    assert cl == pytest.approx(slope * np.sin(alpha), rel=1e-3)  # the grid has one degree
    static, f = naca0012().at(alpha, 0.3), section.table.f.at(alpha, 0.3)
    less = static[1] - naca0012().at(0.0, 0.3)[1]
    assert cd == pytest.approx(static[1] - less * ((1 - np.sqrt(f)) / 2 - (1 - f) / 4), rel=1e-3)  # root at zero
    assert cm == pytest.approx(static[2] - cl * section.table.arm.at(alpha, 0.3) * (1 - f), abs=1e-12)
    assert abs(cm - static[2]) > 0.2


def test_chordwise_force_is_the_suction_of_the_leading_edge() -> None:
    """A thin airfoil that pitches (Garrick 1936): 2 pi (alpha_E - b omega / 2 V)^2, small angles and a smaller rate."""
    section, u, w, omega = Section(unsteady("indicial"), thin()), 100.0, 0.1, 5e-3
    x = np.array([1e-4, -5e-4])
    (alpha_E,), alpha_quarter = section.angles(x, u, w), np.arctan2(w - B * omega, u)
    assert abs(w / u - alpha_E) > 5e-4
    cl, cd, _ = section.out(x, u, w)[1]
    suction = cl * np.sin(alpha_quarter) - cd * np.cos(alpha_quarter)
    slope = cl / alpha_E  # of the table between two points, nearly 2 pi
    small = (B * omega / 2 / u / alpha_E) ** 2
    assert small < 1e-3 < 3e-3 < B * omega / u / abs(alpha_E)
    assert suction == pytest.approx(slope * (alpha_E - B * omega / 2 / u) ** 2, rel=2 * small)


@pytest.mark.parametrize("name", UNSTEADY)
@settings(max_examples=often(60), deadline=None)
@given(x=st.tuples(*[st.floats(-1.0, 1.0)] * 4), u=st.sampled_from([0.0, -1e-9, 1e-3, -80.0, 80.0]),
       w=st.sampled_from([0.0, 1e-9, -1e-3, -60.0, 60.0]))  # fmt: skip
def test_rates_and_slopes_are_finite_at_rest_and_backwards(
    name: str, x: tuple[float, float, float, float], u: float, w: float
) -> None:
    section = SECTIONS[name]
    states = np.array(x[: len(section.model.states)])
    for each in (states, 0 * states):
        rates, c = section.out(each, u, w)
        found = section.table.at(section.angles(each, u, w), section.mach).T
        assert np.isfinite(rates).all() and np.isfinite(c).all() and (np.abs(c) < 20).all()
        assert np.isfinite(np.asarray(section.asks(each, [u, w])[1])).all()
        assert np.isfinite(np.asarray(section.response(each, [u, w], found)[2])).all()
        if u == w == 0.0:
            np.testing.assert_allclose(rates, 0.0, atol=1e-10)


def test_an_expansion_is_exact_to_first_order_and_across_a_full_turn() -> None:
    found = expansion([1.0, 0.1, 0.0], [6.0, 0.5, 0.0], np.pi - 1e-4, -np.pi + 1e-4)
    assert float(found.cl) == pytest.approx(1 - 6.0 * 2e-4, abs=1e-10) and found.f == 1.0


def test_it_compiles_like_other_kernels() -> None:
    model = dynamic_stall(1.5, 6.0)
    ports = (Port("x", 4), Port("V"), Port("alpha"), Port("at_E", 7), Port("at_f", 7))

    def response(x: ca.SX, V: ca.SX, alpha: ca.SX, at_E: ca.SX, at_f: ca.SX) -> tuple[ca.SX, ...]:
        each = [Found(*ca.vertsplit(c)) for c in (at_E, at_f)]
        return tuple(model.response(x, flow_at(V, alpha, B, REFERENCE), each))

    kernel = compile(Kernel("section", ports, (Port("x_dot", 4), Port("cl"), Port("cd"), Port("cm")), response))
    section = Section(model, naca0012())
    x, V, alpha = np.array([0.01, 0.02, 0.05, 0.6]), 70.0, 0.25
    u, w = V * np.cos(alpha), V * np.sin(alpha)
    rates, *c = kernel(x, V, alpha, *section.table.at(section.angles(x, u, w), 0.3))
    wanted = section.out(x, u, w)
    np.testing.assert_allclose(rates, wanted[0], rtol=1e-12)
    np.testing.assert_allclose(c, wanted[1], rtol=1e-12)


def test_what_is_not_there_gets_one_sentence() -> None:
    with pytest.raises(UsageError, match="no unsteady model 'indical'; did you mean 'indicial'"):
        unsteady("indical")
    with pytest.raises(ModelError, match="lag of separation is -1 semichords, must be above zero"):
        dynamic_stall(separation=-1.0)
