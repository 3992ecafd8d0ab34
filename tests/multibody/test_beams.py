"""Beams: natural frequencies and buckling loads against closed forms, stiffening by rotation, and what is refused."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

from motionbase.errors import ModelError
from motionbase.multibody import Body, Joint, Model
from motionbase.multibody.eigen import natural_modes
from motionbase.multibody.flexible import Modes, beam
from motionbase.multibody.flexible.directions import bending_direction, evaluate
from motionbase.multibody.flexible.line import mesh
from motionbase.multibody.joints import fixed, revolute
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.stiffening import geometric_stiffness

Array = Any
L, MU, EI = 2.0, 3.0, 50.0

# beta_n L of Euler-Bernoulli beams (Blevins 1979)
ENDS = {
    "clamped-free": (1.87510407, 4.69409113, 7.85475744),
    "pinned-pinned": (np.pi, 2 * np.pi, 3 * np.pi),
    "clamped-pinned": (3.92660231, 7.06858275, 10.21017612),
    "clamped-clamped": (4.73004074, 7.85320462, 10.99560784),
    "free-free": (4.73004074, 7.85320462, 10.99560784),
    "pinned-free": (3.92660231, 7.06858275, 10.21017612),
    "clamped-sliding": (2.36502037, 5.49780392, 8.63937983),
    "sliding-sliding": (np.pi, 2 * np.pi, 3 * np.pi),
}


def frequencies(modes: Modes) -> Array:
    return natural_modes(modes.stiffness, modes.modal_mass)[0]


def held(modes: Modes, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0), *more: Any) -> Model:
    bodies, joints = (more[0], more[1]) if more else ((), ())
    return Model("held", (Body("b", modes=modes), *bodies), (Joint("j", "ground", "b", fixed()), *joints), gravity)


def tangent(model: Model, v: Array | None = None, stiffening: bool = True) -> tuple[Array, Array, Array]:
    at = np.zeros(model.nv) if v is None else v
    M, C, K = Tree(model, stiffening=stiffening).linearised.function(model.neutral, at, np.zeros(model.nv))
    return np.array(M), np.array(C), np.array(K)


@pytest.mark.parametrize("boundary", ENDS)
def test_bending(boundary: str) -> None:
    """Twenty cubic elements are within 1e-4 for the first three modes; 0.1 % is asked."""
    modes = beam(L, MU, EI_y=EI, EI_z=2 * EI, bending=(3, 3), boundary=boundary)
    exact = np.array(ENDS[boundary]) ** 2 * np.sqrt(EI / MU) / L**2
    np.testing.assert_allclose(np.sqrt(np.diag(modes.stiffness) / np.diag(modes.modal_mass))[3:], exact, rtol=1e-4)
    np.testing.assert_allclose(frequencies(modes), np.sort([*exact, *np.sqrt(2) * exact]), rtol=1e-4)
    finer = beam(L, MU, EI_y=EI, bending=(0, 3), boundary=boundary, elements=40)
    coarse, fine = frequencies(modes)[:1] / exact[0] - 1, frequencies(finer)[:1] / exact[0] - 1
    assert np.all(fine < 1e-6) and np.all(coarse < 1e-5) and np.all(coarse > -1e-8)  # from above, as Ritz's are


def test_axial_and_torsion() -> None:
    """Bars: (n - 1/2) pi c / L held at one end, n pi c / L free."""
    EA, GJ, jx = 1e4, 30.0, 0.1
    for boundary, factors in (("clamped-free", np.arange(3) + 0.5), ("free-free", np.arange(3) + 1.0)):
        modes = beam(L, MU, EA=EA, GJ=GJ, axial=3, torsion=3, inertia_per_length=(jx, 0, 0), boundary=boundary)
        w = np.sqrt(np.diag(modes.stiffness) / np.diag(modes.modal_mass))
        np.testing.assert_allclose(w[:3], factors * np.pi / L * np.sqrt(EA / MU), rtol=1e-4)
        np.testing.assert_allclose(w[3:], factors * np.pi / L * np.sqrt(GJ / jx), rtol=1e-4)


def test_timoshenko() -> None:
    """Simply supported, w = sin(n pi x / L): a quadratic in the squared frequency (Timoshenko 1922)."""
    kGA, j = 3000.0, 0.05  # a stubby beam: the third frequency falls by 30 %
    modes = beam(
        L, MU, EI_z=EI, bending=(3, 0), formulation="timoshenko", shear_y=kGA, inertia_per_length=(0, 0, j),
        boundary="pinned-pinned",
    )  # fmt: skip
    exact = []
    for k in np.arange(1, 4) * np.pi / L:
        a, b, c = MU * j, -(MU * (kGA + EI * k**2) + j * kGA * k**2), kGA * EI * k**4
        exact.append(np.sqrt(min(np.roots([a, b, c]).real)))
    np.testing.assert_allclose(frequencies(modes), exact, rtol=5e-5)
    slender = np.array(ENDS["pinned-pinned"]) ** 2 * np.sqrt(EI / MU) / L**2
    assert exact[2] < 0.8 * slender[2]
    rigid_in_shear = beam(L, MU, EI_z=EI, bending=(3, 0), formulation="timoshenko", shear_y=1e9)
    np.testing.assert_allclose(
        frequencies(rigid_in_shear), frequencies(beam(L, MU, EI_z=EI, bending=(3, 0))), rtol=1e-5
    )


def test_timoshenko_tip_force() -> None:
    """F L^3 / 3 EI + F L / kGA at the tip; modes approach it from below."""
    modes = beam(L, MU, EI_z=EI, bending=(12, 0), formulation="timoshenko", shear_y=200.0)
    shape = modes.points["tip"].shape[1]
    deflection = shape @ np.linalg.solve(modes.stiffness, shape)
    assert deflection == pytest.approx(L**3 / (3 * EI) + L / 200.0, rel=5e-3)


def test_tip_mass() -> None:
    """1 + cos cosh + r b (cos sinh - sin cosh) = 0 for a mass r times the beam's at its tip."""
    r = 1.7
    modes = beam(L, MU, EI_y=EI, bending=(0, 2), tip_mass=r * MU * L)

    def equation(b: float) -> float:
        return float(1 + np.cos(b) * np.cosh(b) + r * b * (np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b)))

    exact = np.array([brentq(equation, *span) for span in ((0.5, 2.0), (3.5, 4.6))]) ** 2 * np.sqrt(EI / MU) / L**2
    np.testing.assert_allclose(frequencies(modes), exact, rtol=1e-4)
    assert modes.mass == pytest.approx(MU * L * (1 + r))
    assert modes.second[1, 1] == pytest.approx(MU * L**3 * (1 / 3 + r))


