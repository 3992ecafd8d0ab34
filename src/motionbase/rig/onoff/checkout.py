"""Check-out of an on/off rig, as in sections 5.2 and 5.3 of the paper: potentiometers first, then valves.

The functions work over any data acquisition and return what was measured, step by step. They move one leg at a time, by
a few centimetres, and end a pulse as soon as something else moves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, final

import numpy as np

from motionbase.actuators.onoff import SPEED, OnOffActuator
from motionbase.arrays import Array
from motionbase.errors import UsageError
from motionbase.rig.onoff.acquisition import LEGS, SHUT, Acquisition, Wiring
from motionbase.rig.onoff.potentiometer import Potentiometer

PERIOD = 0.005  # [s] between readings
FEED = 0.05  # [s] longest time without a write
AVERAGED = 10  # readings for a voltage
SAME = 0.02  # [V] difference of two readings of one voltage
BENT = 0.01  # of the supply: deviation from a straight line
SCALE = 0.03  # deviation of a scale from 1
MOVED = 0.003  # [m] a leg that went so far has moved
FARTHEST = 0.04  # [m] of a pulse
LONGEST = 0.5  # [s] of a pulse
REST = 0.3  # [s] after which a leg stands
PACE = 0.25  # deviation of a speed from the nominal one


@final
@dataclass(frozen=True)
class Step:
    """A step of a procedure.

    Attributes:
        leg: from 1
        what: what was done
        measured: what came out
        fault: what is wrong and what to do; empty if nothing is
    """

    leg: int
    what: str
    measured: str
    fault: str = ""


@final
@dataclass
class Report:
    """What a procedure measured.

    Attributes:
        steps: in order
        potentiometers: with the calibration that was measured, by leg
        speeds: up and down, by leg [m/s]
        delays: from a command to the first movement, up and down, by leg [s]
        coasts: distance after the end of a command, up and down, by leg [m]
    """

    steps: list[Step] = field(default_factory=list)
    potentiometers: dict[int, Potentiometer] = field(default_factory=dict)
    speeds: dict[int, tuple[float, float]] = field(default_factory=dict)
    delays: dict[int, tuple[float, float]] = field(default_factory=dict)
    coasts: dict[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no step found a fault."""
        return not self.faults

    @property
    def faults(self) -> list[Step]:
        """Steps that found one."""
        return [step for step in self.steps if step.fault]

    def actuator(self, believed: OnOffActuator) -> OnOffActuator:
        """Cylinders and valves as measured: mean speed, delay and switching time of all legs.

        A start shows the delay and half of the switching time together; both are longer than believed by one factor.
        """
        if not self.speeds:
            raise UsageError("check-out: no leg moved as it should, so nothing was measured for a law")
        speed, late = float(np.mean([*self.speeds.values()])), float(np.mean([*self.delays.values()]))
        factor = late / (believed.delay + 0.5 * believed.switching)
        return replace(
            believed, speed=speed, delay=factor * believed.delay, switching=factor * believed.switching
        )  # fmt: skip

    def text(self) -> str:
        """For people: a line for each step."""
        return "\n".join(
            f"leg {s.leg}  {'FAULT' if s.fault else 'ok   '}  {s.what}: {s.measured}" + (f"; {s.fault}" * bool(s.fault))
            for s in self.steps
        )


class Person(Protocol):
    """Who moves sliders and reads a voltmeter."""

    def supply(self, leg: int) -> float:
        """Measure the voltage across a potentiometer, legs from 0 [V]."""
        ...

    def slider(self, leg: int, s: float) -> float:
        """Move the slider of a potentiometer to a displacement [m] and measure its output [V]."""
        ...


