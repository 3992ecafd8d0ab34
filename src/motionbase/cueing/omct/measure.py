"""The measurement: sines one after the other, on several lanes at once; gain and phase by least squares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, final

import numpy as np

from motionbase.arrays import AnyArray, Array, Flags
from motionbase.cueing.omct.motions import FREQUENCIES, PLACES, TESTS, Amplitudes, Excitation, Test
from motionbase.errors import SimulationError, UsageError
from motionbase.record.axes import ANGULAR, DOFS
from motionbase.record.vehicle import G

LANES = 8
HARMONICS = 7  # of a tone, itself included
DISTORTED = 0.1  # of the tone: with larger harmonics, gain and phase mean little
SMALLEST = 1e-6  # of the input: a smaller answer is none
Progress: TypeAlias = Callable[[float], None]
Found: TypeAlias = dict[tuple[str, float], tuple[AnyArray, AnyArray, Array, Array]]
"""Of a sine (axis, frequency): complex amplitudes of six signals of the vehicle and of the platform, rms of the
platform's harmonics and of all but the tone."""
SLOPE = {"pitch": -G, "roll": G}  # specific force along surge or sway, of a small attitude [m/s^2/rad]


class Observed(NamedTuple):
    """A piece of a run.

    Attributes:
        t: (n,) time of the vehicle's motion and of what the platform did then [s]
        y: (n, 6, lanes) specific force and angular rate of the platform at the point of the test
    """

    t: Array
    y: Array


class System(Protocol):
    """A system to be measured: motion of vehicles in, motion of the platform out."""

    def observed(self, vehicles: Sequence[Excitation], duration: float) -> Iterator[Observed]:
        """Runs from rest at neutral, one for each vehicle, side by side, piece by piece."""


@final
@dataclass(frozen=True)
class Course:
    """How long each sine takes.

    Attributes:
        settle: from the end of the fade to the measurement [s]
        least: shortest measurement [s]; whole periods, at least one
        shortest_fade: [s]; at least one period
    """

    settle: float = 25.0
    least: float = 20.0
    shortest_fade: float = 5.0

    def __post_init__(self) -> None:
        if not (0 <= self.settle <= 600 and 0 < self.least <= 600 and 0 < self.shortest_fade <= 600):
            raise UsageError(f"sines settle for {self.settle:g} s and are measured for {self.least:g} s, "
                             "both must be above 0 and at most 600")  # fmt: skip

    def fade(self, omega: float) -> float:
        """Of a sine of this frequency [rad/s], in s."""
        return max(self.shortest_fade, math.tau / omega)

    def duration(self, omega: float) -> float:
        """Of its whole run [s]."""
        return self.fade(omega) + self.settle + max(self.least, math.tau / omega)


@final
@dataclass(frozen=True, eq=False)
class Curve:
    """Result of one test: one number per frequency.

    The input of a test is the vehicle's motion along the axis that is observed: its angular rate in tests 1, 3 and 5,
    its specific force in the others, so in tests 2 and 4 the share of gravity that its attitude brings. The output is
    the platform's, and in tests 7 and 9 the share of gravity that its attitude brings. Gains are therefore plain
    numbers, and 1 everywhere for a platform that moves as the vehicle does, but for tests 7 and 9: 1 there says that
    tilt alone gives the whole specific force.

    Attributes:
        omega: [rad/s]
        input: complex amplitude of the vehicle's motion [m/s^2, rad/s]
        output: that of the platform's [m/s^2, rad/s]
        harmonics: rms of the second to seventh harmonic in the platform's motion, relative to the tone's; in tests 7
            and 9 of its angular rate
        residual: the same of everything but tone, mean and drift
    """

    test: Test
    omega: Array
    input: AnyArray
    output: AnyArray
    harmonics: Array
    residual: Array

    @property
    def response(self) -> AnyArray:
        """Output over input."""
        return np.asarray(self.output / self.input)

    @property
    def gain(self) -> Array:
        """[-]"""
        return np.asarray(np.abs(self.response))

    @property
    def phase(self) -> Array:
        """[deg], unwrapped; within half a turn where the gain is largest."""
        turns = np.unwrap(np.angle(self.response))
        k = int(np.argmax(self.gain))
        return np.asarray(np.degrees(turns - math.tau * np.round(turns[k] / math.tau)))

    @property
    def coherence(self) -> Array:
        """Part of the output's variance that is the tone, 0 to 1."""
        return np.asarray(1 / (1 + self.residual**2))

    @property
    def doubtful(self) -> Flags:
        """Tones with harmonics above 10 %, because something is not linear, or with more than half of noise."""
        return np.asarray((self.harmonics > DISTORTED) | (self.coherence < 0.5))

    def facts(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "test": self.test.number, "name": self.test.name, "omega_rad_s": self.omega.tolist(),
            "gain": self.gain.tolist(), "phase_deg": self.phase.tolist(),
            "harmonics": self.harmonics.tolist(), "residual": self.residual.tolist(),
            "coherence": self.coherence.tolist(), "doubtful": self.doubtful.tolist(),
            "input": np.abs(self.input).tolist(), "output": np.abs(self.output).tolist(),
        }  # fmt: skip


class Measured(NamedTuple):
    """Curves of one system.

    Attributes:
        label: such as "whole system"
    """

    label: str
    curves: tuple[Curve, ...]

    def of(self, number: int) -> Curve | None:
        """The curve of a test."""
        return next((curve for curve in self.curves if curve.test.number == number), None)