def test_loading_chooses_better_shapes() -> None:
    """A heavy body on the tip: one loaded shape gives the frequency that one plain shape misses."""
    m = 20 * MU * L
    exact = np.sqrt(3 * EI / L**3 / (m + 33 / 140 * MU * L))  # Rayleigh's; good to 1e-4 for a heavy tip

    def found(loading: float) -> float:
        modes = beam(L, MU, EI_y=EI, bending=(0, 1), loading=loading)
        carried = (Body("m", m),), (Joint("c", "b", "m", fixed(), "tip"),)
        M, _, K = tangent(held(modes, (0, 0, 0), *carried))
        return float(natural_modes(K, M)[0][0])

    assert found(m) == pytest.approx(exact, rel=2e-4)
    assert found(0.0) > 1.01 * exact


def test_integrals_are_exact() -> None:
    """Tapered, with a jump: four Gauss points in each element give what twelve do (eigenvectors repeat to 1e-11)."""
    mass = [(0.0, 3.0), (0.7, 5.0), (0.7, 2.0), (L, 1.0)]
    stiff = [(0.0, 60.0), (1.1, 20.0), (L, 10.0)]
    modes = beam(L, mass, EI_z=stiff, bending=(4, 0), elements=7)
    nodes = mesh(L, 7, np.array([s for table in (mass, stiff) for s, _ in table]))
    x, w = np.polynomial.legendre.leggauss(12)
    at = (0.5 * (nodes[1:] + nodes[:-1])[:, None] + 0.5 * np.diff(nodes)[:, None] * x).ravel()
    dm = (0.5 * np.diff(nodes)[:, None] * w).ravel() * np.where(at < 0.7, 3 + at * 2 / 0.7, 2 - (at - 0.7) / 1.3)
    tables: list[Callable[[Array], Array]] = [
        lambda s: np.where(s < 0.7, 3 + s * 2 / 0.7, 2 - (s - 0.7) / 1.3),
        lambda s: 0 * s,
        lambda s: np.interp(s, *np.array(stiff).T),
    ]
    mu, j, stiffness = tables
    direction = bending_direction(1, 4, nodes, mu, j, stiffness, None, ("clamped", "free"), (0.0, 0.0))
    finer = Modes.from_particles(
        dm, np.column_stack([at, 0 * at, 0 * at]), evaluate([direction], nodes, at).phi, stiffness=direction.stiffness
    )
    for name in ("mass", "first", "second", "shape_mass", "shape_moment", "modal_mass", "inertia_first",
                 "inertia_second", "stiffness"):  # fmt: skip
        ours, theirs = np.asarray(getattr(modes, name)), np.asarray(getattr(finer, name))
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-11 * np.abs(theirs).max(), err_msg=name)
    assert np.abs(modes.modal_mass - np.diag(np.diag(modes.modal_mass))).max() < 1e-12  # natural modes are orthogonal


