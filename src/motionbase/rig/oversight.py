"""A second opinion on a rig: what its backend says of the legs against an independent reading and plain bounds.

It knows nothing of laws, buses and valves. It can only find a reason to stop.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np

from motionbase.arrays import Array
from motionbase.platform.hexapod import Hexapod
from motionbase.record.rig import LegState, StopCause
from motionbase.rig.border import Sight

KNOWN = (LegState.READY, LegState.FOLLOWING, LegState.STOPPING)  # states in which a leg's length can be believed


@final
@dataclass(frozen=True)
class Claim:
    """What the process that moves the legs says of a cycle.

    Attributes:
        at: when the cycle was [s]
        measured_at: when its lengths were measured [s]
        l: (6,) these lengths [m]
        wanted: (6,) lengths that the legs follow, while they do [m]
        states: of the legs
    """

    at: float
    measured_at: float
    l: Array
    wanted: Array
    states: tuple[LegState, ...]


@final
@dataclass(frozen=True)
class Bounds:
    """What is a reason to stop.

    Attributes:
        least, most: lengths between which legs must be, with a margin [m]
        speed: of a leg [m/s]
        reading: difference of the two readings [m]
        away: distance from the demand [m]
        unasked: way of a leg that should stand [m]
        window: over which speed and way are measured [s]
        silence: of the process that moves the legs, and of its own readings while they follow [s]
        patience: time for which a reason must last [s]
    """

    least: float
    most: float
    speed: float
    reading: float = 0.01
    away: float = 0.06
    unasked: float = 0.005
    window: float = 0.25
    silence: float = 0.25
    patience: float = 0.05

    @staticmethod
    def of(platform: Hexapod) -> Bounds:
        """For a platform: a margin beyond its hard ends, half more than its largest leg speed."""
        stroke, margin = platform.stroke, 0.01
        return Bounds(stroke.hard_min - margin, stroke.hard_max + margin, 1.5 * platform.limits.leg_velocity)


class Reason(NamedTuple):
    """Why legs must stop.

    Attributes:
        leg: counted from 0; -1 if it is none in particular
        value: what was measured
        bound: what it may be
    """

    cause: StopCause
    leg: int = -1
    value: float = 0.0
    bound: float = 0.0

    @property
    def sentence(self) -> str:
        """For people."""
        if self.cause in (StopCause.SILENT, StopCause.BLIND):
            return f"{self.cause.sentence}: nothing for {self.value:.3f} s, it may be {self.bound:.3f}"
        unit = "m/s" if self.cause is StopCause.SPEED else "m"
        return f"leg {self.leg + 1}: {self.cause.sentence}: {self.value:.4f} {unit}, bound {self.bound:.4f}"


NOTHING = Reason(StopCause.NONE)


@final
class Awake:
    """Notices when the system did not let its own process run for a while: others may not have run either."""

    def __init__(self, now: float, longest: float = 0.05) -> None:
        """Args: longest: time between two looks that is ordinary [s]."""
        self._now, self._longest = now, longest

    def missed(self, now: float) -> float:
        """Time that was missed since the last look [s]."""
        gap, self._now = now - self._now, now
        return gap if gap > self._longest else 0.0


@final
class Overseer:
    """Looks at claims and sights, one pair after the other.

    Attributes:
        reason: why legs must stop now
    """

    def __init__(self, bounds: Bounds) -> None:
        self.reason = NOTHING
        self._bounds = bounds
        self._past: deque[tuple[float, Array, bool]] = deque()
        self._since: float | None = None
        self._awake: Awake | None = None
        self._missed, self._claimed_at, self._stood_at = 0.0, -np.inf, -np.inf

    def look(self, now: float, claim: Claim | None, sight: Sight) -> Reason:
        """Why legs must stop now; it must have been so for a while.

        Args:
            now: own time [s]
            claim: the newest, None before the first
            sight: lengths read independently, or those of the claim if nothing else can be read
        """
        self._awake = self._awake or Awake(now)
        self._missed += self._awake.missed(now)
        found = self._found(now, claim, sight) if claim is not None else NOTHING
        if found.cause is StopCause.NONE:
            self._since = None
        elif self._since is None:
            self._since = now
        lasts = self._since is not None and now - self._since >= self._bounds.patience
        self.reason = found if lasts or found.cause is StopCause.SILENT else NOTHING
        return self.reason

    def _found(self, now: float, claim: Claim, sight: Sight) -> Reason:
        bounds = self._bounds
        if claim.at != self._claimed_at:
            self._claimed_at, self._missed = claim.at, 0.0
        if (silence := now - claim.at - self._missed) > bounds.silence:
            return Reason(StopCause.SILENT, -1, silence, bounds.silence)
        l, is_known = sight.l, all(state in KNOWN for state in claim.states)
        follow = all(state is LegState.FOLLOWING for state in claim.states)
        if not follow or self._stood_at == -np.inf:
            self._stood_at = now
        if (age := now - max(sight.measured_at, self._stood_at)) > bounds.silence:
            return Reason(StopCause.BLIND, -1, age, bounds.silence)
        speed, way = self._motion(sight, is_known, all(state is LegState.READY for state in claim.states))
        reasons = [_worst(StopCause.SPEED, speed, bounds.speed), _worst(StopCause.UNASKED, way, bounds.unasked)]
        if is_known:
            outside = np.maximum(bounds.least - l, l - bounds.most)
            apart = np.abs(l - claim.l) - bounds.speed * abs(sight.measured_at - claim.measured_at)
            reasons += [_worst(StopCause.RANGE, outside, 0.0), _worst(StopCause.READING, apart, bounds.reading)]
            if follow:
                reasons.append(_worst(StopCause.AWAY, np.abs(l - claim.wanted), bounds.away))
        return min((r for r in reasons if r.cause), key=lambda r: r.cause, default=NOTHING)

    def _motion(self, sight: Sight, is_known: bool, is_held: bool) -> tuple[Array, Array]:
        """(6,) mean speeds and, where legs are held, ways over the window; 0 until that is full of known lengths."""
        past, window, still = self._past, self._bounds.window, np.zeros(len(sight.l))
        if not is_known:
            past.clear()
        elif np.isfinite(sight.measured_at) and (not past or sight.measured_at > past[-1][0]):
            past.append((sight.measured_at, sight.l, is_held))
        while len(past) > 2 and past[-1][0] - past[1][0] >= window:
            past.popleft()
        if not past or (length := past[-1][0] - past[0][0]) < window:
            return still, still
        way = np.abs(past[-1][1] - past[0][1])
        return way / length, way if all(held for _, _, held in past) else still


def _worst(cause: StopCause, values: Array, bound: float) -> Reason:
    """The leg that is furthest beyond a bound, if one is; what is not known is not beyond it."""
    known = np.where(np.isfinite(values), values, -np.inf)
    leg = int(np.argmax(known))
    return Reason(cause, leg, float(known[leg]), bound) if known[leg] > bound else NOTHING
