"""The speed loop of an electric drive, from its command, its speed and the force of its motor.

    f = G (v_max u - l_dot) + G w / 4 x integral of (v_max u - l_dot),   G = w (load_mass + reflected mass)

As rates, filtered: f' = G v_max u' - G l'' + (G w / 4) (v_max u - l'), which is linear in four numbers and needs no
start value. A fifth, of u'', takes up the time from command to drive. The current loop's lag is taken as known: f' is
advanced by it, f' + lag f''.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array
from motionbase.identify.bristle import LEGS
from motionbase.identify.load import usual_smoother
from motionbase.identify.regression import Fit, blocks_of, least_squares
from motionbase.identify.signals import Signals

WINDOW_S = 0.08  # of the filter: wide, because the loop's error is a small difference of command and speed
SATURATED = 0.99  # of the command and of the force


@final
@dataclass(frozen=True, eq=False)
class DriveFit:
    """The speed loop.

    Attributes:
        fit: G v_max, G, G w v_max / 4, G w / 4, G v_max x delay of the command
        t: (n,); measured, given: (n, 6) rates of the motor's force [N/s]
    """

    fit: Fit
    t: Array
    measured: Array
    given: Array


def v_max(theta: Array) -> float:
    """Speed at full command [m/s]."""
    return float(theta[2] / theta[3])


def bandwidth(theta: Array) -> float:
    """Of the speed loop [rad/s]."""
    return float(4 * theta[3] / theta[1])


def tuned_mass(theta: Array) -> float:
    """Load mass and reflected mass for which the loop is tuned [kg]."""
    return float(theta[1] ** 2 / (4 * theta[3]))


def fit_drive(signals: Signals, actuator: ElectricActuator, legs: tuple[int, ...] = tuple(range(LEGS))) -> DriveFit:
    """One speed loop for these legs."""
    smoother, found = usual_smoother(signals.dt, WINDOW_S), []
    for stretch in signals.stretches:
        u, l, f = (stretch[name] for name in ("valve_cmd", "l_meas", "f_meas"))
        X = np.stack(
            [smoother.rate(u), -smoother.second(l), smoother.value(u), -smoother.rate(l), -smoother.second(u)], axis=2
        )
        over = (np.abs(u) > SATURATED) | (np.abs(f) > SATURATED * actuator.force_max)
        free = smoother.value(over.astype(np.float64)) < 1e-6
        found.append((smoother.times(stretch.t), X, smoother.rate(f) + actuator.torque_lag * smoother.second(f), free))
    t, X, y, free = (np.concatenate(x) for x in zip(*found, strict=True))
    X, y, free = X[:, legs], y[:, legs], free[:, legs]
    block = np.tile(blocks_of(t)[:, None], (1, len(legs)))
    fit = least_squares(X[free], y[free], block[free])
    return DriveFit(fit, t, y, X @ fit.theta)


def fit_speed(signals: Signals, legs: tuple[int, ...] = tuple(range(LEGS))) -> Fit:
    """Speed at full command [m/s] and lag of the speed behind its command, where no forces are recorded."""
    smoother, X, y, t = usual_smoother(signals.dt, WINDOW_S), [], [], []
    for stretch in signals.stretches:
        u = stretch["valve_cmd"][:, legs]
        X.append(np.stack([smoother.value(u), -smoother.rate(u), smoother.second(u)], axis=2))
        y.append(smoother.rate(stretch["l_meas"][:, legs]))
        t.append(smoother.times(stretch.t))
    block = np.repeat(blocks_of(np.concatenate(t)), len(legs))
    return least_squares(np.concatenate(X).reshape(-1, 3), np.concatenate(y).ravel(), block)
