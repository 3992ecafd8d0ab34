"""A rotor under way: steps of its network in native loops, and what they tell of loads and blades."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, Kernel, Port, Scan, compile, scan
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.methods import Coefficients, first_steps
from motionbase.multibody.network.motion import joint_motion
from motionbase.multibody.network.solved import numbers_solved
from motionbase.multibody.network.step import FEEDBACK
from motionbase.rotor.elements.air import AirPlaces, air_places
from motionbase.rotor.flight.observe import observation
from motionbase.rotor.models.rotor_model import RotorModel

RECORDED = "one_next", "own_one_next", "kept_next"
PER_REVOLUTION = 90  # steps of the native calls
# Numbers of first steps, and their length over the usual one. Blades start undeformed, and what that excites is damped
# best by short steps of BDF2; ratios of two are within its stability.
FIRST = (16, 1 / 16), (4, 1 / 8), (4, 1 / 4), (4, 1 / 2)


@final
@dataclass(frozen=True, eq=False)
class Flown:
    """Samples at every step.

    Attributes:
        t: (n,) [s]
        nodes, own, kept: (n, ...) as the step's states have them
    """

    flying: Flying
    t: Array
    nodes: Array
    own: Array
    kept: Array

    @cached_property
    def q(self) -> Array:
        """(n, nq) coordinates of the joints; the shaft's angle lies between -pi and pi."""
        motion = self.flying.motion
        own: dict[str, Array] = {"own": self.own} if any(port.name == "own" for port in motion.unit.inputs) else {}
        found: Array = np.asarray(motion.map(nodes=self.nodes, **own)["q"])
        return found

    def angles(self, which: Literal["lag", "flap", "pitch"]) -> Array:
        """(n, blades) hinge angles [rad]; a rotor without such hinges is refused."""
        return self.q[:, self.flying.places(which)]

    @cached_property
    def azimuth(self) -> Array:
        """(n, blades) of the blades, counted on over revolutions [rad].

        Of the shaft as it stands: steps of a ninetieth of a revolution lose 2e-4 of its turns.
        """
        rotor = self.flying.rotor
        start: Array = np.array([blade.azimuth for blade in rotor.blades])
        angle = self.q[:, self.flying.coordinates[rotor.shaft]]
        angle = angle + math.tau * np.round((rotor.speed * self.t - angle) / math.tau)
        return angle[:, None] + start

    @cached_property
    def observed(self) -> dict[str, Array]:
        """(n,) of every output by its name; `Flying.outputs` has units and what they are."""
        found = self.flying.observation.map(nodes=self.nodes, own=self.own, kept=self.kept)
        return {port.name: np.asarray(found[port.name]) for port in self.flying.outputs}

    @property
    def loads(self) -> Array:
        """(n, 6) force and moment of the air on the blades about the hub, in the axes of the support [N, N m]."""
        return self.kept[:, self._air.loads]

    @property
    def induced(self) -> Array:
        """(n, 3) speed downwards at the hub [m/s], slopes along x and y [1/s], as the next step reads them."""
        return self.kept[:, self._air.field]

    @property
    def _air(self) -> AirPlaces:
        return air_places(self.flying.network.network.assembly)


