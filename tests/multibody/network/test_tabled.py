"""Parts that take values from tables, as blades in the air do: derivatives, and the same bits from every target."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import compile
from motionbase.multibody.network.engine import places_of_nodes
from motionbase.multibody.network.nodes import Correction, Place, corrected_place
from motionbase.rotor.airfoils.own import thin
from motionbase.rotor.blades.planform import load_planform
from motionbase.rotor.elements.blade_air import BladeLoads
from motionbase.rotor.models.articulated import Articulated, Swashplate, articulated_rotor
from motionbase.rotor.models.rotor_model import RotorModel
from tests.rotor.small_rotor import small_rotor

C = 7e-4  # [s]


@cache
def rotor(name: str) -> RotorModel:
    """Two rigid blades of a thin airfoil; beams of one; and beams with coefficients that depend on the Mach number."""
    if name in ("rigid", "indicial", "dynamic_stall"):
        section = "steady" if name == "rigid" else name
        return small_rotor(blades=2, inflow="uniform", density=1.2, unsteady=section)
    planform = load_planform("puma")
    planform = replace(planform, airfoil=thin()) if name == "beams" else planform
    return articulated_rotor(planform, Swashplate(0.289, 0.181, 0.4), Articulated(beams=2))


class Given:
    """A network in wind and induced flow at its start, and what its parts do in the air."""

    def __init__(self, name: str) -> None:
        network = rotor(name).network()
        self.assembly, begin = network.network.assembly, network.start()
        settings = rotor(name).numbers(collective=0.1, airspeed=40.0, shaft_angle=-0.1)
        given = network.network.driven.numbers(
            np.concatenate([np.ravel(settings[p.name]) for p in network.network.ports])
        )
        self.inputs = np.concatenate([given, [5.0, 0.4, -0.3]])  # induced flow
        self.values, self.places = (begin.own, begin.own_dot, begin.kept), places_of_nodes(begin.nodes)
        self.air = [group for group in self.assembly.groups if isinstance(group.parts[0], BladeLoads)]
        place, d, c = ca.SX.sym("place", 18), ca.SX.sym("d", 12), ca.SX.sym("c")
        moved = corrected_place(c, Place.of(place), Correction.of(d)).column
        self.moved = ca.Function("moved", [c, place, d], [moved]).map(len(self.assembly.bodies))

    def numeric(self, what: str, places: Array, own: Array, own_dot: Array) -> list[Array]:
        """(parts, outputs) of every group in the air."""
        values = own, own_dot, self.values[2]
        return [group.numeric(what, C, places, values, self.inputs) for group in self.air]

    def residual(self, d: Array, own: Array) -> Array:
        """Forces and moments on all nodes with the opposite sign, then rows, after corrections of both."""
        n = len(self.assembly.bodies)
        places = np.array(self.moved(np.full((1, n), C), self.places.T, np.hstack([d, 0 * d]).T)).T
        integrated = np.array(self.assembly.integrated, dtype=np.float64)
        states = self.values[0] + C * integrated * own, self.values[1] + integrated * own
        return self.summed(self.numeric("residual", places, *states))

    def derivative(self, d: Array, own: Array) -> Array:
        """The Jacobian times corrections."""
        found = []
        for group, entries in zip(self.air, self.numeric("jacobian", self.places, *self.values[:2]), strict=True):
            rows, columns = group.routine.pattern.get_triplet()
            out = np.zeros((len(group.parts), group.routine.size("residual")))
            for k, (nodes, at) in enumerate(zip(group.nodes, group.at_own, strict=True)):
                np.add.at(out[k], rows, entries[k] * np.concatenate([d[nodes].ravel(), own[at]])[columns])
            found.append(out)
        return self.summed(found)

    def summed(self, outputs: list[Array]) -> Array:
        total, rows = np.zeros((len(self.assembly.bodies), 6)), np.zeros(len(self.assembly.kinds))
        for group, values in zip(self.air, outputs, strict=True):
            for nodes, at, value in zip(group.nodes, group.at_own, values, strict=True):
                np.add.at(total, nodes, value[: 6 * len(nodes)].reshape(-1, 6))
                rows[at] += value[6 * len(nodes) :]
        return np.concatenate([total.ravel(), rows])


given_at = cache(Given)


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [
        ("rigid", 1e-7),
        pytest.param("beams", 1e-7, marks=pytest.mark.long("many columns")),
        ("indicial", 1e-7),
        ("dynamic_stall", 1e-4),
        pytest.param("mach", 0.1, marks=pytest.mark.long("many columns")),
    ],
)
def test_the_jacobian_is_the_derivative_but_for_what_is_left_out(name: str, tolerance: float) -> None:
    """Central differences along random corrections of all unknowns but the support's, whose part is left out.

    So are slopes by the Mach number, a tenth of the derivative at most, but these the thin airfoil does not have: then
    what is left is rounding over the size of the difference, and with dynamic stall the slopes of the separation point
    beyond the kinks of its table.
    """
    given, rng = given_at(name), np.random.default_rng(0)
    support = {part.nodes[-1] for group in given.air for part in group.parts}
    own = np.zeros(len(given.assembly.kinds))
    for group in given.air:
        own[group.at_own] = rng.standard_normal(group.at_own.shape)
    for _ in range(4):
        d = rng.standard_normal((len(given.assembly.bodies), 6))
        d[[n for n in support if n is not None]] = 0.0
        ahead, back = (given.residual(step * d, step * own) for step in (1e-4, -1e-4))
        wanted, found = (ahead - back) / 2e-4, given.derivative(d, own)
        forces = 6 * len(given.assembly.bodies)
        for part in (slice(None, forces), slice(forces, None)):
            size = np.abs(wanted[part]).max(initial=0.0)
            np.testing.assert_allclose(found[part], wanted[part], atol=tolerance * size)


@pytest.mark.long("many columns")
def test_the_support_is_left_out() -> None:
    """Its columns are zero, though loads depend on it: it carries the induced flow."""
    given = given_at("beams")
    ground = len(given.assembly.bodies) - 1
    assert all(part.nodes[-1] == ground for group in given.air for part in group.parts)
    d = np.zeros((len(given.assembly.bodies), 6))
    d[ground] = 1.0
    own = np.zeros(len(given.assembly.kinds))
    assert np.all(given.derivative(d, own) == 0.0)
    assert np.abs(given.residual(d, own) - given.residual(-d, own)).max() > 0.1


@pytest.mark.long("compiles for every target")
def test_targets_and_lanes_have_the_same_bits() -> None:
    """A step with tables and an exchange by the interpreter, by machine code, and on two lanes."""
    network = rotor("rigid").network()
    begin = {**network.start().ports(), "worst": np.zeros(2)}
    settings = rotor("rigid").numbers(collective=0.1, airspeed=40.0, shaft_angle=-0.1)
    begin["kept"] = begin["kept"] + np.linspace(0.1, 1.0, len(begin["kept"]))
    given = {"weights": network.method.start().row(1e-3), **begin, **settings}
    native = compile(network.program)(**given)
    python = compile(network.program, "python")(**given)
    twice = {key: np.repeat(np.asarray(a, dtype=np.float64)[..., None], 2, axis=-1) for key, a in given.items()}
    lanes = compile(network.program, lanes=2)(**twice)
    for a, b, wide in zip(native, python, lanes, strict=True):
        assert np.array_equal(a, b)
        assert np.array_equal(wide[..., 0], a) and np.array_equal(wide[..., 1], a)
