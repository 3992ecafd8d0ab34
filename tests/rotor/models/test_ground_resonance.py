"""Ground resonance: the multibody rig against Coleman and Feingold's equations, written out here, and simulated."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError
from motionbase.multibody.simulate import simulate
from motionbase.rotor.models.ground_resonance import GroundResonance, ground_resonance, linear_rig
from motionbase.rotor.stability.floquet import exponents
from motionbase.rotor.stability.monodromy import monodromy
from motionbase.rotor.stability.periodic import linearised_rotor

HAMMOND = GroundResonance()
# a hub alike in x and y, without damping, of numbers of our own
UNDAMPED = GroundResonance(
    blades=3, blade_mass=40.0, first_moment=80.0, inertia=250.0, offset=0.25, lag_spring=3000.0, lag_damper=0.0,
    hub_mass=(2000.0, 2000.0), hub_spring=(5e5, 5e5), hub_damper=(0.0, 0.0),
)  # fmt: skip
MIXED = GroundResonance(
    blades=5, lag_spring=5e3, lag_damper=900.0, hub_mass=(1500.0, 4000.0), hub_spring=(8e5, 3e5), hub_damper=(2e3, 7e3)
)


def classical(rig: GroundResonance, omega: float) -> Complex:
    """Eigenvalues of Coleman and Feingold's equations of x, y, zeta_1c, zeta_1s, and of the blades' other motions.

    Blade k, at azimuth p from -x, lags by z: its hinge is at h + e u(p) and its mass along u(p - z), u = (-cos, -sin).
    To second order its Lagrangian is m h_dot^2 / 2 + S (Omega z h_dot.u - z_dot h_dot.u') + I z_dot^2 / 2
    - (e S Omega^2 + k) z^2 / 2; summed over the blades, sum z u' = N / 2 (zeta_1s, -zeta_1c).
    """
    n, S, I = rig.blades, rig.first_moment, rig.inertia
    c, kappa = rig.lag_damper, rig.lag_spring + rig.offset * S * omega**2
    mass_x, mass_y = (mass + n * rig.blade_mass for mass in rig.hub_mass)
    M, C, K = (np.zeros((4, 4)) for _ in range(3))
    M[0, 0], M[0, 3], M[1, 1], M[1, 2] = mass_x, -n / 2 * S, mass_y, n / 2 * S
    M[2, 2], M[2, 1], M[3, 3], M[3, 0] = I, S, I, -S
    C[:2, :2], K[:2, :2] = np.diag(rig.hub_damper), np.diag(rig.hub_spring)
    C[2:, 2:] = [[c, 2 * omega * I], [-2 * omega * I, c]]
    K[2:, 2:] = [[kappa - I * omega**2, c * omega], [-c * omega, kappa - I * omega**2]]
    A = np.block([[np.zeros((4, 4)), np.eye(4)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    found = [np.linalg.eigvals(A).astype(np.complex128)]
    root = np.roots([I, c, kappa]).astype(np.complex128)
    found += [root] * (1 if n % 2 else 2)  # collective, differential
    found += [root + 1j * way * k * omega for k in range(2, (n - 1) // 2 + 1) for way in (-1, 1)]
    return np.concatenate(found)


def apart(a: Complex, b: Complex) -> float:
    """Largest distance of eigenvalues, each from its own partner, over the largest of them."""
    assert len(a) == len(b)
    left, worst = list(b), 0.0
    for value in a:
        k = int(np.argmin([abs(value - other) for other in left]))
        worst = max(worst, abs(value - left.pop(k)))
    return worst / float(np.abs(b).max())


@pytest.mark.parametrize("rig", [HAMMOND, UNDAMPED, MIXED], ids=["hammond", "undamped", "five blades"])
def test_eigenvalues_are_those_of_coleman_and_feingold(rig: GroundResonance) -> None:
    for omega in (3.0, 14.0, 26.0, 39.0):
        system = linear_rig(rig, omega)
        assert system.variation < 1e-13
        found = np.linalg.eigvals(system.averaged).astype(np.complex128)
        assert apart(found, classical(rig, omega)) < 1e-8  # 1e-12 but for double roots


def edges(rig: GroundResonance) -> list[float]:
    """Speeds at which Coleman and Feingold's quartic gets or loses complex roots: (K - M w^2)(kappa - I (w - W)^2) =
    N / 2 S^2 w^4 of a hub without damping, alike in x and y."""
    K, M = rig.hub_spring[0], rig.hub_mass[0] + rig.blades * rig.blade_mass
    S, I = rig.first_moment, rig.inertia

    def complex_roots(omega: float) -> bool:
        kappa = rig.lag_spring + rig.offset * S * omega**2
        lag = [-I, 2 * I * omega, kappa - I * omega**2]
        quartic = np.polysub(np.polymul([-M, 0, K], lag), [rig.blades / 2 * S**2, 0, 0, 0, 0])
        return bool(np.abs(np.roots(quartic).imag).max() > 1e-5)

    grid = np.linspace(1.0, 60.0, 600)
    flags = [complex_roots(omega) for omega in grid]
    found = []
    for low, high, a, b in zip(grid, grid[1:], flags, flags[1:], strict=False):
        if a != b:
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if complex_roots(middle) == a else (low, middle)
            found.append(float(low))
    return found


@pytest.mark.parametrize("blades", [3, 4, 6])
def test_boundaries_of_the_unstable_zone(blades: int) -> None:
    """A ten-thousandth outside, everything stays; inside, something grows: by the square root of the distance."""
    rig = replace(UNDAMPED, blades=blades)
    low, high = edges(rig)
    assert 15 < low < high < 45 and high - low > 2
    for edge, inward in ((low, 1.0), (high, -1.0)):
        growth = [
            np.linalg.eigvals(linear_rig(rig, edge + side * 1e-4 * edge, 4).averaged).real.max()
            for side in (inward, -inward)
        ]
        assert growth[0] > 0.02 and abs(growth[1]) < 1e-6, growth


def test_damping_of_hub_and_blades_together_makes_the_undamped_rig_stable() -> None:
    """Deutsch 1946: only the product of both dampings counts; either alone leaves it unstable."""
    low, high = edges(UNDAMPED)
    omega = (low + high) / 2

    def growth(hub: float, lag: float) -> float:
        rig = replace(UNDAMPED, hub_damper=(hub, hub), lag_damper=lag)
        return float(np.linalg.eigvals(linear_rig(rig, omega, 4).averaged).real.max())

    assert growth(2e4, 0.0) > 0.1 and growth(0.0, 1500.0) > 0.1
    assert growth(2e4, 1500.0) < 0


@pytest.mark.parametrize("rig", [HAMMOND, UNDAMPED, MIXED], ids=["hammond", "undamped", "five blades"])
def test_floquet_agrees_with_multiblade(rig: GroundResonance) -> None:
    """In blade coordinates the coefficients vary; 720 steps of sixth order leave 1e-11, double roots 1e-8."""
    omega = 23.0
    turning = linearised_rotor(ground_resonance(rig), "shaft", omega, 64, inputs={"drive_speed": omega})
    assert turning.variation > 0.01
    found = np.linalg.eigvals(monodromy(turning, 720).matrix)
    expected = np.exp(classical(rig, omega) * turning.period)
    assert apart(found.astype(np.complex128), expected) < 1e-8
    fixed = linear_rig(rig, omega)
    resolved = exponents(monodromy(fixed), np.linalg.eigvals(fixed.averaged))
    values = classical(rig, omega)
    assert apart(resolved.exponents, values[values.imag > 0]) < 1e-8


def test_a_lost_damper_is_periodic_and_the_same_in_both_frames() -> None:
    """Coefficients of the fixed frame stop at the second harmonic, so four azimuths a harmonic are plenty."""
    rig, omega = replace(HAMMOND, without_damper=(2,)), 26.0
    fixed = linear_rig(rig, omega)
    spectrum = np.abs(np.fft.rfft(fixed.A, axis=0)).max(axis=(1, 2))
    assert spectrum[2] > 1.0 and spectrum[3:].max() < 1e-9
    turning = linearised_rotor(ground_resonance(rig), "shaft", omega, 64, inputs={"drive_speed": omega})
    a, b = (np.linalg.eigvals(monodromy(s, 720).matrix).astype(np.complex128) for s in (fixed, turning))
    assert apart(a, b) < 1e-8
    same = np.linalg.eigvals(monodromy(linear_rig(replace(HAMMOND, without_damper=(4,)), omega)).matrix)
    assert apart(same.astype(np.complex128), a) < 1e-8  # whichever blade it is


def stroboscope(rig: GroundResonance, omega: float, revolutions: int) -> Array:
    """(revolutions + 1, states) of a simulated small disturbance, once a revolution."""
    steps = 120
    period = 2 * np.pi / omega
    run = simulate(
        ground_resonance(rig), revolutions * period, period / steps, every=steps,
        q0={"lag_1": 1e-4}, v0={"shaft": omega}, inputs={"drive_speed": omega, "drive_acceleration": 0.0},
    )  # fmt: skip
    moving = [k for k, joint in enumerate(ground_resonance(rig).joints) if joint.name != "shaft"]
    return np.hstack([run.q[:, moving], run.v[:, moving]])


@pytest.mark.parametrize(("omega", "grows", "rtol"), [(26.0, True, 1e-4), (20.0, False, 1e-4), (34.0, False, 1e-2)])
def test_simulated_growth_without_one_damper(omega: float, grows: bool, rtol: float) -> None:
    """Once a revolution a single pair of multipliers obeys x[n + 2] = trace x[n + 1] - |multiplier|^2 x[n].

    The next mode has died to 1e-4 of it when the fit begins at 26 rad/s, to 2e-5 at 20 and to 6e-3 at 34. The
    simulation is nonlinear, but lag stays below 0.01 rad, and 120 steps a revolution leave 1e-6.
    """
    rig = replace(HAMMOND, without_damper=(1,))
    system = linear_rig(rig, omega)
    expected = exponents(monodromy(system)).growth.max()
    x = stroboscope(rig, omega, 45)[25:]
    pairs = np.stack([x[1:-1].ravel(), x[:-2].ravel()], axis=1)
    size = np.repeat(np.linalg.norm(x[2:], axis=1), x.shape[1])[:, None]  # every revolution counts the same
    _, minus = np.linalg.lstsq(pairs / size, x[2:].ravel() / size[:, 0], rcond=None)[0]
    growth = np.log(-minus) / (2 * system.period)
    assert (growth > 0) == grows
    np.testing.assert_allclose(growth, expected, rtol=rtol)


def test_a_simulated_revolution_is_that_of_the_monodromy_matrix() -> None:
    """Three of its columns, in blade coordinates, by differences: 120 steps of fourth order leave 1e-6."""
    rig, omega = replace(HAMMOND, without_damper=(1,)), 26.0
    model = ground_resonance(rig)
    system = linearised_rotor(model, "shaft", omega, 64, inputs={"drive_speed": omega})
    exact = monodromy(system).matrix
    for name in ("hub_y", "lag_1", "lag_3_dot"):
        ends = []
        for sign in (1e-4, -1e-4):
            moved, rate = {name.removesuffix("_dot"): sign}, name.endswith("_dot")
            run = simulate(
                model, system.period, system.period / 120, every=120,
                q0={} if rate else moved, v0={"shaft": omega, **(moved if rate else {})},
                inputs={"drive_speed": omega, "drive_acceleration": 0.0},
            )  # fmt: skip
            moving = [k for k, joint in enumerate(model.joints) if joint.name != "shaft"]
            ends.append(np.concatenate([run.q[-1, moving], run.v[-1, moving]]))
        column = exact[:, system.states.index(name)]
        np.testing.assert_allclose((ends[0] - ends[1]) / 2e-4, column, atol=1e-5 * np.abs(column).max())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"blades": 2}, "2 blades, at least 3"),
        ({"inertia": 800.0}, "must be above first_moment"),
        ({"hub_mass": (0.0, 1.0)}, "hub_mass is 0 kg, it must be positive"),
        ({"without_damper": (5,)}, "blade 5 has no damper to fail; blades: 1 to 4"),
        ({"offset": -1.0}, "offset is -1 m"),
    ],
)
def test_impossible_rigs_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        replace(HAMMOND, **changes)  # type: ignore[arg-type]


def test_unknown_joints_are_named() -> None:
    with pytest.raises(ModelError, match="no joint 'mast'; joints: hub_x"):
        linearised_rotor(ground_resonance(HAMMOND), "mast", 1.0)
    with pytest.raises(ModelError, match="no coordinate 'flap_1'"):
        linear_rig(HAMMOND, 1.0).in_fixed_frame([["flap_1"]])
