"""Whirl flutter: a rigid propeller on a sprung pylon against the classical equations, and the tiltrotor in flight."""

from dataclasses import replace

import numpy as np
import pytest

from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError, SimulationError
from motionbase.rotor.airfoils.own import airfoil
from motionbase.rotor.blades.planform import Planform, load_planform, needed_blade, rotor_file
from motionbase.rotor.blades.stations import gauss
from motionbase.rotor.elements.wing_modes import WingModes
from motionbase.rotor.models.library import rotor_model
from motionbase.rotor.models.proprotor import HowProprotor, Proprotor, proprotor
from motionbase.rotor.models.rotor_model import RotorModel
from motionbase.rotor.stability.whirl import Tunnel, fitted, whirl

RIG = rotor_file("tiltrotor")[0].table("proprotor").part(Proprotor)
THIN = replace(load_planform("tiltrotor"), airfoil=airfoil("thin"))
PYLON = np.array([6.0, 5.0])  # inertia about the pivot in pitch and yaw, without rotor [kg m^2]


def propeller(stiffness: Array, damping: Array) -> RotorModel:
    """A rigid propeller on a pylon that pitches and yaws about a pivot; no tip loss and no induced flow."""
    tip = np.zeros((6, 2))
    tip[4, 0] = tip[5, 1] = 1.0
    modes = WingModes(
        ("pitch", "yaw"), tip, np.diag(PYLON), np.diag(stiffness), np.diag(damping), np.zeros((2, 3))
    )  # fmt: skip
    how = HowProprotor(wing=True, gimbal="locked", inflow="none", tip_loss=False, points=8)
    return proprotor(THIN, RIG, how, modes)


def classical(
    rotor: Planform, rig: Proprotor, stiffness: Array, damping: Array, airspeed: float, collective: float
) -> Complex:
    """Eigenvalues of pitch and yaw (Reed & Bland 1961), blade loads by strip theory at three quarters of the chord.

    The shaft is s = (1, yaw, -pitch) and turns at Omega; H = I_p Omega s, so I pitch'' + I_p Omega yaw' = moment about
    y, I yaw'' - I_p Omega pitch' = moment about z.
    """
    blade, a = needed_blade(rotor).rigid(0.15), rig.mast
    c, s = np.cos(collective), np.sin(collective)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    J, com = turn @ blade.inertia @ turn.T, turn @ blade.com
    about_hub = J + blade.mass * (com @ com * np.eye(3) - np.outer(com, com))
    polar = rig.hub_inertia[1] + 4 * about_hub[2, 2]
    lateral = rig.hub_inertia[0] + 2 * (about_hub[0, 0] + about_hub[1, 1])
    inertia = PYLON + lateral + (rig.hub_mass + 4 * blade.mass) * a**2
    r, width = gauss(rotor.root, rotor.radius, 40)
    beta, chord = collective + rotor.twist_at(r), rotor.chord_at(r)

    def moment(x: Array) -> Array:
        """(2,) about y and z at the pivot for (pitch, yaw, their rates)."""
        axis = np.array([1.0, x[1], -x[0]])
        axis /= np.linalg.norm(axis)
        omega, total = np.array([0.0, x[2], x[3]]), np.zeros(3)
        for azimuth in np.arange(4) * np.pi / 2 + 0.3:
            e_r = np.array([0.0, np.cos(azimuth), np.sin(azimuth)])
            e_r = e_r - axis * (axis @ e_r)
            e_r /= np.linalg.norm(e_r)
            e_t = np.cross(axis, e_r)
            for k in range(len(r)):
                y = e_t * np.cos(beta[k]) + axis * np.sin(beta[k])  # to the leading edge
                z = np.cross(e_r, y)
                place, turning = a * axis + r[k] * e_r, omega + rotor.speed * axis
                w = np.array([airspeed, 0, 0]) + np.cross(omega, place) + np.cross(rotor.speed * axis, r[k] * e_r)
                behind = w - 0.5 * chord[k] * np.cross(turning, y)
                alpha = np.arctan2(-behind @ z, behind @ y)
                speed = np.hypot(w @ y, w @ z)
                lift = 0.5 * rotor.density * chord[k] * width[k] * speed * 2 * np.pi * np.sin(alpha)
                total += np.cross(place, lift * ((w @ y) * z - (w @ z) * y))
        return total[1:]

    d = 1e-5
    slopes = np.array([(moment(d * e) - moment(-d * e)) / (2 * d) for e in np.eye(4)]).T
    gyroscopic = polar * rotor.speed * np.array([[0.0, 1.0], [-1.0, 0.0]])
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = (slopes[:, :2] - np.diag(stiffness)) / inertia[:, None]
    A[2:, 2:] = (slopes[:, 2:] - gyroscopic - np.diag(damping)) / inertia[:, None]
    return np.linalg.eigvals(A).astype(np.complex128)


