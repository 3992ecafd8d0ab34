"""The motion of a plant under a servo, along references with one row per step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, compile
from motionbase.errors import SimulationError
from motionbase.multibody.integrators import RK4, RungeKutta, System
from motionbase.multibody.integrators.run import Job, run
from motionbase.multibody.manipulator.paths import JointSamples
from motionbase.multibody.manipulator.servo import AbstractServo
from motionbase.multibody.names import State, coordinates, q_of, speeds, v_of
from motionbase.multibody.trajectory import Trajectory
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs
from motionbase.spatial.rotations import Expr


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """A plant with a servo on its joints; traced once, run any number of times."""

    plant: Tree | Loops
    servo: AbstractServo

    @cached_property
    def forward(self) -> Kernel:
        """(q, v, references, inputs of the elements, active) -> v_dot, and the plant's other outputs."""
        forward, servo = self.plant.forward_dynamics, self.servo
        own = len(servo.ports)

        def expr(q: Expr, v: Expr, *rest: Expr) -> Any:
            return forward(q, v, servo.torque(q, v, *rest[:own]), *rest[own:])

        return Kernel("driven", (*forward.inputs[:2], *servo.ports, *forward.inputs[3:]), forward.outputs, expr)

    @cached_property
    def _system(self) -> System:
        return System(self.plant.model, self.forward)

    @cached_property
    def _energies(self) -> Compiled:
        tree = self.plant if isinstance(self.plant, Tree) else self.plant.tree
        return compile(Outputs(tree).energies)

    def run(
        self,
        references: JointSamples,
        dt: float,
        q0: State,
        v0: State = None,
        *,
        inputs: Mapping[str, ArrayLike] | None = None,
        every: int = 1,
    ) -> Trajectory:
        """The motion from an initial state, which must meet the closures that hold; references are held over each step.

        Args:
            references: of the servo's joints, one row per step: preferably those of the middle of the step
            dt: step of RK4 [s]
            inputs: other inputs by name, constant; missing ones are zero, and closures hold
            every: steps between samples; the number of rows must be a multiple
        """
        model, method = self.plant.model, RungeKutta(RK4)
        steps, n = len(references.q), len(self.servo.joints)
        rows = {"q_ref": references.q, "v_ref": references.v, "a_ref": references.a}
        for name, values in rows.items():
            if values.shape != (steps, n):
                raise SimulationError(f"drive: {name} has shape {values.shape}, {(steps, n)} is wanted")
        if steps == 0 or every < 1 or steps % every:
            raise SimulationError(f"drive: {steps} rows of references; a multiple of every = {every} above 0 is wanted")
        if not (np.isfinite(dt) and dt > 0):
            raise SimulationError(f"drive: dt is {dt!r} s, it must be a finite number above 0")
        held = self._held(dict(inputs or {}), set(rows))
        whole = {name: np.ascontiguousarray(values) for name, values in rows.items()}
        job = Job(self._system, held, whole, steps, dt, every, "strict", lambda _: None)
        found = run(job, method, q_of(model, q0), v_of(model, v0))
        t = np.arange(len(found.q), dtype=np.float64) * (dt * every)
        energy = self._energies.map(q=np.ascontiguousarray(found.q), v=np.ascontiguousarray(found.v))
        names = coordinates(model), speeds(model)
        return Trajectory(model.name, method.name, t, found.q, found.v, *names, found.steps, found.wall_s, energy)

    def _held(self, given: dict[str, ArrayLike], rows: set[str]) -> dict[str, Array]:
        """A value for every input that is not a reference."""
        held = {}
        for port in self._system.inputs:
            if port.name in rows:
                continue
            if port.name not in given and port in self.servo.ports:
                raise SimulationError(f"drive: the servo needs {port.name!r} ({port.description})")
            value = np.array(given.pop(port.name, 1.0 if port.name.endswith("_active") else 0.0), dtype=np.float64)
            if value.shape not in ((), port.dims):
                raise SimulationError(f"drive: {port.name!r} has shape {value.shape}, {port.dims} is wanted")
            held[port.name] = np.broadcast_to(value, port.dims).copy()
        if given:
            known = ", ".join(p.name for p in self._system.inputs)
            raise SimulationError(f"drive: no input {', '.join(given)}; inputs: {known}")
        return held
