"""A wing of assumed modes: its beams against finite elements, its vibration with a body against eigenvalues."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.errors import ModelError
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import TRAPEZOIDAL
from motionbase.multibody.network.step import FEEDBACK
from motionbase.rotor.blades.planform import rotor_file
from motionbase.rotor.elements.wing import Wing
from motionbase.rotor.elements.wing_modes import WingBeam, bending_roots, torsion_root, wing_modes
from motionbase.rotor.models.proprotor import Proprotor
from motionbase.rotor.stability.whirl import fitted

BEAM = rotor_file("tiltrotor")[0].table("proprotor").part(Proprotor).wing
POD = Body("pod", 12.0, (0.4, 0.05, -0.1), (0.5, 0.8, 0.7))
STILL = replace(BEAM, damping=0.0)


def finite_elements(EI: float, elements: int = 40) -> Array:
    """(modes,) [rad/s] of the clamped beam with the pylon as a point mass, by cubic elements."""
    h, size = BEAM.semispan / elements, 2 * elements + 2
    K, M = np.zeros((size, size)), np.zeros((size, size))
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h**2, -6 * h, 2 * h**2], [-12, -6 * h, 12, -6 * h],
                  [6 * h, 2 * h**2, -6 * h, 4 * h**2]]) * EI / h**3  # fmt: skip
    m = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h**2, 13 * h, -3 * h**2], [54, 13 * h, 156, -22 * h],
                  [-13 * h, -3 * h**2, -22 * h, 4 * h**2]]) * BEAM.mass * h / 420  # fmt: skip
    for e in range(elements):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += k
        M[at, at] += m
    M[-2, -2] += BEAM.pylon_mass
    return np.asarray(np.sqrt(eigh(K[2:, 2:], M[2:, 2:], eigvals_only=True)))


def test_roots_of_beams_without_and_with_a_great_mass() -> None:
    """1.8751, 4.6941 of a bare cantilever; a great mass on a massless beam has l^4 = 3 / mu (0.2 % of mu off)."""
    np.testing.assert_allclose(bending_roots(0.0, 2), [1.8751041, 4.6940911], atol=1e-7)
    assert bending_roots(1000.0, 1)[0] == pytest.approx((3 / 1000.0) ** 0.25, rel=1e-3)
    assert torsion_root(1e-4) == pytest.approx(1e-2, rel=1e-4)  # all of the inertia at the end: l^2 = ratio


def test_wing_bends_as_finite_elements_do() -> None:
    """Forty cubic elements are right to 1e-6."""
    modes = wing_modes(BEAM)
    found = dict(zip(modes.names, np.sqrt(np.diag(modes.stiffness) / np.diag(modes.mass)), strict=True))
    beam, chord = finite_elements(BEAM.EI_beam), finite_elements(BEAM.EI_chord)
    assert [found["beam"], found["beam 2"], found["chord"]] == pytest.approx([*beam[:2], chord[0]], rel=1e-5)


def test_torsion_follows_its_differential_equation() -> None:
    """A uniform shaft of 400 lumped pieces with the pylon at its end, right to 1e-5."""
    modes, n = wing_modes(BEAM), 400
    h = BEAM.semispan / n
    K = BEAM.GJ / h * (2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1))
    K[-1, -1] /= 2
    M = BEAM.inertia * h * np.eye(n)
    M[-1, -1] = BEAM.inertia * h / 2 + BEAM.pylon_inertia
    k = modes.names.index("torsion")
    assert np.sqrt(modes.stiffness[k, k] / modes.mass[k, k]) == pytest.approx(
        np.sqrt(eigh(K, M, eigvals_only=True)[0]), rel=1e-5
    )


def carried(amplitudes: tuple[float, ...] = (), beam: WingBeam = STILL) -> Network:
    """A pod on the wing without gravity, released where the amplitudes put it."""
    wing = Wing("wing", "pod", wing_modes(beam), amplitudes)
    model = Model("pod", (POD,), (Joint("pod", GROUND, "pod", Free()),), (0.0, 0.0, 0.0), elements=(wing,))
    q = model.neutral.copy()
    if amplitudes:
        tip = wing.modes.tip @ np.array(amplitudes)
        g = tip[3:] / 2
        q[:3], q[3:7] = tip[:3], np.array([1.0, *g]) / np.sqrt(1 + g @ g)
    return Network(model, 2e-4, q, method=TRAPEZOIDAL, ground_node=True)


def whole_mass() -> Array:
    """(4, 4) of the wing and the pod about the straight wing."""
    modes, com = wing_modes(STILL), np.asarray(POD.com)
    moved = modes.tip[:3] + np.cross(modes.tip[3:].T, com).T
    turned = modes.tip[3:].T @ np.asarray(POD.inertia) @ modes.tip[3:]
    return np.asarray(modes.mass + POD.mass * moved.T @ moved + turned)


def test_start_balances_wing_and_body() -> None:
    """Rates of the momenta at the start are those of M eta_ddot = -K eta; amplitudes of 1e-7 leave no second order."""
    modes, eta = wing_modes(STILL), (1e-7, -2e-7, 1e-7, 3e-8)
    network = carried(eta)
    start = network.start()
    names = network.network.assembly.names[network.network.assembly.node_starts[-1] :]
    rows = [names.index(f"wing.mode{k}.momentum") for k in range(1, 5)]
    found = start.own_dot[rows]
    wanted = -modes.mass @ np.linalg.solve(whole_mass(), modes.stiffness @ eta)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6 * np.abs(wanted).max())
    assert network.equations == 12 + 12 + 14  # ground and clamp, pod, wing


def flown(network: Network, steps: int) -> dict[str, Array]:
    """Nodes and own unknowns at every step, without shaker and snubber."""
    loop = scan(network.program, FEEDBACK, record=["one_next", "own_one_next"])
    held: dict[str, Any] = {"tau": np.zeros(6), "wing_force": np.zeros(4), "wing_snubber": 0.0}
    state: dict[str, Any] = {**network.start().ports(), "worst": np.zeros(2)}
    out = loop(steps, every=1, weights=TRAPEZOIDAL.weights(1.0).row(network.step_size), **state, **held)
    return {name: np.asarray(out[name]) for name in ("one_next", "own_one_next")}


def test_wing_and_body_vibrate_at_their_eigenvalues_and_keep_their_energy() -> None:
    """Of sqrt(K / M) to 1e-3, the trapezoidal rule's (w h)^2 / 12 at 100 Hz; energy to 1e-3 over 0.4 s."""
    modes = wing_modes(STILL)
    found = flown(carried((1e-3, 8e-4, 1e-3, 2e-4)), 2000)
    names = carried().network.assembly.names[carried().network.assembly.node_starts[-1] :]
    at = names.index("wing.mode1.force")
    eta, p = found["own_one_next"][:, at : at + 4], found["own_one_next"][:, at + 4 : at + 8]
    states = np.concatenate([eta, np.linalg.solve(modes.mass, p.T).T], axis=1)
    matrix, apart = fitted([states], 10, 10 * 2e-4)
    found_hz = np.sort(np.abs(np.angle(np.linalg.eigvals(matrix.matrix)))) / (2 * np.pi * matrix.period)
    wanted = np.sqrt(eigh(modes.stiffness, whole_mass(), eigvals_only=True)) / (2 * np.pi)
    assert found_hz[::2] == pytest.approx(wanted, rel=1e-3)
    assert apart < 1e-2  # what is left is of second order in the amplitudes
    nodes = found["one_next"][:, 0]
    rates = states[:, 4:]
    energy = 0.5 * np.sum(rates @ modes.mass * rates + eta @ modes.stiffness * eta, axis=1)
    energy += 0.5 * np.sum(nodes[:, 7:10] * nodes[:, 13:16] + nodes[:, 10:13] * nodes[:, 16:19], axis=1)
    assert np.ptp(energy) < 1e-3 * energy[0]


def test_bad_wings_are_refused() -> None:
    """Numbers, and what holds the body."""
    with pytest.raises(ModelError, match="wing: GJ is -1 N m\\^2, it must be positive"):
        replace(BEAM, GJ=-1.0)
    with pytest.raises(ModelError, match="wing 'wing': 1 amplitudes for 4 modes"):
        Wing("wing", "pod", wing_modes(BEAM), (1.0,))
    wing = Wing("wing", "pod", wing_modes(BEAM))
    with pytest.raises(ModelError, match="wing 'wing': joint 'pod' must be free and from the ground"):
        Model("pod", (POD,), (Joint("pod", GROUND, "pod", revolute()),), elements=(wing,))
