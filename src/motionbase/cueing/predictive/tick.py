"""One tick of predictive cueing: the washout is always ready, and the platform follows plans while they come."""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Port, Struct, cond, q
from motionbase.cueing.algorithm import Parameters
from motionbase.cueing.limits import Place
from motionbase.cueing.ports import Vehicle
from motionbase.cueing.predictive.plans import Following, Planned, Standing, follow, lead
from motionbase.cueing.samples import GRAVITY
from motionbase.cueing.tick import CueState, Rig, going_on, told, washed_out
from motionbase.platform.leg_motion import legs_moved
from motionbase.record.cueing import SINGLE, Follows

SX = ca.SX
LATE = Port.of(SINGLE["cue_late"])
WHERE = Standing.port("where", "for the planner")
FOR_PLANNER = (LATE, WHERE)


class PredictiveState(Struct):
    """State between ticks."""

    cue: CueState = q(of=CueState, text="of the washout")
    following: Following = q(of=Following, text="of plans")


def predictive_state(rig: Rig) -> type[PredictiveState]:
    """With the washout of this rig."""
    return PredictiveState.with_quantities(cue=q(of=rig.state, text="of the washout"))


def predictive_tick(
    rig: Rig, p: Parameters, x: PredictiveState, vehicle: Vehicle, count: SX, plan: Planned
) -> tuple[PredictiveState, tuple[Any, ...]]:
    """As `tick`, with a plan; then how many plans were late, and where the next one is to begin."""
    made = washed_out(rig, p, x.cue, vehicle, count)
    followed = follow(rig.platform, rig.dt, x.following, plan, made.motion)
    state, motion = followed.state, followed.motion
    ready = ca.if_else(state.follows, motion, made.motion)  # where the filters go on
    washout = cond(ca.logic_or(made.acts, state.follows), lambda: going_on(rig, made, ready), lambda: made.washout)
    other = ca.norm_1(motion[:, 0] - made.motion[:, 0]) > 0
    l = cond(other, lambda: legs_moved(rig.platform, motion).legs[:, 0], lambda: made.l)
    follows = ca.if_else(state.follows, Follows.PREDICTIVE.value, Follows.WASHOUT.value)
    cue, outputs = told(rig, x.cue, made, washout, motion, l, follows)
    cue = cue.replace(place=Place.of_columns(x=ready[:, 0], v=ready[:, 1], a=ready[:, 2], gap=made.gap))
    asked = ca.vertcat(made.now.weight * made.now.d + GRAVITY, made.now.weight * made.now.omega)
    where = Standing(tick=state.tick + lead(rig.dt), motion=followed.ahead.T, demand=asked)
    return type(x)(cue=cue, following=state), (*outputs, state.late, where)
