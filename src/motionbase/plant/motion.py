"""The motion of platform and legs over one tick: kick, drift, six legs, kick.

    V_half  = V + h/2 V_dot                     platform, half a kick with the accelerations of the last step
    pose    = pose (+) h V_half                 its legs' lengths follow in closed form
    x, f    = leg step, six times               from the old length to the new one, evenly
    V_dot   = accelerations at the new pose     the closed-loop mechanism under the legs' new forces
    V       = V_half + h/2 V_dot

Second order, one evaluation of the mechanism and of every leg a step; the pistons displace exactly what the mechanism
moved. The state is the platform's pose, velocity and acceleration, and five numbers for every leg.

A screw's rotor moves with its leg's length: the mechanism carries its mass, the leg's force is without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.actuators.leg import LINES
from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.multibody.integrators.local import turned
from motionbase.plant.legs import LEGS, LegKind, kind_of
from motionbase.platform.hexapod import Actuator, Hexapod
from motionbase.platform.mechanism import POSE, TWIST, Mechanism
from motionbase.spatial import R_quaternion
from motionbase.spatial.rotations import Expr

H = Port("h", (), "s", "step")
TWIST_RATE = Port("V_dot_P", 6, "-", "rate of V_P")
LEG_STATES = Port("legs", (LEGS, 5), "SI, mixed", "five numbers of each leg, by its kind")
DRIVES = Port("u", LEGS, "-", "valve or speed commands as they act, -1 to 1; positive extends")
LOAD = Port("load_P", 6, "-", "moment [N m] and force [N] on the platform from outside, in its own axes")
BRAKE = Port("f_brake", LEGS, "N", "further force along each leg: a seized one is held")
STATE = (*POSE, TWIST, TWIST_RATE, LEG_STATES)
LEG_OUTPUTS = (
    Port("l", LEGS, "m", "leg lengths, joint to joint"),
    Port("l_dot", LEGS, "m/s", "their rates"),
    Port("l_ddot", LEGS, "m/s^2", "their accelerations"),
    Port("f", LEGS, "N", "force of each actuator on its rod, pushing is positive"),
    Port("F_joint", (LEGS, 3), "N", "force of the platform on each rod at its joint, in platform axes"),
)


def next_of(port: Port) -> Port:
    """The same a step later."""
    return Port(f"{port.name}_next", port.shape, port.unit, port.description)


@final
@dataclass(frozen=True, eq=False)
class Motion:
    """Platform, legs and actuators of a hexapod.

    Attributes:
        h: the step [s], folded into the legs' code; None leaves it an input
    """

    hexapod: Hexapod
    h: float | None = None

    @property
    def actuator(self) -> Actuator:
        """Of every leg."""
        return self.hexapod.actuator

    @cached_property
    def kind(self) -> LegKind:
        """Of the legs."""
        return kind_of(self.hexapod)

    @property
    def state(self) -> tuple[Port, ...]:
        """As STATE, with the names of what is in a leg's numbers."""
        return (*STATE[:-1], self.kind.states)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The masses."""
        h = self.hexapod
        places = (np.asarray(h.base), np.asarray(h.joints), np.asarray(h.p_neutral))
        return Mechanism(*places, h.payload, h.cylinder, h.rod, reflected=self.kind.reflected)

    @cached_property
    def drift(self) -> Kernel:
        """(h, state) -> pose_next, V_half, V_P predicted, l, l_next, l_dot predicted."""
        legs = self.mechanism.legs

        def expr(h: Expr, p_W: Expr, Q_WP: Expr, V_P: Expr, V_dot_P: Expr) -> Any:
            half = V_P + 0.5 * h * V_dot_P
            ahead = half + 0.5 * h * V_dot_P
            # the linear velocity is in platform axes, which turn meanwhile: it acts in those of mid-step
            Q_mid = turned(Q_WP, 0.5 * h * half[:3])
            p_next, Q_next = p_W + h * (R_quaternion(Q_mid) @ half[3:]), turned(Q_WP, h * half[:3])
            l, _ = legs.expr(p_W, Q_WP, V_P)
            l_next, l_dot = legs.expr(p_next, Q_next, ahead)
            return p_next, Q_next, half, ahead, l, l_next, l_dot

        outputs = (
            *(next_of(p) for p in POSE),
            Port("V_half", 6),
            Port("V_ahead", 6),
            Port("l", LEGS, "m"),
            Port("l_next", LEGS, "m"),
            Port("l_dot_ahead", LEGS, "m/s"),
        )
        return Kernel("drift", (H, *POSE, TWIST, TWIST_RATE), outputs, expr)

    @cached_property
    def kick(self) -> Kernel:
        """(h, pose, V_half, V_ahead, forces, load) -> V_P_next, V_dot_P_next and the legs' motion."""
        dynamics, legs = self.mechanism.forward_dynamics, self.mechanism.legs

        def expr(
            h: Expr, p_W: Expr, Q_WP: Expr, V_half: Expr, V_ahead: Expr, f: Expr, f_brake: Expr, load: Expr
        ) -> Any:
            V_dot, _, _, l_ddot, F = dynamics.expr(p_W, Q_WP, V_ahead, f + f_brake, load)
            V = V_half + 0.5 * h * V_dot
            l, l_dot = legs.expr(p_W, Q_WP, V)
            return V, V_dot, l, l_dot, l_ddot, F

        inputs = (H, *POSE, Port("V_half", 6), Port("V_ahead", 6), Port("f", LEGS, "N"), BRAKE, LOAD)
        l, l_dot, l_ddot, _, F = LEG_OUTPUTS
        return Kernel("kick", inputs, (next_of(TWIST), next_of(TWIST_RATE), l, l_dot, l_ddot, F), expr)

    @cached_property
    def step(self) -> OldProgram:
        """(h, state, u, lines, f_brake, load_P) -> state_next, l, l_dot, l_ddot, f, F_joint."""
        leg = self.kind.step(self.hexapod.stroke, self.h)

        def body(b: Body) -> None:
            l, l_next, l_dot = b.local("l_old", LEGS), b.local("l_new", LEGS), b.local("l_dot_ahead", LEGS)
            half, ahead = b.local("V_half", 6), b.local("V_ahead", 6)
            pose = {"p_W": b["p_W"], "Q_WP": b["Q_WP"]}
            pose_next = {"p_W_next": b["p_W_next"], "Q_WP_next": b["Q_WP_next"]}
            moving = {"V_half": half, "V_ahead": ahead}
            b.call(self.drift, h=b["h"], **pose, V_P=b["V_P"], V_dot_P=b["V_dot_P"], **pose_next, **moving,
                   l=l, l_next=l_next, l_dot_ahead=l_dot)  # fmt: skip
            lines = {p.name: b[p.name] for p in LINES}
            with b.loop(LEGS) as i:
                going = {"l": l[i], "l_next": l_next[i], "l_dot_next": l_dot[i], "u": b["u"][i], **lines}
                step = {} if self.h else {"h": b["h"]}
                b.call(leg, **step, x=b["legs"][i], **going, x_next=b["legs_next"][i], f=b["f"][i])
            at = {"p_W": b["p_W_next"], "Q_WP": b["Q_WP_next"]}
            found = {p.name: b[p.name] for p in LEG_OUTPUTS if p.name != "f"}
            b.call(self.kick, h=b["h"], **at, **moving, f=b["f"], f_brake=b["f_brake"], load_P=b["load_P"],
                   V_P_next=b["V_P_next"], V_dot_P_next=b["V_dot_P_next"], **found)  # fmt: skip

        inputs = (H, *self.state, DRIVES, *LINES, BRAKE, LOAD)
        return OldProgram("motion", inputs, (*(next_of(p) for p in self.state), *LEG_OUTPUTS), body)

    def at_rest(self, l: float | None = None, braked: bool = False) -> dict[str, Any]:
        """The state at rest with all legs equally long, neutral if not given: weight and leg forces in balance."""
        from motionbase.plant.rest import at_rest

        return at_rest(self, l, braked)
