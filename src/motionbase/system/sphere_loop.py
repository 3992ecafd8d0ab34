"""A sphere under its control law, closed to one step: a target orientation in, the next state and all forces out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

from numpy.typing import ArrayLike

from motionbase.compile import Body, Layout, OldProgram, Port
from motionbase.control.guard import WheelGuard
from motionbase.control.sphere.law import SphereLaw
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.plant import SpherePlant
from motionbase.platform.atlas.atlas import Atlas
from motionbase.system.guarded import guarded_sphere

A_NEXT = Port("a_stage_next", 3, "m/s^2", "acceleration of the mount over this tick, in W")


@final
@dataclass(frozen=True, eq=False)
class SphereLoop:
    """Law and plant of one sphere; what carries it moves as it is told.

    Attributes:
        dt: period of a tick [s]
        ripple: whether the rollers' outlines are felt
    """

    atlas: Atlas
    dt: float = 5e-4
    ripple: bool = True

    @cached_property
    def law(self) -> SphereLaw:
        """What turns the sphere."""
        return SphereLaw(self.atlas, self.dt)

    @cached_property
    def guard(self) -> WheelGuard:
        """Between law and motors."""
        return WheelGuard(self.atlas)

    @cached_property
    def guarded(self) -> OldProgram:
        """The law behind the guard."""
        return guarded_sphere(self.law, self.guard)

    @cached_property
    def plant(self) -> SpherePlant:
        """What is turned."""
        return SpherePlant(self.atlas, self.dt, ripple=self.ripple)

    @property
    def parameters(self) -> Layout:
        """Of the law."""
        return self.law.parameters

    @cached_property
    def state_ports(self) -> tuple[Port, ...]:
        """What goes from tick to tick."""
        own = {p.name: p for p in self.guarded.inputs}
        return (own["sphere_x"], own["sphere_guard"], *self.plant.state_ports)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @property
    def troubles(self) -> tuple[Port, ...]:
        """What may go wrong with the wheels."""
        known = {p.name for p in self.plant.state_ports} | {"tau_motor", "a_stage"}
        return tuple(p for p in self.plant.step.inputs if p.name not in known)

    @cached_property
    def program(self) -> OldProgram:
        """(parameters, state, target, wishes, stage, troubles) -> state_next, the law's outputs, the plant's."""
        law, plant = self.guarded, self.plant.step
        state = {p.name for p in self.state_ports}
        targets = tuple(p for p in law.inputs if p.name not in state)
        results = tuple(p for p in plant.outputs if p.name not in self.feedback.values())

        def body(b: Body) -> None:
            b.call(law, **{p.name: b[p.name] for p in (*law.inputs, *law.outputs)})
            given = {p.name: b[p.name] for p in (*self.plant.state_ports, *self.troubles)}
            found = {p.name: b[p.name] for p in plant.outputs}
            b.call(plant, **given, tau_motor=b["tau_motor"], a_stage=b["a_stage_next"], **found)

        shown = tuple(p for p in law.outputs if p.name not in self.feedback.values())
        outputs = (*(next_of(p) for p in self.state_ports), *shown, *results)
        inputs = (*self.state_ports, *targets, A_NEXT, *self.troubles)
        return OldProgram("sphere_loop", inputs, outputs, body, description=f"{self.atlas.name}, its sphere alone")

    def at_rest(self, preload_scale: ArrayLike = 1.0) -> dict[str, Any]:
        """Upright, at rest, with so much of the passive wheels' preload; the law has not begun."""
        own = {"sphere_x": self.law.state.vector(), "sphere_guard": self.guard.state.vector()}
        return {**own, **self.plant.at_rest(preload_scale=preload_scale)}

    def quiet_inputs(self) -> dict[str, Any]:
        """The sphere stays where it is, and so does what carries it."""
        known = {p.name for p in self.troubles}
        troubles = {name: value for name, value in self.plant.quiet.items() if name in known}
        switches = {"follow": 1.0, "on": 1.0, "reset": 0.0}
        target = {"Q_target": [1.0, 0.0, 0.0, 0.0], "omega_target": [0.0] * 3, "alpha_target": [0.0] * 3}
        still = {"a_stage": [0.0] * 3, "a_stage_next": [0.0] * 3}
        return {"sphere_parameters": self.parameters.vector(), **switches, **target, **still, **troubles}
