"""Friction of hydraulic legs: what the pressures push, less what the force sensor feels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array, Flags, Ints
from motionbase.identify.bristle import LEGS, Bristles, Path, light_smoother, path_of, vector
from motionbase.identify.regression import Fit, blocks_of, gauss_newton
from motionbase.identify.signals import Signals

SLOW = 2.0  # times the Stribeck speed: below, the rise of friction towards standstill shows
LEAST_SLOW = 50  # samples of sliding that slow, for it to be looked for
MOST_DELAY_S = 0.05
WIDEST = 1e6  # bounds of parameters [N, N s/m]
LEAST_PART = 1e-3  # of the nominal friction: without any, the law has no steady deflection
ROUNDS = 2  # which samples slide is told by the law, so that it is fitted once more
LEAST_SLIDING = 200  # samples


@final
@dataclass(frozen=True, eq=False)
class FrictionFit:
    """Friction of one leg or of all alike.

    Attributes:
        fit: parameters in the order of `NAMES`, static as its excess over coulomb; then how much later than forces
            pressures are read [s]
        slow: whether speeds were low enough to show static friction and Stribeck speed
        v, force, t: samples used, for pictures
    """

    fit: Fit
    slow: bool
    t: Array
    v: Array
    force: Array


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """Measured friction of the legs along their paths: (n, 6) for each stretch."""

    actuator: HydraulicActuator
    paths: tuple[Path, ...]
    times: tuple[Array, ...]
    forces: tuple[Array, ...]
    rates: tuple[Array, ...]  # of the force that the pressures push with, lightly filtered

    @staticmethod
    def of(signals: Signals, actuator: HydraulicActuator) -> Balance:
        """From pressures and forces."""
        paths, times, forces, rates = [], [], [], []
        light = light_smoother(signals.dt)
        for stretch in signals.stretches:
            path = path_of(stretch, signals.dt)
            inner = slice(path.margin, len(stretch) - path.margin)
            pushed = actuator.area_cap * stretch["p_cap"] - actuator.area_rod * stretch["p_rod"]
            paths.append(path)
            times.append(stretch.t[inner])
            forces.append((pushed - stretch["f_meas"])[inner])
            rates.append(light.rate(pushed))
        return Balance(actuator, tuple(paths), tuple(times), tuple(forces), tuple(rates))

    def fit(self, legs: tuple[int, ...] = tuple(range(LEGS))) -> FrictionFit | None:
        """One law for these legs; None if they hardly slide."""
        bristles, found = Bristles(self.actuator.friction), None
        p = self._scaled(vector(self.actuator.friction), legs)
        for _ in range(ROUNDS):
            found = self._fitted(bristles, p, legs)
            if found is None:
                return None
            p = found.fit.theta[:-1]
        return found

    def _fitted(self, bristles: Bristles, start: Array, legs: tuple[int, ...]) -> FrictionFit | None:
        """With those samples that slide if this law is the right one."""
        used = [bristles.sliding(bristles.along(start, path)[0], start, path)[:, legs] for path in self.paths]
        if sum(map(np.count_nonzero, used)) < LEAST_SLIDING:
            return None
        v = self._picked([path.speed for path in self.paths], used, legs)
        y = self._picked(self.forces, used, legs)
        t = self._picked([np.tile(t[:, None], (1, LEGS)) for t in self.times], used, legs)
        usual = vector(bristles.nominal)
        slow = bool(np.count_nonzero(np.abs(v) < SLOW * usual[2]) >= LEAST_SLOW)
        low, high = bounds(start, usual, slow)
        low, high = np.append(low, -MOST_DELAY_S), np.append(high, MOST_DELAY_S)
        late = -self._picked(self.rates, used, legs)  # pressures read late: their force less delay x its rate

        def model(theta: Array) -> tuple[Array, Array]:
            found = [bristles.along(theta[:-1], path) for path in self.paths]
            given, by = (self._picked(x, used, legs) for x in zip(*found, strict=True))
            return given + theta[-1] * late, np.concatenate([by, late[:, None]], axis=1)

        fit = gauss_newton(model, y, np.append(start, 0.0), self._blocks(used, legs), low, high)
        return FrictionFit(fit, slow, t, v, y)

    def _scaled(self, p: Array, legs: tuple[int, ...]) -> Array:
        """The nominal law, scaled to the size of the measured friction: sliding is told by it."""
        v = np.concatenate([path.speed[:, legs] for path in self.paths]).ravel()
        y = np.concatenate([force[:, legs] for force in self.forces]).ravel()
        fast = np.abs(v) > SLOW * p[2]
        size = float(np.median((y * np.sign(v))[fast])) if fast.any() else 0.0
        usual = float(np.median(p[0] + p[3] * np.abs(v[fast]))) if fast.any() else 1.0
        factor = max(size / usual, 0.05)
        return np.asarray(p * np.array([factor, factor, 1.0, factor]))

    def _picked(self, arrays: Sequence[Array], used: list[Flags], legs: tuple[int, ...]) -> Array:
        return np.concatenate([x[:, legs][mask] for x, mask in zip(arrays, used, strict=True)])

    def _blocks(self, used: list[Flags], legs: tuple[int, ...]) -> Ints:
        """Blocks of time of the samples used; legs of one instant share theirs."""
        block, at = blocks_of(np.concatenate(self.times)), 0
        found = []
        for mask in used:
            own = np.tile(block[at : at + len(mask), None], (1, len(legs)))
            found.append(own[mask])
            at += len(mask)
        return np.concatenate(found)


def bounds(start: Array, usual: Array, slow: bool) -> tuple[Array, Array]:
    """Of the parameters; excess and Stribeck speed stay as they are if no slow motion shows them."""
    low = np.array([LEAST_PART * usual[0], 0.0, 0.1 * usual[2], 0.0])
    high = np.array([WIDEST, WIDEST, 10 * usual[2], WIDEST])
    if not slow:
        low[1:3] = high[1:3] = start[1:3]
    return low, high
