"""Manoeuvres of a passenger car; leans and dives follow its acceleration, their gradients are illustrative."""

from __future__ import annotations

import math

import numpy as np

from motionbase.host.manoeuvres.rigid import ALWAYS, Story, accelerating, moving
from motionbase.host.manoeuvres.signals import Signal, pulse, ringing, signal, sine, step
from motionbase.host.manoeuvres.spectra import Tones, iso_8608, oscillator
from motionbase.host.manoeuvres.table import Option, recipe
from motionbase.record.vehicle import G

ROLL, PITCH = math.radians(4.0) / G, math.radians(3.0) / G  # [rad per m/s^2] lean outwards, dive
SLIP = math.radians(1.2) / G  # [rad per m/s^2] at 80 km/h a car's nose points into the curve
HEAD = (0.0, 0.35, 0.6)  # [m] the driver's, from the axis about which the body leans
WHEELBASE, TRACK = 2.7, 1.5  # [m]


def _cornering(path: Signal, V: float, x: Signal | None = None) -> Story:
    """Along a path that is nearly straight ahead: `path` is its sideways coordinate, to the left."""
    return Story(
        moving(y=path) if x is None else moving(x, path),
        roll=ROLL * path.rate.rate,
        yaw=1 / V * path.rate + SLIP * path.rate.rate,
        on_ground=ALWAYS,
        lever=HEAD,
    )


@recipe(
    "car",
    "double lane change",
    duration=10.0,
    amplitude=Option(2.5, "m", "how far to the side; the lanes are 3.5 m apart and wider than the car", 0.5, 4.0),
    speed=Option(80.0, "km/h", "", 20.0, 140.0),
    source="track: lengths as they are quoted from ISO 3888-1; the line through it illustrative",
)
def double_lane_change(amplitude: float, speed: float) -> Story:
    """15 m straight on, 30 m over, 25 m in the other lane, 25 m back, 30 m straight on; corners are cut by 10 m."""
    V, cut = speed / 3.6, 10.0
    over, back = 15.0 - cut, 15.0 + 30.0 + 25.0 - cut
    begin = 2.0
    return _cornering(
        amplitude
        * (step(begin + over / V, (30.0 + 2 * cut) / V) - step(begin + back / V, (25.0 + 2 * cut) / V)),
        V,
    )  # fmt: skip


@recipe(
    "car",
    "slalom around cones",
    duration=15.0,
    amplitude=Option(5.0, "m/s^2", "sideways acceleration", 0.2, 10.0),
    speed=Option(60.0, "km/h", "", 20.0, 140.0),
    spacing=Option(18.0, "m", "between cones", 6.0, 60.0),
)
def slalom(amplitude: float, speed: float, spacing: float) -> Story:
    """A sine past six cones and more, entered and left smoothly."""
    V = speed / 3.6
    frequency = V / (2 * spacing)
    width = amplitude / (2 * math.pi * frequency) ** 2
    return _cornering(width * (sine(frequency) * pulse(1.0, 2 / frequency, 8.0, 2 / frequency)), V)


@recipe(
    "car",
    "full braking to a standstill",
    duration=10.0,
    amplitude=Option(8.0, "m/s^2", "deceleration", 1.0, 11.0),
    speed=Option(100.0, "km/h", "at the start", 20.0, 250.0),
)
def braking(amplitude: float, speed: float) -> Story:
    """The brakes bite within 0.4 s; at the stop the body swings back."""
    V, begin = speed / 3.6, 2.0
    rise, fall = 0.4, 0.35
    hold = max(V / amplitude - (rise + fall) / 2, 0.0)
    brake = amplitude * pulse(begin, rise, hold, fall)
    stop = begin + rise + hold + fall
    swing = ringing(stop - fall / 2, 1.6, 0.25, 0.4)
    return Story(
        moving(x=-1.0 * brake.integral.integral),
        pitch=PITCH * brake - 0.3 * PITCH * amplitude * swing,
        on_ground=ALWAYS,
        lever=HEAD,
    )


@recipe(
    "car",
    "pulling away, and two gear changes",
    duration=15.0,
    amplitude=Option(3.5, "m/s^2", "acceleration in first gear", 0.5, 8.0),
)
def start(amplitude: float) -> Story:
    """First gear for 3 s, second for 4 s, third; each change stops the pull for a moment, then the car shuffles."""
    ends, share = (2.0, 5.0, 9.0, 18.0), (1.0, 0.7, 0.5)
    pull: Signal = signal(0.0)
    shuffle: Signal = signal(0.0)
    for k, part in enumerate(share):
        begin, end = ends[k], ends[k + 1]
        rise, fall = 0.5, 0.25
        pull = pull + amplitude * part * pulse(begin, rise, end - begin - rise - fall - 0.25, fall)
        shuffle = shuffle + 0.35 * amplitude * part * ringing(begin + rise / 2, 2.5, 0.15, 0.4)
    return Story(
        accelerating(x=pull + shuffle),
        pitch=-PITCH * (pull + shuffle),
        on_ground=ALWAYS,
        lever=HEAD,
    )


@recipe(
    "car",
    "a rough road at constant speed",
    duration=20.0,
    amplitude=Option(64e-6, "m^3", "unevenness at 0.1 cycles/m: classes A 16e-6, B 64e-6, C 256e-6", 1e-6, 1e-3),
    speed=Option(80.0, "km/h", "", 10.0, 200.0),
    seed=Option(2.0, "-", "of the phases", 0.0, 1e6),
    source="road: ISO 8608; a body on one spring and damper, illustrative",
)
def rough_road(amplitude: float, speed: float, seed: float) -> Story:
    """The rear axle meets what the front axle met; left and right are equal in long waves, not in short ones."""
    V, tones = speed / 3.6, Tones(1.0, 90.0, 90, int(seed))
    omega = tones.omega
    spectrum = iso_8608(omega, amplitude, V)
    body = oscillator(2 * math.pi * 1.3, 0.35)(omega)
    behind = np.exp(-1j * omega * WHEELBASE / V)
    alike = 1 / (1 + (omega / V * TRACK) ** 2)
    both, apart = tones.of(spectrum) * body, tones.of(spectrum * (1 - alike)) * body
    fade = step(0.0, 1.0)
    heave, slope, lean = (
        tones.signal(c) * fade
        for c in (both * (1 + behind) / 2, both * (1 - behind) / WHEELBASE, apart * (1 + behind) / 2 / TRACK)
    )
    return Story(
        moving(z=heave), roll=lean, pitch=-1.0 * slope, on_ground=ALWAYS, lever=HEAD
    )  # fmt: skip