def test_geometric_stiffness_is_the_integral_of_tension() -> None:
    """centrifugal_xx is -integral N phi' phi' with N the tension of a unit squared speed, and likewise for gravity."""
    modes = beam(L, MU, EI_y=EI, bending=(0, 3), tip_mass=0.8)
    points = np.linspace(0, L, 4001)
    many = beam(L, MU, EI_y=EI, bending=(0, 3), tip_mass=0.8, points={f"p{k}": x for k, x in enumerate(points)})
    slope = np.array([-many.points[f"p{k}"].slope[1] for k in range(len(points))])
    tension = MU * (L**2 - points**2) / 2 + 0.8 * L
    weight = MU * (L - points) + 0.8
    for N, K in ((tension, modes.centrifugal[0, 0]), (weight, modes.accelerated[0])):
        integral = np.trapezoid(N[:, None, None] * slope[:, :, None] * slope[:, None, :], points, axis=0)
        np.testing.assert_allclose(K, -integral, rtol=0, atol=1e-5 * np.abs(integral).max())
    assert not modes.centrifugal[1:].any() and not modes.accelerated[1:].any()


def test_tangent_has_the_geometric_stiffness() -> None:
    """With and without the switch the tangents differ by K_g; with two modes a plane its fields are complete."""
    modes = beam(L, MU, EI_y=EI, EI_z=EI, bending=(2, 2))
    for gravity, speed in (((0.3, -0.2, 0.5), 0.0), ((0.0, 0.0, 0.0), 1.7)):
        body, joint = Body("b", modes=modes), Joint("j", "ground", "b", revolute())
        model = Model("m", (body,), (joint,), gravity)
        v = np.array([speed, 0, 0, 0, 0])
        difference = tangent(model, v)[2] - tangent(model, v, stiffening=False)[2]
        K = geometric_stiffness(modes, ca.DM([0, 0, speed]), -ca.DM(gravity))
        np.testing.assert_allclose(difference[1:, 1:], np.array(ca.DM(K)), atol=1e-9)


# First two flapping frequencies of a clamped uniform beam that turns, hub radius zero, in units of sqrt(EI / m L^4)
# (Wright, Smith, Thresher & Wang 1982).
FLAP = {0.0: (3.5160, 22.0345), 1.0: (3.6817, 22.1810), 2.0: (4.1373, 22.6149), 5.0: (6.4495, 25.4461)}


@pytest.mark.parametrize("speed", FLAP)
def test_rotation_stiffens(speed: float) -> None:
    """Flap as published; lag squared is flap squared minus speed squared; with constant stiffness lag softens."""
    unit = np.sqrt(EI / MU) / L**2
    model = Model(
        "rotor",
        (Body("b", modes=beam(L, MU, EI_y=EI, EI_z=EI, bending=(6, 6))),),
        (Joint("j", "ground", "b", revolute()),),
        (0, 0, 0),
    )
    v = np.zeros(13)
    v[0] = speed * unit
    lag, flap = slice(1, 7), slice(7, 13)

    def squared(at: slice, stiffening: bool) -> Array:
        M, _, K = tangent(model, v, stiffening)
        return np.sort(np.linalg.eigvals(np.linalg.solve(M[at, at], K[at, at])).real)[:2] / unit**2

    np.testing.assert_allclose(np.sqrt(squared(flap, True)), FLAP[speed], rtol=1e-4)
    np.testing.assert_allclose(squared(lag, True), np.array(FLAP[speed]) ** 2 - speed**2, rtol=5e-4)
    np.testing.assert_allclose(np.sqrt(squared(flap, False)), FLAP[0.0], rtol=1e-4)
    np.testing.assert_allclose(squared(lag, False), np.array(FLAP[0.0]) ** 2 - speed**2, rtol=5e-4)
    assert speed != 5.0 or squared(lag, False)[0] < 0  # it would even fly apart


def test_column_under_its_own_weight() -> None:
    """A standing column buckles at mu g L^3 / EI = 7.8373 (Greenhill 1881); hanging it gets stiffer."""
    modes = beam(L, MU, EI_y=EI, bending=(0, 6))
    critical = 7.8373 * EI / (MU * L**3)

    def softest(g: float) -> float:
        M, _, K = tangent(held(modes, (g, 0.0, 0.0)))
        return float(
            np.linalg.eigvalsh(np.linalg.solve(np.linalg.cholesky(M), K) @ np.linalg.inv(np.linalg.cholesky(M)).T)[0]
        )

    assert brentq(softest, -1.2 * critical, -0.8 * critical) == pytest.approx(-critical, rel=1e-3)
    assert softest(critical) > softest(0.0) > 0


