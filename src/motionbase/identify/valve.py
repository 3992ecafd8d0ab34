"""Servo valves: how the spool follows its command.

If every tick is recorded, the valve's own model is run along the recorded commands, and its natural frequency, damping
and the delay of the spool's sensor are those with which it follows the measured spool best. Of fewer records only the
lag at the frequencies of the motion remains.
"""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import casadi as ca
import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.valve import spool_step
from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, Scan, for_each, scan
from motionbase.identify.bristle import LEGS
from motionbase.identify.load import usual_smoother
from motionbase.identify.regression import Fit, blocks_of, gauss_newton, least_squares
from motionbase.identify.signals import Signals

NAMES = ("valve_frequency", "valve_damping", "delay")
MOST_DELAY_S = 0.02
BEGIN_S = 0.1  # [s] left out at the start of a stretch, until the spool's start is forgotten
P = Port("p", 2, "rad/s, -", "natural frequency, damping ratio")
STATE = (Port("x", 2, "-, 1/s", "spool and its rate"), Port("x_p", (2, 2), "-", "its derivatives by p"))


@final
@dataclass(frozen=True, eq=False)
class Spools:
    """Six spools behind recorded commands that are held from tick to tick."""

    actuator: HydraulicActuator
    dt: float

    @cached_property
    def _loop(self) -> Scan:
        def one(p: ca.SX, x: ca.SX, x_p: ca.SX, u: ca.SX) -> Any:
            own = copy(self.actuator)
            object.__setattr__(own, "valve_frequency", p[0])
            object.__setattr__(own, "valve_damping", p[1])
            after = ca.vertcat(*spool_step(own, ca.SX(self.dt), x[0], x[1], u))
            return after, ca.jacobian(after, p) + ca.jacobian(after, x) @ x_p

        after = tuple(Port(f"{port.name}_next", port.dims, port.unit) for port in STATE)
        spool = Kernel("spool", (P, *STATE, Port("u", (), "-")), after, one)

        def six(p: ca.SX, x: ca.SX, x_p: ca.SX, u: ca.SX) -> Any:
            def leg(x: ca.SX, x_p: ca.SX, u: ca.SX) -> Any:
                x, x_p = spool(p, x, ca.reshape(x_p, 2, 2), u)
                return x, ca.reshape(x_p, 4, 1), x[0], x_p[0, :].T

            return for_each(leg, x, x_p, u)

        states = Port("x", (LEGS, 2), "-"), Port("x_p", (LEGS, 4), "-")
        outputs = (*(Port(f"{s.name}_next", s.dims, "-") for s in states),
                   Port("y", LEGS, "-"), Port("y_p", (LEGS, 2), "-"))  # fmt: skip
        program = Program("spools", (P, *states, Port("u", LEGS, "-")), outputs, six)
        fed = {"x": "x_next", "x_p": "x_p_next"}
        return scan(program, fed, per_step=["u"], record=["y", "y_p"])

    def along(self, p: Array, u: Array, start: Array) -> tuple[Array, Array]:
        """(n, 6) spools before each command acts, and (n, 6, 2) their derivatives by frequency and damping."""
        x = np.stack([start, np.zeros(LEGS)], axis=1)
        found = self._loop(len(u) - 1, p=p, x=x, x_p=np.zeros((LEGS, 4)), u=u[:-1])
        y, y_p = found["y"], found["y_p"]
        return np.concatenate([start[None], y]), np.concatenate([np.zeros((1, LEGS, 2)), y_p])


def fit_valves(signals: Signals, actuator: HydraulicActuator, legs: tuple[int, ...] = tuple(range(LEGS))) -> Fit:
    """Natural frequency [rad/s], damping ratio, and delay of the spool's sensor [s], of these legs as one.

    Every tick must be recorded.
    """
    spools, dt = Spools(actuator, signals.dt), signals.dt
    skip = math.ceil(BEGIN_S / dt)
    y = np.concatenate([stretch["valve_meas"][skip:, legs] for stretch in signals.stretches])
    t = np.concatenate([stretch.t[skip:] for stretch in signals.stretches])

    def model(theta: Array) -> tuple[Array, Array]:
        given, by, (whole, part) = [], [], divmod(theta[2] / dt, 1.0)
        back = skip - int(whole)
        for stretch in signals.stretches:
            spool, spool_p = spools.along(theta[:2], stretch["valve_cmd"], stretch["valve_meas"][0])
            now, before = (slice(at, len(stretch) - skip + at) for at in (back, back - 1))
            given.append((1 - part) * spool[now] + part * spool[before])
            own = (1 - part) * spool_p[now] + part * spool_p[before]
            by.append(np.concatenate([own, ((spool[before] - spool[now]) / dt)[..., None]], axis=2))
        return (np.concatenate(given)[:, legs].ravel(), np.concatenate(by)[:, legs].reshape(-1, 3))

    start = np.array([actuator.valve_frequency, actuator.valve_damping, 0.5 * dt])
    low = np.array([0.1 * start[0], 0.1 * start[1], 0.0])
    high = np.array([10 * start[0], 10 * start[1], MOST_DELAY_S])
    return gauss_newton(model, y.ravel(), start, np.repeat(blocks_of(t), len(legs)), low, high)


def fit_lag(signals: Signals, legs: tuple[int, ...] = tuple(range(LEGS))) -> Fit:
    """Gain, lag [s] and offset of the spool behind its command, at the frequencies of the motion."""
    smoother, X, y, t = usual_smoother(signals.dt), [], [], []
    for stretch in signals.stretches:
        u = stretch["valve_cmd"][:, legs]
        value, rate, second = smoother.value(u), smoother.rate(u), smoother.second(u)
        X.append(np.stack([value, -rate, second, np.ones_like(value)], axis=2))
        y.append(smoother.value(stretch["valve_meas"][:, legs]))
        t.append(smoother.times(stretch.t))
    block = np.repeat(blocks_of(np.concatenate(t)), len(legs))
    return least_squares(np.concatenate(X).reshape(-1, 4), np.concatenate(y).ravel(), block)
