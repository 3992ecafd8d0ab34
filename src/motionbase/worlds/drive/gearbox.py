"""The automatic gearbox, with drive and reverse selected by the pedals; and the brakes with ABS."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

from motionbase.worlds.drive.car import Car
from motionbase.worlds.drive.chassis import AXLE
from motionbase.worlds.drive.driveline import RPM

SHIFT_S, SHIFT_TORQUE = 0.28, 0.35  # duration of a shift, and share of torque meanwhile; illustrative
PAUSE_S = 0.9  # least time between shifts
CALM = 0.45  # shift speeds without throttle, over those at full throttle
SLOW = 0.6  # [m/s] below which the direction may change
PRESSED, LET_GO = 0.3, 0.1  # pedal positions that count as pressed and as released
PEDAL_S = 0.06  # time constant of brakes and throttle
HOLDS = 0.8  # share of the brakes that holds a stopped car
LOCKING, FREE = -0.14, -0.09  # slips between which the ABS works
RELEASE, BUILD = 14.0, 5.0  # rates of the ABS [1/s]
ABS_SPEED = 2.0  # [m/s] below which it is off


@final
class Gearbox:
    """Drive, reverse and gears of a car.

    Attributes:
        gear: 1 or more forwards, -1 in reverse
        holds: the car has stopped and is held until a pedal is pressed
    """

    def __init__(self, car: Car) -> None:
        self._engine = car.engine
        self.gear, self.holds = 1, True
        self._ratio = self._target
        self._shifting, self._since, self._was_free = 0.0, PAUSE_S, True

    @property
    def _target(self) -> float:
        engine = self._engine
        return engine.final * (engine.gears[self.gear - 1] if self.gear > 0 else -engine.reverse)

    @property
    def ratio(self) -> float:
        """Speed of the turbine over that of the wheels."""
        return self._ratio

    @property
    def coupled(self) -> float:
        """Share of the converter's torque that is transmitted."""
        return 0.0 if self.holds else SHIFT_TORQUE if self._shifting > 0 else 1.0

    def pedals(self, throttle: float, brake: float, speed: float) -> tuple[float, float]:
        """Throttle and brake to apply: in reverse the pedals are swapped.

        At a standstill, the brake released and pressed again selects reverse, the throttle forwards.
        """
        stands = abs(speed) < SLOW
        if stands and self.gear > 0 and brake > PRESSED and throttle < LET_GO and self._was_free:
            self._change(-1)
        elif stands and self.gear < 0 and throttle > PRESSED:
            self._change(1)
        free = brake < LET_GO or (self._was_free and brake <= PRESSED)  # released, or not pressed far yet
        self._was_free = stands and (free or self.gear < 0)
        gas, stop = (throttle, brake) if self.gear > 0 else (brake, throttle)
        if gas > 0.02:
            self.holds = False
        elif abs(speed) < 0.15:
            self.holds = True
        return gas, (max(stop, HOLDS) if self.holds else stop)

    def _change(self, gear: int) -> None:
        self.gear = gear
        self._ratio = self._target

    def begin(self, wheels: float) -> None:
        """Start in the gear for a speed of the driven wheels [rad/s]."""
        engine = self._engine
        while self.gear < len(engine.gears) and wheels * self._target / RPM > 0.6 * engine.up:
            self.gear += 1
        self._change(self.gear)
        self.holds = False

    def step(self, throttle: float, wheels: float, dt: float) -> None:
        """Shift if the engine speed asks for it.

        Args:
            wheels: mean speed of the driven wheels [rad/s]
        """
        self._since += dt
        if self._shifting > 0:
            self._shifting -= dt
            self._ratio += (self._target - self._ratio) * dt / (max(self._shifting, 0.0) + dt)
            return
        if self.holds and self.gear > 1:
            self._change(1)
        if self.gear < 0 or self._since < PAUSE_S:
            return
        engine, gears, by = self._engine, self._engine.gears, 0
        rpm = wheels * self._target / RPM
        eager = CALM + (1 - CALM) * throttle
        if self.gear < len(gears) and rpm > engine.up * eager:
            by = 1
        while self.gear + by > 1 and rpm * gears[self.gear + by - 1] / gears[self.gear - 1] < engine.down * eager:
            lower = rpm * gears[self.gear + by - 2] / gears[self.gear - 1]
            if lower > 0.9 * engine.up * eager:
                break
            by -= 1
        if by:
            self.gear += by
            self._shifting, self._since = SHIFT_S, 0.0


@final
class Brakes:
    """Pedal and hand brake, with ABS: the torque of a wheel that starts to lock is reduced, then built up again."""

    def __init__(self, car: Car) -> None:
        self._car, self.pedal, self._share = car, 0.0, [1.0] * 4
        self.works = False  # whether the ABS acts

    def step(self, brake: float, hand: float, speed: float, slips: Sequence[float], dt: float) -> list[float]:
        """Largest torques of the wheels [N m].

        Args:
            slips: longitudinal, with respect to the direction of travel
        """
        self.pedal += (brake - self.pedal) * (1 - math.exp(-dt / PEDAL_S))
        acts = self._car.engine.abs and abs(speed) > ABS_SPEED and brake > 0.05
        self.works, found = False, []
        for k in range(4):
            axle = self._car.axles[AXLE[k]]
            if acts and slips[k] < LOCKING:
                self._share[k] = max(0.1, self._share[k] - RELEASE * dt)
                self.works = True
            elif not acts or slips[k] > FREE:
                self._share[k] = min(1.0, self._share[k] + BUILD * dt)
            found.append(axle.brake * self.pedal * self._share[k] + axle.hand_brake * hand)
        return found