def test_column_under_a_load() -> None:
    """What a body carries stiffens it too: Euler's load pi^2 EI / 4 L^2 of a clamped-free column."""
    modes = beam(L, 1e-6, EI_y=EI, bending=(0, 8))
    g = 9.81
    critical = np.pi**2 * EI / (4 * L**2) / g

    def softest(mass: float) -> float:
        model = held(modes, (-g, 0.0, 0.0), (Body("m", mass),), (Joint("c", "b", "m", fixed(), "tip"),))
        return float(np.linalg.eigvalsh(tangent(model)[2])[0])

    assert brentq(softest, 0.8 * critical, 1.2 * critical, rtol=1e-6) == pytest.approx(critical, rel=2e-3)


def test_free_beam_frame_has_no_mean_motion() -> None:
    """Shapes of a free beam carry no momentum, so its frame is the mean one."""
    modes = beam(L, MU, EI_y=EI, EI_z=EI, EA=1e4, bending=(2, 2), axial=1, boundary="free-free")
    for name in ("shape_mass", "shape_moment", "accelerated"):
        assert np.abs(getattr(modes, name)).max() < 1e-9, name


def test_damping() -> None:
    modes = beam(L, MU, EI_y=EI, EI_z=EI / 3, bending=(2, 2), damping=0.02)
    w = np.sqrt(np.diag(modes.stiffness) / np.diag(modes.modal_mass))
    np.testing.assert_allclose(modes.damping, np.diag(2 * 0.02 * w * np.diag(modes.modal_mass)), atol=1e-9)
    each = beam(L, MU, EI_y=EI, bending=(0, 2), damping=[0.01, 0.03])
    np.testing.assert_allclose(np.diag(each.damping) / np.diag(each.modal_mass) / (2 * frequencies(each)), [0.01, 0.03])
    both = beam(L, MU, EI_y=EI, bending=(0, 2), rayleigh=(0.3, 1e-3))
    np.testing.assert_allclose(both.damping, 0.3 * both.modal_mass + 1e-3 * both.stiffness)
    tree = Tree(held(modes))
    np.testing.assert_array_equal(tree.damping, modes.damping)
    np.testing.assert_array_equal(tree.stiffness, modes.stiffness)


GOOD: dict[str, Any] = {"length": L, "mass_per_length": MU, "EI_y": EI, "bending": (0, 1)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"length": -1.0}, "length is -1.0"),
        ({"length": float("nan")}, "length is nan"),
        ({"mass_per_length": 0.0}, "mass_per_length is 0.0"),
        ({"mass_per_length": "heavy"}, "mass_per_length must be a number"),
        ({"EI_y": None}, "EI_y is not given"),
        ({"EI_y": [(0.0, 1.0), (1.0, 2.0)]}, "stations must ascend from 0 to 2 m"),
        ({"EI_y": [(0.0, 1.0), (2.0, -2.0)]}, "every value must be above zero"),
        ({"bending": (0, 0)}, "not all zero"),
        ({"bending": (0, 1, 2)}, "two for bending"),
        ({"bending": (0, -1)}, "whole numbers"),
        ({"bending": (0, 100), "elements": 5}, "need more elements"),
        ({"torsion": 1, "GJ": 1.0}, "inertia_per_length about x is 0.0"),
        ({"boundary": "glued-free"}, "write root-tip, each clamped, pinned, sliding, free"),
        ({"boundary": "clamped"}, "boundary 'clamped' is not known"),
        ({"axial_boundary": "fixed-fixed"}, "fixed-free, free-fixed, free-free"),
        ({"formulation": "rayleigh"}, "euler_bernoulli or timoshenko"),
        ({"formulation": "timoshenko"}, "shear_z is not given"),
        ({"tip_mass": -1}, "tip_mass is -1"),
        ({"damping": -0.1}, "damping ratio is -0.1"),
        ({"damping": [0.1, 0.2]}, "one number, or 1 of them"),
        ({"damping": 0.1, "rayleigh": (0, 0)}, "not both"),
        ({"rayleigh": (1,)}, "alpha"),
        ({"points": {"far": 3.0}}, "'far' is at 3 m"),
        ({"elements": 0}, "elements is 0"),
    ],
)  # fmt: skip
def test_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match="beam|damping") as error:
        beam(**{**GOOD, **change})
    assert words in str(error.value)
