"""Seven function generators: one kernel a shape, called in a loop over the rows of the settings.

    y(t) = E(t) (offset + amplitude w(t - start))

with velocity and acceleration, as closed forms of the time since the transition to drive, so a phase cannot drift or
jump. E fades in and out along x^3 (10 - 15 x + 6 x^2). docs/generators.md has the formulas of w.
"""

from __future__ import annotations

import math
from enum import IntEnum

import casadi as ca

from motionbase.compile import Body, Kernel, OldProgram, Port, random
from motionbase.control.profiles import quintic

COUNT, TONES = 7, 32
COLUMNS = (
    "enabled", "space", "axes", "shape", "amplitude", "frequency", "end_frequency", "phase", "offset", "fade_in",
    "fade_out", "start", "cycles", "duration", "tones", "seed",
)  # fmt: skip
PLACE = {name: k for k, name in enumerate(COLUMNS)}
TURN = 2 * math.pi


class Shape(IntEnum):
    """What a generator makes."""

    SINE = 0
    SQUARE = 1
    TRIANGLE = 2
    SAWTOOTH = 3
    STEP = 4
    RAMP = 5
    CHIRP = 6
    MULTISINE = 7
    RANDOM = 8


PERIODIC = (Shape.SINE, Shape.SQUARE, Shape.TRIANGLE, Shape.SAWTOOTH)
ROW = Port("row", len(COLUMNS), "SI, mixed", "settings of one generator")
TAU = Port("tau", (), "s", "time since the generator's start")
WAVE = Port("wave", 3, "-", "w and its first two derivatives in time")


def _get(row: ca.SX, name: str) -> ca.SX:
    return row[PLACE[name]]


def _modulo(x: ca.SX, length: ca.SX | float) -> ca.SX:
    """x modulo length for x of either sign, in [0, length)."""
    rest = ca.fmod(x, length)
    return ca.if_else(rest < 0, rest + length, rest)


def _sine_at(angle: ca.SX, rate: ca.SX, change: ca.SX | float) -> ca.SX:
    s, c = ca.sin(angle), ca.cos(angle)
    return ca.vertcat(s, rate * c, change * c - rate**2 * s)


def _sine(row: ca.SX, tau: ca.SX) -> ca.SX:
    rate = TURN * _get(row, "frequency")
    return _sine_at(rate * tau + _get(row, "phase"), rate, 0.0)


def _cornered(shape: Shape) -> Kernel:
    def wave(row: ca.SX, tau: ca.SX) -> ca.SX:
        f = _get(row, "frequency")
        c = _modulo((TURN * f * tau + _get(row, "phase")) / TURN, 1.0)
        if shape is Shape.SQUARE:
            return ca.vertcat(ca.if_else(c < 0.5, 1.0, -1.0), 0, 0)
        if shape is Shape.SAWTOOTH:
            return ca.vertcat(ca.if_else(c < 0.5, 2 * c, 2 * c - 2), 2 * f, 0)
        falling = ca.logic_and(c >= 0.25, c < 0.75)
        y = ca.if_else(falling, 2 - 4 * c, ca.if_else(c < 0.25, 4 * c, 4 * c - 4))
        return ca.vertcat(y, ca.if_else(falling, -4.0, 4.0) * f, 0)

    return Kernel(f"generator_{shape.name.lower()}", (ROW, TAU), (WAVE,), wave)


def _ramp(row: ca.SX, tau: ca.SX) -> ca.SX:
    T = _get(row, "duration")
    rising = tau < T
    return ca.vertcat(ca.if_else(rising, tau / T, 1.0), ca.if_else(rising, 1 / T, 0.0), 0)


def _chirp(row: ca.SX, tau: ca.SX) -> ca.SX:
    """Up in `duration`, down in the next, and so on: its phase has no jump."""
    f1, f2, T = (_get(row, name) for name in ("frequency", "end_frequency", "duration"))
    slope = (f2 - f1) / T
    x = _modulo(tau, 2 * T)
    pair = ca.floor((tau - x) / (2 * T) + 0.5)  # a whole number of pairs, freed from rounding
    back = x >= T
    z = ca.if_else(back, x - T, x)
    turns = ca.if_else(back, (f1 + f2) / 2 * T + f2 * z - slope * z**2 / 2, f1 * z + slope * z**2 / 2)
    rate = TURN * ca.if_else(back, f2 - slope * z, f1 + slope * z)
    angle = TURN * (pair * (f1 + f2) * T + turns) + _get(row, "phase")
    return _sine_at(angle, rate, TURN * ca.if_else(back, -slope, slope))