@final
@dataclass
class Bench:
    """A rig on which one works step by step.

    Attributes:
        device: its data acquisition
        wiring: as it is meant to be
        potentiometers: as they are meant to be
        speed: of the legs with their valves open, as it is meant to be [m/s]
        wait: lets a time pass [s]; `time.sleep` on a real rig, nothing on a simulated one, whose readings take it along
        now: time of the last reading [s]
        clock: the time [s]; if it is left out, no more passes than is waited for
        lines: outputs as they are
    """

    device: Acquisition
    wiring: Wiring = Wiring()
    potentiometers: tuple[Potentiometer, ...] = (Potentiometer(),) * LEGS
    speed: float = SPEED
    wait: Callable[[float], None] = lambda seconds: None
    now: float = 0.0
    clock: Callable[[], float] | None = None
    lines: Sequence[bool] = SHUT

    def volts(self, after: float = PERIOD) -> Array:
        """(6,) voltages in the order of the legs, after a time [V].

        What the outputs are is written again and again, for a watchdog that shuts the valves otherwise.
        """
        while after > 0:
            self.device.write(self.lines)
            step = min(after, FEED)
            self.wait(step)
            after -= step
            self.now = self.now + step if self.clock is None else self.clock()
        return self.wiring.of_legs(self.device.read(self.now))

    def switch(self, u: Array) -> None:
        """Set the valves: -1 retract, 0 hold, 1 extend."""
        self.lines = self.wiring.lines(u)
        self.device.write(self.lines)

    def mean_volts(self) -> Array:
        """(6,) means of some readings [V]."""
        mean: Array = np.mean([self.volts() for _ in range(AVERAGED)], axis=0)
        return mean

    def extensions(self, volts: Array) -> Array:
        """(6,) by equation (17) [m]."""
        return np.array([pot.extension(float(v)) for pot, v in zip(self.potentiometers, volts, strict=True)])


def check_potentiometers(
    bench: Bench, person: Person, places: Sequence[float] = (0.0, 0.15, 0.30), legs: Sequence[int] = range(LEGS), *,
    to_the_end: bool = True,
) -> Report:  # fmt: skip
    """Section 5.2: power it, move its slider, compare the voltmeter with the input, repeat for all six.

    Args:
        bench: the rig
        person: who moves sliders
        places: of the sliders [m]
        legs: whose potentiometers are tried, from 0
        to_the_end: go on with the next leg after a fault
    """
    report = Report()
    for leg in legs:
        if report.passed or to_the_end:
            _check_potentiometer(bench, person, np.array(places), leg, report)
    return report


def _check_potentiometer(bench: Bench, person: Person, places: Array, leg: int, report: Report) -> None:
    nominal = bench.potentiometers[leg]

    def step(what: str, measured: str, fault: str = "") -> None:
        report.steps.append(Step(leg + 1, what, measured, fault))

    supply = person.supply(leg)
    off = abs(supply - nominal.supply) > SCALE * nominal.supply
    step("supply", f"{supply:.3f} V", f"it should be {nominal.supply:.2f} V: adjust it, or calibrate" if off else "")
    rows, meter = [], []
    for s in places:
        meter.append(person.slider(leg, float(s)))
        rows.append(bench.mean_volts())
    read = np.array(rows)
    own, moved = read[:, leg], np.ptp(read, axis=0)
    worst = float(np.abs(own - meter).max())
    step("input against voltmeter", f"{worst * 1e3:.0f} mV apart", _reading_fault(nominal, leg, worst, own, moved))
    if worst > SAME:
        return
    fitted = nominal.calibrated(own, places)
    bent = float(np.abs([fitted.volts(float(s)) for s in places] - own).max())
    fault = f"more than {BENT * nominal.supply * 1e3:.0f} mV: replace it" if bent > BENT * nominal.supply else ""
    step("proportional", f"{bent * 1e3:.0f} mV off a straight line", fault)
    apart = abs(fitted.offset - nominal.offset)
    wrong = abs(fitted.scale / nominal.scale - 1) > SCALE or apart > SCALE * nominal.length
    measured = f"{fitted.scale:.3f} of nominal, {fitted.offset * 1e3:+.1f} mm at 0 V"
    step("scale", measured, "use this calibration: axes.scale and axes.offset of the rig file" if wrong else "")
    report.potentiometers[leg] = fitted


def _reading_fault(pot: Potentiometer, leg: int, worst: float, own: Array, moved: Array) -> str:
    """Why an input does not show what the voltmeter shows."""
    if worst <= SAME:
        return ""
    if not all(pot.possible(float(v)) for v in own):
        return "a broken wire: no potentiometer gives this voltage"
    other = int(np.argmax(moved))
    if other != leg and moved[other] > 0.1 * pot.supply:
        return f"the input of leg {other + 1} moved instead: their wires are swapped"
    return "they must be the same: check the wire and the input's range"


