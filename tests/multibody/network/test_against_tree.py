"""The network engine by itself: its Jacobian against the residual, the same bits, damping, adaptive steps, counts."""

from __future__ import annotations

import dataclasses

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import compile
from motionbase.errors import SimulationError
from motionbase.multibody.model import Model
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.network.engine import Network, places_of_nodes
from motionbase.multibody.network.groups import OwnValues
from motionbase.multibody.network.methods import BDF2, MS, AdaptiveMultistep
from motionbase.multibody.network.nodes import (
    Correction,
    Momentum,
    Node,
    Place,
    corrected_momentum,
    corrected_place,
)
from motionbase.multibody.simulate import simulate


def example(name: str) -> tuple[Model, dict[str, object]]:
    found = MODELS[name]
    return found.build(), {"q0": found.q0, "v0": found.v0}


@pytest.mark.parametrize("name", ["four_bar", "arm7_free", "robot6_servos"])
def test_the_jacobian_is_the_derivative_of_the_residual(name: str) -> None:
    """Against CasADi's own derivative of the whole residual by the corrections; rounding of sums of some ten terms."""
    model, start = example(name)
    network = Network(model, 1e-3, q_of(model, start["q0"]), v_of(model, start["v0"]), dropped=("loop.z",))  # type: ignore[arg-type]
    assembly, begin = network.network.assembly, network.start()
    c, n = 7e-4, len(assembly.bodies)
    places, momenta = places_of_nodes(begin.nodes), begin.nodes[:, 13:]
    d = ca.SX.sym("d", assembly.size)
    nodes, own = assembly.corrections(d)
    moved_places, moved_momenta = [], []
    for k in range(n):
        place, one = Place.of(ca.SX(ca.DM(places[k]))), Correction.of(nodes.column[k, :].T)
        moved_places.append(corrected_place(ca.SX(c), place, one).column.T)
        moved_momenta.append(corrected_momentum(ca.SX(c), place.R, Momentum.of(ca.SX(ca.DM(momenta[k]))), one).column.T)
    values = OwnValues(ca.SX(ca.DM(begin.own)) + own, ca.SX(ca.DM(begin.own_dot)), ca.SX(ca.DM(begin.kept)))
    inputs = ca.SX(ca.DM(network._inputs()))
    r = assembly.residual(
        ca.SX(c), Place.of(ca.vertcat(*moved_places), n), Momentum.of(ca.vertcat(*moved_momenta), n), values, inputs
    )
    exact = np.array(ca.Function("J", [d], [ca.jacobian(r, d)])(np.zeros(assembly.size)))
    ours = assembly.numeric_jacobian(c, places, (begin.own, begin.own_dot, begin.kept), network._inputs(), momenta)
    scale = np.abs(exact).max(axis=1, keepdims=True)
    np.testing.assert_allclose(ours / scale, exact / scale, atol=1e-12)


def test_the_interpreter_and_machine_code_have_the_same_bits() -> None:
    model, start = example("two_link")
    network = Network(model, 1e-3, q_of(model, start["q0"]), v_of(model, start["v0"]))  # type: ignore[arg-type]
    begin = network.start().ports()
    given = {
        "weights": network.method.start().row(1e-3), **begin, "worst": np.zeros(2),
        **{p.name: np.zeros(p.dims) for p in network.network.ports},
    }  # fmt: skip
    native, python = compile(network.program)(**given), compile(network.program, "python")(**given)
    for a, b in zip(native, python, strict=True):
        assert np.array_equal(a, b)


def test_dissipative_methods_never_add_energy() -> None:
    """A pendulum whose period is 500 steps: from swing to swing energy falls, most with the smallest radius.

    Within a swing it wobbles by the error of the method, so it is compared at the tops, where a swing ends.
    """
    model, start = example("pendulum")
    losses = []
    for method in (MS, BDF2):
        run = simulate(model, 20.0, 5e-3, engine="network", method=method, **start)  # type: ignore[arg-type]
        v = run.v[:, 0]
        tops = np.flatnonzero((v[1:-1] > 0) & (v[2:] <= 0)) + 1
        energy = run.total_energy[tops]
        assert len(tops) > 5 and np.all(np.diff(energy) < 0)
        losses.append(energy[0] - energy[-1])
    assert losses[1] > losses[0] > 0


def test_adaptive_steps_meet_their_tolerance() -> None:
    model, start = example("pendulum")
    tree = simulate(model, 2.0, 1e-3, every=100, **start)  # type: ignore[arg-type]

    def run(tolerance: float) -> tuple[float, int]:
        method = AdaptiveMultistep(MS, tolerance)
        found = simulate(model, 2.0, 0.1, engine="network", method=method, **start)  # type: ignore[arg-type]
        return float(np.abs(found.q - tree.q).max()), found.steps

    (coarse, few), (fine, many) = run(1e-6), run(1e-8)
    assert fine < 1e-4 and many > 2 * few
    assert coarse / fine > 100 ** (2 / 3) / 2  # the global error is of second order, the local one of third


def test_the_ground_may_be_counted_as_a_node() -> None:
    """As the authors of the formulation count: six nodes of 12, six revolute joints of 5, ground node and clamp."""
    model, start = example("robot6")
    plain = Network(model, 1e-3, q_of(model, start["q0"]), v_of(model, start["v0"]))  # type: ignore[arg-type]
    assert plain.equations == 102
    assert dataclasses.replace(plain, ground_node=True).equations == 114


def test_unknown_engines_and_methods_are_refused() -> None:
    model, _ = example("pendulum")
    with pytest.raises(SimulationError, match="no engine 'mesh'; engines: tree, network"):
        simulate(model, 1.0, engine="mesh")  # type: ignore[arg-type]
    with pytest.raises(SimulationError, match="no method 'rk4'; methods: ms, bdf2"):
        simulate(model, 1.0, engine="network", method="rk4")


def test_nodes_are_where_the_layout_says() -> None:
    assert Node.layout.starts["beta"] == 13 and Node.layout.size == 25
