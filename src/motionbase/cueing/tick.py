"""One tick of motion cueing, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import casadi as ca

from motionbase.compile import Struct, cond, q
from motionbase.cueing.algorithm import Algorithm, Desired, Parameters
from motionbase.cueing.head import about, at, felt_at, moving
from motionbase.cueing.limits import Place, limited
from motionbase.cueing.ports import Vehicle
from motionbase.cueing.samples import GRAVITY, Heard, Samples, heard
from motionbase.cueing.tuning import Tuning
from motionbase.cueing.vestibular import Feeling, difference, feelings
from motionbase.platform.hexapod import Hexapod
from motionbase.record.cueing import Follows

SX = ca.SX


class Situation(Struct):
    """How far the set for the ground is in use."""

    half: SX = q("-", text="half way of the smoothing")
    share: SX = q("-", text="0 air, 1 ground")


class CueState(Struct):
    """State between ticks."""

    samples: Samples = q(of=Samples, text="of the host")
    situation: Situation = q(of=Situation)
    washout: Any = q(of=Struct, text="of the algorithm")
    place: Place = q(of=Place, rows=6, text="commanded, of the degrees of freedom")
    feeling: Feeling = q(of=Feeling, text="of a person in the vehicle and of one on the platform")


@final
@dataclass(frozen=True)
class Rig:
    """The data that a tick needs.

    Attributes:
        algorithm: what makes the motion
        head: place of the head in P [m]
        dt: period [s]
    """

    platform: Hexapod
    algorithm: Algorithm
    head: tuple[float, float, float]
    dt: float

    @property
    def state(self) -> type[CueState]:
        """Between ticks."""
        return CueState.with_quantities(washout=q(of=self.algorithm.state, text="of the algorithm"))


class Washed(NamedTuple):
    """What the filters want in a tick.

    Attributes:
        samples: of the host, after the tick
        now: the vehicle's signals
        situation: air, ground, or between
        tuning: parameters in use
        washout: state of the filters after the tick
        motion: (6, 3) of the degrees of freedom, within the workspace
        l: (6,) leg lengths
        acts: whether a limit acts, so that the filters must go on from another motion than they wanted
        gap: (6,) how far limits keep each velocity from the one wanted
    """

    samples: Samples
    now: Heard
    situation: Situation
    tuning: Tuning
    washout: Any
    motion: SX
    l: SX
    acts: SX
    gap: SX


def tick(rig: Rig, p: Parameters, x: CueState, vehicle: Vehicle, count: SX) -> tuple[CueState, tuple[SX, ...]]:
    """From a vehicle's sample to the demand for the control law, and what people feel of both."""
    made = washed_out(rig, p, x, vehicle, count)
    washout = cond(made.acts, lambda: going_on(rig, made, made.motion), lambda: made.washout)
    return told(rig, x, made, washout, made.motion, made.l, ca.SX(Follows.WASHOUT))


def washed_out(rig: Rig, p: Parameters, x: CueState, vehicle: Vehicle, count: SX) -> Washed:
    """The motion that the filters want of a sample."""
    h = ca.SX(rig.dt)
    samples, now = heard(h, x.samples, vehicle, count)
    situation, tuning = chosen(h, p, x.situation, samples.on_ground, now.first)
    washout, wanted = rig.algorithm.step(h, tuning, p, x.washout, now)
    pivot = tuning.pivot * ca.SX(rig.head)
    asked = ca.vertcat(about(moving(ca.vertcat(wanted.along, wanted.angles)), pivot), wanted.angles)
    motion, l, acts, gap = limited(h, rig.platform, tuning, x.place, asked)
    return Washed(samples, now, situation, tuning, washout, motion, l, acts, gap)


def going_on(rig: Rig, made: Washed, motion: SX) -> Any:
    """The filters as they go on from a motion that they did not want."""
    pivot = made.tuning.pivot * ca.SX(rig.head)
    return rig.algorithm.onward(made.tuning, made.washout, Desired(at(moving(motion), pivot), motion[3:, :]))


def told(
    rig: Rig, x: CueState, made: Washed, washout: Any, motion: SX, l: SX, follows: SX
) -> tuple[CueState, tuple[SX, ...]]:
    """The state after a tick with this motion, and what is told of it."""
    demand = ca.vertcat(made.now.d + GRAVITY, made.now.omega)
    cue = felt_at(moving(motion), ca.SX(rig.head))
    feeling, felt_vehicle, felt_cue = feelings(rig.dt, x.feeling, demand, cue)
    place = Place.of_columns(x=motion[:, 0], v=motion[:, 1], a=motion[:, 2], gap=made.gap)
    after = type(x)(samples=made.samples, situation=made.situation, washout=washout, place=place, feeling=feeling)
    return after, (
        motion.T, made.samples.asked, demand, cue, felt_vehicle, felt_cue, difference(felt_vehicle, felt_cue),
        stroke_left(rig.platform, l), follows, made.situation.share,
    )  # fmt: skip


def chosen(h: SX, p: Parameters, x: Situation, on_ground: SX, first: SX) -> tuple[Situation, Tuning]:
    """The parameters in use: those of air and ground, mixed by `on_ground`, which is smoothed twice."""
    part = h / (h + p.air.blend + on_ground * (p.ground.blend - p.air.blend))
    half = x.half + part * (on_ground - x.half)
    share = x.share + part * (half - x.share)
    now = Situation(half=ca.if_else(first, on_ground, half), share=ca.if_else(first, on_ground, share))
    return now, Tuning.of(p.air.column + now.share * (p.ground.column - p.air.column))


def stroke_left(platform: Hexapod, l: SX) -> SX:
    """Least way of a leg to an end of its stroke; negative beyond [m]."""
    left: SX = ca.fmin(ca.mmin(l) - platform.stroke.l_min, platform.stroke.l_max - ca.mmax(l))
    return left
