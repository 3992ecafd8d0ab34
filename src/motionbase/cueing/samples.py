"""A host's samples, 40 to 80 a second and up, as a smooth signal at the rate of the tick; and what silence does to it.

When a sample arrives, the signal goes from where it is to the mean of the last two samples within one period, with
their slope at the end: for regular samples this is the quadratic B-spline, which is smooth, never overshoots and has a
delay of one and a half periods less a tick. If the next sample is late the signal goes on to the last one and stays.
When samples stop, the difference to rest fades, so that the platform washes out; when they return it fades in again.
"""

from __future__ import annotations

from typing import Any

import casadi as ca

from motionbase.compile import Struct, for_each, q
from motionbase.compile.struct import MIXED
from motionbase.cueing.filters import hermite
from motionbase.cueing.ports import Vehicle
from motionbase.record.vehicle import G

SX = ca.SX
SILENT = 0.1  # [s] without a sample, then the host is silent; as the law's host_horizon
LONGEST_PERIOD = 0.1  # [s] a longer interval is a pause, not a period
REST = 0.75  # periods from there to the last sample if no other comes; the curvature is then 0 at first
FADE = 1.0  # [s] from silence to full use of the signal, and back
BOUND = 1e4  # m/s^2, rad/s: a sample beyond, or with a NaN, is an error and is ignored
GRAVITY = ca.DM([0.0, 0.0, G])


class Curve(Struct):
    """One signal on its way: where it started, where it will be after a period, and the newest sample."""

    y: SX = q(MIXED, text="now")
    slope: SX = q(MIXED, text="now")
    y0: SX = q(MIXED, text="when the sample came")
    m0: SX = q(MIXED, text="slope when it came")
    y1: SX = q(MIXED, text="a period later")
    m1: SX = q(MIXED, text="slope a period later")
    sample: SX = q(MIXED, text="the newest")


class Samples(Struct):
    """State of the signals."""

    curves: Curve = q(of=Curve, rows=6, text="differences from rest: specific force, then angular rate")
    on_ground: SX = q("-", text="of the newest sample")
    count: SX = q("-", text="number of the newest sample")
    asked: SX = q("-", text="ticks in which the host was heard, for the law")
    age: SX = q("s", text="of the newest sample", start=1e3)
    period: SX = q("s", text="between samples, smoothed", start=1 / 60)
    begun: SX = q("-", text="1 from the first sample on")
    share: SX = q("-", text="of the fade: 0 silent, 1 in full use")


class Heard(Struct):
    """The signals at a tick."""

    d: SX = q("m/s^2", 3, "specific force of the vehicle, less that at rest")
    omega: SX = q("rad/s", 3, "angular rate of the vehicle")
    weight: SX = q("-", text="0 silent, 1 in full use")
    first: SX = q("-", text="1 with the very first sample")


def heard(dt: SX, x: Samples, vehicle: Vehicle, count: SX) -> tuple[Samples, Heard]:
    """The samples after a tick, and the signals."""
    new_row = ca.vertcat(vehicle.f - GRAVITY, vehicle.omega)
    sound = ca.eq(ca.sum1(ca.fabs(new_row) < BOUND), 6)  # false for NaN
    sound = ca.logic_and(sound, ca.logic_and(ca.fabs(vehicle.on_ground) < BOUND, ca.fabs(count) < ca.inf))
    came = ca.logic_and(ca.ne(count, x.count), sound)
    first = ca.logic_and(came, ca.eq(x.begun, 0))
    known = ca.logic_and(came, x.age < LONGEST_PERIOD)
    period = ca.if_else(known, 0.75 * x.period + 0.25 * x.age, x.period)
    age = ca.if_else(came, dt, x.age + dt)
    u = age / period

    def curve(c: Curve, given: SX) -> Curve:
        new = ca.if_else(came, given, c.sample)
        before = ca.if_else(first, given, c.sample)
        y0, m0 = ca.if_else(came, ca.if_else(first, given, c.y), c.y0), ca.if_else(came, c.slope, c.m0)
        y1 = ca.if_else(came, (before + new) / 2, c.y1)
        m1 = ca.if_else(came, (new - before) / period, c.m1)
        late = u > 1
        y, slope = hermite(
            ca.fmin(ca.if_else(late, (u - 1) / REST, u), 1.0), ca.if_else(late, REST, 1.0) * period,
            ca.if_else(late, y1, y0), ca.if_else(late, m1, m0), ca.if_else(late, new, y1), ca.if_else(late, 0.0, m1),
        )  # fmt: skip
        return Curve(y=y, slope=slope, y0=y0, m0=m0, y1=y1, m1=m1, sample=new)

    curves: Any = for_each(curve, x.curves, new_row)
    begun = ca.logic_or(x.begun, came)
    silent = ca.logic_or(age > SILENT, ca.logic_not(begun))
    share = ca.fmin(ca.fmax(x.share + ca.if_else(silent, -dt, dt) / FADE, 0.0), 1.0)
    after = Samples(
        curves=curves, on_ground=ca.if_else(came, ca.fmin(ca.fmax(vehicle.on_ground, 0.0), 1.0), x.on_ground),
        count=ca.if_else(came, count, x.count), asked=x.asked + ca.logic_not(silent), age=age, period=period,
        begun=begun, share=share,
    )  # fmt: skip
    return after, Heard(d=curves.y[:3], omega=curves.y[3:], weight=share**2 * (3 - 2 * share), first=first)
