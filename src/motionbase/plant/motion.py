"""The motion of platform and legs over one tick: kick, drift, six legs, kick.

    V_half  = V + h/2 V_dot                     platform, half a kick with the accelerations of the last step
    pose    = pose (+) h V_half                 its legs' lengths follow in closed form
    x, f    = leg step, six times               from the old length to the new one, evenly
    V_dot   = accelerations at the new pose     the closed-loop mechanism under the legs' new forces
    V       = V_half + h/2 V_dot

Second order, one evaluation of the mechanism and of every leg per step; the pistons displace exactly the volume of the
mechanism's motion. The state is the platform's pose, velocity and acceleration, and five numbers for every leg.

A screw's rotor moves with its leg's length: the mechanism carries its mass, and the leg's force excludes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar, final

import numpy as np

from motionbase.actuators.common import LINES, Going, H, Lines, state_port
from motionbase.actuators.leg import HydraulicState
from motionbase.compile import Port, Program, Struct, for_each, q
from motionbase.multibody.integrators.local import turned
from motionbase.plant.legs import LEGS, LegKind, kind_of
from motionbase.platform.hexapod import Actuator, Hexapod
from motionbase.platform.mechanism import LOAD, Mechanism
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

Kind = TypeVar("Kind", bound=Struct)


class Body(Struct):
    """State of platform and legs at one instant."""

    p_W: Expr = q("m", 3, "origin of the platform frame")
    Q_WP: Expr = q("-", 4, "attitude of the platform")
    V_P: Expr = q("rad/s, m/s", 6, "angular, then linear velocity of the platform, in its own axes")
    V_dot_P: Expr = q("rad/s^2, m/s^2", 6, "rate of V_P")
    legs: Any = q(of=HydraulicState, rows=LEGS, text="five numbers of each leg, by its kind")


class LegMotion(Struct):
    """Motion of the legs in a step."""

    l: Expr = q("m", LEGS, "leg lengths, joint to joint")
    l_dot: Expr = q("m/s", LEGS, "their rates")
    l_ddot: Expr = q("m/s^2", LEGS, "their accelerations")
    f: Expr = q("N", LEGS, "force of each actuator on its rod, pushing is positive")
    F_joint: Expr = q("N", (LEGS, 3), "force of the platform on each rod at its joint, in platform axes")


STATE, LEG_OUTPUTS = Body.layout.ports, LegMotion.layout.ports
TWIST_RATE = Body.layout.find("V_dot_P")
DRIVES = Port("u", LEGS, "-", "valve or speed commands as they act, -1 to 1; positive extends")
BRAKE = Port("f_brake", LEGS, "N", "further force along each leg: a seized one is held")


class Acting(NamedTuple):
    """Inputs that act on legs and platform, held over a tick."""

    u: Expr
    lines: Lines
    f_brake: Expr
    load_P: Expr


def next_of(port: Port) -> Port:
    """The port of the same quantity after a step."""
    return replace(port, name=f"{port.name}_next")


def picked(kind: type[Kind], given: Mapping[str, Any]) -> Kind:
    """A struct whose quantities are separate ports."""
    return kind(**{port.name: given[port.name] for port in kind.layout.ports})


def parts(x: Struct) -> tuple[Any, ...]:
    """The quantities of a struct in order, for those that are separate ports."""
    return tuple(getattr(x, port.name) for port in x.layout.ports)


@lru_cache(maxsize=16)
def _mechanism(h: Hexapod) -> Mechanism:
    """Kept, so that its kernels are."""
    places = (np.asarray(h.base), np.asarray(h.joints), np.asarray(h.p_neutral))
    return Mechanism(*places, h.payload, h.cylinder, h.rod, reflected=kind_of(h).reflected)


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """Platform, legs and actuators of a hexapod."""

    hexapod: Hexapod

    @property
    def actuator(self) -> Actuator:
        """The actuator of every leg."""
        return self.hexapod.actuator

    @cached_property
    def kind(self) -> LegKind:
        """The kind of the legs."""
        return kind_of(self.hexapod)

    @cached_property
    def body(self) -> type[Body]:
        """`Body` with the state of this kind of leg."""
        return Body.with_quantities(legs=q(of=self.kind.state, rows=LEGS))

    @property
    def state(self) -> tuple[Port, ...]:
        """STATE, with the names of the numbers in a leg's state."""
        return (*STATE[:-1], state_port(self.kind.state, "legs", LEGS))

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism with its masses."""
        return _mechanism(self.hexapod)

    def moved(self, h: Expr, x: Body, l: Expr, acting: Acting) -> tuple[Body, LegMotion]:
        """Kick, drift, six legs, kick; l are the lengths at the start."""
        half, ahead, p_W, Q_WP = drifted(h, x)
        l_next, l_dot = self.mechanism.leg_lengths(p_W, Q_WP, ahead)

        def leg(x: Any, l: Expr, l_next: Expr, l_dot: Expr, u: Expr) -> Any:
            return self.kind.step(self.hexapod.stroke, h, x, Going(l, l_next, l_dot), u, acting.lines)

        legs, f = for_each(leg, x.legs, l, l_next, l_dot, acting.u)
        V_dot, l_ddot, F = self.mechanism.accelerations(p_W, Q_WP, ahead, f + acting.f_brake, acting.load_P)
        V = half + 0.5 * h * V_dot
        l_next, l_dot = self.mechanism.leg_lengths(p_W, Q_WP, V)
        return self.body(p_W, Q_WP, V, V_dot, legs), LegMotion(l_next, l_dot, l_ddot, f, F)

    @cached_property
    def step(self) -> Program:
        """(h, state, u, lines, f_brake, load_P) -> state_next, l, l_dot, l_ddot, f, F_joint."""

        def expr(h: Expr, *values: Any) -> Any:
            x, (u, *lines, f_brake, load_P) = self.body(*values[: len(STATE)]), values[len(STATE) :]
            l, _ = self.mechanism.leg_lengths(x.p_W, x.Q_WP, x.V_P)
            after, legs = self.moved(h, x, l, Acting(u, Lines(*lines), f_brake, load_P))
            return *parts(after), *parts(legs)

        inputs = (H, *self.state, DRIVES, *LINES, BRAKE, LOAD)
        return Program("motion", inputs, (*(next_of(p) for p in self.state), *LEG_OUTPUTS), expr)

    def at_rest(self, l: float | None = None, braked: bool = False) -> dict[str, Any]:
        """The state at rest with all legs equally long, neutral by default: weight and leg forces in balance."""
        from motionbase.plant.rest import at_rest

        return at_rest(self, l, braked)


def drifted(h: Expr, x: Body) -> tuple[Expr, Expr, Expr, Expr]:
    """Velocity after half a kick, velocity predicted for the end, and the pose at the end."""
    half = x.V_P + 0.5 * h * x.V_dot_P
    # the linear velocity is in platform axes, which rotate during the step: those of mid-step are used
    Q_mid = turned(x.Q_WP, 0.5 * h * half[:3])
    p_W, Q_WP = x.p_W + h * (R_quaternion(Q_mid) @ half[3:]), turned(x.Q_WP, h * half[:3])
    return half, half + 0.5 * h * x.V_dot_P, p_W, Q_WP
