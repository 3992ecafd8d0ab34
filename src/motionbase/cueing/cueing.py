"""Motion cueing of a platform: one pure program per tick, from samples of a vehicle's motion to the law's demand."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, final

from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import Layout, Program
from motionbase.cueing.adaptive import ADAPTIVE
from motionbase.cueing.algorithm import Algorithm, Parameters
from motionbase.cueing.classical import CLASSICAL
from motionbase.cueing.optimal import optimal
from motionbase.cueing.ports import COUNT, OUTPUTS, VEHICLE, Vehicle
from motionbase.cueing.predictive.plans import PLAN, Planned
from motionbase.cueing.predictive.tick import FOR_PLANNER, PredictiveState, predictive_state, predictive_tick
from motionbase.cueing.sets import CueSet, load_set
from motionbase.cueing.tick import CueState, Rig, tick
from motionbase.errors import UsageError, unknown
from motionbase.platform.hexapod import Hexapod

RATE = 2000.0  # [Hz], that of the control law
PREDICTIVE = "predictive"
ALGORITHMS: dict[str, Callable[[CueSet, float], Algorithm]] = {  # by the set and the period
    "classical": lambda *_: CLASSICAL,
    "adaptive": lambda *_: ADAPTIVE,
    "optimal": optimal,
    PREDICTIVE: lambda *_: CLASSICAL,  # ready beside the plans
}
PREFIXES = {"air": "cue_", "ground": "cue_ground_"}  # of parameters, by situation
PARTS = PREFIXES | {"adaptive": "cue_adaptive_"}  # by the part of a set that has them
WHERE = {"air": "; in the air", "ground": "; on the ground"}
HEADS = ("head", "eye", "rider")  # points of a platform that are a person's head, the first of them


def head_of(platform: Hexapod) -> tuple[float, float, float]:
    """Place of a person's head in P [m]; P's origin if the platform names none."""
    return next((platform.points[name] for name in HEADS if name in platform.points), (0.0, 0.0, 0.0))


@final
@dataclass(frozen=True)
class Cueing:
    """Motion cueing of a hexapod; `program` is the compiled part.

    Attributes:
        platform: the hexapod
        cue_set: parameters in the air and on the ground
        algorithm: one of ALGORITHMS
        head: (3,) place of the person's head in P [m]; by default the platform's point of that name
        dt: period [s]
        params: values of parameters that differ from the set's, by name
    """

    platform: Hexapod
    cue_set: CueSet
    algorithm: str = "classical"
    head: tuple[float, float, float] | None = None
    dt: float = 1 / RATE
    params: Mapping[str, ArrayLike] | None = None

    def __post_init__(self) -> None:
        if self.algorithm not in ALGORITHMS:
            raise unknown("cueing algorithm", self.algorithm, ALGORITHMS)
        if not 0 < self.dt <= 0.02:
            raise UsageError(f"cueing: the period is {self.dt:g} s, it must be above 0 and at most 0.02 s")
        if self.head is not None and not (len(self.head) == 3 and all(map(math.isfinite, self.head))):
            raise UsageError(f"cueing: head is {self.head!r:.80}, three finite numbers are wanted")

    @staticmethod
    def of(platform: Hexapod, cue_set: CueSet | Path | str = "simona", **options: Any) -> Cueing:
        """With a set by its name or file."""
        return Cueing(platform, cue_set if isinstance(cue_set, CueSet) else load_set(cue_set), **options)

    @property
    def head_P(self) -> tuple[float, float, float]:
        """Place of the head in P [m]; P's origin if the platform names none."""
        return head_of(self.platform) if self.head is None else self.head

    @cached_property
    def parameters(self) -> Layout:
        """Names, units, values and tuning bounds of the parameters."""
        groups = [(group, getattr(self.cue_set, group.name)) for group in self.rig.algorithm.parameters.layout.ports]
        return Layout(
            tuple(
                replace(port, name=f"{PARTS[group.name]}{port.name}", start=values[port.name],
                        description=f"{port.description}{WHERE.get(group.name, '')}")
                for group, values in groups
                if group.struct is not None
                for port in group.struct.layout.ports
            )
        )  # fmt: skip

    @cached_property
    def rig(self) -> Rig:
        """What a tick needs."""
        return Rig(self.platform, ALGORITHMS[self.algorithm](self.cue_set, self.dt), self.head_P, self.dt)

    @cached_property
    def state(self) -> Layout:
        """Names of the state's parts."""
        return (predictive_state(self.rig) if self.algorithm == PREDICTIVE else self.rig.state).layout

    def parameter_vector(self, **changes: ArrayLike) -> Array:
        """Values for the port `parameters`; changes by name."""
        return self.parameters.vector({**(self.params or {}), **changes})

    def initial_state(self) -> Array:
        """Value of the port `x` before the first tick."""
        return self.state.vector()

    @cached_property
    def program(self) -> Program:
        """The tick as a program named `cueing`."""
        rig, parameters, state = self.rig, self.rig.algorithm.parameters, self.rig.state
        says = f"motion cueing of {self.platform.name}, {self.algorithm}, set {self.cue_set.name}"
        if self.algorithm == PREDICTIVE:
            return self._predictive(says)

        def expr(p: Parameters, x: CueState, vehicle: Vehicle, count: Any) -> Any:
            after, outputs = tick(rig, p, x, vehicle, count)
            return after, *outputs

        return Program(
            "cueing",
            (parameters.port("parameters"), state.port("x"), VEHICLE, COUNT),
            (state.port("x_next"), *OUTPUTS),
            expr,
            says,
        )

    def _predictive(self, says: str) -> Program:
        """With a plan as an input, and what a planner needs as an output."""
        rig, state = self.rig, predictive_state(self.rig)

        def expr(p: Parameters, x: PredictiveState, vehicle: Vehicle, count: Any, plan: Planned) -> Any:
            after, outputs = predictive_tick(rig, p, x, vehicle, count, plan)
            return after, *outputs

        inputs = (rig.algorithm.parameters.port("parameters"), state.port("x"), VEHICLE, COUNT, PLAN)
        return Program("cueing", inputs, (state.port("x_next"), *OUTPUTS, *FOR_PLANNER), expr, says)
