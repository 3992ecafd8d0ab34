"""Vibration at the pilot's seat: engine, wheels on a runway of slabs, and buffet, as specific force in vehicle axes.

All strengths are illustrative. The signals are sums of sines: bounded, without jumps, and repeatable by their seed.
"""

from __future__ import annotations

import math
from typing import final

import numpy as np

from motionbase.worlds.felt import Vector
from motionbase.worlds.flight.aircraft import Aircraft
from motionbase.worlds.flight.controls import Surfaces
from motionbase.worlds.flight.model import DT, State

SLAB_M = 7.5  # length of a slab, from joint to joint [m]
JOINT = 0.9  # amplitude of a joint over the strength of the rumble
JOINT_S, JOINT_HZ = 0.06, 11.0  # decay time and frequency of the wave after a joint
SMOOTH_S = 0.08  # time constant of each strength, so that nothing starts abruptly [s]
SINES = 5
RMS = math.sqrt(2 / SINES)  # amplitude of each sine, so that their sum has an rms of 1
LEAST = 1e-6  # [m/s^2] weaker parts are not computed


@final
class Band:
    """Noise as a sum of sines between two frequencies, with an rms of 1.

    Args:
        low, high: frequencies [1/s], or wave numbers of noise along a distance [1/m]
    """

    def __init__(self, low: float, high: float, random: np.random.Generator) -> None:
        edges = np.linspace(low, high, SINES + 1)
        self._sines = tuple(
            (2 * math.pi * float(random.uniform(a, b)), float(random.uniform(0, 2 * math.pi)))
            for a, b in zip(edges, edges[1:], strict=False)
        )

    def at(self, x: float) -> float:
        """The noise at a time [s] or a distance [m]."""
        noise = 0.0
        for rate, phase in self._sines:
            noise += math.sin(rate * x + phase)
        return RMS * noise


@final
class Shaking:
    """Vibration of one flight; `strength` scales all of it."""

    def __init__(self, aircraft: Aircraft, seed: int, strength: float) -> None:
        random = np.random.default_rng((seed, 7))
        self._aircraft, self._strength = aircraft, strength
        self._turbine = [Band(22.0, 45.0, random) for _ in range(2)]
        self._stall = [Band(7.0, 13.0, random), Band(5.0, 9.0, random)]  # vertical, lateral
        self._flow = Band(9.0, 18.0, random)
        self._mach = Band(14.0, 26.0, random)
        self._ground = [Band(0.12, 0.45, random), Band(0.08, 0.3, random)]
        self._t = self._way = self._turned = 0.0
        self._parts = dict.fromkeys(("wheels", "stall", "flow", "mach"), 0.0)

    def step(self, state: State, surfaces: Surfaces) -> Vector:
        """Specific force in this period [m/s^2]."""
        self._t += DT
        self._way += state.wheel_speed * DT
        self._turned += 2 * math.pi * state.turn * DT
        for name, goal in self._wanted(state, surfaces).items():
            self._parts[name] += (goal - self._parts[name]) * DT / (DT + SMOOTH_S)
        on, t, way = self._parts, self._t, self._way
        y, z = self._engine(state)
        if on["stall"] > LEAST:
            z += on["stall"] * self._stall[0].at(t)
            y += 0.5 * on["stall"] * self._stall[1].at(t)
        if on["flow"] > LEAST:
            z += on["flow"] * self._flow.at(t)
        if on["mach"] > LEAST:
            z += on["mach"] * self._mach.at(t)
        if on["wheels"] > LEAST:
            z += on["wheels"] * (self._ground[0].at(way) + self._joint(state))
            y += 0.4 * on["wheels"] * self._ground[1].at(way)
        return 0.0, self._strength * y, self._strength * z

    def _wanted(self, state: State, surfaces: Surfaces) -> dict[str, float]:
        """Strength of each part [m/s^2]."""
        a, approach = self._aircraft.shaking, self._aircraft.speeds.approach
        press = min(4.0, (state.airspeed / approach) ** 2)
        flies = not state.wow and state.airspeed > 0.4 * approach
        down = state.gear if self._aircraft.retracts else 0.0
        return {
            "wheels": a.rumble * min(1.5, state.wheel_speed / approach) if state.wow else 0.0,
            "stall": a.stall * _share(state.attack, 0.72 * a.stall_alpha, a.stall_alpha) if flies else 0.0,
            "flow": a.flaps * press * math.hypot(state.flaps, down) if flies else 0.0,
            "mach": a.mach * _share(state.mach, a.mach_number, a.mach_number + 0.06),
        }

    def _engine(self, state: State) -> tuple[float, float]:
        a = self._aircraft.shaking
        if not a.orders:
            return (
                a.engine * state.turn * self._turbine[0].at(self._t),
                a.engine * state.turn * self._turbine[1].at(self._t),
            )
        full = 40.0  # turns a second
        strength = math.sqrt(2) * a.engine * min(1.5, (state.turn / full) ** 2)
        z = sum(share * math.sin(order * self._turned) for order, share in a.orders)
        y = sum(share * math.cos(order * self._turned) for order, share in a.orders)
        return 0.4 * strength * y, strength * z

    def _joint(self, state: State) -> float:
        """The decaying wave after the joint that the wheels crossed last; it starts at zero."""
        if state.wheel_speed < 1.0:
            return 0.0
        since = (self._way % SLAB_M) / state.wheel_speed
        left = (SLAB_M - self._way % SLAB_M) / SLAB_M  # fades to zero at the next joint
        return JOINT * min(1.0, 4 * left) * math.exp(-since / JOINT_S) * math.sin(2 * math.pi * JOINT_HZ * since)


def _share(value: float, begin: float, end: float) -> float:
    return max(0.0, min(1.0, (value - begin) / (end - begin)))
