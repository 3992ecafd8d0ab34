"""Base trajectory of a state: measured pose, bounded move, blend to the drive, or drive; twelve axes.

Axes 0 to 5 are the degrees of freedom, 6 to 11 additions to the leg lengths (leg generators, or what is left of them
after a stop). Entering a state plans a move from where the limited trajectory was, so no change of state has a step.
For the legs this is what their own limits left of the additions: a generator beyond the stroke does not delay a stop.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from motionbase.compile import Body, Kernel, OldProgram, Port
from motionbase.control.fields import MIXED
from motionbase.control.profiles import MOVE, PLAN, quintic
from motionbase.control.states import Source, State, is_one_of

AXES = 12
TO_NEUTRAL = (State.RISING, State.STANDBY, State.SETTLING)
TO_DOWN = (State.LOWERING, State.ABORT)
BRISK = (State.FREEZE, State.ABORT, State.STOPPING)  # with the velocity and acceleration of an abort
FADING = (State.SETTLING, State.STANDBY)  # to neutral in the way that the limits of the legs leave

MOTIONS = (AXES, 3)
ENTRY = (
    Port("move_velocity", (), "-", "of a move, as a part of the limits"),
    Port("move_acceleration", (), "-"),
    Port("abort_velocity", (), "-", "of abort and freeze, as a part of the limits"),
    Port("abort_acceleration", (), "-"),
    Port("velocity", AXES, MIXED, "limits"),
    Port("acceleration", AXES, MIXED, "limits"),
    Port("limited", MOTIONS, MIXED, "trajectory one tick ago, degrees of freedom within their limits"),
    Port("added", (6, 3), MIXED, "what the legs really got beyond the degrees of freedom, one tick ago"),
    Port("sums", MOTIONS, MIXED, "generators in it"),
    Port("drive", MOTIONS, MIXED, "trajectory of the drive"),
    Port("state", (), "-", "entered now"),
)


def _entry(down: ArrayLike) -> Kernel:
    """Where a move begins and ends, and how fast it may be."""
    resting = ca.DM(np.concatenate([np.asarray(down, dtype=np.float64), np.zeros(6)]))

    def expr(
        move_velocity: ca.SX, move_acceleration: ca.SX, abort_velocity: ca.SX, abort_acceleration: ca.SX,
        velocity: ca.SX, acceleration: ca.SX, limited: ca.SX, added: ca.SX, sums: ca.SX, drive: ca.SX, state: ca.SX,
    ) -> tuple[ca.SX, ...]:  # fmt: skip
        # generators go on while it settles, and fade by themselves from what they ask for, not from what the legs got
        now = ca.if_else(is_one_of(state, FADING), limited - sums, ca.vertcat(limited[:6, :], added))
        brisk = is_one_of(state, BRISK)
        v = velocity * ca.if_else(brisk, abort_velocity, move_velocity)
        a = acceleration * ca.if_else(brisk, abort_acceleration, move_acceleration)
        to_neutral, to_down = is_one_of(state, TO_NEUTRAL), is_one_of(state, TO_DOWN)
        target = ca.if_else(ca.eq(state, State.ENGAGING), drive[:, 0], now[:, 0])
        target = ca.if_else(to_neutral, 0.0, ca.if_else(to_down, resting, target))
        return now, target, v, a, ca.logic_or(to_neutral, to_down)

    outputs = (
        Port("now", MOTIONS, MIXED), Port("target", AXES, MIXED), Port("v", AXES, MIXED), Port("a", AXES, MIXED),
        Port("goes", (), "-"),
    )  # fmt: skip
    return Kernel("entry", ENTRY, outputs, expr)


LONGER = Kernel("longer", (Port("a", (), "s"), Port("b", (), "s")), (Port("longest", (), "s"),), ca.fmax)


def _blended(duration: ca.SX, tau: ca.SX, move: ca.SX, drive: ca.SX) -> ca.SX:
    s = quintic(tau, duration)
    d = drive - move
    return ca.vertcat(
        move[0] + s[0] * d[0],
        move[1] + s[1] * d[0] + s[0] * d[1],
        move[2] + s[2] * d[0] + 2 * s[1] * d[1] + s[0] * d[2],
    )


BLEND = Kernel(
    "blend_axis",
    (Port("duration", (), "s"), Port("tau", (), "s"), Port("move", 3, MIXED), Port("drive", 3, MIXED)),
    (Port("motion", 3, MIXED),),
    _blended,
)


def _share(duration: ca.SX, tau: ca.SX, source: ca.SX) -> ca.SX:
    part = ca.if_else(ca.eq(source, Source.BLEND), quintic(tau, duration)[0], 0.0)
    return ca.if_else(ca.eq(source, Source.DRIVE), 1.0, part)


SHARE = Kernel(
    "blend_share", (Port("duration", (), "s"), Port("tau", (), "s"), Port("source")), (Port("blend"),), _share
)
RESTING = Kernel(
    "resting",
    (Port("dof", 6, "m, rad"),),
    (Port("motion", MOTIONS, MIXED),),
    lambda dof: ca.horzcat(ca.vertcat(dof, ca.SX.zeros(6)), ca.SX.zeros(AXES, 2)),
)


def base_trajectory(down: ArrayLike) -> OldProgram:
    """The program; `down` (6,) is the pose with all legs down."""
    entry = _entry(down)

    def body(b: Body) -> None:
        with b.switch(b["entered"]) as entered:
            with entered.case(1):
                now, target, v, a = (
                    b.local("now", MOTIONS),
                    b.local("target", AXES),
                    b.local("v", AXES),
                    b.local("a", AXES),
                )
                goes, duration = b.local("goes"), b.local("needed")
                b.call(entry, **{p.name: b[p.name] for p in ENTRY}, now=now, target=target, v=v, a=a, goes=goes)
                b.copy(b["least"], b["duration_next"])
                with b.loop(AXES) as k:
                    bounds = {"least": b["least"], "v_max": v[k], "a_max": a[k], "target": target[k], "goes": goes}
                    b.call(PLAN, **bounds, now=now[k], plan=b["plan_next"][k], duration=duration)
                    b.call(LONGER, a=b["duration_next"], b=duration, longest=b["duration_next"])
            with entered.default():
                b.copy(b["plan"], b["plan_next"])
                b.copy(b["duration"], b["duration_next"])
        times = {"duration": b["duration_next"], "tau": b["time_in_state"]}
        b.call(SHARE, **times, source=b["source"], blend=b["blend"])
        move = b.local("move", 3)
        with b.switch(b["source"]) as source:
            with source.case(Source.MEASURED):
                b.call(RESTING, dof=b["pose_meas"], motion=b["base"])
            with source.case(Source.BLEND), b.loop(AXES) as k:
                b.call(MOVE, plan=b["plan_next"][k], **times, motion=move)
                b.call(BLEND, **times, move=move, drive=b["drive"][k], motion=b["base"][k])
            with source.case(Source.DRIVE):
                b.copy(b["drive"], b["base"])
            with source.default(), b.loop(AXES) as k:
                b.call(MOVE, plan=b["plan_next"][k], **times, motion=b["base"][k])

    return OldProgram(
        "base_trajectory",
        inputs=(
            Port("least", (), "s", "shortest move"),
            *ENTRY,
            Port("entered", (), "-"),
            Port("source", (), "-"),
            Port("time_in_state", (), "s"),
            Port("pose_meas", 6, "m, rad"),
            Port("plan", (AXES, 5), MIXED),
            Port("duration", (), "s"),
        ),
        outputs=(
            Port("plan_next", (AXES, 5), MIXED),
            Port("duration_next", (), "s"),
            Port("base", MOTIONS, MIXED),
            Port("blend", (), "-"),
        ),
        body=body,
        description="base trajectory of the state",
    )
