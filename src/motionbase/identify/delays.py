"""How much later than the lengths the other sensors are read, from the same motion seen by both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from motionbase.arrays import Array
from motionbase.identify.load import usual_smoother
from motionbase.identify.motion import motion_of
from motionbase.identify.regression import Interval, blocks_of, least_squares
from motionbase.identify.signals import Signals, Stretch
from motionbase.identify.smoothing import Smoother
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sizing.forces import G_W

SENSORS = {"velocity": "l_dot_meas", "acceleration": "l_ddot_meas", "specific_force": "acc", "rate": "omega"}
"""Kinds of sensors that see the motion itself, and their channels."""


class Seen(NamedTuple):
    """A reading, its rate, and what the lengths say it should be; (n, ...) each."""

    reading: Array
    rate: Array
    expected: Array


def delays_of(signals: Signals, platform: Hexapod) -> dict[str, Interval]:
    """Delay of each kind of sensor that is there [s], and as "following" that of the legs behind their commands."""
    smoother = usual_smoother(signals.dt)
    parts = [dict(_seen(stretch, platform, smoother)) for stretch in signals.stretches]
    t = np.concatenate([smoother.times(stretch.t) for stretch in signals.stretches])
    found = {}
    for kind in parts[0]:
        seen = Seen(*(np.concatenate([getattr(part[kind], name) for part in parts]) for name in Seen._fields))
        found[kind] = _delay(t, seen)
    return found


def _delay(t: Array, seen: Seen) -> Interval:
    """expected(t) = reading(t + delay) = reading + delay x rate, apart from an offset for each axis."""
    many = seen.rate.shape[1]
    X = np.zeros((len(t), many, 1 + many))
    X[..., 0] = seen.rate
    X[:, range(many), range(1, 1 + many)] = 1.0
    fit = least_squares(X.reshape(-1, 1 + many), (seen.expected - seen.reading).ravel(), np.repeat(blocks_of(t), many))
    return fit.interval(lambda theta: float(theta[0]))


def _seen(stretch: Stretch, platform: Hexapod, smoother: Smoother) -> Iterator[tuple[str, Seen]]:
    l, at = stretch["l_meas"], motion_of(platform, stretch["l_meas"], smoother)
    m, R = at.motion, np.swapaxes(at.motion.R, 1, 2)
    expected = {
        "velocity": smoother.rate(l),
        "acceleration": smoother.second(l),
        "specific_force": np.einsum("nij,nj->ni", R, m.a - G_W),
        "rate": np.einsum("nij,nj->ni", R, m.omega),
    }
    for kind, name in SENSORS.items():
        if name in stretch.columns:
            yield kind, Seen(smoother.value(stretch[name]), smoother.rate(stretch[name]), expected[kind])
    if "l_cmd" in stretch.columns:
        yield "following", Seen(smoother.value(l), smoother.rate(l), smoother.value(stretch["l_cmd"]))
