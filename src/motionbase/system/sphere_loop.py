"""A sphere under its control law, closed to one step: a target orientation in, the next state and all forces out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
from numpy.typing import ArrayLike

from motionbase.compile import Layout, Port, Program, cond
from motionbase.control.guard import WheelGuard, is_a_number, sound
from motionbase.control.sphere.law import SphereLaw
from motionbase.plant.motion import next_of
from motionbase.plant.sphere.plant import SpherePlant
from motionbase.platform.atlas.atlas import Atlas
from motionbase.spatial.rotations import Expr
from motionbase.system.values import Values, called

A_NEXT = Port("a_stage_next", 3, "m/s^2", "acceleration of the mount over this tick, in W")


def guarded_sphere(law: SphereLaw, guard: WheelGuard) -> Program:
    """(inputs of the sphere's law, sphere_guard) -> outputs of the law if they are valid, sphere_guard_next."""
    unit, check = law.program, guard.kernel
    inputs = (*unit.inputs, _named(check.inputs, "sphere_guard"))
    outputs = (*unit.outputs, *(_named(check.outputs, name) for name in ("sphere_guard_next", "sphere_fault")))
    shown = tuple(p for p in unit.outputs if p.name not in ("tau_motor", "sphere_x_next"))

    def expr(*values: Any) -> Any:
        x = Values.of(inputs, values)
        said = called(unit, x)
        rest = said.to(shown)
        good = ca.logic_and(is_a_number(said.sphere_x_next.column), sound(ca.vertcat(*rest)))
        passed = called(check, x, tau_law=said.tau_motor, sound=good)
        rest = cond(passed.sphere_fault, lambda: [finite(value) for value in rest], lambda: rest)
        return said.also(Values.of(shown, rest), passed).to(outputs)

    return Program("guarded_sphere", inputs, outputs, expr, f"{unit.name} behind the guard")


def finite(value: Expr) -> Expr:
    """Values that are not finite are recorded as 0: the fault marks the law as invalid."""
    return ca.if_else(ca.fabs(value) < ca.inf, value, 0.0)


def _named(ports: tuple[Port, ...], name: str) -> Port:
    return next(p for p in ports if p.name == name)


@final
@dataclass(frozen=True, eq=False)
class SphereLoop:
    """Law and plant of one sphere; the motion of its support is an input.

    Attributes:
        dt: period of a tick [s]
        ripple: whether the outlines of the rollers are modelled
    """

    atlas: Atlas
    dt: float = 5e-4
    ripple: bool = True

    @cached_property
    def law(self) -> SphereLaw:
        """The law that turns the sphere."""
        return SphereLaw(self.atlas, self.dt)

    @cached_property
    def guard(self) -> WheelGuard:
        """The guard between law and motors."""
        return WheelGuard(self.atlas)

    @cached_property
    def guarded(self) -> Program:
        """The law behind the guard."""
        return guarded_sphere(self.law, self.guard)

    @cached_property
    def plant(self) -> SpherePlant:
        """The plant of the sphere."""
        return SpherePlant(self.atlas, self.dt, ripple=self.ripple)

    @property
    def parameters(self) -> Layout:
        """Parameters of the law."""
        return self.law.parameters

    @cached_property
    def state_ports(self) -> tuple[Port, ...]:
        """State between ticks."""
        own = (_named(self.guarded.inputs, name) for name in ("sphere_x", "sphere_guard"))
        return (*own, *self.plant.state_ports)

    @property
    def feedback(self) -> dict[str, str]:
        """State -> state after a tick, for `scan`."""
        return {p.name: next_of(p).name for p in self.state_ports}

    @property
    def troubles(self) -> tuple[Port, ...]:
        """Disturbances of the wheels."""
        known = {p.name for p in self.plant.state_ports} | {"tau_motor", "a_stage"}
        return tuple(p for p in self.plant.step.inputs if p.name not in known)

    @cached_property
    def program(self) -> Program:
        """(parameters, state, target, requests, stage, disturbances) -> state_next, the law's outputs, the plant's."""
        law, plant, after = self.guarded, self.plant.step, self.feedback.values()
        targets = tuple(p for p in law.inputs if p.name not in self.feedback)
        inputs = (*self.state_ports, *targets, A_NEXT, *self.troubles)
        given = (*law.outputs, *plant.outputs)
        outputs = (*(_named(given, name) for name in after), *(p for p in given if p.name not in after))

        def expr(*values: Any) -> Any:
            x = Values.of(inputs, values)
            said = called(law, x)
            moved = called(plant, x, tau_motor=said.tau_motor, a_stage=x.a_stage_next)
            return said.also(moved).to(outputs)

        return Program("sphere_loop", inputs, outputs, expr, f"{self.atlas.name}, its sphere alone")

    def at_rest(self, preload_scale: ArrayLike = 1.0) -> dict[str, Any]:
        """Upright, at rest, with scaled preload of the passive wheels; the law has not started."""
        own = {"sphere_x": self.law.state.vector(), "sphere_guard": self.guard.state.vector()}
        return {**own, **self.plant.at_rest(preload_scale=preload_scale)}

    def quiet_inputs(self) -> dict[str, Any]:
        """Inputs for which the sphere and its support stay at rest."""
        known = {p.name for p in self.troubles}
        troubles = {name: value for name, value in self.plant.quiet.items() if name in known}
        switches = {"follow": 1.0, "on": 1.0, "reset": 0.0}
        target = {"Q_target": [1.0, 0.0, 0.0, 0.0], "omega_target": [0.0] * 3, "alpha_target": [0.0] * 3}
        still = {"a_stage": [0.0] * 3, "a_stage_next": [0.0] * 3}
        return {"sphere_parameters": self.parameters.vector(), **switches, **target, **still, **troubles}
