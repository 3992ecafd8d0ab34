"""Motion that a headset must leave out of its picture: the platform's motion at the head, predicted.

A record holds the pose of the platform and its rate. A parabola extrapolates the pose to the moment when the picture
will be seen: over the age of the record and a given time. Predictions are compared with the records of their moment.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple, final

from motionbase.host.format import Frame

Row = tuple[float, ...]
Point = tuple[float, float, float]
WINDOW_S = 5.0  # of the quickest record, which tells when records are written
STEP_S = 1e-3  # of the differences that make velocities at the head
MOST_CLAIMS = 4096  # predictions that wait for their moment
ALL = (1.0,) * 6
FURTHEST_S = 0.5  # that a pose is carried forward


class Motion(NamedTuple):
    """Degrees of freedom of the platform in one record: (6,) each."""

    t: float
    p: Row
    v: Row
    a: Row

    def at(self, t: float) -> Row:
        """Carried to another time, half a second at most."""
        h = max(-FURTHEST_S, min(FURTHEST_S, t - self.t))
        return tuple(p + h * (v + 0.5 * h * a) for p, v, a in zip(self.p, self.v, self.a, strict=True))


def pose_at(dof: Row, point: Point) -> Row:
    """(6,) displacement of a point of the platform from its place at neutral, in W, and the platform's attitude."""
    x, y, z, roll, pitch, yaw = dof
    rx, ry, rz = point
    c, s = math.cos(roll), math.sin(roll)
    ry, rz = c * ry - s * rz, s * ry + c * rz
    c, s = math.cos(pitch), math.sin(pitch)
    rx, rz = c * rx + s * rz, -s * rx + c * rz
    c, s = math.cos(yaw), math.sin(yaw)
    rx, ry = c * rx - s * ry, s * rx + c * ry
    return x + rx - point[0], y + ry - point[1], z + rz - point[2], roll, pitch, yaw


def motion_at(motion: Motion, t: float, point: Point, shares: Row) -> Row:
    """(18,) pose, velocity and acceleration of the point at another time, each axis times its share."""
    now = pose_at(motion.at(t), point)
    before, after = (pose_at(motion.at(t + h), point) for h in (-STEP_S, STEP_S))
    axes = list(zip(before, now, after, shares, strict=True))
    p = [s * q for _, q, _, s in axes]
    v = [s * (b - a) / (2 * STEP_S) for a, _, b, s in axes]
    acc = [s * (a - 2 * q + b) / STEP_S**2 for a, q, b, s in axes]
    return (*p, *v, *acc)


@final
class Ages:
    """Ages of records compared with the quickest of the last seconds, because the clocks of ring and headset differ."""

    def __init__(self) -> None:
        self._delays: deque[tuple[float, float]] = deque()  # ascending delays, of which the first is the least

    def seen(self, t: float, now: float) -> None:
        """A record of time t [s] is there at this moment [s]."""
        delay = now - t
        while self._delays and self._delays[-1][1] >= delay:
            self._delays.pop()
        self._delays.append((now, delay))
        while self._delays[0][0] < now - WINDOW_S:
            self._delays.popleft()

    def age(self, t: float, now: float) -> float:
        """Of a record [s]."""
        return max(0.0, now - t - self._delays[0][1]) if self._delays else 0.0


class Errors(NamedTuple):
    """Errors of predictions, root mean square.

    Attributes:
        compared: number of predictions
        place, angle: of the prediction [m], [rad]
        plain_place, plain_angle: of the newest record if it were sent unchanged
    """

    compared: int
    place: float
    angle: float
    plain_place: float
    plain_angle: float


@final
class Judge:
    """Compares predictions with the records of their moment."""

    def __init__(self, point: Point) -> None:
        self._point, self._last = point, None
        self._claims: deque[tuple[float, Row, Row]] = deque(maxlen=MOST_CLAIMS)
        self._count, self._sums = 0, [0.0] * 4

    _last: Motion | None

    def expect(self, t: float, said: Row, plain: Row) -> None:
        """Keep a prediction of where the point will be at time t.

        Args:
            plain: where it was in the newest record
        """
        self._claims.append((t, said, plain))

    def came(self, motion: Motion) -> None:
        """A record; the first of a run or after a gap judges nothing."""
        last, self._last = self._last, motion
        if last is None or not 0 < motion.t - last.t < FURTHEST_S:
            self._claims.clear()
            return
        while self._claims and self._claims[0][0] <= motion.t:
            t, said, plain = self._claims.popleft()
            if t < last.t:
                continue
            x = (t - last.t) / (motion.t - last.t)
            true = pose_at(tuple(a + x * (b - a) for a, b in zip(last.p, motion.p, strict=True)), self._point)
            self._count += 1
            for k, told in enumerate((said, plain)):
                self._sums[2 * k] += sum((a - b) ** 2 for a, b in zip(told[:3], true[:3], strict=True))
                self._sums[2 * k + 1] += sum((a - b) ** 2 for a, b in zip(told[3:6], true[3:], strict=True))

    @property
    def errors(self) -> Errors:
        """So far."""
        n = max(1, self._count)
        return Errors(self._count, *(math.sqrt(total / n) for total in self._sums))


@final
class Headset:
    """Makes frames for a headset from records of a platform.

    Args:
        point: the head, in P [m]
        ahead: time that passes until the picture is seen [s]
        shares: of each degree of freedom that is compensated

    Attributes:
        ages: sum and number of the ages of the records that were sent
    """

    def __init__(self, point: Point, ahead: float, shares: Row = ALL, run: int = 0) -> None:
        self._point, self._ahead, self._shares, self._run = point, ahead, shares, run
        self.judge, self.clock = Judge(point), Ages()
        self.newest: Motion | None = None
        self._sequence = 0
        self.age_sum, self.oldest = 0.0, 0.0

    def take(self, motion: Motion, now: float) -> None:
        """A record that has come."""
        if self.newest is not None and motion.t <= self.newest.t:  # the ring began again
            self.clock, self.newest = Ages(), None
        self.newest = motion
        self.clock.seen(motion.t, now)
        self.judge.came(motion)

    def frame(self, now: float) -> Frame | None:
        """What the headset is told at this moment; None before the first record."""
        if self.newest is None:
            return None
        age = self.clock.age(self.newest.t, now)
        t = self.newest.t + age + self._ahead
        plain = pose_at(self.newest.p, self._point)
        self.judge.expect(t, pose_at(self.newest.at(t), self._point), plain)
        self._sequence += 1
        self.age_sum += age
        self.oldest = max(self.oldest, age)
        return Frame(motion_at(self.newest, t, self._point, self._shares), self._sequence, t, self._run)

    @property
    def mean_age(self) -> float:
        """Of the records when they were sent [s]."""
        return self.age_sum / max(1, self._sequence)
