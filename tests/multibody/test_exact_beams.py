"""Geometrically exact beams as elements: invariance, forces against energy, derivatives, references, chains, errors."""

import math
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.beams import Profile, arc, beam_chain, straight, through
from motionbase.multibody.elements import Beam
from motionbase.multibody.elements.beam_frames import BeamPlaces, SectionFrame
from motionbase.multibody.joints import Free
from motionbase.multibody.network.beams import BeamForce
from motionbase.multibody.network.of_model import network_of
from motionbase.multibody.network.parts import AbstractPart, routine_of
from motionbase.multibody.network.small_motion import turned_by
from motionbase.spatial.rotation_vectors import ARCTANGENT, SINC, SINE_REST, R_rotation_vector, half_tangent
from tests.multibody.exact_beams import slender

RNG = np.random.default_rng(18)
A = RNG.standard_normal((6, 6))
FULL: Any = A @ A.T + 6 * np.eye(6)  # any (6, 6) will do
NAMES = ("a", "b", "c")
ORDER = {2: [0, 1], 3: [0, 2, 1]}  # in which the law takes nodes


def flying(nodes: int, damping: float = 0.0, **more: Any) -> Model:
    """Bodies that fly, with a beam of full stiffness between points beside their centres of mass."""
    bodies = tuple(Body(n, 1.0, (0.1, 0.2, 0.05 * k), (1, 1, 1)) for k, n in enumerate(NAMES[:nodes]))
    joints = tuple(Joint(n, GROUND, n, Free(), (float(k), 0.1 * k, 0)) for k, n in enumerate(NAMES[:nodes]))
    points = ((0.1, -0.2, 0.1), (0, 0.1, 0.2), (0.1, 0, 0.1))[:nodes]
    return Model("flying", bodies, joints, (0, 0, 0), (Beam("b", NAMES[:nodes], FULL, damping, points, **more),))


def bent_frames(nodes: int, spread: float = 0.4) -> list[tuple[Any, Any]]:
    """Places and orientations in a row, about a metre apart."""
    found = []
    for k in range(nodes):
        p = np.array([k, 0.3 * k, 0.1]) + 0.3 * spread * RNG.standard_normal(3)
        found.append((p, turned_by(spread * RNG.standard_normal(3))))
    return found


def evaluated(model: Model, frames: list[tuple[Any, Any]]) -> list[Any]:
    """Force on local coordinates, energy and strains of a model's beam, and wrenches on its sections."""
    beam = model.elements[0]
    assert isinstance(beam, Beam)
    order = ORDER[len(frames)]
    sections = [SectionFrame.still(ca.SX(ca.DM(p)), ca.SX(ca.DM(R))) for p, R in frames]
    places = BeamPlaces.of([sections[k] for k in order])
    force, energy, strain = beam.law.force.call([places.w, places.w_dot, ca.SX(ca.DM(beam.numbers(model)))])
    wrenches = [np.concatenate([np.array(ca.evalf(part)).ravel() for part in w]) for w in places.wrenches(force)]
    return [float(ca.evalf(energy)), np.array(ca.evalf(strain)).ravel(), np.array(wrenches)[order]]


@pytest.mark.parametrize("nodes", [2, 3])
def test_moving_everything_as_a_whole_changes_no_strain(nodes: int) -> None:
    """To rounding, however far; forces turn along."""
    model, frames = flying(nodes), bent_frames(nodes)
    R, shift = turned_by(np.array([2.0, -1.5, 0.7])), np.array([40.0, -7.0, 3.0])
    moved = [(shift + R @ p, R @ Q) for p, Q in frames]
    (energy, strain, wrenches), (energy_2, strain_2, wrenches_2) = evaluated(model, frames), evaluated(model, moved)
    np.testing.assert_allclose(strain_2, strain, atol=1e-13)
    assert energy_2 == pytest.approx(energy, rel=1e-12)
    turned = np.concatenate([wrenches[:, :3] @ R.T, wrenches[:, 3:] @ R.T], axis=1)
    np.testing.assert_allclose(wrenches_2, turned, atol=1e-11)


