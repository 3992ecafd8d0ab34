"""Manoeuvres of a transport aircraft: the shapes are those of flying lessons, all numbers are illustrative."""

from __future__ import annotations

import math

from motionbase.arrays import Complex
from motionbase.host.manoeuvres.rigid import Story, accelerating, flying, moving, together
from motionbase.host.manoeuvres.signals import (
    STEEPEST,
    Signal,
    arctan,
    exponentials,
    pulse,
    ringing,
    signal,
    sine,
    step,
)
from motionbase.host.manoeuvres.spectra import Tones, dryden_across, dryden_along, dryden_roll, lag, oscillator
from motionbase.host.manoeuvres.table import Option, recipe
from motionbase.record.vehicle import G

HEAD = (12.0, 0.5, 1.5)  # [m] the left seat, from the centre of gravity
SPAN = 34.0  # [m]
DEGREE = math.pi / 180


def _runway(speed: float, seed: int = 3) -> Signal:
    """Height of the aircraft on a paved runway: a few millimetres on its gear, at about this speed."""
    tones = Tones(2.0, 30.0, 24, seed)
    return tones.signal(tones.of(4e-5 * (speed / 50) / tones.omega**2) * oscillator(8.0, 0.4)(tones.omega))


@recipe(
    "aircraft",
    "take-off roll on a paved runway, rotation, climb",
    duration=45.0,
    amplitude=Option(2.5, "m/s^2", "acceleration of the roll", 0.5, 5.0),
    rotation=Option(3.0, "deg/s", "pitch rate of the rotation", 0.5, 8.0),
    pitch=Option(12.0, "deg", "pitch of the climb", 2.0, 25.0),
)
def take_off(amplitude: float, rotation: float, pitch: float) -> Story:
    """Thrust comes up within 4 s; at 70 m/s the nose is raised, and soon the wheels leave the runway."""
    spool, begin, V_R = 4.0, 2.0, 70.0
    rotate = begin + spool / 2 + V_R / amplitude
    length = STEEPEST * pitch / rotation
    leave = rotate + 0.45 * length
    climb = pitch - 4.0 if pitch > 6.0 else pitch / 3
    thrust = amplitude * step(begin, spool) - 0.75 * amplitude * step(rotate, length + 3.0)
    bumps = _runway(50.0) * step(begin, 25.0) * (signal(1.0) - step(leave - 0.5, 0.5))
    return Story(
        together(flying(thrust.integral, climb * DEGREE * step(leave, length + 2.0)), moving(z=bumps)),
        pitch=-pitch * DEGREE * step(rotate, length) + 0.3 * DEGREE * step(begin, spool),
        on_ground=(-math.inf, leave),
        lever=HEAD,
    )


@recipe(
    "aircraft",
    "an engine fails during the climb after take-off; the pilot catches yaw and roll",
    duration=25.0,
    amplitude=Option(1.5, "m/s^2", "acceleration that is lost", 0.2, 3.0),
    swing=Option(5.0, "deg", "largest sideslip", 0.5, 15.0),
)
def engine_failure(amplitude: float, swing: float) -> Story:
    """The left engine: the nose swings left, the aircraft slips and rolls left, rudder and aileron bring it back."""
    fails, V = 5.0, 80.0
    slip = swing * DEGREE * pulse(fails, 2.5, 0.5, 5.0)  # nose left of the path
    bank = -1.6 * swing * DEGREE * (pulse(fails + 0.6, 2.4, 0.3, 3.0)) + 3.0 * DEGREE * step(fails + 5.0, 4.0)
    side = slip * (0.15 * V)  # [m/s] drift against the path: a_y = d/dt of it
    speed = signal(V) + (0.6 * step(-10.0, 1.0) - amplitude * step(fails, 1.2)).integral
    climb = signal(8.0 * DEGREE) - 5.0 * DEGREE * step(fails + 0.5, 6.0)
    heading = -G / V * bank.integral
    return Story(
        together(flying(speed, climb, heading), moving(y=side.integral)),
        roll=bank,
        pitch=signal(-12.0 * DEGREE) + 6.0 * DEGREE * step(fails + 1.5, 4.0),
        yaw=heading + slip,
        lever=HEAD,
    )


@recipe(
    "aircraft",
    "a coordinated turn: entry, steady turn, exit",
    duration=40.0,
    amplitude=Option(30.0, "deg", "bank", 1.0, 60.0),
    speed=Option(110.0, "m/s", "true airspeed", 30.0, 300.0),
    entry=Option(5.0, "s", "time of rolling in and out", 1.0, 20.0),
)
def turn(amplitude: float, speed: float, entry: float) -> Story:
    """To the left, level: tan(bank) = speed * turn rate / g, so nothing pulls sideways at the centre of gravity."""
    rate = G / speed * math.tan(amplitude * DEGREE)
    heading = (rate * pulse(5.0, entry, 15.0, entry)).integral
    return Story(
        flying(signal(speed), heading=heading),
        roll=-1.0 * (speed / G * heading.rate).through(arctan),
        yaw=heading,
    )