SHAPES = {
    Shape.SINE: Kernel("generator_sine", (ROW, TAU), (WAVE,), _sine),
    **{shape: _cornered(shape) for shape in (Shape.SQUARE, Shape.TRIANGLE, Shape.SAWTOOTH)},
    Shape.STEP: Kernel("generator_step", (ROW, TAU), (WAVE,), lambda row, tau: ca.vertcat(1, 0, 0)),
    Shape.RAMP: Kernel("generator_ramp", (ROW, TAU), (WAVE,), _ramp),
    Shape.CHIRP: Kernel("generator_chirp", (ROW, TAU), (WAVE,), _chirp),
}


# ---- multisine and random: a sum of tones --------------------------------------------------------------------------

PLACES = random("tone_places", Port("places", 2, "-", "place of a tone in its part of the band, and its phase"))
K = Port("k", (), "-", "number of the tone, from 0")
SUM = Port("sum", 3, "-", "tones so far")


def _tone(row: ca.SX, tau: ca.SX, places: ca.SX, k: ca.SX, sum_: ca.SX) -> ca.SX:
    f, n, width = _get(row, "frequency"), _get(row, "tones"), _get(row, "end_frequency") - _get(row, "frequency")
    is_random = ca.eq(_get(row, "shape"), Shape.RANDOM)
    schroeder = -math.pi * k * (k + 1) / n  # Schroeder 1970: phases that keep peaks low
    f_k = ca.if_else(is_random, f + (k + places[0]) * width / n, f + k * width / ca.fmax(n - 1, 1))
    phase = ca.if_else(is_random, TURN * places[1], schroeder) + _get(row, "phase")
    return sum_ + _sine_at(TURN * f_k * tau + phase, TURN * f_k, 0.0)


TONE = Kernel("tone", (ROW, TAU, Port("places", 2, "-"), K, Port("sum_before", 3, "-")), (SUM,), _tone)
WANTED = Kernel("tone_wanted", (ROW, K), (Port("wanted"),), lambda row, k: k < _get(row, "tones"))
SCALED = Kernel("tones_scaled", (ROW, SUM), (WAVE,), lambda row, s: s / ca.sqrt(ca.fmax(_get(row, "tones"), 1)))


def _tones(b: Body) -> None:
    numbers, total = b.constant("numbers", list(range(TONES))), b.local("total", 3)
    wanted, places = b.local("wanted"), b.local("places", 2)
    b.copy(b.constant("none", [0.0, 0.0, 0.0]), total)
    b.copy(b.constant("nowhere", [0.0, 0.0]), places)
    with b.loop(TONES) as k:
        b.call(WANTED, row=b["row"], k=numbers[k], wanted=wanted)
        with b.switch(wanted) as choice, choice.case(1):
            with b.switch(b["row"][PLACE["shape"]]) as shape, shape.case(Shape.RANDOM):
                b.call(PLACES, seed=b["row"][PLACE["seed"]], counter=numbers[k], places=places)
            b.call(TONE, row=b["row"], tau=b["tau"], places=places, k=numbers[k], sum_before=total, sum=total)
    b.call(SCALED, row=b["row"], sum=total, wave=b["wave"])


TONES_SUM = OldProgram("generator_tones", (ROW, TAU), (WAVE,), _tones)


# ---- time and fades ------------------------------------------------------------------------------------------------

STOP = Port("stop", (), "s", "when the drive was told to stop; a huge number before")
FADE_LEAST = Port("fade_least", (), "s", "shortest fade when the drive is told to stop")
RUN = Port("run", (), "s", "from start to the beginning of the fade-out")
FADE_OUT = Port("fade_out", (), "s", "its length")


def _timing(fade_least: ca.SX, row: ca.SX, t: ca.SX, stop: ca.SX) -> tuple[ca.SX, ...]:
    shape, cycles, start = (_get(row, name) for name in ("shape", "cycles", "start"))
    periodic = shape <= max(PERIODIC)
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


