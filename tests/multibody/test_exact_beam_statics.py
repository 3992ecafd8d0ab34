"""Geometrically exact beams at rest, against closed forms, integration of the rod's equations and published tests."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from motionbase.multibody import Model
from motionbase.multibody.beams import Profile, arc, beam_chain, straight
from motionbase.multibody.closures import WeldClosure
from motionbase.multibody.flexible.shapes import rectangle
from motionbase.multibody.joints import revolute
from motionbase.multibody.network.static import Rest, static
from tests.multibody.exact_beams import Nodes, elastica, loaded, slender, tip

ELASTICA = {  # P L^2 / EI: deflection and shortening over L, by elliptic integrals
    1: (0.301721, 0.056433),
    2: (0.493457, 0.160642),
    3: (0.603253, 0.254420),
    5: (0.713792, 0.387628),
    10: (0.810609, 0.554996),
}


@pytest.mark.parametrize("load", ELASTICA)
def test_the_elastica(load: int) -> None:
    """Beams of three nodes: by their fourth order the error of eight is 1/15 of their distance from four, here 1/10."""
    four, eight = (tip(elastica(beams, 3, float(load))) for beams in (4, 8))
    known = np.array([1 - ELASTICA[load][1], ELASTICA[load][0]])
    off, apart = np.abs(eight[[0, 2]] - known), np.abs(eight - four)[[0, 2]]
    assert np.all(off < apart / 10 + 1e-6), (off, apart)  # 1e-6: digits of the table
    assert np.max(off) < 3e-5


@pytest.mark.parametrize(("nodes", "order", "few"), [(2, 2.0, 4), (3, 4.0, 2)])
def test_order_of_convergence(nodes: Nodes, order: float, few: int) -> None:
    """Errors of the deflection at P L^2 / EI = 2 with twice as many beams."""
    errors = [tip(elastica(few * k, nodes, 2.0))[2] - ELASTICA[2][0] for k in (1, 2)]
    assert math.log2(abs(errors[0] / errors[1])) == pytest.approx(order, abs=0.4)


@pytest.mark.parametrize("nodes", [2, 3])
def test_a_moment_bends_a_beam_into_a_circle(nodes: Nodes) -> None:
    """M = 2 pi EI / L: the tip meets the root. Two nodes follow a circle exactly, whatever their number."""
    _, model = loaded(straight((0, 0, 0), (1, 0, 0), 9), slender(1e6), nodes)
    rest = static(model, {"load_moment": (0.0, -2 * math.pi, 0.0)}, steps=4)
    # three nodes: chords of a parabola for an arc of 90 degrees, an error of 4th order
    np.testing.assert_allclose(tip(rest), 0.0, atol=1e-9 if nodes == 2 else 5e-3)


BEND = (1e7, 4.16667e6, 4.16667e6, 8.33333e5, 8.33333e5, 8.33333e5)


def bend(beams: int, nodes: Nodes) -> Rest:
    """45 degrees of a circle of 100 in the plane, its tangent along y at the root; 600 across the plane at the tip."""
    line = arc((100, 0, 0), (0, 0, 0), (0, 0, 1), -math.pi / 4, beams * (nodes - 1) + 1)
    _, model = loaded(line, Profile(BEND, 1.0, (1 / 6, 1 / 12, 1 / 12)), nodes)
    return static(model, {"load_force": (0.0, 0.0, 600.0)}, steps=12)


def test_the_45_degree_bend() -> None:
    """Bathe & Bolourchi 1979 with elements of their own, and the rod's differential equations.

    From the tip found, without moment there, the equations are integrated back; they must arrive at the clamp. Four
    beams of three nodes leave 8e-3 at the tip, and as much, turned and carried along the beam, at the root.
    """
    rest = bend(4, 3)
    at, R = tip(rest), rest.orientation(rest.model.bodies[-1].name)
    start = np.array([100 * (1 - math.cos(math.pi / 4)), 100 * math.sin(math.pi / 4), 0.0])
    np.testing.assert_allclose(at - start, (-13.4, -23.5, 53.4), rtol=0.02)  # published to three digits, eight elements
    # the same equations by shooting from the root, to 1e-9
    np.testing.assert_allclose(at - start, (-13.60464, -23.56059, 53.47548), atol=1e-2)
    force, stretch, bending = np.array([0.0, 0.0, 600.0]), np.array(BEND[:3]), np.array(BEND[3:])

    def along(s: float, y: np.ndarray) -> np.ndarray:
        R, m = y[3:12].reshape(3, 3), y[12:]
        kappa = np.array([0.0, 0.0, -0.01]) + R.T @ m / bending
        r_dot = R @ (np.array([1.0, 0.0, 0.0]) + R.T @ force / stretch)
        return np.concatenate([r_dot, np.cross(R, kappa).ravel(), -np.cross(r_dot, force)])

    begin = np.concatenate([at, R.ravel(), np.zeros(3)])
    end = solve_ivp(along, (25 * math.pi, 0.0), begin, rtol=1e-8, atol=1e-8).y[:, -1]
    np.testing.assert_allclose(end[:3], 0.0, atol=0.05)
    np.testing.assert_allclose(end[3:12].reshape(3, 3)[:, 0], (0.0, 1.0, 0.0), atol=1e-3)


PRINCETON = {  # degrees: deflections along the stiff and the soft direction [mm], finite elements
    0: (10.714, 0.0), 15: (10.613, 42.08), 30: (10.112, 79.39), 45: (8.837, 108.99), 60: (6.605, 129.89),
    75: (3.539, 142.19), 90: (0.0, 146.25),
}  # fmt: skip


@pytest.mark.parametrize("angle", PRINCETON)
def test_the_princeton_beam(angle: int) -> None:
    """Bending in two planes with torsion; 0.1 mm: torsion constant to half a per cent, and the source's own digits."""
    E = 71.7e9
    profile = Profile.of(rectangle(3.2024e-3, 12.3777e-3), E, E / 2 / 1.31, 2700.0)
    _, model = loaded(straight((0, 0, 0), (0.508, 0, 0), 9), profile, 3)
    a = math.radians(angle)
    rest = static(model, {"load_force": (0.0, 8.896 * math.sin(a), 8.896 * math.cos(a))})
    np.testing.assert_allclose(1e3 * tip(rest)[[2, 1]], PRINCETON[angle], atol=0.1)