@recipe(
    "aircraft",
    "straight flight through continuous turbulence (Dryden)",
    duration=30.0,
    amplitude=Option(1.5, "m/s", "root mean square of the gusts", 0.1, 10.0),
    speed=Option(110.0, "m/s", "true airspeed", 30.0, 300.0),
    scale=Option(300.0, "m", "length of the gusts", 20.0, 1000.0),
    seed=Option(1.0, "-", "of the phases", 0.0, 1e6),
    source="gusts: MIL-F-8785C, Dryden form; answer of the aircraft illustrative",
)
def turbulence(amplitude: float, speed: float, scale: float, seed: float) -> Story:
    """Each gust acts through a lag or an oscillator: heave 1.5 s, sway 10 s, surge 30 s, pitch, yaw, roll 0.5 s."""
    tones, V = Tones(0.1, 25.0, 80, int(seed)), speed
    jw = 1j * tones.omega
    along = tones.of(dryden_along(tones.omega, amplitude, scale, V))
    left, up = (tones.of(dryden_across(tones.omega, amplitude, scale, V)) for _ in range(2))
    rolling = tones.of(dryden_roll(tones.omega, amplitude, scale, V, SPAN))
    fade = step(0.0, 2.0)

    def felt(c: Complex) -> Signal:
        return tones.signal(c) * fade

    x, y, z = (felt(gust * lag(T)(tones.omega) * jw) for gust, T in ((along, 30.0), (left, 10.0), (up, 1.5)))
    bank = rolling * lag(0.5)(tones.omega) / (jw + 0.4)  # the pilot levels the wings, slowly
    return Story(
        accelerating(x, y, z),
        roll=felt(bank),
        pitch=felt(up / V * oscillator(1.3, 0.5)(tones.omega)),  # the nose goes into the gust: down when it comes up
        yaw=felt(-left / V * oscillator(1.0, 0.2)(tones.omega)),
        lever=HEAD,
    )


@recipe(
    "aircraft",
    "approach, flare, touchdown, nose wheel down, braking",
    duration=35.0,
    amplitude=Option(2.5, "m/s^2", "braking", 0.5, 5.0),
    sink=Option(1.0, "m/s", "sink rate at touchdown", 0.1, 3.5),
)
def landing(amplitude: float, sink: float) -> Story:
    """3 degrees at 70 m/s; the flare leaves a sink rate that the gear takes up within 0.4 s."""
    V, flare, touch, slope = 70.0, 5.0, 10.0, 3.0 * DEGREE
    left = sink / V
    climb = signal(-slope) + (slope - left) * step(flare, 4.0) + left * step(touch, 0.4)
    brakes = touch + 4.0
    stop = V - 20.0  # down to taxiing
    braking = amplitude * pulse(brakes, 1.5, stop / amplitude - 1.75, 2.0) + 0.4 * pulse(touch, 1.0, 3.0, 1.0)
    bounce = 0.02 * sink * ringing(touch, 1.1, 0.3, 0.15)
    bumps = _runway(50.0, 5) * step(touch, 1.0) * (signal(1.0) - 0.7 * step(brakes, stop / amplitude))
    return Story(
        together(flying(signal(V) - braking.integral, climb), moving(z=bounce + bumps)),
        pitch=signal(-2.5 * DEGREE) - 3.0 * DEGREE * step(flare, 4.0) + 5.5 * DEGREE * step(touch + 1.0, 2.5)
        + 0.3 * DEGREE * pulse(brakes, 1.5, stop / amplitude - 1.75, 2.0),
        on_ground=(touch, math.inf),
        lever=HEAD,
    )  # fmt: skip


@recipe(
    "aircraft",
    "slow flight to the stall: buffet, nose and wing drop, recovery",
    duration=35.0,
    amplitude=Option(12.0, "deg", "how far the nose drops", 2.0, 40.0),
    buffet=Option(1.0, "m/s^2", "peak of the buffet", 0.0, 4.0),
)
def stall(amplitude: float, buffet: float) -> Story:
    """Slowing by 0.6 m/s^2; buffet near 9 Hz grows for 6 s; the path falls off, the left wing drops; both return."""
    breaks, V = 16.0, 75.0
    shake = step(breaks - 6.0, 6.0) * (signal(1.0) - step(breaks + 1.5, 2.5))
    tone = buffet * (0.7 * sine(9.0) + 0.3 * sine(7.3)) * shake
    slowing = 0.6 * pulse(2.0, 3.0, breaks - 4.0, 2.0) - 1.8 * pulse(breaks + 2.0, 3.0, 4.0, 4.0)
    fall = 0.4 * amplitude * DEGREE
    return Story(
        together(
            flying(signal(V) - slowing.integral, -fall * step(breaks - 0.3, 4.0) + fall * step(breaks + 5.0, 6.0)),
            accelerating(y=0.3 * tone, z=tone),
        ),
        roll=-0.8 * amplitude * DEGREE * pulse(breaks, 1.8, 0.3, 3.0),
        pitch=-10.0 * DEGREE * step(3.0, breaks - 4.0)
        + (10.0 + amplitude) * DEGREE * step(breaks, 3.5)
        - amplitude * DEGREE * step(breaks + 4.5, 6.0),
        lever=HEAD,
    )


@recipe(
    "aircraft",
    "pitch oscillation; the path follows the nose with a lag",
    duration=30.0,
    amplitude=Option(4.0, "deg", "of pitch", 0.1, 20.0),
    frequency=Option(0.3, "Hz", "", 0.02, 3.0),
)
def pitch_oscillation(amplitude: float, frequency: float) -> Story:
    """A pilot who overcontrols at 100 m/s: the climb angle follows within 1.5 s."""
    swing, omega = step(1.0, 3.0), 2 * math.pi * frequency
    follows = exponentials(-1j / (1 + 1.5j * omega), 1j * omega)
    return Story(
        flying(signal(100.0), -amplitude * DEGREE * (follows * swing)),
        pitch=amplitude * DEGREE * (sine(frequency) * swing),
        lever=HEAD,
    )
