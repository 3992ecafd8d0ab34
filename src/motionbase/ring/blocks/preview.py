"""Preview of generators in NumPy: their outputs over time with velocity and acceleration.

    y(t) = E(t) (offset + amplitude w(t - start))

E fades in and out along x^3 (10 - 15 x + 6 x^2), whose slope and curvature vanish at both ends, so fading adds no jump
to velocity or acceleration. Where the wave w itself has a jump or a corner, its derivatives are those just after it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.record.axes import DOFS, LEGS
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import COUNT, Generator, Shape, Space

TURN = 2 * math.pi


class Outputs(NamedTuple):
    """Position, velocity, acceleration [m or rad, per s, per s^2] along the second axis.

    Attributes:
        generators: (7, 3, n) of each generator
        legs: (6, 3, n) sums by leg
        dofs: (6, 3, n) sums by degree of freedom
    """

    generators: Array
    legs: Array
    dofs: Array


def outputs(generators: GeneratorSet, t: ArrayLike, stop: float = math.inf) -> Outputs:
    """Outputs at the times t [s] after the transition to drive; the generators are stopped at `stop` [s]."""
    times = np.atleast_1d(np.asarray(t, dtype=np.float64))
    made = np.zeros((COUNT, 3, len(times)))
    legs, dofs = np.zeros((6, 3, len(times))), np.zeros((6, 3, len(times)))
    for k, generator in enumerate(generators.generators):
        if not generator.enabled:
            continue
        made[k] = output(generator, times, stop)
        for axis in generator.axes:
            if generator.space is Space.LEG:
                legs[LEGS.index(int(axis))] += made[k]
            else:
                dofs[DOFS.index(str(axis))] += made[k]
    return Outputs(made, legs, dofs)


def output(g: Generator, t: Array, stop: float = math.inf) -> Array:
    """(3, n) position, velocity and acceleration of one generator."""
    run = min(g.run_time, stop - g.start)
    tau = t - g.start
    on = (tau >= 0) & (run >= 0) & (tau < run + g.fade_out)
    tau = np.where(on, tau, 0.0)
    w = g.amplitude * _wave(g, tau)
    w[0] += g.offset
    rise = _fade(tau, g.fade_in)
    fall = _fade(tau - run, g.fade_out)
    e = _product(rise, np.stack([1.0 - fall[0], -fall[1], -fall[2]]))
    return np.where(on, _product(e, w), 0.0)


def _product(a: Array, b: Array) -> Array:
    """Product of two functions, each given with its first two derivatives."""
    return np.stack([a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2 * a[1] * b[1] + a[0] * b[2]])


def _fade(tau: Array, length: float) -> Array:
    """Rises from 0 at tau = 0 to 1 at tau = `length` [s]."""
    if length == 0:
        return np.stack([(tau >= 0).astype(np.float64), np.zeros_like(tau), np.zeros_like(tau)])
    x = np.clip(tau / length, 0.0, 1.0)
    return np.stack(
        [
            x**3 * (10 - 15 * x + 6 * x**2),
            30 * x**2 * (1 - x) ** 2 / length,
            60 * x * (1 - x) * (1 - 2 * x) / length**2,
        ]
    )


def _wave(g: Generator, tau: Array) -> Array:
    if g.shape is Shape.STEP:
        return np.stack([np.ones_like(tau), np.zeros_like(tau), np.zeros_like(tau)])
    if g.shape is Shape.RAMP:
        rising = tau < g.duration
        return np.stack([np.where(rising, tau / g.duration, 1.0), rising / g.duration, np.zeros_like(tau)])
    if g.shape is Shape.CHIRP:
        return _chirp(g, tau)
    if g.shape in (Shape.MULTISINE, Shape.RANDOM):
        f, phase = tones(g)
        parts = [_sine(TURN * f_k * tau + p, TURN * f_k, 0.0) for f_k, p in zip(f, phase, strict=True)]
        return np.asarray(np.sum(parts, axis=0) / math.sqrt(g.tones))
    angle = TURN * g.frequency * tau + g.phase
    if g.shape is Shape.SINE:
        return _sine(angle, TURN * g.frequency, 0.0)
    return _cornered(g.shape, g.frequency, np.mod(angle / TURN, 1.0))


def _sine(angle: Array, rate: Array | float, change: Array | float) -> Array:
    s, c = np.sin(angle), np.cos(angle)
    return np.stack([s, rate * c, change * c - rate**2 * s])


def _cornered(shape: Shape, frequency: float, c: Array) -> Array:
    """Square, triangle and sawtooth over the fraction c of a cycle; they start as a sine does, the square at 1."""
    zero = np.zeros_like(c)
    if shape is Shape.SQUARE:
        return np.stack([np.where(c < 0.5, 1.0, -1.0), zero, zero])
    if shape is Shape.SAWTOOTH:
        return np.stack([np.where(c < 0.5, 2 * c, 2 * c - 2), zero + 2 * frequency, zero])
    falling = (c >= 0.25) & (c < 0.75)
    y = np.where(falling, 2 - 4 * c, np.where(c < 0.25, 4 * c, 4 * c - 4))
    return np.stack([y, np.where(falling, -4.0, 4.0) * frequency, zero])


def _chirp(g: Generator, tau: Array) -> Array:
    """A sine whose frequency rises during one `duration`, falls during the next, and so on, with continuous phase."""
    f1, f2, T = g.frequency, g.end_frequency, g.duration
    slope = (f2 - f1) / T
    pair, x = np.divmod(tau, 2 * T)
    back = x >= T
    z = np.where(back, x - T, x)
    turns = np.where(back, (f1 + f2) / 2 * T + f2 * z - slope * z**2 / 2, f1 * z + slope * z**2 / 2)
    rate = TURN * np.where(back, f2 - slope * z, f1 + slope * z)
    return _sine(TURN * (pair * (f1 + f2) * T + turns) + g.phase, rate, TURN * np.where(back, -slope, slope))


def tones(g: Generator) -> tuple[Array, Array]:
    """Frequencies [Hz] and phases [rad] of a multisine or random signal, each tone of amplitude / sqrt(tones).

    A multisine has equally spaced tones with the phases of Schroeder (1970), which keep its peaks low. A random signal
    divides the band into equal parts and has one tone of random frequency and phase in each: near Gaussian,
    band-limited, with exact derivatives, and repeatable by its seed. Frequency and phase of tone k come from the two
    numbers that `compile.primitives.random` gives for (seed, k).
    """
    k, n = np.arange(g.tones), g.tones
    width = g.end_frequency - g.frequency
    if g.shape is Shape.RANDOM:
        u = np.array([_uniforms(float(g.seed), float(i)) for i in k])
        return g.frequency + (k + u[:, 0]) * width / n, TURN * u[:, 1] + g.phase
    return g.frequency + k * width / max(n - 1, 1), -math.pi * k * (k + 1) / n + g.phase


def _uniforms(seed: float, counter: float) -> tuple[float, float]:
    """Two numbers in [0, 1) by Philox 4x32-10 (Salmon et al. 2011); key and counter are the bits of doubles."""
    low = 0xFFFFFFFF
    bits, key = (int(np.float64(x).view(np.uint64)) for x in (counter, seed))
    c, k = [bits & low, bits >> 32, 0, 0], [key & low, key >> 32]
    for _ in range(10):
        p0, p1 = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & low, (p0 >> 32) ^ c[3] ^ k[1], p0 & low]
        k = [(k[0] + 0x9E3779B9) & low, (k[1] + 0xBB67AE85) & low]
    return ((c[0] << 32 | c[1]) >> 12) / 2**52, ((c[2] << 32 | c[3]) >> 12) / 2**52
