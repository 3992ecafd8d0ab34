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
from motionbase.errors import ModelError
from motionbase.multibody.model import Model
from motionbase.multibody.network.assembly import Assembly
from motionbase.multibody.network.methods import MS, Multistep
from motionbase.multibody.network.of_model import ModelNetwork, network_of
from motionbase.multibody.network.parts import Own
from motionbase.multibody.network.start import StartState, places_at, start_state
from motionbase.multibody.network.step import Step, schedule_of
from motionbase.multibody.tree.redundancy import dependent_rows
from motionbase.spatial import R_quaternion

SAMPLES = 12
SAMPLE_STEPS = (1e-3, 1e-4, 1e-5)  # [s] for which pivots are good: one program serves every step
SPREAD = 0.7  # [rad, m, rad/s, m/s] of the samples about the start


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

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise ModelError(f"network: the model is {type(self.model).__name__}, a Model is wanted")

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

    def start(self, inputs: Array | None = None) -> StartState:
        """The state at the start, with multipliers and accelerations that fit."""
        assembly = self.network.assembly
        given = self._inputs() if inputs is None else np.asarray(inputs, dtype=np.float64)
        return start_state(assembly, places_at(assembly, self.model, self.start_q, self.start_v), given)

    def _inputs(self, holds: float | None = None) -> Array:
        """As given, or nothing acts and every closure holds; `holds` sets all switches (1 or 0)."""
        found = []
        for port in self.network.ports:
            switch = port.name.endswith("_active")
            usual = np.full(port.size, 1.0 if switch else 0.0)
            given = self.inputs.get(port.name, usual)
            found.append(np.ravel(given if holds is None or not switch else holds))
        return np.concatenate(found)

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
        return dependent_rows(J[np.ix_(rows, columns)], [assembly.names[row] for row in rows])

    @cached_property
    def program(self) -> Program:
        """The step."""
        assembly = self.network.assembly
        step = Step(assembly, schedule_of(assembly, self.iterations, self.jacobians), self._samples())
        return step.program(f"{self.model.name}_step", self.network.ports)

    def _samples(self) -> list[Array]:
        """Jacobians where the pivots are to be good: at the start or the state they are chosen for, and elsewhere."""
        assembly, rng = self.network.assembly, np.random.default_rng(0)
        begin = self.start()
        own, own_dot, kept = begin.own, begin.own_dot, begin.kept
        places = [places_at(assembly, self.model, self.start_q, self.start_v)]
        if self.chosen_at is not None:
            chosen, own, own_dot, kept = self.chosen_at
            places = [chosen]
        for _ in range(SAMPLES - 1):
            q = self.start_q + SPREAD * rng.standard_normal(self.model.nq)
            for joint, (at, _) in zip(self.model.joints, self.model.q_slices, strict=True):
                if joint.motion.has_quaternion:
                    q[at.stop - 4 : at.stop] /= np.linalg.norm(q[at.stop - 4 : at.stop])
            v = self.start_v + SPREAD * rng.standard_normal(self.model.nv)
            places.append(places_at(assembly, self.model, q, v))
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
