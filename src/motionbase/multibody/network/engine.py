"""The network engine: a model in redundant coordinates, as a step to be compiled, scanned and run in real time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Program
from motionbase.compile.linear import GROWTH_ALARM, MOST_DENSE
from motionbase.errors import ModelError
from motionbase.multibody.elements import Beam
from motionbase.multibody.joints import Free
from motionbase.multibody.model import Model
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.methods import MS, Multistep
from motionbase.multibody.network.of_model import ModelNetwork, network_of
from motionbase.multibody.network.parts import Own
from motionbase.multibody.network.start import StartState, places_at, start_state
from motionbase.multibody.network.step import Step, schedule_of
from motionbase.multibody.runs import check_moves
from motionbase.multibody.tree.redundancy import dependent_rows
from motionbase.spatial import R_quaternion

SAMPLES = 12
SAMPLE_STEPS = (1e-3, 1e-4, 1e-5)  # [s] for which pivots are good: one program serves every step
SPREAD = 0.7  # [rad, m, rad/s, m/s] of the samples about the start
DEPENDENT = 1e-9  # smallest singular value of rows of length 1, below which they depend on each other
BENT = 0.01  # part of it for bodies that only beams hold: further apart, these would be torn


@final
@dataclass(frozen=True, eq=False)
class Network:
    """A model in redundant coordinates.

    Attributes:
        step_size: of the integrator [s]
        q, v: coordinates and speeds near which it is used, that meet the closures; neutral and zero if None
        method: of integration
        iterations: corrections in a step; 3 unless told, 6 where joints stick, 8 where something touches
        jacobians: Jacobians in a step, see `Step`; 1 unless told, 2 where something sticks or touches
        ground_node: count the ground as a node with a clamp
        dropped: rows of closures that follow from others
        massless: bodies whose mass is left out
        inputs: values of inputs at the start, by name, where they are not zero (one for those that switch)
        refinements, dense, growth_limit: see `Step`
        chosen_at: places, own unknowns, their rates and kept values at which pivots are chosen; the start if None
    """

    model: Model
    step_size: float
    q: Array | None = None
    v: Array | None = None
    method: Multistep = MS
    iterations: int | None = None
    ground_node: bool = False
    dropped: tuple[str, ...] = ()
    massless: tuple[str, ...] = ()
    inputs: Mapping[str, Any] = field(default_factory=dict)
    chosen_at: tuple[Array, Array, Array, Array] | None = None
    jacobians: int | None = None
    refinements: int = 0
    dense: bool = False
    growth_limit: float = GROWTH_ALARM

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(f"network: the model is {type(self.model).__name__}, a Model is wanted")
        check_moves(self.model)

    @cached_property
    def start_q(self) -> Array:
        """Coordinates of the start."""
        return self.model.neutral if self.q is None else np.asarray(self.q, dtype=np.float64)

    @cached_property
    def start_v(self) -> Array:
        """Speeds of the start."""
        return np.zeros(self.model.nv) if self.v is None else np.asarray(self.v, dtype=np.float64)

    @cached_property
    def network(self) -> ModelNetwork:
        """Nodes and parts."""
        return network_of(self.model, self.start_q, self.dropped, self.ground_node, self.massless, self.start_v)

    @property
    def equations(self) -> int:
        """How many equations a step solves."""
        return self.network.assembly.size

    def places(self, q: Array, v: Array) -> Array:
        """(nodes, 18) at these coordinates and speeds."""
        return places_at(self.network, q, v)

    def start(self, inputs: Array | None = None) -> StartState:
        """The state at the start, with multipliers and accelerations that fit; `inputs` are those of a step."""
        given = self._inputs() if inputs is None else self.network.driven.numbers(np.asarray(inputs, dtype=np.float64))
        return start_state(self.network.assembly, self.places(self.start_q, self.start_v), given)

    def _inputs(self, holds: float | None = None) -> Array:
        """Of the parts: as given, or nothing acts and every closure holds; `holds` sets all switches (1 or 0)."""
        found = []
        for port in self.network.ports:
            switch = port.name.endswith("_active")
            usual = np.full(port.size, 1.0 if switch else 0.0)
            given = self.inputs.get(port.name, usual)
            found.append(np.ravel(given if holds is None or not switch else holds))
        return self.network.driven.numbers(np.concatenate(found))

    @property
    def may_be_dense(self) -> bool:
        """Whether dense factors fit on the stack."""
        return self.equations <= MOST_DENSE

    def repivoted(self, state: Mapping[str, Any]) -> Network:
        """The same network with pivots chosen at another state."""
        places = places_of_nodes(state["one"])
        return replace(self, chosen_at=(places, state["own_one"], state["own_dot_one"], state["kept"]))

    def dependence(self, state: Mapping[str, Any]) -> tuple[float, tuple[str, ...]]:
        """How far the rows are from depending on each other at a state, and which of them take part."""
        assembly = self.network.assembly
        values = state["own_one"], state["own_dot_one"], state["kept"]
        J = assembly.numeric_jacobian(1.0, places_of_nodes(state["one"]), values, self._inputs())
        first = assembly.node_starts[-1]
        rows = [first + k for k, kind in enumerate(assembly.kinds) if kind is Own.HOLONOMIC]
        columns = [start + i for start in assembly.node_starts[:-1] for i in range(6)]
        columns += [first + k for k, kind in enumerate(assembly.kinds) if kind in (Own.COORDINATE, Own.MODE)]
        return dependent_rows(J[np.ix_(rows, columns)], [assembly.names[row] for row in rows])

    def check_rows(self) -> None:
        """Raise ModelError if rows of constraints depend on each other at the start."""
        least, names = self.dependence(self.start().ports())
        if least < DEPENDENT:
            raise ModelError(
                f"model {self.model.name!r}: at the start {', '.join(names)} depend on each other; if one follows from "
                "the others everywhere, leave it out (dropped), else the mechanism is at a singular place: start "
                "elsewhere"
            )

    @cached_property
    def program(self) -> Program:
        """The step."""
        self.check_rows()
        assembly = self.network.assembly
        samples = [] if self.dense else self._samples()
        schedule, solver = schedule_of(assembly, self.iterations, self.jacobians), (self.refinements, self.dense)
        step = Step(assembly, schedule, samples, *solver, self.growth_limit, self.network.driven.all)
        return step.program(f"{self.model.name}_step", self.network.ports)

    def _spreads(self) -> tuple[Array, Array]:
        """(nq,), (nv,) how far samples go from the start."""
        q, v = np.full(self.model.nq, SPREAD), np.full(self.model.nv, SPREAD)
        bent = {body for element in self.model.elements if isinstance(element, Beam) for body in element.bodies}
        for n, joint in enumerate(self.model.joints):
            if joint.child in bent and isinstance(joint.motion, Free):
                q[self.model.q_slices[n][0]] *= BENT
                v[self.model.v_slices[n][0]] *= BENT
        return q, v

    def _samples(self) -> list[Array]:
        """Jacobians where the pivots are to be good: at the start or the state they are chosen for, and elsewhere."""
        assembly, rng = self.network.assembly, np.random.default_rng(0)
        begin = self.start()
        own, own_dot, kept = begin.own, begin.own_dot, begin.kept
        places = [self.places(self.start_q, self.start_v)]
        if self.chosen_at is not None:
            chosen, own, own_dot, kept = self.chosen_at
            places = [chosen]
        spread_q, spread_v = self._spreads()
        for _ in range(SAMPLES - 1):
            q = self.start_q + spread_q * rng.standard_normal(self.model.nq)
            for joint, (at, modes) in zip(self.model.joints, self.model.q_slices, strict=True):
                if joint.motion.has_quaternion:
                    q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
                q[modes] = self.start_q[modes]  # amplitudes have a size of their own
            v = self.start_v + spread_v * rng.standard_normal(self.model.nv)
            places.append(self.places(q, v))
        sizes = np.concatenate([np.asarray(p.own_sizes(), dtype=np.float64) for p in assembly.parts] or [np.empty(0)])
        p, found = _momenta(assembly), []
        for k, near in enumerate(places):
            scaled = own * (1.0 if k == 0 else rng.uniform(0.5, 2.0, len(own)))
            c, inputs = SAMPLE_STEPS[k % len(SAMPLE_STEPS)], self._inputs(float(k % 2 == 0))
            for shift in (0.0, 1.0, -1.0) if near is places[-1] and sizes.any() else (0.0,):
                values = scaled + shift * sizes, own_dot, kept
                found.append(assembly.numeric_jacobian(c, near, values, inputs, p))
        return found


def _momenta(assembly: Assembly) -> Array:
    """(nodes, 12) momenta at rest, with rates that have nothing special about them."""
    rates = [np.linalg.norm(assembly.gravity) * body.mass * np.array([0.3, 0.5, 0.7]) for body in assembly.bodies]
    return np.array([np.concatenate([np.zeros(6), rate, 0.1 * rate]) for rate in rates])


def places_of_nodes(nodes: Array) -> Array:
    """(nodes, 18) places from (nodes, 25) nodes."""
    found = []
    for row in nodes:
        R = np.array(R_quaternion(ca.DM(row[3:7])))
        found.append(np.concatenate([row[:3], R.ravel(), row[7:13]]))
    return np.array(found)