@pytest.mark.long("compiles a rotor")
def test_rigid_propeller_whirls_as_the_classical_equations_say() -> None:
    """Exponents to 0.3 % of their size and the flutter boundary to 1 %.

    Steps of a 96th of a revolution put frequencies 0.1 % off, by the square of the step; eight stations on a blade
    instead of forty move growth rates by less.
    """
    frequency = 2 * np.pi * 6.0
    inertia = np.array([20.0, 20.0])
    stiffness, damping = inertia * frequency**2, 2 * 0.02 * inertia * frequency
    found = whirl(propeller(stiffness, damping), [40.0, 55.0, 65.0])
    growth = []
    for point, collective in zip(found.stability.points, found.collective.tolist(), strict=True):
        wanted = classical(THIN, RIG, stiffness, damping, point.speed, collective)
        wanted = wanted[wanted.imag >= 0]
        wanted = wanted[np.argsort(wanted.imag)]
        assert np.abs(point.exponents - wanted).max() < 3e-3 * np.abs(wanted).max()
        growth.append(wanted.real.max())
    ((boundary, _),) = found.stability.unstable
    between = np.interp(0.0, growth[1:], found.stability.speeds[1:])
    assert boundary == pytest.approx(float(between), rel=0.01)
    assert 55.0 < boundary < 65.0
    assert np.abs(found.torque).max() < 2.0  # of some 500 N m that a degree of collective makes


@pytest.mark.long("compiles a rotor")
def test_tiltrotor_flutters_as_fast_in_free_motion() -> None:
    """It is stable at 100 m/s; at 120 m/s what a push makes grows as the modes say, to 1 % of the
    exponent when the other modes have died out: by linear prediction from one record of the wing."""
    rotor = rotor_model("tiltrotor", wing=True, inflow="none")
    found = whirl(rotor, [60.0, 100.0])
    assert found.stability.unstable == []
    assert set(found.stability.points[0].kinds) == {"beam", "chord", "torsion", "beam 2", "gimbal"}
    tunnel = Tunnel.of(rotor)
    tunnel.windmill(120.0)
    modes, _ = tunnel.modes()
    wanted = modes.exponents[modes.growth.argmax()]
    begin, bent = (tunnel.flying.state, tunnel.flying.t), []
    for push in ({}, tunnel.pushes()[0]):
        tunnel.flying.state, tunnel.flying.t = begin
        tunnel.flying.fly(4, tunnel.settings, inputs=push)
        flown = tunnel.flying.fly(3000, tunnel.settings)
        bent.append(tunnel.states(flown)[:, 0])
    x, lag = (bent[1] - bent[0])[1200:], 80  # about a quarter of its period
    fit, *_ = np.linalg.lstsq(np.stack([x[lag:-lag], x[: -2 * lag]], axis=1), x[2 * lag :])
    roots = np.log(np.roots([1.0, *-fit]).astype(np.complex128)) / (lag * tunnel.flying.network.step_size)
    assert roots[roots.imag > 0][0] == pytest.approx(wanted, rel=0.01)
    with pytest.raises(SimulationError, match="whirl flutter at 200 m/s, where a lower airspeed may do: .* not solved"):
        whirl(rotor, [100.0, 200.0])


def test_fit_finds_the_matrix_of_a_linear_motion() -> None:
    """Exactly, with its path, from few pushes and states of very different size."""
    rng = np.random.default_rng(3)
    A = rng.standard_normal((6, 6)) - 2 * np.eye(6)
    size = np.diag([1.0, 1e-3, 1e3, 1.0, 10.0, 1e-4])
    A = size @ A @ np.linalg.inv(size)
    h, steps = 0.02, 5
    values, vectors = np.linalg.eig(A)

    def after(t: float) -> Array:
        return np.asarray((vectors * np.exp(values * t)) @ np.linalg.inv(vectors)).real

    starts = size @ rng.standard_normal((6, 2))
    moved = [np.array([after(h * k) @ x for k in range(12 * steps)]) for x in starts.T]
    found, apart = fitted(moved, steps, steps * h)
    inverse = np.linalg.inv(size)
    np.testing.assert_allclose(inverse @ found.matrix @ size, inverse @ after(steps * h) @ size, atol=1e-6)
    assert apart < 1e-9
    assert found.path is not None
    np.testing.assert_allclose(inverse @ found.path[2] @ size, inverse @ after(2 * h) @ size, atol=1e-6)


def test_whirl_needs_a_wing_and_airspeeds() -> None:
    """Errors name what is missing."""
    with pytest.raises(ModelError, match="rotor 'tiltrotor' has no wing, so it cannot whirl; take tiltrotor_wing"):
        whirl(rotor_model("tiltrotor"), [10.0])
    for speeds in ([], [20.0, 10.0], [-1.0], [np.nan]):
        with pytest.raises(ModelError, match="whirl flutter: airspeeds must be"):
            whirl(rotor_model("tiltrotor_wing"), speeds)