@pytest.mark.parametrize("nodes", [2, 3])
def test_forces_are_the_gradient_of_the_energy(nodes: int) -> None:
    """Central differences: 1e-8 of the energy's scale; and forces and moments balance."""
    model, frames, step = flying(nodes), bent_frames(nodes), 1e-5
    _, _, wrenches = evaluated(model, frames)
    for k in range(nodes):
        for i in range(6):
            energies = []
            for sign in (1, -1):
                by = np.zeros(6)
                by[i] = sign * step
                p, R = frames[k]
                there = [*frames[:k], (p + by[:3], turned_by(by[3:]) @ R), *frames[k + 1 :]]
                energies.append(evaluated(model, there)[0])
            assert wrenches[k, i] == pytest.approx(-(energies[0] - energies[1]) / (2 * step), abs=1e-7)
    np.testing.assert_allclose(wrenches[:, :3].sum(axis=0), 0.0, atol=1e-12)
    moments = [m + np.cross(p, f) for (p, _), f, m in zip(frames, wrenches[:, :3], wrenches[:, 3:], strict=True)]
    np.testing.assert_allclose(np.sum(moments, axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize("nodes", [2, 3])
@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_derivatives_by_the_chain_rule_are_those_of_plain_differentiation(nodes: int, damping: float) -> None:
    """To rounding, and in at most three quarters of the instructions."""
    model = flying(nodes, damping)
    (part,) = (p for p in network_of(model, model.neutral).assembly.parts if isinstance(p, BeamForce))
    ours = routine_of(part)
    plainly = type("Plainly", (BeamForce,), {"derivatives": AbstractPart.derivatives})
    plain = routine_of(plainly(part.name, part.beam, part.nodes, part.markers, part.law_numbers))
    places = [[*p, *R.ravel(), *RNG.standard_normal(6)] for p, R in bent_frames(nodes)]
    given: list[Any] = [np.concatenate(places), [], [], part.numbers, [], [], [], [], [], 0.37]
    found = [np.array(ca.DM(r.pattern, ca.DM(r.jacobian.call(given)[0]))) for r in (ours, plain)]
    np.testing.assert_allclose(found[0], found[1], atol=1e-13 * np.abs(found[1]).max())
    assert ours.jacobian.n_instructions() < 0.75 * plain.jacobian.n_instructions()


@pytest.mark.parametrize("nodes", [2, 3])
def test_a_straight_beam_has_the_stiffness_of_a_bar(nodes: int) -> None:
    """Exactly at zero rotation everything is finite: EA / L, GJ / L between the ends of the whole."""
    profile = Profile((7.0, 5.0, 4.0, 3.0, 2.0, 1.0), 1.0, (1e-3, 1e-3, 1e-3))
    chain = beam_chain("b", straight((0, 0, 0), (2, 0, 0), nodes), profile, nodes=nodes)  # type: ignore[arg-type]
    model = Model("bar", chain.bodies, chain.joints, (0, 0, 0), chain.beams)
    (part,) = (p for p in network_of(model, model.neutral).assembly.parts if isinstance(p, BeamForce))
    routine = routine_of(part)
    points = chain.line.points[ORDER[nodes]]
    places = [[*p, *np.eye(3).ravel(), *np.zeros(6)] for p in points]
    J = np.array(
        ca.DM(routine.pattern, routine.jacobian(np.concatenate(places), [], [], part.numbers, [], [], [], [], [], 1.0))
    )
    assert np.all(np.isfinite(J))
    np.testing.assert_allclose(J, J.T, atol=1e-14)
    rigid = np.vstack([np.block([[np.eye(3), -_cross(p)], [np.zeros((3, 3)), np.eye(3)]]) for p in points])
    np.testing.assert_allclose(J @ rigid, 0.0, atol=1e-14)
    # textbook bars: EA / L [[1, -1], [-1, 1]], with the middle node EA / (3 L) [[7, 1, -8], [1, 7, -8], [-8, -8, 16]]
    known = [[1, -1], [-1, 1]] if nodes == 2 else np.array([[7, 1, -8], [1, 7, -8], [-8, -8, 16]]) / 3
    np.testing.assert_allclose(J[::6, ::6], 7.0 / 2.0 * np.array(known), atol=1e-14)


def _cross(a: Any) -> Any:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@pytest.mark.parametrize("line", [
    arc((0, 0, 0), (1, 0, 0), (0, 0, 1), 1.2, 5),
    straight((0, 0, 0), (1, 1, 0), 5).twisted(0.8),
    through([(0, 0, 0), (0.5, 0.1, 0), (1, 0.4, 0.2), (1.4, 0.8, 0.5), (1.6, 1.2, 0.9)]),
])  # fmt: skip
@pytest.mark.parametrize("nodes", [2, 3])
def test_curved_and_twisted_beams_are_made_without_stress(nodes: Any, line: Any) -> None:
    """At the neutral coordinates; their curvature and twist are those of the line."""
    chain = beam_chain("b", line, slender(), nodes=nodes)
    model = Model("curved", chain.bodies, chain.joints, (0, 0, 0), chain.beams)
    frames = [(p, R) for p, R in zip(line.points, line.axes, strict=True)]
    for k, beam in enumerate(chain.beams):
        own = Model("one", model.bodies, model.joints, (0, 0, 0), (beam,))
        energy, strain, wrenches = evaluated(own, frames[k * (nodes - 1) : k * (nodes - 1) + nodes])
        np.testing.assert_allclose(strain, 0.0, atol=1e-14)
        assert beam.reference(model).lengths.sum() == pytest.approx(line.stations[-1] / len(chain.beams), rel=0.2)


def test_a_given_rest_is_that_of_the_geometry() -> None:
    """An arc of two nodes: the strains of a circle of radius 2, and the same numbers from the neutral coordinates."""
    chain = beam_chain("b", arc((0, 2, 0), (0, 0, 0), (0, 0, 1), 0.5, 2), slender())
    model = Model("arc", chain.bodies, chain.joints, (0, 0, 0), chain.beams)
    lengths, rest = chain.beams[0].reference(model)
    assert lengths == pytest.approx([1.0])
    chord = 2 * math.sin(0.25) / 0.5
    np.testing.assert_allclose(rest, [[chord, 0, 0, 0, 0, 0.5]], atol=1e-14)
    given = Beam("g", ("b0", "b1"), slender().stiffness, length=1.0, rest=tuple(rest[0]))
    np.testing.assert_array_equal(given.numbers(model), chain.beams[0].numbers(model))


@pytest.mark.parametrize("nodes", [2, 3])
def test_a_chain_keeps_mass_and_first_moment(nodes: Any) -> None:
    """Exactly along a straight line, and second moments to second order: 1/6 of a length's square, or exactly."""
    profile = Profile((1, 1, 1, 1, 1, 1), 1.7, (0.3, 0.2, 0.1))
    chain = beam_chain("b", straight((0, 0, 0), (3, 0, 0), 7), profile, nodes=nodes, tip_mass=0.5)
    masses = np.array([b.mass for b in chain.bodies])
    masses[-1] -= 0.5
    x = chain.line.points[:, 0]
    assert masses.sum() == pytest.approx(1.7 * 3)
    assert masses @ x == pytest.approx(1.7 * 9 / 2)
    assert masses @ x**2 == pytest.approx(1.7 * 9 + (1.7 * 3 * 0.25 / 6 if nodes == 2 else 0.0))
    inertias = np.array([np.diag(b.inertia) for b in chain.bodies]).sum(axis=0)
    np.testing.assert_allclose(inertias, [0.9, 0.6, 0.3])


def test_functions_of_the_square_join_smoothly() -> None:
    """Values and two derivatives on both sides of the bound, where the series ends: to 1e-13 of their size."""
    z = ca.SX.sym("z")
    for f in (SINC, SINE_REST, ARCTANGENT):
        for g in (f, f.derivative, f.derivative.derivative):
            closed = ca.Function("closed", [z], [g.closed(z)])(f.bound)
            series = sum(c * f.bound**n for n, c in enumerate(g.series))
            assert float(closed) == pytest.approx(series, rel=1e-12)  # the closed second derivative cancels 1/z^2
    theta = np.array([0.3, -0.8, 0.5])
    R = ca.evalf(R_rotation_vector(ca.SX(ca.DM(theta))))
    np.testing.assert_allclose(R, turned_by(theta), atol=1e-15)
    h = np.array(ca.evalf(half_tangent(ca.SX(R)))).ravel()
    np.testing.assert_allclose(2 * np.arctan(np.linalg.norm(h)) * h / np.linalg.norm(h), theta, atol=1e-15)


@pytest.mark.parametrize(("change", "sentence"), [
    ({"bodies": ("a",)}, "two or three are wanted"),
    ({"bodies": ("a", "a")}, "they must differ"),
    ({"bodies": ("a", "x")}, "body 'x' not found"),
    ({"stiffness": (1, 1, 1, 1, 1)}, "6 or 6x6 finite numbers"),
    ({"stiffness": (1, 1, 0, 1, 1, 1)}, "GA_z is 0, it must be positive"),
    ({"stiffness": FULL + np.triu(np.ones((6, 6)), 1)}, "not symmetric"),
    ({"damping": -1.0}, "damping is -1 s"),
    ({"length": 0.0}, "length is 0 m"),
    ({"points": ((0, 0, 0),)}, "1 points came, it has 2 bodies"),
    ({"rest": (1, 0, 0)}, "six finite strains"),
    ({"axes": (turned_by((0, 0, math.pi / 2)),) * 2}, "x axes do not point along it"),
    ({"points": ((1, 0.1, 0), (0, 0, 0))}, "coincide"),
])  # fmt: skip
def test_errors_name_part_and_value(change: dict[str, Any], sentence: str) -> None:
    fields: dict[str, Any] = {"bodies": ("a", "b"), "stiffness": (1, 1, 1, 1, 1, 1), **change}
    model = flying(2)
    with pytest.raises(ModelError, match=sentence):
        Model("m", model.bodies, model.joints, (0, 0, 0), (Beam("beam", **fields),))


def test_errors_of_lines_and_chains() -> None:
    with pytest.raises(ModelError, match="odd number of nodes"):
        beam_chain("b", straight((0, 0, 0), (1, 0, 0), 4), slender(), nodes=3)
    with pytest.raises(ModelError, match="up = .* is along the line"):
        straight((0, 0, 0), (0, 0, 1), 3)
    with pytest.raises(ModelError, match="neither may be zero"):
        arc((0, 0, 0), (1, 0, 0), (0, 0, 1), 0.0, 3)
    with pytest.raises(ModelError, match="numbers 1 and the next coincide"):
        through([(0, 0, 0), (1, 0, 0), (1, 0, 0)])
    with pytest.raises(ModelError, match="all three must be positive"):
        Profile((1, 1, 1, 1, 1, 1), 1.0, (0, 1, 1))
