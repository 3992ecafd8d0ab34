"""Seven function generators, one for each row of the settings.

    y(t) = E(t) (offset + amplitude w(t - start))

with velocity and acceleration, as closed forms of the time since the transition to drive, so that a phase cannot drift
or jump. E fades in and out along x^3 (10 - 15 x + 6 x^2). docs/generators.md has the formulas of w.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import casadi as ca

from motionbase.compile import Port, Program, Struct, cond, for_each, q, random, repeat, switch
from motionbase.compile.struct import MIXED
from motionbase.control.profiles import quintic
from motionbase.control.quantities import SX
from motionbase.control.states import Machine
from motionbase.record.generators import COLUMNS, COUNT, PERIODIC, PLACE, TONES, Shape
from motionbase.record.states import State

TURN = 2 * math.pi


def _get(row: SX, name: str) -> SX:
    return row[PLACE[name]]


def _modulo(x: SX, length: SX | float) -> SX:
    """x modulo length for x of either sign, in [0, length)."""
    rest = ca.fmod(x, length)
    return ca.if_else(rest < 0, rest + length, rest)


def _sine_at(angle: SX, rate: SX, change: SX | float) -> SX:
    s, c = ca.sin(angle), ca.cos(angle)
    return ca.vertcat(s, rate * c, change * c - rate**2 * s)


def _sine(row: SX, tau: SX) -> SX:
    rate = TURN * _get(row, "frequency")
    return _sine_at(rate * tau + _get(row, "phase"), rate, 0.0)


def _cornered(shape: Shape) -> Callable[[SX, SX], SX]:
    def wave(row: SX, tau: SX) -> SX:
        f = _get(row, "frequency")
        c = _modulo((TURN * f * tau + _get(row, "phase")) / TURN, 1.0)
        if shape is Shape.SQUARE:
            return ca.vertcat(ca.if_else(c < 0.5, 1.0, -1.0), 0, 0)
        if shape is Shape.SAWTOOTH:
            return ca.vertcat(ca.if_else(c < 0.5, 2 * c, 2 * c - 2), 2 * f, 0)
        falling = ca.logic_and(c >= 0.25, c < 0.75)
        y = ca.if_else(falling, 2 - 4 * c, ca.if_else(c < 0.25, 4 * c, 4 * c - 4))
        return ca.vertcat(y, ca.if_else(falling, -4.0, 4.0) * f, 0)

    return wave


def _ramp(row: SX, tau: SX) -> SX:
    T = _get(row, "duration")
    rising = tau < T
    return ca.vertcat(ca.if_else(rising, tau / T, 1.0), ca.if_else(rising, 1 / T, 0.0), 0)


def _chirp(row: SX, tau: SX) -> SX:
    """Up during `duration`, down during the next, and so on: the phase has no jump."""
    f1, f2, T = (_get(row, name) for name in ("frequency", "end_frequency", "duration"))
    slope = (f2 - f1) / T
    x = _modulo(tau, 2 * T)
    pair = ca.floor((tau - x) / (2 * T) + 0.5)  # number of complete pairs, robust to rounding
    back = x >= T
    z = ca.if_else(back, x - T, x)
    turns = ca.if_else(back, (f1 + f2) / 2 * T + f2 * z - slope * z**2 / 2, f1 * z + slope * z**2 / 2)
    rate = TURN * ca.if_else(back, f2 - slope * z, f1 + slope * z)
    angle = TURN * (pair * (f1 + f2) * T + turns) + _get(row, "phase")
    return _sine_at(angle, rate, TURN * ca.if_else(back, -slope, slope))


# ---- multisine and random: a sum of tones --------------------------------------------------------------------------

PLACES = random("tone_places", Port("places", 2, "-", "place of a tone in its part of the band, and its phase"))


def _tone(row: SX, tau: SX, places: SX, k: SX) -> SX:
    f, n, width = _get(row, "frequency"), _get(row, "tones"), _get(row, "end_frequency") - _get(row, "frequency")
    is_random = ca.eq(_get(row, "shape"), Shape.RANDOM.code)
    schroeder = -math.pi * k * (k + 1) / n  # Schroeder 1970: phases with a low crest factor
    f_k = ca.if_else(is_random, f + (k + places[0]) * width / n, f + k * width / ca.fmax(n - 1, 1))
    phase = ca.if_else(is_random, TURN * places[1], schroeder) + _get(row, "phase")
    return _sine_at(TURN * f_k * tau + phase, TURN * f_k, 0.0)


def _tones(row: SX, tau: SX) -> SX:
    def one(k: SX) -> SX:
        nowhere = ca.SX.zeros(2)
        places = switch(_get(row, "shape"), {Shape.RANDOM.code: lambda: PLACES(_get(row, "seed"), k)}, lambda: nowhere)
        return _tone(row, tau, places, k)

    def turn(k: SX, total: SX) -> Any:
        return k + 1, cond(k < _get(row, "tones"), lambda: total + one(k), lambda: total)

    _, total = repeat(TONES, turn, 0, ca.SX.zeros(3))
    scaled: SX = total / ca.sqrt(ca.fmax(_get(row, "tones"), 1))
    return scaled


WAVES: dict[Shape, Callable[[SX, SX], SX]] = {
    Shape.SINE: _sine,
    **{shape: _cornered(shape) for shape in (Shape.SQUARE, Shape.TRIANGLE, Shape.SAWTOOTH)},
    Shape.STEP: lambda row, tau: ca.SX([1, 0, 0]),
    Shape.RAMP: _ramp,
    Shape.CHIRP: _chirp,
}


# ---- time and fades ------------------------------------------------------------------------------------------------


def _timing(fade_least: SX, row: SX, t: SX, stop: SX) -> tuple[SX, ...]:
    shape, cycles, start = (_get(row, name) for name in ("shape", "cycles", "start"))
    periodic = shape <= max(s.code for s in PERIODIC)
    f = _get(row, "frequency")
    planned = ca.if_else(periodic, cycles / ca.if_else(f > 0, f, 1.0), cycles * _get(row, "duration"))
    endless = ca.logic_or(planned <= 0, ca.logic_and(periodic, f <= 0))
    planned = ca.if_else(endless, math.inf, planned)
    told = stop - start < planned
    run = ca.fmin(planned, stop - start)
    fade_out = ca.if_else(told, ca.fmax(_get(row, "fade_out"), fade_least), _get(row, "fade_out"))
    tau = t - start
    on = ca.logic_and(ca.logic_and(tau >= 0, run >= 0), tau < run + fade_out)
    good = ca.sumsqr(row) < ca.inf  # a row with a NaN is off
    on = ca.logic_and(on, ca.logic_and(good, ca.eq(_get(row, "enabled"), 1)))
    return on, ca.if_else(on, tau, 0.0), run, fade_out


def _product(a: SX, b: SX) -> SX:
    """Product of two functions, each with its first two derivatives."""
    return ca.vertcat(a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2])


def _faded(row: SX, tau: SX, run: SX, fade_out: SX, wave: SX) -> SX:
    y = _get(row, "amplitude") * wave + ca.vertcat(_get(row, "offset"), 0, 0)
    fall = quintic(tau - run, fade_out)
    y = _product(_product(quintic(tau, _get(row, "fade_in")), ca.vertcat(1 - fall[0], -fall[1], -fall[2])), y)
    return ca.if_else(ca.sumsqr(y) < ca.inf, y, ca.SX.zeros(3))  # such as a ramp without duration


AXES = 12  # six degrees of freedom, then six legs


def _summed(settings: SX, outputs: SX) -> SX:
    """(12, 3) sums by axis: bit k of `axes` is leg k + 1, or degree of freedom k, depending on `space`."""

    def axis(weight: SX, space: SX) -> SX:
        total = ca.SX.zeros(3)
        for g in range(COUNT):
            bits = ca.floor(settings[g, PLACE["axes"]] / weight)
            is_set = ca.logic_and(bits >= 0, ca.ne(bits, 2 * ca.floor(bits / 2)))
            here = ca.logic_and(ca.eq(settings[g, PLACE["space"]], space), is_set)
            total += ca.if_else(here, outputs[g, :].T, 0.0)
        return total

    summed: SX = for_each(axis, ca.DM([2.0**k for k in range(6)] * 2), ca.DM([1] * 6 + [0] * 6))
    return summed


def generators(fade_least: SX, settings: SX, t: SX, stop: SX) -> Any:
    """(7, 3) motion of each, (12, 3) sums of the degrees of freedom and the legs, 1 while any output is not zero.

    t is the time since the transition to drive, stop the time at which the drive ended; a huge number before.
    """

    def generator(row: SX) -> Any:
        off = ca.SX.zeros(3), ca.SX(0)

        def enabled() -> Any:
            on, tau, run, fade_out = _timing(fade_least, row, t, stop)

            def giving() -> Any:
                shapes = {shape.code: partial(wave, row, tau) for shape, wave in WAVES.items()}
                wave = switch(_get(row, "shape"), shapes, lambda: _tones(row, tau))
                return _faded(row, tau, run, fade_out, wave), ca.SX(1)

            return cond(on, giving, lambda: off)

        return switch(_get(row, "enabled"), {1: enabled}, lambda: off)

    outputs, active = for_each(generator, settings)
    return outputs, _summed(settings, outputs), ca.mmax(active)


def run_generators(fade_least: SX, settings: SX, t: SX, stop: SX, live: SX) -> Any:
    """As `generators`, but zero without computation while they do not run."""
    nothing = ca.SX.zeros(COUNT, 3), ca.SX.zeros(AXES, 3), ca.SX(0)
    return cond(live, lambda: GENERATORS(fade_least, settings, t, stop), lambda: nothing)


class GeneratorClock(Struct):
    """Time of the generators: from the transition to drive until they have faded out after it."""

    begins: SX = q("-", text="1 in the tick of the transition: settings are taken")
    live: SX = q("-", text="1 while they run")
    ticks: SX = q("-", text="since the transition")
    t: SX = q("s", text="since the transition")
    stop: SX = q("s", text="time at which the drive ended")


def generator_clock(dt: SX, machine: Machine, live: SX, ticks: SX, stop: SX) -> GeneratorClock:
    """The clock after a tick."""
    entered, driving = ca.ne(machine.entered, 0), ca.eq(machine.state, State.DRIVE)
    settles = ca.eq(machine.state, State.SETTLING)
    begins = ca.logic_and(entered, driving)
    goes_on = ca.logic_and(ca.ne(live, 0), ca.logic_or(driving, settles))
    now = ca.if_else(begins, 0.0, ticks + 1)
    told = ca.logic_and(entered, settles)
    return GeneratorClock(
        begins=begins,
        live=ca.logic_or(begins, goes_on),
        ticks=now,
        t=now * dt,
        stop=ca.if_else(begins, ca.inf, ca.if_else(told, now * dt, stop)),
    )


SETTINGS = Port("settings", (COUNT, len(COLUMNS)), MIXED, "one row a generator, zeros are off")
GENERATORS = Program(
    "generators",
    (
        Port("fade_least", (), "s", "shortest fade when the drive ends"),
        SETTINGS,
        Port("t", (), "s", "since the transition to drive"),
        Port("stop", (), "s", "time at which the drive ended; a huge number before"),
    ),
    (
        Port("outputs", (COUNT, 3), MIXED, "position, velocity, acceleration of each"),
        Port("sums", (AXES, 3), MIXED, "of the degrees of freedom, then of the legs"),
        Port("active", (), "-", "1 while any of them gives anything"),
    ),
    generators,
    "seven function generators",
)
