"""The compiled parts of a run: what takes seconds to make and needs no ring yet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.errors import SimulationError
from motionbase.executive.model.accept import SHORTER, accept
from motionbase.executive.model.orders import Memory, Timing
from motionbase.executive.model.plant import AbstractPlant
from motionbase.executive.model.settling import settled
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import first_steps
from motionbase.multibody.network.motion import joint_motion
from motionbase.multibody.network.real_time import step_arrays
from motionbase.multibody.network.solved import numbers_solved
from motionbase.multibody.network.step import FEEDBACK

STATES = tuple(name for name in FEEDBACK if name != "worst")


@final
@dataclass(frozen=True, eq=False)
class ModelCode:
    """A model under the network engine, compiled.

    Attributes:
        network: from the start
        step: of the network; joints: coordinates and speeds from nodes
        observers, command: of the plant; accept: see `accept.py`
    """

    plant: AbstractPlant
    timing: Timing
    network: Network
    step: Compiled
    joints: Compiled
    observers: tuple[Compiled, ...]
    command: Compiled
    accept: Compiled

    @staticmethod
    def of(plant: AbstractPlant, timing: Timing) -> ModelCode:
        """Assemble and compile."""
        network = plant.network(timing.dt)
        method = network.method
        firsts = [method.start().row(timing.dt * 0.5**k).tolist() for k in range(SHORTER)]
        states = [port for port in network.program.inputs if port.name in STATES]
        return ModelCode(
            plant,
            timing,
            network,
            compile(network.program),
            compile(joint_motion(network.network)),
            tuple(compile(kernel) for kernel in plant.observers(network.network)),
            compile(plant.command(timing)),
            compile(accept(states, firsts, method.weights(1.0).row(timing.dt).tolist())),
        )

    @cached_property
    def begun(self) -> tuple[dict[str, Array], Array]:
        """States with which a run begins, and weights of its first step; with them what laws have learnt meanwhile."""
        states, weights = self._first_steps()
        return settled(self, states, weights), weights

    @property
    def memory(self) -> dict[str, int]:
        """Places in the array of that name."""
        return dict(Memory.layout.starts)

    def _first_steps(self) -> tuple[dict[str, Array], Array]:
        network, dt = self.network, self.timing.dt
        if not self.plant.firsts:
            return network.start().ports(), network.method.start().row(dt)
        arrays = step_arrays(network)
        for name in self.plant.starts.keys() & arrays.keys():
            arrays[name][...] = self.plant.starts[name]
        run, after = self.step.bind(**arrays), {name: arrays[f"{name}_next"] for name in STATES}
        for h, weights in first_steps(dt, self.plant.firsts):
            arrays["weights"][...] = weights.row(h)
            run()
            if not numbers_solved(float(arrays["residual"]), arrays, after):
                raise SimulationError(f"model {self.plant.name!r}: a step of the start was not solved")
            for name in STATES:
                arrays[name][...] = after[name]
        return {name: arrays[name] for name in STATES}, network.method.weights(1.0).row(dt)

    @property
    def kernels(self) -> tuple[Compiled, ...]:
        """All that run in a tick."""
        return self.step, self.joints, *self.observers, self.command, self.accept
