"""A simulated rig behind its data acquisition: six cylinders, valves, potentiometers, and what can be wrong with them.

Published are the speed, the stroke, the supply and the device with its 16 bits. Delays, spread of the speeds, noise and
calibration errors are illustrative.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import final

import casadi as ca
import numpy as np

from motionbase.actuators.onoff import OnOffActuator, OnOffLeg, Pace, moved
from motionbase.arrays import Array
from motionbase.compile import Compiled, Port, Program, compile, for_each, random
from motionbase.rig.onoff.acquisition import LEGS, LINES, SHUT, AcquisitionError, Wiring
from motionbase.rig.onoff.potentiometer import Potentiometer

H = 1e-3  # [s] step of the simulation
RANGE, CODES = 10.0, 2**16  # of the analogue inputs: +-10 V in 16 bits
NOISE = 2e-3  # [V] standard deviation of a reading
OPEN = 9.9  # [V] of an input whose wire is broken: a resistor pulls it out of the potentiometer's range
VALVES = OnOffActuator(delay=0.012, switching=0.025)
SPREAD = np.array([0.04, -0.03, 0.07, -0.06, 0.01, -0.05])  # of the legs' speeds
HEAVY = 0.06  # legs retract faster than they extend by twice this part: the platform weighs on them
SX = ca.SX
NOISES = random("reading_noise", Port("noise", LEGS), kind="normal")


def spread_paces(speed: float = VALVES.speed) -> Array:
    """(6, 2) speeds up and down [m/s]."""
    return speed * np.column_stack((1 + SPREAD - HEAVY, 1 + SPREAD + HEAVY))


def rig_step(actuator: OnOffActuator) -> Program:
    """(h, legs, pace, u, throttle) -> legs_next: six cylinders over a step."""

    def expr(h: SX, legs: OnOffLeg, pace: Pace, u: SX, throttle: SX) -> OnOffLeg:
        after: OnOffLeg = for_each(lambda *leg: moved(actuator, h, *leg), legs, pace, u, throttle)
        return after

    inputs = (
        Port("h", (), "s"), OnOffLeg.port("legs", rows=LEGS), Pace.port("pace", rows=LEGS),
        Port("u", LEGS, "-", "-1 retract, 0 hold, 1 extend"), Port("throttle", LEGS, "-"),
    )  # fmt: skip
    return Program("onoff_rig", inputs, (OnOffLeg.port("legs_next", rows=LEGS),), expr, "six on/off legs")


def reading() -> Program:
    """(exact, noise_level, seed, counter) -> volts: what the inputs read at exact voltages."""

    def expr(exact: SX, noise_level: SX, seed: SX, counter: SX) -> SX:
        noisy = exact + noise_level * NOISES(seed, counter)
        quantum = 2 * RANGE / CODES
        volts: SX = quantum * ca.floor(ca.fmin(ca.fmax(noisy, -RANGE), RANGE - quantum) / quantum + 0.5)
        return volts

    inputs = (Port("exact", LEGS, "V"), Port("noise_level", (), "V"), Port("seed"), Port("counter"))
    return Program("onoff_reading", inputs, (Port("volts", LEGS, "V"),), expr, "analogue inputs with noise")


READING = reading()


@cache
def _step(actuator: OnOffActuator) -> Compiled:
    return compile(rig_step(actuator))


@final
@dataclass
class SimulatedRig:
    """Data acquisition with a simulated rig behind it; time moves on as far as `read` is told.

    Attributes:
        actuator: valves as they are, not as a law believes them to be
        pace: (6, 2) speeds up and down [m/s]
        potentiometers: as they are, not as their calibration says
        wiring: as it is; the fault 'swapped legs' is another one than the backend's
        s: (6,) extensions at the start [m]
        noise: of a reading [V]
        seed: of the noise
        broken: analogue inputs whose wire is broken
        stuck: digital outputs whose solenoid does not obey: it is always off, or always on
        reversed: legs whose hoses are exchanged
        unplugged: the device does not answer
        powered: the valves have current; a relay may cut it, which a spool that sticks ignores
        supply: part of the speed for which there is oil; 0 without a pump
    """

    actuator: OnOffActuator = VALVES
    pace: Array = field(default_factory=spread_paces)
    potentiometers: tuple[Potentiometer, ...] = (Potentiometer(),) * LEGS
    wiring: Wiring = Wiring()
    s: Array = field(default_factory=lambda: np.full(LEGS, 0.15))
    noise: float = NOISE
    seed: int = 1
    broken: set[int] = field(default_factory=set)
    stuck: dict[int, bool] = field(default_factory=dict)
    reversed: set[int] = field(default_factory=set)
    unplugged: bool = False
    powered: bool = True
    supply: float = 1.0

    name = "simulated rig"

    def __post_init__(self) -> None:
        step = _step(self.actuator)
        self._io = step.arrays()
        self._io["h"][...], self._io["legs"][...] = H, OnOffLeg.layout.vector()
        self.extensions[:] = self.s
        self._step, self._reading = step.bind(**self._io), compile(READING)
        self._lines: tuple[bool, ...] = SHUT
        self._throttle = np.ones(LEGS)
        self._steps = self._reads = 0
        self._closed = False

    @property
    def extensions(self) -> Array:
        """(6,) true extensions [m]; a view."""
        return OnOffLeg.layout.part(self._io["legs"], "s")[:, 0]

    @property
    def time(self) -> float:
        """How long it has run [s]."""
        return self._steps * H

    def advance(self, now: float) -> None:
        """Let the rig run until a time [s]."""
        steps = round(now / H) - self._steps
        if steps < 1:
            return
        lines = [self.stuck.get(line, on and self.powered) for line, on in enumerate(self._lines)]
        u = self.wiring.commands(lines)
        u[list(self.reversed)] *= -1
        x = self._io
        x["u"][...], x["throttle"][...], x["pace"][...] = u, self._throttle, self.supply * self.pace
        for _ in range(steps):
            self._step()
            x["legs"][...] = x["legs_next"]
        self._steps += steps

    def read(self, now: float) -> Array:
        """(6,) voltages now [V]."""
        self._check()
        self.advance(now)
        self._reads += 1
        true = np.empty(LEGS)
        for leg, (pot, s) in enumerate(zip(self.potentiometers, self.extensions, strict=True)):
            true[self.wiring.inputs[leg]] = pot.volts(s)
        true[list(self.broken)] = OPEN
        volts: Array = self._reading(true, self.noise, float(self.seed), float(self._reads))
        return volts

    def write(self, lines: Sequence[bool]) -> None:
        """Set all outputs."""
        self._check()
        if len(lines) != LINES:
            raise AcquisitionError(f"{self.name}: {len(lines)} outputs were given, it has {LINES}")
        self._lines = tuple(map(bool, lines))

    def throttle(self, openings: Array) -> None:
        """Set the flow-control valves."""
        self._check()
        self._throttle = np.clip(openings, 0.0, 1.0)

    def close(self) -> None:
        """All solenoids off; what is stuck stays stuck."""
        self._lines, self._closed = SHUT, True

    def _check(self) -> None:
        if self.unplugged or self._closed:
            raise AcquisitionError(f"{self.name}: {'unplugged' if self.unplugged else 'closed'}", -1)


@final
@dataclass(frozen=True)
class SimulatedPerson:
    """Moves sliders of a simulated rig and reads its voltages without error."""

    rig: SimulatedRig

    def supply(self, leg: int) -> float:
        """Voltage across a potentiometer [V]."""
        return self.rig.potentiometers[leg].supply

    def slider(self, leg: int, s: float) -> float:
        """Output of a potentiometer at a displacement [m], as a voltmeter shows it [V]."""
        self.rig.extensions[leg] = s
        return self.rig.potentiometers[leg].volts(s)
