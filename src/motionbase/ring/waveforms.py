"""Test records with a different waveform in every channel, as the simple DCU writes them, for testing readers.

Channel k (its place in the record, from 0) is

    k + 0.45 shape(f_k t),   f_k = 0.05 (2 + k mod 178) Hz,   shape by k mod 4: sine, square, triangle, sawtooth

so any single sample rounds to k, and 20 s contain whole periods of all channels: the largest line of the spectrum
without the mean is number 2 + k mod 178. The channels `t` and `tick` have their usual meaning.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from motionbase.arrays import Array, Indices
from motionbase.record.schema import Schema

AMPLITUDE = 0.45  # below 0.5, so that a sample rounds to its channel
SHAPES: dict[str, Callable[[Array], Array]] = {  # functions of the elapsed fraction of a period, 0 to 1
    "sine": lambda turn: np.sin(2 * np.pi * turn),
    "square": lambda turn: np.where(turn < 0.5, 1.0, -1.0),
    "triangle": lambda turn: 1.0 - 4.0 * np.abs(turn - 0.5),
    "sawtooth": lambda turn: 2.0 * turn - 1.0,
}
STEP_HZ, LOWEST, DIFFERENT = 0.05, 2, 178
REPEAT_S = 20.0  # all waveforms together repeat after 1 / STEP_HZ


def frequency(k: Indices) -> Array:
    """Frequency of channel k [Hz]: 0.1 to 8.95, different for any 178 consecutive channels."""
    return np.multiply(STEP_HZ, LOWEST + k % DIFFERENT, dtype=np.float64)


def waveform(k: Indices, t: Array) -> Array:
    """Channels k (m,) at times t [s]: (n, 1) gives (n, m)."""
    values = frequency(k) * t
    values -= np.floor(values)  # 0 to 1 in each period
    for number, shape in enumerate(SHAPES.values()):
        chosen = np.flatnonzero(k % len(SHAPES) == number)
        values[..., chosen] = shape(values[..., chosen])
    return k + AMPLITUDE * values


def records(schema: Schema, first_tick: int, count: int, dt: float, every: int = 1) -> Array:
    """(count, channels) consecutive records, the first of them at `first_tick`."""
    tick = first_tick + every * np.arange(count, dtype=np.float64)
    rows = waveform(np.arange(len(schema.channels)), (tick * dt)[:, np.newaxis])
    rows[:, 0] = tick * dt
    if "tick" in schema.index:
        rows[:, schema.index["tick"]] = tick
    return rows


def recognised(samples: Array) -> Indices:
    """The channel that each sample comes from; wrong for samples of `t` and `tick`."""
    return np.rint(samples).astype(np.intp)