@final
@dataclass(eq=False)
class Flying:
    """A compiled rotor and its state.

    Attributes:
        state: of the step
        t: [s]
        settings: of the last steps
    """

    rotor: RotorModel
    network: Network
    mode: Literal["strict", "fast"] = "strict"
    t: float = 0.0
    state: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, rotor: RotorModel, step: float | None = None, mode: Literal["strict", "fast"] = "strict") -> Flying:
        """After the first steps, with the settings of the start."""
        found = cls(rotor, rotor.network(step), mode)
        found.state = {**found.network.start().ports(), "worst": np.zeros(2)}
        found.begin()
        return found

    @cached_property
    def loop(self) -> Scan:
        """The step in a native loop; inputs may change from step to step."""
        rows = [port.name for port in self.network.network.ports if port.name not in ("tau",)]
        return scan(self.network.program, FEEDBACK, per_step=rows, record=list(RECORDED), mode=self.mode)

    @cached_property
    def motion(self) -> Compiled:
        """Coordinates and speeds from nodes."""
        return compile(joint_motion(self.network.network))

    @cached_property
    def _observer(self) -> Kernel:
        return observation(self.rotor, self.network.network)

    @property
    def outputs(self) -> tuple[Port, ...]:
        """What can be observed: name, unit, description."""
        return self._observer.outputs

    @cached_property
    def observation(self) -> Compiled:
        """What is observed, from states of a step."""
        return compile(self._observer)

    def places(self, which: Literal["lag", "flap", "pitch"]) -> list[int]:
        """Of the blades' hinges among the coordinates; a rotor without such hinges is refused."""
        found = []
        for blade in self.rotor.blades:
            if not getattr(blade, which):
                raise ModelError(f"rotor {self.rotor.name!r} has no {which} hinges")
            shared = which == "flap" and blade.flap == blade.lag  # one joint turns about both
            found.append(self.coordinates[getattr(blade, which)] + shared)
        return found

    @cached_property
    def coordinates(self) -> dict[str, int]:
        """Where each joint's coordinates begin."""
        model = self.rotor.model
        return {joint.name: own.start for joint, (own, _) in zip(model.joints, model.q_slices, strict=True)}

    def fly(
        self, steps: int, settings: Mapping[str, float] | Callable[[float], Mapping[str, float]],
        progress: Callable[[float], None] = lambda _: None, inputs: Mapping[str, Array] | None = None,
    ) -> Flown:  # fmt: skip
        """So many steps on.

        Args:
            settings: by name, or a function of time, which is asked at the end of each step
            inputs: of every step, by name, instead of those of the settings
        """
        if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
            raise SimulationError(
                f"rotor {self.rotor.name!r}: {steps!r} steps are asked for, a whole number of 1 or more is wanted"
            )
        h, weights, begin, done = self.network.step_size, self.network.method.weights(1.0), self.t, 0
        samples: list[dict[str, Array]] = []
        while done < steps:
            count = min(PER_REVOLUTION, steps - done)
            out = self._steps(count, h, weights, {**self._rows(count, settings), **_held(count, inputs or {})})
            samples.append({name: np.asarray(out[name]) for name in RECORDED})
            done += count
            progress(done / steps)
        nodes, own, kept = (np.concatenate([s[name] for s in samples]) for name in RECORDED)
        return Flown(self, np.asarray(begin + h * np.arange(1, steps + 1)), nodes, own, kept)

    def begin(self, settings: Mapping[str, float] | None = None) -> None:
        """The first steps; the very first is the trapezoidal rule."""
        rows = self._rows(1, settings or {})
        for h, weights in first_steps(self.network.step_size, FIRST):
            self._steps(1, h, weights, rows)

    def _steps(self, count: int, h: float, weights: Coefficients, rows: Mapping[str, Array]) -> Mapping[str, Any]:
        """So many steps of one length; the state follows."""
        given = {**self.state, **rows, "worst": np.zeros(2), "weights": weights.row(h)}
        out = self.loop(count, every=1, **given)
        residual = float(out["worst"][0])
        if not numbers_solved(residual, self.state, out):
            raise SimulationError(
                f"rotor {self.rotor.name!r}: a step between t = {self.t:.4g} and {self.t + count * h:.4g} s was not "
                f"solved (residual {residual:.3g}); take a smaller step, or change settings more slowly"
            )
        self.state, self.t = {name: out[name] for name in FEEDBACK}, self.t + count * h
        return out

    def _rows(
        self, count: int, settings: Mapping[str, float] | Callable[[float], Mapping[str, float]]
    ) -> dict[str, Array]:
        """Inputs of so many steps."""
        h = self.network.step_size
        if not callable(settings):
            return _held(count, self.rotor.numbers(**settings))
        each = [self.rotor.numbers(**settings(self.t + h * (k + 1))) for k in range(count)]
        return {name: each[0][name] if name == "tau" else np.array([row[name] for row in each]) for name in each[0]}


def _held(count: int, inputs: Mapping[str, Array]) -> dict[str, Array]:
    """Inputs that are the same in so many steps; `tau` is one for all of them."""
    found = {name: np.asarray(value, dtype=np.float64) for name, value in inputs.items()}
    return {
        name: value if name == "tau" else np.broadcast_to(value, (count, *value.shape)).copy()
        for name, value in found.items()
    }
