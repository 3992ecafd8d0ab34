"""Gains of the leg loop from the linearised actuator, and the resulting stability margins.

With equal legs and equal gains the six loops decouple in the eigenvectors of J M^-1 J': each is one leg against a mass
m = 1 / eigenvalue. For velocity demand w the leg is

    v = V(s) w s0^2 / (s^2 + k R s + s0^2),    s0^2 = k / m,    f = m s v

with oil spring k, droop R (velocity lost per force) and V the valve with the delay of computing. Feedback closes

    L = V s0^2 / (s^2 + k R s + s0^2) (k_p / s + k_i / s^2 + k_v + k_a s + k_dp m s^2 / (s + dp_corner)).

Pressure feedback adds k_dp to R, acceleration feedback adds k_a: the damping ratio of a mode is then

    2 zeta = (R + k_dp) sqrt(k m) + k_a sqrt(k / m),

so the first damps heavy modes and the second light ones. The damping ratios of the slowest and of the fastest mode
give k_dp and k_a; k_p is then the largest value, from `fraction` of the slowest frequency downwards, for which all six
modes keep the margins.

The delay of the loop is HOLD: a tick measures, computes and commands at once, and the command is then held for a tick.
The closed loop does exactly this (tests/system/test_loop_delay.py measures it). Real hardware adds the time of its
computer and its bus, so gains are designed with a RESERVE of one more tick and keep their margins with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array, Complex
from motionbase.errors import ModelError

FELT_SHARE, TURN_CORNER = 0.25, 150.0  # [-], [rad/s]: fraction of acceleration from the platform's sensors; gyro filter
HOLD, RESERVE = 0.5, 1.0  # [ticks] delay of the loop, and additional delay that the designed gains must tolerate
GRID = np.geomspace(1e-2, 2e4, 6000)  # [rad/s] frequencies of the response


@final
@dataclass(frozen=True)
class LinearLeg:
    """A hydraulic leg about mid stroke, closed valve.

    Attributes:
        stiffness: oil spring k [N/m]
        droop: velocity lost per newton, R [m/(s N)]
        masses: modal masses, heaviest first [kg]
        valve_frequency: natural frequency of the spool [rad/s]
        valve_damping: damping ratio of the spool [-]
        delay: from measurement to command, including the hold [s]; HOLD ticks in the closed loop
    """

    stiffness: float
    droop: float
    masses: tuple[float, ...]
    valve_frequency: float
    valve_damping: float
    delay: float

    @property
    def lag(self) -> float:
        """Lag of valve and computing for slow commands [s]."""
        return self.delay + 2 * self.valve_damping / self.valve_frequency


@final
@dataclass(frozen=True)
class Margins:
    """Stability margins of the worst mode.

    Attributes:
        stable: all closed loops decay
        phase: phase margin [rad]
        gain: factor by which the loop gain may rise
        distance: smallest distance of L from -1
        bandwidth: highest frequency at which |L| = 1 in the slowest mode, pressure loop included [rad/s]
    """

    stable: bool
    phase: float
    gain: float
    distance: float
    bandwidth: float


def oil_spring(actuator: HydraulicActuator, x: float, stroke: float) -> float:
    """Stiffness with both chambers closed, x [m] from the retracted end [N/m]."""
    cap = actuator.volume_cap + actuator.area_cap * x
    rod = actuator.volume_rod + actuator.area_rod * (stroke - x)
    return actuator.bulk_modulus * (actuator.area_cap**2 / cap + actuator.area_rod**2 / rod)


def linear_leg(actuator: HydraulicActuator, stroke: float, masses: Array, dt: float) -> LinearLeg:
    """The softest position of the stroke, damped by leakage alone (the valve's damping is linearised away)."""
    stiffness = min(oil_spring(actuator, x, stroke) for x in np.linspace(0.0, stroke, 101))
    mean_area = (actuator.area_cap + actuator.area_rod) / 2
    droop = (actuator.leakage_internal + actuator.leakage_external / 2) / mean_area**2
    modes = tuple(sorted((float(m) for m in masses), reverse=True))
    return LinearLeg(stiffness, droop, modes, actuator.valve_frequency, actuator.valve_damping, HOLD * dt)


def felt(gains: Mapping[str, float]) -> tuple[float, float]:
    """Fraction of k_a that comes from the platform's sensors, and the corner of the gyros' filter [rad/s].

    A mode of pure rotation is the worst: all of that fraction is delayed.
    """
    return gains.get("felt_share", FELT_SHARE), gains.get("turn_corner", TURN_CORNER)


def open_loop(leg: LinearLeg, gains: Mapping[str, float], mass: float, w: Array = GRID) -> Complex:
    """L(i w) of one mode, opened at the valve command."""
    s = 1j * w
    k, wv = leg.stiffness, leg.valve_frequency
    valve = wv**2 / (s**2 + 2 * leg.valve_damping * wv * s + wv**2) * np.exp(-s * leg.delay)
    velocity = valve * (k / mass) / (s**2 + k * leg.droop * s + k / mass)
    share, corner = felt(gains)
    position = gains["k_p"] / s + gains["k_i"] / s**2 + gains["k_v"] + gains["k_a"] * s * (1 - share * s / (s + corner))
    return np.asarray(velocity * (position + gains["k_dp"] * mass * s**2 / (s + gains["dp_corner"])))


def is_stable(leg: LinearLeg, gains: Mapping[str, float], mass: float) -> bool:
    """Whether the closed loop of one mode decays, by the roots of its polynomial (second-order Pade for the delay)."""
    k, wv, T, c = leg.stiffness, leg.valve_frequency, leg.delay, gains["dp_corner"]
    share, turn = felt(gains)
    plant = _product((1 / wv**2, 2 * leg.valve_damping / wv, 1.0), (mass / k, mass * leg.droop, 1.0))
    position = _product((gains["k_v"], gains["k_p"], gains["k_i"]), (1.0, turn))  # over s^2 (s + turn)
    position = _sum(position, _product((gains["k_a"], 0.0, 0.0, 0.0), (1.0 - share, turn)))
    pressure = _product((gains["k_dp"] * mass, 0.0, 0.0, 0.0, 0.0), (1.0, turn))
    feedback = _sum(_product(position, (1.0, c)), pressure)
    late, early = (T**2 / 12, -T / 2, 1.0), (T**2 / 12, T / 2, 1.0)
    below = _product(_product((1.0, 0.0, 0.0), (1.0, c)), (1.0, turn))
    closed = _sum(_product(_product(plant, early), below), _product(feedback, late))
    roots = np.roots(closed)
    integrates = gains["k_i"] > 0
    return bool(np.sort(roots.real)[-1 if integrates else -2] < 0)  # without k_i one root at 0 cancels


def _product(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """Product of two polynomials, highest power first; for few coefficients 50 times as fast as NumPy's."""
    made = [0.0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            made[i + j] += x * y
    return made


def _sum(a: Sequence[float], b: Sequence[float]) -> list[float]:
    long, short = (a, b) if len(a) >= len(b) else (b, a)
    rest = len(long) - len(short)
    return [*long[:rest], *(x + y for x, y in zip(long[rest:], short, strict=True))]


def margins(leg: LinearLeg, gains: Mapping[str, float]) -> Margins:
    """Margins of the worst mode."""
    phase, gain, distance, bandwidth = math.pi, math.inf, math.inf, 0.0
    for mass in leg.masses:
        L = open_loop(leg, gains, mass)
        size, angle = np.abs(L), np.unwrap(np.angle(L))
        crossing = np.flatnonzero(np.diff(np.sign(size - 1)))
        if len(crossing):
            to_minus_one = np.abs((angle[crossing] + math.pi + math.pi) % (2 * math.pi) - math.pi)
            phase = min(phase, float(to_minus_one.min()))
        if mass == leg.masses[0] and len(crossing):
            bandwidth = float(GRID[crossing[-1]])
        turns = np.floor((angle + math.pi) / (2 * math.pi))
        opposed = np.flatnonzero(np.diff(turns))
        rising = [1 / size[k] for k in opposed if size[k] < 1]
        gain = min([gain, *rising])
        distance = min(distance, float(np.abs(1 + L).min()))
    stable = all(is_stable(leg, gains, mass) for mass in leg.masses)
    return Margins(stable, phase, float(gain), distance, bandwidth)


def damping(leg: LinearLeg, zeta: float) -> tuple[float, float]:
    """k_dp [m/(s N)] and k_a [s] that give the slowest and the fastest mode the damping ratio zeta."""
    m = np.array([leg.masses[0], leg.masses[-1]])
    weights = np.column_stack([np.sqrt(leg.stiffness * m), np.sqrt(leg.stiffness / m)])
    missing = 2 * zeta - leg.droop * weights[:, 0]
    if m[0] < 1.1 * m[1]:  # equal modes need only one damping: that of the pressures
        return max(0.0, float(missing[0] / weights[0, 0])), 0.0
    k_dp, k_a = np.linalg.solve(weights, missing)
    return max(0.0, float(k_dp)), max(0.0, float(k_a))


def gains_for(
    leg: LinearLeg,
    zeta: float = 0.7,
    fraction: float = 0.5,
    phase: float = math.radians(45),
    gain: float = 2.0,
    reserve: float = 0.0,
) -> dict[str, float]:
    """Gains by the method above that keep the margins of phase [rad] and gain [-] even `reserve` [s] later."""
    late = replace(leg, delay=leg.delay + reserve)
    slowest = math.sqrt(leg.stiffness / leg.masses[0])
    k_dp, k_a = damping(leg, zeta)
    best: dict[str, float] = {}
    for part in np.linspace(1.0, 0.1, 10):  # a slow valve cannot provide all of the damping
        for k_p in fraction * slowest * 0.93 ** np.arange(50):
            gains = {"k_p": float(k_p), "k_i": 0.02 * float(k_p) ** 2, "k_v": 0.0, "k_a": float(part) * k_a}
            gains |= {"k_dp": float(part) * k_dp, "dp_corner": 0.1 * slowest, "lead": leg.lag}
            if best and k_p <= best["k_p"]:
                break
            found = margins(late, gains)
            if found.stable and found.phase >= phase and found.gain >= gain:
                best = gains
                break
    if not best:
        raise ModelError(
            f"leg loop: no gains keep {math.degrees(phase):.0f} degrees and a factor of {gain:g}; the oil spring of "
            f"{slowest / 2 / math.pi:.1f} Hz needs a valve faster than {leg.valve_frequency / 2 / math.pi:.1f} Hz"
        )
    return best
