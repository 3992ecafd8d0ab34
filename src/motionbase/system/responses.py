"""Step and frequency response and turnaround bump, measured on the nonlinear closed loop as on a real base."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.compile import compile
from motionbase.errors import SimulationError
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.kinematics import kinematics_of
from motionbase.record.axes import DOFS
from motionbase.record.faults import Fault
from motionbase.record.generators import COLUMNS, COUNT, PLACE, Shape, Space
from motionbase.record.states import State
from motionbase.record.words import told
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import TRUE_MOTION, Run, Runner, Scenario

PART_OF_LIMITS = 0.2  # of an axis' velocity and acceleration: the most that a tone uses
LARGEST_TONE = 0.05  # [m, rad]
SETTLED = 0.02  # of the step: within it the response counts as settled
QUARTER = -90.0  # [deg] phase at which the bandwidth is read
FLAT_DB = 3.0  # [dB] in both directions: a gain within it counts as flat
DISTORTED = 0.1  # of the tone: with more distortion, gain and phase mean little
PART_WHEN_ASKED = 0.8  # of the same, for a tone of given amplitude: beyond, the limits of the law act
SMALL_TRAVEL = 30.0  # times the bristles' deflection: with more travel a leg slides, and friction is a small force
AMPLITUDE_MATTERS = 0.1  # relative change of the response when the amplitude is halved
DRIVE_SOON = 20.0  # [s] within which new generator settings must have led to drive


@final
@dataclass(frozen=True, eq=False)
class StepResponse:
    """Step response of one axis.

    Attributes:
        t: since the step [s]; demand, y: demanded and true motion of the axis [m, rad]
        overshoot: relative to the step; settling: until it stays within 2 % [s], None if it never does
        rise: from 10 % to 90 % [s]
        crosstalk: largest motion of the other axes, linear [m] and angular [rad]
    """

    axis: str
    size: float
    t: Array
    demand: Array
    y: Array
    overshoot: float
    settling: float | None
    rise: float
    crosstalk: tuple[float, float]


@final
@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Response from demand to true motion of one axis.

    Attributes:
        f: [Hz]; amplitude: of the demand [m, rad]; gain: [-]; phase: [deg], unwrapped
        distortion: rms of everything but the tone, relative to the tone's rms
        travel: of the leg that moves most, over the deflection at which its friction slips, static / sigma0
        halved: relative change of the response when the amplitude is halved; NaN if it was not measured
    """

    axis: str
    f: Array
    amplitude: Array
    gain: Array
    phase: Array
    distortion: Array
    travel: Array = field(default_factory=lambda: np.array(math.inf))
    halved: Array = field(default_factory=lambda: np.array(math.nan))

    @property
    def by_friction(self) -> Flags:
        """Tones that are dominated by friction, not by the loop.

        A leg that moves by less than its bristles bend never slips: its friction is a stiff spring. If it barely slips,
        its friction depends on the amplitude, and so does the response, which is not so for a linear loop.
        """
        shaped = (self.travel < 1.0) | (self.halved > AMPLITUDE_MATTERS)
        return np.asarray(np.broadcast_to(shaped, self.f.shape))

    def at_friction(self, f: float | None) -> bool:
        """Whether a frequency [Hz] was read next to a tone dominated by friction."""
        if f is None or not self.by_friction.any():
            return False
        above = min(int(np.searchsorted(self.f, f)), len(self.f) - 1)
        return bool(self.by_friction[max(0, above - 1) : above + 1].any())

    @property
    def bandwidth(self) -> float | None:
        """Frequency of -90 degrees [Hz]; None if no tone lags that much."""
        return self._first(QUARTER - self.phase)

    @property
    def flat_to(self) -> float | None:
        """Frequency at which the gain first leaves +-3 dB [Hz]; None if it never does."""
        return self._first(np.abs(20 * np.log10(self.gain)) - FLAT_DB)

    @property
    def distorted(self) -> Flags:
        """Tones with more than 10 % distortion."""
        return np.asarray(self.distortion > DISTORTED)

    def _first(self, excess: Array) -> float | None:
        """Where it first rises to zero, interpolated between the tones; the lowest tone if it is already above."""
        beyond = np.flatnonzero(excess >= 0)
        if not len(beyond):
            return None
        k = int(beyond[0])
        if k == 0:
            return float(self.f[0])
        part = excess[k - 1] / (excess[k - 1] - excess[k])
        return float(self.f[k - 1] * (self.f[k] / self.f[k - 1]) ** part)


@final
@dataclass(frozen=True)
class Turnaround:
    """Reversal of a slow sine, at which friction changes sign.

    Attributes:
        f: [Hz]; amplitude: [m, rad]
        bump: largest error of acceleration within a twentieth of a period of a reversal [m/s^2, rad/s^2]
        elsewhere: the same in the rest of the period; demanded: largest demanded acceleration
    """

    axis: str
    f: float
    amplitude: float
    bump: float
    elsewhere: float
    demanded: float