def test_a_turning_beam_is_stretched_by_its_own_mass() -> None:
    """rho A Omega^2 L^3 / (3 EA) = 5.143e-4; Simpson's masses meet the cubic exactly, the rest is second order."""
    profile = Profile((2.8e7, 1e7, 1e7, 1.4e4, 1.4e4, 1.4e4), 1.2, (1.2e-3, 6e-4, 6e-4))
    chain = beam_chain("b", straight((0, 0, 0), (10, 0, 0), 9), profile, nodes=3, root=revolute())
    model = Model("turning", chain.bodies, chain.joints, (0, 0, 0), chain.beams)
    rest = static(model, spin=(0.0, 0.0, 6.0))
    closed = 1.2 * 36 * 1000 / (3 * 2.8e7)
    assert closed == pytest.approx(5.143e-4, rel=1e-4)
    # the stretched beam is longer and pulls a little more: omega^2 rho L^2 2 / (5 E) = 6e-5 of it
    assert tip(rest)[0] - 10 == pytest.approx(closed, rel=1.5e-4)


def test_gravity_acts_and_closures_hold() -> None:
    """A beam hung at both ends sags by rho A g L^4 / (384 EI) for small loads."""
    stiff = Profile((1e6, 1e6, 1e6, 1e3, 1e3, 1e3), 1.0, (2e-3, 1e-3, 1e-3))
    chain = beam_chain("b", straight((0, 0, 0), (1, 0, 0), 9), stiff, nodes=3)
    hold = WeldClosure("hold", "b8", (0, 0, 0), "ground", (1, 0, 0))
    model = Model("hung", chain.bodies, chain.joints, (0, 0, -9.81), chain.beams, (hold,))
    sag = -static(model).position("b4")[2]
    assert sag == pytest.approx(9.81 / 384e3 + 9.81 / 8e6, rel=1e-4)  # bending and shear
