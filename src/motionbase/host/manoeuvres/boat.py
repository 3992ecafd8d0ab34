"""Manoeuvres of boats: swell that a small boat follows, and slamming of a fast one."""

from __future__ import annotations

import math

import numpy as np

from motionbase.host.manoeuvres.rigid import Story, accelerating, moving, together
from motionbase.host.manoeuvres.signals import Signal, pulse, step
from motionbase.host.manoeuvres.spectra import Tones, bretschneider
from motionbase.host.manoeuvres.table import Option, recipe
from motionbase.record.vehicle import G

BRIDGE = (1.0, 0.0, 3.0)  # [m] the helmsman's head, from the centre of gravity
LENGTH, BEAM = 12.0, 3.5  # [m]


@recipe(
    "boat",
    "a small boat in a swell from ahead and from the side",
    duration=60.0,
    amplitude=Option(1.5, "m", "significant height of the waves", 0.1, 10.0),
    period=Option(8.0, "s", "of the peak", 3.0, 20.0),
    bearing=Option(45.0, "deg", "where the waves come from: 0 ahead, 90 left, 180 astern", -180.0, 180.0),
    speed=Option(3.0, "m/s", "of the boat", 0.0, 15.0),
    seed=Option(4.0, "-", "of the phases", 0.0, 1e6),
    source="waves: linear theory in deep water, spectrum of Pierson and Moskowitz 1964; the boat follows the surface",
)
def swell(amplitude: float, period: float, bearing: float, speed: float, seed: float) -> Story:
    """It rises with the surface, averaged over its length and beam, and the slope pushes it (Froude and Krylov)."""
    peak = 2 * math.pi / period
    tones = Tones(0.6 * peak, 2.5 * peak, 40, int(seed))
    omega, towards = tones.omega, math.radians(bearing) + math.pi  # the way the waves go
    k = omega**2 / G
    along, left = math.cos(towards), math.sin(towards)
    smaller = np.exp(-(k**2) * ((LENGTH * along) ** 2 + (BEAM * left) ** 2) / 24)
    # height c exp(-i k s) exp(i omega t) of the place s along the waves; the boat is at s = speed * along * t
    c = tones.of(bretschneider(omega, amplitude, period)) * smaller
    met = omega - k * speed * along
    fade = step(0.0, 4.0)
    height, slope = (tones.signal(part, met) * fade for part in (c, -1j * k * c))
    push = -G * slope
    return Story(
        together(accelerating(along * push, left * push), moving(z=height)),
        roll=left * slope,
        pitch=-along * slope,
        lever=BRIDGE,
    )


@recipe(
    "boat",
    "a fast boat slams into one wave after another",
    duration=20.0,
    amplitude=Option(20.0, "m/s^2", "peak of an impact, beyond gravity", 1.0, 60.0),
    period=Option(2.4, "s", "between impacts", 1.0, 10.0),
)
def slamming(amplitude: float, period: float) -> Story:
    """Impacts of 0.35 s; between them the boat is lighter by as much as the impacts gave, so that it does not climb."""
    rise = fall = 0.15
    hold, begin, onset = 0.05, 2.0, 1.0
    area = (rise + fall) / 2 + hold
    light = amplitude * area / (period - area)
    hits = _again(pulse(0.0, rise, hold, fall), begin, period)
    # before the first impact lighter for half a period, as on the way down from the top of a flight
    lift = -light * step(begin - (period + onset) / 2, onset) + (amplitude + light) * hits
    nose = -0.02 * (amplitude / 20.0) * _again(pulse(0.0, 0.45, 0.0, 0.5), begin, period)
    return Story(accelerating(x=0.15 * lift, z=lift), pitch=nose, lever=BRIDGE)


def _again(once: Signal, begin: float, period: float) -> Signal:
    """The same in every period from `begin` on; it must be shorter than a period."""
    return Signal(lambda t, k: np.where(t < begin, 0.0, once(np.mod(t - begin, period), k)))