def tones(lowest: float = 0.1, highest: float = 50.0, count: int = 20) -> Array:
    """Frequencies evenly spaced on a logarithmic scale [Hz]."""
    if not (0 < lowest < highest <= 50.0 and math.isfinite(lowest)) or count < 2:
        raise SimulationError(
            f"frequencies: {count} from {lowest:g} to {highest:g} Hz; at least 2 are wanted, rising, "
            "above 0 and up to 50 Hz"
        )
    return np.geomspace(lowest, highest, count)


@final
@dataclass(frozen=True, eq=False)
class Responses:
    """Measurements of one platform; generators produce the motion, the automatic operator leads to drive.

    Attributes:
        loop: the loop to measure, if not the platform under its own law, for example one with another plant
    """

    hexapod: Hexapod
    loop: ClosedLoop | None = None

    @cached_property
    def runner(self) -> Runner:
        """The runner; compiled once."""
        return Runner(self.loop or ClosedLoop.of(self.hexapod), TRUE_MOTION)

    @cached_property
    def _driving(self) -> dict[str, Any]:
        """The end of a run in drive at neutral, without demand."""
        run = self.runner.run(Scenario(), 60.0, until=lambda rows: bool(rows["state"][-1] == State.DRIVE))
        if run["state"][-1] != State.DRIVE:
            raise SimulationError(
                f"platform {self.hexapod.name!r}: it stays in {State(int(run['state'][-1])).name.lower()}"
            )
        return run.end

    def step(self, axis: str, size: float, duration: float = 3.0) -> StepResponse:
        """A step of `size` [m, rad] within the limits of velocity and acceleration, from neutral."""
        k = self._place(axis, size, "size")
        before = 0.25
        run = self._driven(before + duration, axis, Shape.STEP, amplitude=size, start=before)
        begin = int(np.flatnonzero(run["cmd"][:, k, 0])[0])
        motion = self.motion(run)[begin:]
        demand, t = run["cmd"][begin:, k, 0], run.t[begin:] - run.t[begin] + self.runner.loop.dt
        part = motion[:, k] / size
        outside = np.flatnonzero(np.abs(part - 1) > SETTLED)
        settling = float(t[outside[-1]]) if outside[-1] < len(t) - 1 else None
        if part.max() < 0.9:
            raise SimulationError(f"step of {size:g} in {axis}: it only reaches {part.max():.0%} in {duration:g} s")
        rise = float(t[np.argmax(part >= 0.9)] - t[np.argmax(part >= 0.1)])
        others = [np.abs(np.delete(motion, k, axis=1)[:, rows]).max() for rows in _split(k)]
        overshoot = max(0.0, float(part.max()) - 1)
        crosstalk = (float(others[0]), float(others[1]))
        return StepResponse(axis, size, t, demand, motion[:, k], overshoot, settling, rise, crosstalk)

    def frequency(
        self,
        axis: str,
        f: Array,
        progress: Callable[[int, int], None] | None = None,
        amplitude: float | None = None,
    ) -> FrequencyResponse:
        """One tone after the other, each over whole periods after it has settled.

        Args:
            amplitude: of the tones [m, rad], reduced to the limits of the axis; None for a small fraction of
                the limits
        """
        k, found = self.place(axis) if amplitude is None else self._place(axis, amplitude, "amplitude"), []
        per_unit = self._leg_travel(k)
        for done, tone in enumerate(f):
            size = self._tone(k, float(tone), amplitude)
            response, distortion = self._measured(axis, k, float(tone), size)
            travel, halved = size * per_unit, math.nan
            if travel < SMALL_TRAVEL:
                other, _ = self._measured(axis, k, float(tone), size / 2)
                halved = abs(other - response) / abs(response)
            found.append((size, response, distortion, travel, halved))
            if progress is not None:
                progress(done + 1, len(f))
        sizes, responses, *rest = (np.array(column) for column in zip(*found, strict=True))
        phase = np.degrees(np.unwrap(np.angle(responses)))
        return FrequencyResponse(axis, np.asarray(f), sizes, np.abs(responses), phase, *rest)

    def _leg_travel(self, k: int) -> float:
        """Travel of the leg that moves most, per unit of axis k at neutral, over the deflection of its bristles."""
        friction = self.hexapod.actuator.friction
        J = np.asarray(compile(kinematics_of(self.hexapod).jacobian)(self.hexapod.p_neutral, [1.0, 0.0, 0.0, 0.0]))
        return float(np.abs(J[:, (k + 3) % 6]).max() * friction.sigma0 / friction.static)  # angular columns come first

    def _measured(self, axis: str, k: int, f: float, amplitude: float) -> tuple[complex, float]:
        fade = max(1.0, 1 / f)
        periods = max(2, math.ceil(2.0 * f))
        run = self._driven(fade + (1 + periods) / f, axis, Shape.SINE, amplitude=amplitude, frequency=f, fade_in=fade)
        n = round(periods / f / self.runner.loop.dt)
        # a row has the demand at the start of its tick and the motion at its end
        demand, y, t = run["cmd"][-n:, k, 0], self.motion(run)[-n - 1 : -1, k], run.t[-n:]
        columns = np.column_stack([np.cos(2 * math.pi * f * t), np.sin(2 * math.pi * f * t), np.ones(n)])
        asked, got = (np.linalg.lstsq(columns, x, rcond=None)[0] for x in (demand, y))
        rest = y - columns @ got
        response = complex(got[0], -got[1]) / complex(asked[0], -asked[1])
        return response, float(rest.std() / (math.hypot(got[0], got[1]) / math.sqrt(2)))

    def turnaround(self, axis: str, f: float = 0.1, amplitude: float = 0.1) -> Turnaround:
        """The bump of a slow sine: true minus demanded acceleration around each reversal."""
        k = self._place(axis, amplitude, "amplitude")
        fade = 1 / f
        run = self._driven(fade + 2.25 / f, axis, Shape.SINE, amplitude=amplitude, frequency=f, fade_in=fade)
        n = round(2 / f / self.runner.loop.dt)
        V, V_dot = run["V_P_next"][-n - 1 : -1], run["V_dot_P_next"][-n - 1 : -1]
        # about neutral and in a single axis, platform axes are those of the world
        true = np.hstack([V_dot[:, 3:] + np.cross(V[:, :3], V[:, 3:]), V_dot[:, :3]])[:, k]
        error = np.abs(true - run["cmd"][-n:, k, 2])
        velocity = run["cmd"][-n:, k, 1] / (2 * math.pi * f * amplitude)
        near = np.abs(velocity) < math.sin(2 * math.pi / 20)
        demanded = float(np.abs(run["cmd"][-n:, k, 2]).max())
        return Turnaround(axis, f, amplitude, float(error[near].max()), float(error[~near].max()), demanded)

    def motion(self, run: Run) -> Array:
        """(n, 6) true degrees of freedom from neutral [m, rad]."""
        w, x, y, z = run["Q_WP_next"].T
        roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
        pitch = np.arcsin(np.clip(2 * (w * y - x * z), -1.0, 1.0))
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        return np.column_stack([run["p_W_next"] - np.asarray(self.hexapod.p_neutral), roll, pitch, yaw])

    def _driven(self, duration: float, axis: str, shape: Shape, **numbers: float) -> Run:
        """Rows of drive with one generator, for `duration` [s] from the transition on."""
        settings = np.zeros((COUNT, len(COLUMNS)))
        codes = {"enabled": 1, "space": Space.DOF.code, "axes": 1 << DOFS.index(axis), "shape": shape.code}
        for name, value in {**codes, **numbers}.items():
            settings[0, PLACE[name]] = value
        scenario = Scenario(settings=settings, version=2)

        def taken(rows: Any) -> bool:
            return bool(rows["state"][-1] == State.DRIVE and rows["generators_version"][-1] == scenario.version)

        start = self.runner.run(scenario, DRIVE_SOON, self._driving, until=taken)
        inside = (start["state"] == State.DRIVE) & (start["generators_version"] == scenario.version)
        first = int(np.argmax(inside))
        rest = self.runner.run(scenario, duration, start.end)
        if rest["fault"].any() or not inside.any():
            sentence = told(Fault(int(rest["fault"][-1])).sentence, self.hexapod.electric)
            raise SimulationError(f"{axis}: the base left drive, {sentence}")
        joined = {name: np.concatenate([start[name][first:], rest[name]]) for name in TRUE_MOTION}
        return Run(np.concatenate([start.t[first:], rest.t]), {}, joined, rest.end)

    def _tone(self, k: int, f: float, asked: float | None) -> float:
        limits, w = self.hexapod.limits, 2 * math.pi * f
        most = min(limits.velocity[k] / w, limits.acceleration[k] / w**2, limits.position[k])
        return min(LARGEST_TONE, PART_OF_LIMITS * most) if asked is None else min(abs(asked), PART_WHEN_ASKED * most)

    @staticmethod
    def place(axis: str) -> int:
        """Index of a degree of freedom."""
        if axis not in DOFS:
            raise SimulationError(f"axis is {axis!r}, it must be one of {', '.join(DOFS)}")
        return DOFS.index(axis)

    def _place(self, axis: str, size: float, what: str) -> int:
        k = self.place(axis)
        most, unit = self.hexapod.limits.position[k], "m" if k < 3 else "rad"
        if not 0 < abs(size) <= most:
            raise SimulationError(f"{what} is {size:g} {unit}, in {axis} it must not be 0 and at most {most:g} {unit}")
        return k


def _split(k: int) -> tuple[slice, slice]:
    """Linear and angular ones among the five axes other than k."""
    linear = 2 if k < 3 else 3
    return slice(0, linear), slice(linear, 5)