def check_valves(bench: Bench, legs: Sequence[int] = range(LEGS), *, to_the_end: bool = True) -> Report:
    """Section 5.3, with the pump on: does a cylinder move by one solenoid, back by the other, and stay with none?

    If a leg moves with all solenoids off, nothing else is tried.

    Args:
        bench: the rig
        legs: whose valves are tried, from 0
        to_the_end: go on with the next leg after a fault
    """
    report = Report()
    try:
        bench.switch(np.zeros(LEGS))
        before = bench.extensions(bench.mean_volts())
        bench.volts(REST)
        drift = np.abs(bench.extensions(bench.mean_volts()) - before)
        for leg in range(LEGS):
            fault = "it moves with all solenoids off: one is stuck, or the valve leaks" if drift[leg] > MOVED else ""
            report.steps.append(Step(leg + 1, "all solenoids off", f"{drift[leg] * 1e3:.1f} mm", fault))
        stuck = not report.passed
        for leg in legs:
            if stuck or not (report.passed or to_the_end):
                break
            _check_valve(bench, leg, report)
    finally:
        bench.device.write(SHUT)
    return report


def _check_valve(bench: Bench, leg: int, report: Report) -> None:
    """Towards the middle first, so that there is room."""
    pot = bench.potentiometers[leg]
    volts = float(bench.mean_volts()[leg])
    if not pot.possible(volts):
        fault = "a broken wire: no potentiometer gives this voltage"
        report.steps.append(Step(leg + 1, "potentiometer", f"{volts:.2f} V", fault))
        return
    first = 1.0 if pot.extension(volts) < 0.5 * pot.length else -1.0
    pulses = {way: _pulse(bench, leg, way, report) for way in (first, -first)}
    up, down = pulses[1.0], pulses[-1.0]
    if up and down:
        report.speeds[leg] = up.speed, down.speed
        report.delays[leg] = up.delay, down.delay
        report.coasts[leg] = up.coast, down.coast


@final
@dataclass(frozen=True)
class Pulse:
    """A leg's answer to a pulse: speed [m/s], delay [s], distance after its end [m]."""

    speed: float
    delay: float
    coast: float


def _pulse(bench: Bench, leg: int, way: float, report: Report) -> Pulse | None:
    """Switch one solenoid on until the leg has gone some way, then off; None if it did not do what it should."""
    solenoid = "extending" if way > 0 else "retracting"
    u = np.zeros(LEGS)
    u[leg] = way
    begin = bench.extensions(bench.mean_volts())
    bench.switch(u)
    rows, at = [begin], [bench.now]
    while at[-1] - at[0] < LONGEST and np.abs(rows[-1] - begin).max() < FARTHEST:
        rows.append(bench.extensions(bench.volts()))
        at.append(bench.now)
    bench.switch(np.zeros(LEGS))
    ended = rows[-1]
    bench.volts(REST)
    end = bench.extensions(bench.mean_volts())
    gone = np.array(rows) - begin
    what = f"{solenoid} solenoid on for {at[-1] - at[0]:.3f} s"
    fault = _moved_fault(leg, way, end - begin)
    report.steps.append(Step(leg + 1, what, f"it went {1e3 * (end - begin)[leg]:+.1f} mm", fault))
    if fault:
        return None
    path = way * gone[:, leg]
    late = path > 0.5 * path[-1]  # by then the valve is open
    times = np.array(at) - at[0]
    speed, start = np.polyfit(times[late], path[late], 1)
    measured = f"{speed:.4f} m/s"
    wrong = abs(speed / bench.speed - 1) > PACE
    fault = f"it should be about {bench.speed:.3f} m/s: wrong scale of the potentiometer, or flow" if wrong else ""
    report.steps.append(Step(leg + 1, f"speed, {solenoid}", measured, fault))
    bench.volts(REST)
    crept = abs(float((bench.extensions(bench.mean_volts()) - end)[leg]))
    fault = "it does not stay: the valve leaks" if crept > MOVED else ""
    report.steps.append(Step(leg + 1, "both solenoids off", f"{crept * 1e3:.1f} mm in {REST} s", fault))
    return Pulse(float(speed), float(-start / speed), float(way * (end - ended)[leg]))


def _moved_fault(leg: int, way: float, gone: Array) -> str:
    """What is wrong if a leg that should have moved one way, alone, went like this."""
    own, others = way * float(gone[leg]), np.abs(gone)
    others[leg] = 0.0
    other = int(np.argmax(others))
    if others[other] > MOVED:
        return (
            f"leg {other + 1} moved too: check both valves"
            if own > MOVED
            else (f"leg {other + 1} moved instead: the wires of their valves, or of their potentiometers, are swapped")
        )
    if own < -MOVED:
        return "it moved the wrong way: its two solenoids or its hoses are exchanged"
    return "" if own > MOVED else "it did not move: solenoid, its wire, the pump; at its end also exchanged solenoids"