@final
class Tone:
    """Least squares of a sine, its harmonics, mean and drift in signals that come piece by piece, over whole periods.

    Within a single period a drift looks much like a sine, and harmonics much like a drift, so all are fitted together.
    The sums need no memory for the signals.
    """

    def __init__(self, omega: float, begin: float, end: float) -> None:
        self.omega, self.end = omega, end
        periods = max(1, math.floor((end - begin) * omega / math.tau + 1e-9))
        self.begin = end - periods * math.tau / omega
        n = 2 * HARMONICS + 2
        self.A, self.b, self.yy = np.zeros((n, n)), np.zeros((n, 0)), np.zeros(0)

    def add(self, t: Array, y: Array) -> None:
        """(n,) times in any order and (n, m) signals; what is outside the window is left out."""
        inside = (t >= self.begin) & (t < self.end)
        t, y = t[inside], y[inside]
        if not self.b.shape[1]:
            self.b, self.yy = np.zeros((len(self.A), y.shape[1])), np.zeros(y.shape[1])
        middle, half = 0.5 * (self.begin + self.end), 0.5 * (self.end - self.begin)
        turns = np.exp(1j * self.omega * t)
        powers = np.cumprod(np.tile(turns[:, None], HARMONICS), axis=1)
        X = np.column_stack([powers.imag, powers.real, np.ones_like(t), (t - middle) / half])
        self.A, self.b, self.yy = self.A + X.T @ X, self.b + X.T @ y, self.yy + np.sum(y**2, axis=0)

    def found(self) -> tuple[AnyArray, Array, Array]:
        """(m,) complex amplitudes (that of a sine is real), and (m,) rms of the harmonics and of what is left."""
        n = self.A[2 * HARMONICS, 2 * HARMONICS]
        if n < 2 * len(self.A):
            raise SimulationError(f"{n:.0f} samples are too few for a tone of {self.omega:g} rad/s")
        c = np.linalg.solve(self.A, self.b)
        rest = np.maximum(self.yy - np.sum(c * self.b, axis=0), 0.0) / n
        amplitudes = c[:HARMONICS] + 1j * c[HARMONICS : 2 * HARMONICS]
        harmonics = 0.5 * np.sum(np.abs(amplitudes[1:]) ** 2, axis=0)
        return np.asarray(amplitudes[0]), np.sqrt(harmonics), np.sqrt(rest)


def excitations(
    amplitudes: Amplitudes, course: Course, tests: Sequence[Test] = TESTS, omegas: Sequence[float] = FREQUENCIES
) -> list[Excitation]:
    """All sines that the tests need, the slow ones first, so that sines of similar duration run side by side."""
    axes = [axis for axis in DOFS if any(test.moved == axis for test in tests)]
    return [
        Excitation(axis, omega, amplitudes.of(axis, omega), course.fade(omega))
        for omega in sorted(omegas) for axis in axes
    ]  # fmt: skip


def measured(
    system: System,
    amplitudes: Amplitudes | None = None,
    course: Course | None = None,
    tests: Sequence[Test] = TESTS,
    omegas: Sequence[float] = FREQUENCIES,
    progress: Progress | None = None,
) -> tuple[Curve, ...]:
    """Measure the tests, one curve each.

    Args:
        progress: called with the part done, 0 to 1
    """
    course = course or Course()
    sines = excitations(amplitudes or Amplitudes(), course, tests, omegas)
    batches = [sines[k : k + LANES] for k in range(0, len(sines), LANES)]
    durations = [max(course.duration(sine.omega) for sine in batch) for batch in batches]
    found: Found = {}
    past = 0.0
    for batch, duration in zip(batches, durations, strict=True):

        def done(t: float, before: float = past) -> None:
            if progress is not None:
                progress((before + t) / sum(durations))

        found |= _side_by_side(system, batch, course, duration, done)
        past += duration
    return tuple(_curve(test, sorted(omegas), found) for test in tests)


def _side_by_side(
    system: System, batch: Sequence[Excitation], course: Course, duration: float, done: Progress
) -> Found:
    """What was found of each sine."""
    tones = [Tone(sine.omega, sine.fade + course.settle, duration) for sine in batch]
    upright = np.array([0, 0, G, 0, 0, 0])  # taken off, so that sums of squares keep their digits
    for t, y in system.observed(batch, duration):
        if t[-1] >= min(tone.begin for tone in tones):
            for lane, (tone, sine) in enumerate(zip(tones, batch, strict=True)):
                tone.add(t, np.hstack([sine.rows(t)[:, :6], y[:, :, lane]]) - np.tile(upright, 2))
        done(float(t[-1]))
    made = {}
    for tone, sine in zip(tones, batch, strict=True):
        amplitude, harmonics, rest = tone.found()
        made[sine.axis, sine.omega] = amplitude[:6], amplitude[6:], harmonics[6:], np.hypot(harmonics, rest)[6:]
    return made


def _curve(test: Test, omegas: Sequence[float], found: Found) -> Curve:
    """What a test asks of the amplitudes."""
    k, w = PLACES[test.seen], np.array(omegas)
    ins, outs, *rms = (np.array([found[test.moved, omega][which] for omega in omegas]) for which in range(4))
    # the platform's answer at the edge of nothing: anything over nothing would be any number
    tone = np.maximum(np.abs(outs[:, k]), SMALLEST * np.abs(ins).max(axis=1))
    rest = [math.sqrt(2) * one[:, k] / tone for one in rms]
    if test.seen in ANGULAR and test.moved not in ANGULAR:  # the platform's attitude, as specific force
        return Curve(test, w, ins[:, PLACES[test.moved]], SLOPE[test.seen] * outs[:, k] / (1j * w), *rest)
    return Curve(test, w, ins[:, k], outs[:, k], *rest)
