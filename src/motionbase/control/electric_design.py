"""Gain of the position loop around an electric leg's speed loop, and the resulting stability margins.

With equal legs the six loops decouple in the eigenvectors of J M^-1 J', as with hydraulic legs; the mass of the rotor
along every leg is added to each modal mass. One drive (gain K, bandwidth w, lag tau of the current) with a mass m has

    C G = K (1 + w / 4s) / ((m s + sigma2) (tau s + 1)),    T = C G / (1 + C G),    L = k_p T exp(-s delay) / s.

k_p is the largest value, from w / 4 downwards, for which all six modes keep the margins. A mode heavier than the mass
for which the drive is tuned has a slower and less damped T: the heaviest mode decides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.arrays import Array, Complex
from motionbase.control.design import GRID, HOLD, Margins
from motionbase.errors import ModelError


@final
@dataclass(frozen=True)
class LinearDrive:
    """An electric leg within its limits.

    Attributes:
        gain: gain of the speed loop, K [N s/m]
        bandwidth: design bandwidth of the speed loop, w [rad/s]
        lag: lag of the current, tau [s]
        viscous: friction coefficient, sigma2 [N s/m]
        masses: modal masses with the rotor's, heaviest first [kg]
        delay: from measurement to command, including the hold [s]; HOLD ticks in the closed loop
    """

    gain: float
    bandwidth: float
    lag: float
    viscous: float
    masses: tuple[float, ...]
    delay: float


def linear_drive(actuator: ElectricActuator, masses: Array, dt: float) -> LinearDrive:
    """The drive of a platform with these modal masses, rotors not included [kg]."""
    modes = tuple(sorted((float(m) + actuator.reflected_mass for m in masses), reverse=True))
    return LinearDrive(
        actuator.speed_gain,
        actuator.speed_bandwidth,
        actuator.torque_lag,
        actuator.friction.sigma2,
        modes,
        HOLD * dt,
    )


def speed_loop(drive: LinearDrive, mass: float) -> tuple[Array, Array]:
    """Numerator and denominator of T, highest power first."""
    above = drive.gain * np.array([1.0, drive.bandwidth / 4])
    own = np.polymul([1.0, 0.0], np.polymul([mass, drive.viscous], [drive.lag, 1.0]))
    return above, np.asarray(np.polyadd(own, above), dtype=np.float64)


def open_loop(drive: LinearDrive, k_p: float, mass: float, w: Array = GRID) -> Complex:
    """L(i w) of one mode, opened at the speed command."""
    s = 1j * w
    above, below = speed_loop(drive, mass)
    return np.asarray(k_p / s * np.polyval(above, s) / np.polyval(below, s) * np.exp(-s * drive.delay))


def is_stable(drive: LinearDrive, k_p: float, mass: float) -> bool:
    """Whether the closed loop of one mode decays, by the roots of its polynomial (second-order Pade for the delay)."""
    above, below = speed_loop(drive, mass)
    T = drive.delay
    late, early = [T**2 / 12, -T / 2, 1.0], [T**2 / 12, T / 2, 1.0]
    closed = np.polyadd(np.polymul(np.polymul(below, [1.0, 0.0]), early), np.polymul(k_p * above, late))
    return bool(np.roots(closed).real.max() < 0)


def margins(drive: LinearDrive, k_p: float) -> Margins:
    """Margins of the worst mode; the bandwidth is that of the heaviest."""
    phase, gain, distance, bandwidth = math.pi, math.inf, math.inf, 0.0
    for mass in drive.masses:
        L = open_loop(drive, k_p, mass)
        size, angle = np.abs(L), np.unwrap(np.angle(L))
        for k in np.flatnonzero(np.diff(np.sign(size - 1))):
            phase = min(phase, abs((float(angle[k]) + 2 * math.pi) % (2 * math.pi) - math.pi))
            bandwidth = max(bandwidth, float(GRID[k])) if mass == drive.masses[0] else bandwidth
        opposed = np.flatnonzero(np.diff(np.floor((angle + math.pi) / (2 * math.pi))))
        gain = min([gain, *(1 / float(size[k]) for k in opposed if size[k] < 1)])
        distance = min(distance, float(np.abs(1 + L).min()))
    stable = all(is_stable(drive, k_p, mass) for mass in drive.masses)
    return Margins(stable, phase, gain, distance, bandwidth)


def gains_for(
    drive: LinearDrive, phase: float = math.radians(60), gain: float = 3.0, reserve: float = 0.0
) -> dict[str, float]:
    """Gains by the method above that keep the margins of phase [rad] and gain [-] even `reserve` [s] later."""
    late = replace(drive, delay=drive.delay + reserve)
    for k_p in drive.bandwidth / 4 * 0.93 ** np.arange(80):
        found = margins(late, float(k_p))
        if found.stable and found.phase >= phase and found.gain >= gain:
            return {"k_p": float(k_p)}
    raise ModelError(
        f"leg loop: no gain keeps {math.degrees(phase):.0f} degrees and a factor of {gain:g}; the platform acts on its "
        f"legs as up to {drive.masses[0]:.4g} kg each, rotor included, and their drives are tuned for "
        f"{drive.gain / drive.bandwidth:.4g} kg; an actuator.load_mass nearer to that would do"
    )
