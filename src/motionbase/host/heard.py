"""What arrives at a port, of a format that is not known yet: rate, sizes, senders, gaps; then format and motion."""

from __future__ import annotations

import math
import struct
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.host.format import Format, Frame, Kind, Options
from motionbase.host.guess import ENOUGH, Guess, guessed
from motionbase.host.receiver import LOOPBACK, Network, Receiver, Sender
from motionbase.host.rest import Found, Rest, gravity_in, rest_of, takes_gravity

FIRST = 30  # datagrams before the first guess
INTERVALS = 2000  # between the latest datagrams, for rate and jitter
SURE = 0.9  # score of a guess that is no longer doubted
MOST_SENDERS, MOST_SIZES = 16, 32  # that are told apart; a flood may have thousands
LOOKED_AT = 2048  # [bytes] of a datagram of no known format, in which numbers are looked for
ROWS = 36_000  # kept for the rest test: ten minutes at 60 Hz


@final
class Heard:
    """Statistics of one port, and the frames of its first good sender.

    Args:
        form: of the datagrams; None guesses it
        options: of the person
        allowed: networks that may send

    Attributes:
        count: datagrams
        sizes, senders: how many of each
        largest_gap: longest time without any [s]
        receiver: counts and decodes; None while the format is not known
        guesses: the best first; empty if the format is given
        frame: the latest that told a motion
    """

    def __init__(
        self, form: Format | None = None, options: Options | None = None, allowed: Sequence[Network] = LOOPBACK
    ) -> None:
        self._now = 0.0
        self.options = replace(options or Options(), clock=lambda: self._now)
        self._allowed = allowed
        self.count, self.largest_gap = 0, 0.0
        self.sizes: Counter[int] = Counter()
        self.senders: Counter[str] = Counter()
        self.receiver: Receiver | None = None
        self.guesses: list[Guess] = []
        self.frame: Frame | None = None
        self._latest: deque[tuple[bytes, Sender, float]] = deque(maxlen=ENOUGH)
        self._intervals: deque[float] = deque(maxlen=INTERVALS)
        self._last: float | None = None
        self._rows: deque[tuple[float, ...]] = deque(maxlen=ROWS)
        self._times: deque[float] = deque(maxlen=ROWS)
        self._bare: Receiver | None = None
        self._told = form is not None
        if form is not None:
            self._listen_to(form)

    @property
    def form(self) -> Format | None:
        """The format, given or guessed."""
        return None if self.receiver is None else self.receiver.form

    def take(self, data: bytes, sender: Sender, now: float) -> Frame | None:
        """One datagram; the frame if it tells a motion.

        Args:
            now: time of its arrival [s]
        """
        self.count += 1
        if len(self.sizes) < MOST_SIZES or len(data) in self.sizes:
            self.sizes[len(data)] += 1
        name = f"{sender[0]}:{sender[1]}"
        if len(self.senders) < MOST_SENDERS or name in self.senders:
            self.senders[name] += 1
        if self._last is not None:
            self._intervals.append(max(0.0, now - self._last))
            self.largest_gap = max(self.largest_gap, now - self._last)
        self._last = now
        self._latest.append((data, sender, now))
        if self.receiver is None and self.count == FIRST:
            self.guess()  # and decode what has come, this one too
            return self.frame
        return self._decode(data, sender, now)

    def _decode(self, data: bytes, sender: Sender, now: float) -> Frame | None:
        if self.receiver is None or self._bare is None:
            return None
        self._now = now
        frame = self.receiver.take(data, sender, now)
        bare = self._bare.take(data, sender, now)
        if frame is None or not frame.row:
            return None
        if bare is not None and bare.row and self.receiver.form.kind is Kind.VEHICLE:
            self._rows.append(bare.row)
            self._times.append(now if bare.stamp is None else bare.stamp)
        self.frame = frame
        return frame

    def guess(self) -> None:
        """Guess the format from the latest datagrams and decode them, unless the format is given or already certain."""
        if self._told or (self.guesses and self.guesses[0].score > SURE) or not self._latest:
            return
        self.guesses = guessed(self.latest)
        if self.guesses and self.guesses[0].score > 0.5 and self.guesses[0].form is not self.form:
            self._listen_to(self.guesses[0].form)

    def _listen_to(self, form: Format) -> None:
        self.receiver = Receiver(form, self.options, allowed=self._allowed)
        self._bare = Receiver(form, replace(self.options, gravity=True), allowed=self._allowed)
        self._rows.clear()
        self._times.clear()
        self.frame = None
        for data, sender, now in self._latest:
            self._decode(data, sender, now)

    @property
    def latest(self) -> list[bytes]:
        """The latest datagrams, at most as many as a guess needs."""
        return [data for data, *_ in self._latest]

    def silence(self, now: float) -> float:
        """Time since the last datagram [s]."""
        return math.inf if self._last is None else now - self._last

    @property
    def rate(self) -> float:
        """Datagrams per second, of the latest; 0 if there are too few."""
        total = sum(self._intervals)
        return len(self._intervals) / total if total > 0 else 0.0

    @property
    def jitter(self) -> float:
        """Standard deviation of the time between the latest datagrams [s]."""
        return float(np.std(np.array(self._intervals))) if self._intervals else 0.0

    def rest(self) -> Rest:
        """The rest test on everything since the format was known."""
        assert self.form is not None
        takes = takes_gravity(self.form, self.latest, self.options)
        return rest_of(np.array(self._rows).reshape(-1, 13), np.array(self._times), takes)

    def unknown_gravity(self) -> list[tuple[str, int, Found]]:
        """Where datagrams of an unknown format may hold gravity, the steadiest first: kind of number, byte, finding."""
        found = [
            (f"{order}{code}", at + one.place * size, one)
            for order in "<>"
            for code, size in (("f", 4), ("d", 8))
            for at in range(size)
            for one in gravity_in(numbers_in(self.latest, order, code, at))
        ]
        return sorted(found, key=lambda entry: entry[2].spread)


def numbers_in(datagrams: Sequence[bytes], order: str, code: str, at: int) -> Array:
    """All numbers at the beginning of datagrams of the commonest size, (n, m), from a byte on.

    Args:
        order: of bytes, "<" or ">"; code: "f" or "d", as of `struct`
    """
    if not datagrams:
        return np.empty((0, 0))
    size = Counter(map(len, datagrams)).most_common(1)[0][0]
    form = f"{order}{max(0, min(size, LOOKED_AT) - at) // struct.calcsize(code)}{code}"
    rows = [struct.unpack_from(form, data, at) for data in datagrams if len(data) == size >= at]
    return np.array(rows, float).reshape(len(rows), -1)