TIMING = Kernel(
    "generator_timing",
    (FADE_LEAST, ROW, Port("t", (), "s", "since the transition to drive"), STOP),
    (Port("on", (), "-", "1 while it gives anything"), TAU, RUN, FADE_OUT),
    _timing,
)


def _product(a: ca.SX, b: ca.SX) -> ca.SX:
    """Of two functions, each with its first two derivatives."""
    return ca.vertcat(a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2])


def _faded(row: ca.SX, tau: ca.SX, run: ca.SX, fade_out: ca.SX, wave: ca.SX) -> ca.SX:
    y = _get(row, "amplitude") * wave + ca.vertcat(_get(row, "offset"), 0, 0)
    fall = quintic(tau - run, fade_out)
    y = _product(_product(quintic(tau, _get(row, "fade_in")), ca.vertcat(1 - fall[0], -fall[1], -fall[2])), y)
    return ca.if_else(ca.sumsqr(y) < ca.inf, y, ca.SX.zeros(3))  # a ramp in no time, say


OUTPUT = Port("output", 3, "SI, mixed", "position, velocity, acceleration")
FADED = Kernel("generator_faded", (ROW, TAU, RUN, FADE_OUT, WAVE), (OUTPUT,), _faded)

AXES = 12  # six degrees of freedom, then six legs


def _added(row: ca.SX, output: ca.SX, sums: ca.SX) -> ca.SX:
    """Bit k of `axes` is leg k + 1, or degree of freedom k."""
    rows = []
    for axis in range(AXES):
        bit = ca.fmod(ca.floor(_get(row, "axes") / 2 ** (axis % 6)), 2.0)
        here = ca.logic_and(ca.eq(_get(row, "space"), 1 if axis < 6 else 0), ca.eq(bit, 1))
        rows.append(sums[axis, :] + ca.if_else(here, 1.0, 0.0) * output.T)
    return ca.vertcat(*rows)


SUMS = Port("sums", (AXES, 3), "SI, mixed", "of the degrees of freedom, then of the legs")
ADDED = Kernel("generator_added", (ROW, OUTPUT, Port("sums_before", (AXES, 3), "SI, mixed")), (SUMS,), _added)


def _generators(b: Body) -> None:
    on, tau, run, fade_out, wave = (
        b.local("on"),
        b.local("tau"),
        b.local("run"),
        b.local("fade_out"),
        b.local("wave", 3),
    )
    b.copy(b.constant("no_sums", [0.0] * (3 * AXES)), b["sums"])
    b.copy(b.constant("no_outputs", [0.0] * (3 * COUNT)), b["outputs"])
    b.copy(b.constant("nothing", 0.0), b["active"])
    with b.loop(COUNT) as g:
        row, output = b["settings"][g], b["outputs"][g]
        times = {"tau": tau, "run": run, "fade_out": fade_out}
        with b.switch(row[PLACE["enabled"]]) as enabled, enabled.case(1):
            b.call(TIMING, fade_least=b["fade_least"], row=row, t=b["t"], stop=b["stop"], on=on, **times)
            with b.switch(on) as giving, giving.case(1):
                with b.switch(row[PLACE["shape"]]) as shape:
                    for code, kernel in SHAPES.items():
                        with shape.case(code):
                            b.call(kernel, row=row, tau=tau, wave=wave)
                    with shape.default():
                        b.call(TONES_SUM, row=row, tau=tau, wave=wave)
                b.call(FADED, row=row, **times, wave=wave, output=output)
                b.call(ADDED, row=row, output=output, sums_before=b["sums"], sums=b["sums"])
                b.copy(on, b["active"])


SETTINGS = Port("settings", (COUNT, len(COLUMNS)), "SI, mixed", "one row a generator, zeros are off")
GENERATORS = OldProgram(
    "generators",
    inputs=(FADE_LEAST, SETTINGS, Port("t", (), "s", "since the transition to drive"), STOP),
    outputs=(
        Port("outputs", (COUNT, 3), "SI, mixed", "position, velocity, acceleration of each"),
        SUMS,
        Port("active", (), "-", "1 while any of them gives anything"),
    ),
    body=_generators,
    description="seven function generators",
)
