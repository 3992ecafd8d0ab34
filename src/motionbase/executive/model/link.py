"""The link to the controller: a thread that sends states and takes answers, so that the loop makes no system call."""

from __future__ import annotations

import secrets
import select
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.executive.mailbox import Mailbox
from motionbase.executive.model.frames import Form, StateFrame, answer_of, state_bytes
from motionbase.executive.model.ports import HOST, bound

LARGEST = 65536  # [bytes] of a datagram
KNOWN = 8192  # states whose ticks are known: older ones cannot be answered
MOST_AT_ONCE = 64  # datagrams taken before the next state is sent, so that a flood cannot keep states back


@final
class Answers:
    """Which datagrams are taken, and how many of what other kinds came.

    Args:
        form: of states and answers
        run: number of this run
        hold: ticks after which an answer is too old to be used

    Attributes:
        row: what the loop gets: the tick answered, then frames, late, duplicate, malformed, foreign, then its numbers
    """

    def __init__(self, form: Form, run: int, hold: int) -> None:
        self.form, self.run, self._hold = form, run, hold
        self.row: Array = np.zeros(6 + form.n)
        self.row[0] = -hold - 1.0  # nothing is answered yet
        self.sent = self._newest = 0
        self._ticks = np.zeros(KNOWN, np.int64)
        self._tick = 0

    def sending(self, tick: int) -> int:
        """The sequence number of the next state."""
        self.sent += 1
        self._tick = self._ticks[self.sent % KNOWN] = tick
        return self.sent

    def take(self, data: bytes, is_controller: bool) -> None:
        """One datagram, of whatever content."""
        if not is_controller:
            self.row[5] += 1
            return
        found = answer_of(data, self.form)
        if found is None or found[0] != self.run or not 0 < found[1] <= self.sent:
            self.row[4] += 1
            return
        _, sequence, numbers = found
        if sequence == self._newest:
            self.row[3] += 1
        elif sequence < self._newest or self.sent - sequence >= KNOWN or self._age(sequence) > self._hold:
            self.row[2] += 1
        else:
            self._newest = sequence
            self.row[0] = float(self._ticks[sequence % KNOWN])
            self.row[1] += 1
            self.row[6:] = numbers

    def _age(self, sequence: int) -> int:
        return self._tick - int(self._ticks[sequence % KNOWN])


@final
class Link:
    """The thread with its socket, as a context manager.

    Args:
        states, answers: mailboxes of the loop
        port: where the model listens; the controller listens at the next one
        pause: between states [s]
        hold: ticks after which an answer is too old to be used
        say: takes a sentence if the thread fails
    """

    def __init__(
        self, states: Mailbox, answers: Mailbox, form: Form, *, port: int, pause: float, hold: int,
        say: Callable[[str], object],
    ) -> None:  # fmt: skip
        self._states, self._box, self._pause, self._say = states, answers, pause, say
        self.answers = Answers(form, secrets.randbits(64), hold)
        self._to = (HOST, port + 1)
        self._over = threading.Event()
        self.error: BaseException | None = None
        self._socket = bound(port)
        self._thread = threading.Thread(target=self._guarded, name="motionbase link", daemon=True)

    def __enter__(self) -> Link:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)
        self._socket.close()

    def _guarded(self) -> None:
        try:
            self._exchange()
        except BaseException as error:  # the loop then finds the controller silent
            self.error = error
            self._say(f"the link to the controller failed: {type(error).__name__}: {error}")

    def _exchange(self) -> None:
        due, last = time.monotonic(), -1
        while not self._over.is_set():
            wait = max(0.0, due - time.monotonic())
            if select.select([self._socket], [], [], wait)[0]:
                self._take_all()
            if time.monotonic() >= due:
                last = self._send(last)
                due = max(due + self._pause, time.monotonic() - self._pause)

    def _take_all(self) -> None:
        for _ in range(MOST_AT_ONCE):
            try:
                data, source = self._socket.recvfrom(LARGEST)
            except BlockingIOError:
                break
            except ConnectionError:  # nobody listens at the controller's port, as the answer to a datagram says
                continue
            self.answers.take(data, source == self._to)
        self._box.put(self.answers.row)

    def _send(self, last: int) -> int:
        """The newest state, if the loop has made one since."""
        row = self._states.get()
        if row is None or int(row[0]) == last:
            return last
        tick, t = int(row[0]), float(row[1])
        frame = StateFrame(self.answers.form, self.answers.run, self.answers.sending(tick), tick, t, row[2:])
        with suppress(OSError):  # no controller yet, or a full buffer: the next state follows
            self._socket.sendto(state_bytes(frame), self._to)
        return tick
