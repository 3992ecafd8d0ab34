"""Flexible bodies in the network engine: frequencies, motion and energy against the tree engine, momentum, bits."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.errors import ModelError
from motionbase.multibody.analysis import equilibrium, modes
from motionbase.multibody.body import GROUND, Body
from motionbase.multibody.closures import PointClosure
from motionbase.multibody.compare import compare
from motionbase.multibody.elements import PointForce, PointSpring
from motionbase.multibody.flexible import Modes, beam
from motionbase.multibody.joint import Joint
from motionbase.multibody.joints import Free, fixed, revolute
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.modal import ModalBody
from motionbase.multibody.network.parts import AbstractPart, Own, routine_of
from motionbase.multibody.network.run import RunJob, run_network
from motionbase.multibody.network.start import places_at
from motionbase.multibody.network.static import static
from motionbase.multibody.network.vibration import vibration
from motionbase.multibody.simulate import simulate

TIP = Body("tip", 0.5, (0.1, 0.0, 0.0), (0.01, 0.02, 0.03))
NO_WEIGHT = (0.0, 0.0, 0.0)


def boom(each: int = 2, **more: object) -> Modes:
    """A beam of 2 m and 2 kg with so many modes in each plane."""
    more = {"inertia_per_length": (0.01, 0.005, 0.005), **more}  # which a beam that flies must have about its axis
    return beam(2.0, 1.0, EI_y=50.0, EI_z=80.0, bending=(each, each), **more)  # type: ignore[arg-type]


def arm() -> Model:
    """A flexible boom on a hinge, with a body on a hinge at its tip."""
    joints = (
        Joint("root", GROUND, "boom", revolute((0.0, 1.0, 0.0))),
        Joint("wrist", "boom", "tip", revolute((0.0, 0.0, 1.0)), "tip"),
    )
    return Model("arm", (Body("boom", modes=boom(1)), TIP), joints)


def spun(speed: float) -> tuple[Model, dict[str, float]]:
    """A boom on a hinge across it that turns fast: its bending is stiffened by the rotation."""
    joint = Joint("hub", GROUND, "boom", revolute((0.0, 0.0, 1.0)))
    thin = Body("boom", modes=boom(inertia_per_length=(0.0, 0.0, 0.0)))
    return Model("spun", (thin,), (joint,), NO_WEIGHT), {"hub": speed, "boom.mode3": 0.2}


def hung() -> Model:
    """A clamped boom whose tip is held by a ball, a spring and a force at the middle."""
    elements = (
        PointSpring("spring", "boom", "mid", GROUND, (1.0, 0.0, 1.0), stiffness=40.0, damping=0.3, length=0.5),
        PointForce("push", "boom", "mid", axes="body", moment=True),
    )
    link = Body("link", 0.3, (0.0, 0.0, -0.2), (0.01, 0.01, 0.001), {"end": (0.0, 0.0, -0.4)})
    joints = (
        Joint("clamp", GROUND, "boom", fixed()),
        Joint("knee", "boom", "link", revolute((0.0, 1.0, 0.0)), "mid"),
    )
    closure = PointClosure("hook", "boom", "tip", "rod", (0.0, 0.0, 0.5))
    rod = Body("rod", 0.4, (0.0, 0.0, 0.25), (0.01, 0.01, 0.001))
    hinge = Joint("hinge", GROUND, "rod", revolute((0.0, 1.0, 0.0)), (2.0, 0.0, -0.5))
    modal = boom(1, points={"mid": 1.0})
    return Model(
        "hung", (Body("boom", modes=modal), link, rod), (*joints, hinge), elements=elements, closures=(closure,)
    )


def network(model: Model, dt: float = 1e-3, q0: object = None, v0: object = None) -> Network:
    return Network(model, dt, q_of(model, q0), v_of(model, v0))  # type: ignore[arg-type]


def eigenvalues(of: Network) -> Array:
    """Frequencies [rad/s] of small motions about rest, from the step's Jacobian c F_y + F_y_dot: det(F_y + s F_y_dot).

    Rows that hold positions are divided by c; multipliers are no rates and have no factor c.
    """
    assembly, begin = of.network.assembly, of.start()
    places, values = places_at(of.network, of.start_q, of.start_v), (begin.own, begin.own_dot, begin.kept)
    momenta = begin.nodes[:, 13:]
    one, two = (assembly.numeric_jacobian(c, places, values, of._inputs(), momenta) for c in (1.0, 2.0))
    first, kinds = assembly.node_starts[-1], assembly.kinds
    F_y, F_dot = two - one, 2 * one - two
    for k, kind in enumerate(kinds):
        if kind is Own.HOLONOMIC:
            F_y[first + k, :], F_dot[first + k, :] = one[first + k, :], 0.0
            F_y[:, first + k], F_dot[:, first + k] = one[:, first + k], 0.0
    shift = 30.0 + 20.0j  # [rad/s] no eigenvalue
    mu = np.linalg.eigvals(np.linalg.solve(F_y + shift * F_dot, F_dot.astype(np.complex128)))
    found = np.array([shift - 1 / m for m in mu if abs(m) > 1e-9])
    return np.sort(found.imag[found.imag > 1e-3])


@pytest.mark.parametrize("root", [fixed(), Free()], ids=["cantilever", "free-free"])
def test_natural_frequencies_are_those_of_the_tree(root: object) -> None:
    """To rounding of a matrix whose entries go from 1 to 1e5; the free beam has bending frequencies above zero too."""
    model = Model("b", (Body("boom", modes=boom()),), (Joint("j", GROUND, "boom", root),), NO_WEIGHT)  # type: ignore[arg-type]
    expected = 2 * np.pi * modes(model).frequencies
    np.testing.assert_allclose(eigenvalues(network(model)), expected[expected > 1e-2], rtol=1e-9)


def test_a_body_at_the_tip_lowers_them_alike() -> None:
    """With a welded body at the deformed tip, as a node of its own."""
    joints = Joint("clamp", GROUND, "boom", fixed()), Joint("weld", "boom", "tip", fixed(), "tip")
    model = Model("b", (Body("boom", modes=boom()), TIP), joints, NO_WEIGHT)
    np.testing.assert_allclose(eigenvalues(network(model)), 2 * np.pi * modes(model).frequencies, rtol=1e-9)


def test_rest_and_vibration_under_load_are_those_of_the_tree() -> None:
    """A cantilever with a body at its tip, bent 0.14 m by its weight: geometric stiffness counts."""
    joints = Joint("clamp", GROUND, "boom", fixed()), Joint("weld", "boom", "tip", fixed(), "tip")
    model = Model("b", (Body("boom", modes=boom()), TIP), joints, (0.0, 0.0, -2.0))
    rest, expected = static(model), equilibrium(model).q
    np.testing.assert_allclose(rest.q, expected, atol=1e-9)  # where Newton's method of the tree stops
    np.testing.assert_allclose(rest.position("boom", "tip"), rest.position("tip"), atol=1e-12)
    found = modes(model, expected).frequencies
    np.testing.assert_allclose(vibration(rest).frequencies, 2 * np.pi * found, rtol=1e-8)
    with pytest.raises(ModelError, match="'boom' has assumed modes, for which only rest is known; use beams"):
        static(model, spin=(0.0, 0.0, 1.0))


def test_each_mode_adds_two_equations_and_each_point_twelve() -> None:
    joint = Joint("j", GROUND, "boom", revolute((0.0, 1.0, 0.0)))
    rigid = Model("r", (Body("boom", 2.0, (1.0, 0.0, 0.0), (0.1, 1.0, 1.0)),), (joint,))
    flexible = Model("f", (Body("boom", modes=boom(1)),), (joint,))
    assert network(flexible).equations == network(rigid).equations + 2 * 2
    assert network(arm()).equations == network(flexible).equations + 12 + 12 + 5  # the tip's node, the body, its hinge


@pytest.mark.parametrize(
    ("model", "start", "inputs"),
    [
        (arm(), {"q0": {"root": 0.3}, "v0": {"root": 1.0, "wrist": 2.0}}, None),
        pytest.param(
            hung(),
            {"v0": {"knee": 1.0}},
            {"push_force": (0.0, 0.3, 0.5), "push_moment": (0.1, 0.0, 0.2)},
            marks=pytest.mark.long("four seconds of compilation"),
        ),
        (spun(6.0)[0], {"v0": spun(6.0)[1]}, {"tau": [0.1, 0.3, 0.0, 0.2, 0.0]}),
    ],
    ids=["arm", "hung", "spun"],
)
def test_both_engines_agree(model: Model, start: dict[str, object], inputs: object) -> None:
    """Joints, closures, springs and forces at points of the deformed body, forces on modes, centrifugal stiffening.

    What Richardson's extrapolation leaves is of fourth order in the step times the highest frequency.
    """
    found = compare(model, 0.5, 2e-4, **start, inputs=inputs)  # type: ignore[arg-type]
    assert found.difference < 1e-7, str(found)
    assert 1.9 < found.order < 2.1


@pytest.mark.long("a network of 236 equations, at short steps")
def test_both_engines_agree_on_the_flexible_arm() -> None:
    """Its highest frequency is 100 Hz: at 5e-5 s an error of fourth order leaves 1.1e-7 after two seconds."""
    found = MODELS["srms_flexible"]
    assert compare(found.build(), 2.0, 5e-5, q0=found.q0, v0=found.v0).difference < 1e-6


def test_rotation_stiffens_bending() -> None:
    """Flap of a boom that turns at W: w^2 = w0^2 + 1.193 W^2 for the first mode (Southwell's lower bound, Bielawa).

    Two modes describe the shape that rotation changes, so the coefficient is good to a per cent of W^2.
    """
    W = 6.0
    model, v0 = spun(W)
    still = 2 * np.pi * modes(Model("c", model.bodies, (Joint("j", GROUND, "boom", fixed()),), NO_WEIGHT)).frequencies
    w0 = still.min()
    run = simulate(model, 4.0, 1e-3, engine="network", v0={"hub": W, "boom.mode3": 0.02})
    flap = run.column("q.boom.mode3")
    up = np.flatnonzero((flap[:-1] < 0) & (flap[1:] >= 0))
    times = up + flap[up] / (flap[up] - flap[up + 1])
    w = 2 * np.pi * (len(times) - 1) / ((times[-1] - times[0]) * 1e-3)
    assert abs((w**2 - w0**2) / W**2 - 1.193) < 0.02


def test_free_flight_conserves_momentum_to_rounding_and_energy_to_second_order() -> None:
    """Momentum is a sum that the method takes as it is; spin and place are products, right to second order."""
    model = Model("f", (Body("boom", modes=boom()),), (Joint("j", GROUND, "boom", Free()),), NO_WEIGHT)
    v0 = {"j.wx": 2.0, "j.wy": 1.0, "j.wz": 3.0, "j.vx": 0.5, "boom.mode1": 0.3}
    losses = []
    for dt in (1e-3, 5e-4):
        of = network(model, dt, None, v0)
        held = {port.name: np.zeros(port.dims) for port in of.network.ports}
        run = run_network(RunJob(of, round(1.0 / dt), held, {}))
        part = of.network.assembly.parts[-1]
        assert isinstance(part, ModalBody)
        at = of.network.assembly.own_starts[-2] + 2 * part.modes.n
        spin, momentum, x = run.own[:, at : at + 3], run.own[:, at + 3 : at + 6], run.nodes[:, 0, :3]
        about_origin = spin + np.cross(x, momentum)
        np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(x), 1)), atol=1e-12)
        np.testing.assert_allclose(about_origin, np.tile(about_origin[0], (len(x), 1)), atol=2e-5 * (dt / 1e-3) ** 2)
        energy = simulate(model, 1.0, dt, engine="network", v0=v0).total_energy
        losses.append(float(abs(energy[-1] - energy[0])))
    assert losses[0] < 1e-3 * 10.0 and losses[0] / losses[1] > 3.5


def test_points_are_held_to_rounding() -> None:
    of = network(arm(), 1e-3, {"root": 0.3}, {"root": 1.0, "wrist": 2.0})
    held = {port.name: np.zeros(port.dims) for port in of.network.ports}
    run = run_network(RunJob(of, 500, held, {}))
    assert run.miss < 1e-12  # lengths of metres, a few roundings each
    assert run.repivots == 0


def test_the_jacobian_is_the_derivative_of_the_equations() -> None:
    """The chain rule of `ModalBody` against plain differentiation of all it says; rounding of long sums."""
    of = network(arm(), 1e-3)
    part = next(p for p in of.network.assembly.parts if isinstance(p, ModalBody))

    class Plain(ModalBody):  # type: ignore[misc]
        derivatives = AbstractPart.derivatives

    plain = Plain(part.body, part.nodes, part.points, part.gravity, part.tau, part.eta, part.eta_dot)
    ours, exact = routine_of(part), routine_of(plain)
    rng = np.random.default_rng(1)
    places = places_at(of.network, np.array([0.3, 0.1, -0.2, 0.4]), rng.standard_normal(4))
    taken = places[[n for n in part.nodes if n is not None]].ravel()
    count = len(part.own)
    given: list[Any] = [
        taken,
        rng.standard_normal(count),
        rng.standard_normal(count),
        part.gravity,
        [],
        rng.standard_normal(2),
        [],
    ]
    a, b = (ca.DM(r.pattern, r.jacobian(*given, [], [], 1e-3)).full() for r in (ours, exact))
    np.testing.assert_allclose(a, b, atol=1e-12 * np.abs(b).max())


def test_the_interpreter_and_machine_code_have_the_same_bits() -> None:
    of = network(arm(), 1e-3, {"root": 0.3}, {"root": 1.0, "wrist": 2.0})
    given = {
        "weights": of.method.start().row(1e-3), **of.start().ports(), "worst": np.zeros(2),
        **{p.name: np.zeros(p.dims) for p in of.network.ports},
    }  # fmt: skip
    native, python = compile(of.program)(**given), compile(of.program, "python")(**given)
    for a, b in zip(native, python, strict=True):
        assert np.array_equal(a, b)
