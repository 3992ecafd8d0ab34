"""One tick of motion cueing, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.compile import Struct, for_each, q
from motionbase.cueing.classical import Washout, washed
from motionbase.cueing.head import about, felt_at, moving
from motionbase.cueing.ports import Vehicle
from motionbase.cueing.samples import GRAVITY, Samples, heard
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
    washout: Washout = q(of=Washout)
    feeling: Feeling = q(of=Feeling, text="of a person in the vehicle and of one on the platform")


class Parameters(Struct):
    """All parameters; users see the names of the inner quantities."""

    air: Tuning = q(of=Tuning)
    ground: Tuning = q(of=Tuning)


@final
@dataclass(frozen=True)
class Rig:
    """The data that a tick needs.

    Attributes:
        head: place of the head in P [m]
        dt: period [s]
    """

    platform: Hexapod
    head: tuple[float, float, float]
    dt: float


def tick(rig: Rig, p: Parameters, x: CueState, vehicle: Vehicle, count: SX) -> tuple[CueState, tuple[SX, ...]]:
    """From a vehicle's sample to the demand for the control law, and what people feel of both."""
    h = ca.SX(rig.dt)
    samples, now = heard(h, x.samples, vehicle, count)
    situation, tuning = chosen(h, p, x.situation, samples.on_ground, now.first)
    washout, wanted = washed(h, tuning, x.washout, now)

    head = ca.SX(rig.head)
    pivot = moving(ca.vertcat(wanted.along, wanted.angles))
    motion = ca.vertcat(about(pivot, tuning.pivot * head), wanted.angles)

    demand = ca.vertcat(now.d + GRAVITY, now.omega)
    cue = felt_at(moving(motion), head)
    feeling, felt_vehicle, felt_cue = feelings(rig.dt, x.feeling, demand, cue)
    after = CueState(samples=samples, situation=situation, washout=washout, feeling=feeling)
    return after, (
        motion.T, samples.asked, demand, cue, felt_vehicle, felt_cue, difference(felt_vehicle, felt_cue),
        stroke_left(rig.platform, pivot.R, motion[:3, 0]), ca.SX(Follows.WASHOUT), situation.share,
    )  # fmt: skip


def chosen(h: SX, p: Parameters, x: Situation, on_ground: SX, first: SX) -> tuple[Situation, Tuning]:
    """The parameters in use: those of air and ground, mixed by twice smoothing where the vehicle is."""
    part = h / (h + p.air.blend + on_ground * (p.ground.blend - p.air.blend))
    half = x.half + part * (on_ground - x.half)
    share = x.share + part * (half - x.share)
    now = Situation(half=ca.if_else(first, on_ground, half), share=ca.if_else(first, on_ground, share))
    return now, Tuning.of(p.air.column + now.share * (p.ground.column - p.air.column))


def stroke_left(platform: Hexapod, R: SX, place: SX) -> SX:
    """Least way of a leg to an end of its stroke; negative beyond [m]."""
    stroke = platform.stroke
    p = ca.DM(np.asarray(platform.p_neutral)) + place

    def leg(joint: SX, base: SX) -> Any:
        l = ca.sqrt(ca.sumsqr(p + R @ joint - base))
        return ca.fmin(l - stroke.l_min, stroke.l_max - l)

    left: SX = ca.mmin(for_each(leg, platform.joints, platform.base))
    return left
