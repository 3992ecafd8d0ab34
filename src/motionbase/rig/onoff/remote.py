"""A simulated on/off rig in a process of its own, and data acquisition that reaches it through a socket.

The socket keeps messages apart (SOCK_SEQPACKET, of Linux) and tells both sides when the other one dies. As on real
hardware, the outputs then stay as they are: only a watchdog relay in the valves' supply shuts them.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.rig.onoff import messages
from motionbase.rig.onoff.acquisition import LEGS, LINES, SHUT, AcquisitionError
from motionbase.rig.onoff.messages import Answer, Code, Kind, Relay
from motionbase.rig.onoff.simulated import H, SimulatedRig
from motionbase.rig.place import connection, listening, meeting_point, reason_of

RELAY = 0.2  # [s] of the watchdog relay; longer than the silences of the backend (0.1 s) and of NiAcquisition (0.15 s)
CUT_HELD = 0.5  # [s] for which a witness's stop holds the relay open
LONGEST_GAP = 1.0  # [s] that is caught up after a pause, as after a suspension of the computer
MOST_CLIENTS = 32
MOST_MESSAGES = 1000  # of a client in one step; more than its socket holds
WAIT = 0.02  # [s] for an answer
SHORT_WAIT = 0.002  # [s] for an answer of a machine that gave none last time
OLD = 0.003  # [s] before its question: a machine that is late answers so, and is asked again


@final
class _Client:
    """A connection; `number` counts them, `trouble` is the code of a write that failed."""

    def __init__(self, made: socket.socket, number: int) -> None:
        made.setblocking(False)
        self.socket, self.number, self.trouble = made, number, 0


@final
class OnOffMachine:
    """Plays a simulated rig in real time and serves its readings and outputs.

    Any number of clients may read. The outputs are those of the newest client that writes, by the order of the
    connections: an older one that comes back to life is refused.

    The relay cuts the current of all valves if nothing was written for `relay_s`, or if a witness says so. It closes
    again when that is over and all outputs are off, so nothing moves because of it.
    """

    period = H

    def __init__(self, folder: Path, rig: SimulatedRig, *, relay_s: float | None = RELAY) -> None:
        """Begin to listen in a folder of mode 0700; nothing moves before `advance`.

        Args:
            folder: where clients find the machine
            rig: what is played, with its faults
            relay_s: time without a write after which the relay cuts the valves [s]; None if no relay is fitted
        """
        self.rig, self.relay_s = rig, relay_s
        self._path = meeting_point(folder, messages.SOCKET)
        self._listener = listening(self._path, MOST_CLIENTS)
        self._clients: list[_Client] = []
        self._count = self._writer = 0
        self._now: float | None = None
        self._origin = 0.0
        self._written_at = self._cut_until = -np.inf
        rig.powered = relay_s is None

    def advance(self, now: float) -> None:
        """Move on until a time [s], then answer what has come."""
        self._move(now)
        with suppress(BlockingIOError, ConnectionError):
            while True:
                self._welcome(self._listener.accept()[0])
        for client in tuple(self._clients):
            if not self._served(now, client):
                self._clients.remove(client)
                client.socket.close()

    def close(self) -> None:
        """Unplug it; a second call does nothing."""
        for client in self._clients:
            client.socket.close()
        self._clients.clear()
        if self._listener.fileno() >= 0:
            self._listener.close()
            self._path.unlink(missing_ok=True)

    @property
    def relay(self) -> Relay:
        """State of the relay."""
        if self.relay_s is None:
            return Relay(0)
        return Relay.FITTED if self.rig.powered else Relay.FITTED | Relay.OPEN

    def _move(self, now: float) -> None:
        """The rig runs; the relay opens on time even if steps are far apart."""
        if self._now is None:
            self._origin = now - self.rig.time
        else:
            self._origin += max(now - self._now - LONGEST_GAP, 0.0)
        self._now = now
        if self.relay_s is not None and self.rig.powered:
            opens_at = self._written_at + self.relay_s
            if opens_at < now:
                self.rig.advance(opens_at - self._origin)
                self.rig.powered = False
        self.rig.advance(now - self._origin)

    def _welcome(self, made: socket.socket) -> None:
        """A new client; with too many, the oldest that does not write has to go."""
        self._count += 1
        self._clients.append(_Client(made, self._count))
        if len(self._clients) > MOST_CLIENTS:
            oldest = next(client for client in self._clients if client.number != self._writer)
            self._clients.remove(oldest)
            oldest.socket.close()

    def _served(self, now: float, client: _Client) -> bool:
        """Do what a client asks; whether it is still there and speaks our language."""
        for _ in range(MOST_MESSAGES):
            try:
                data = client.socket.recv(messages.MOST_BYTES)
            except BlockingIOError:
                return True
            except ConnectionError:
                continue  # said once; what the client sent before it died is still there
            asked = messages.request(data)
            if asked is None:
                return False  # a farewell, or nonsense
            self._obey(now, client, asked)
        return True

    def _obey(self, now: float, client: _Client, asked: messages.Request) -> None:
        if asked.kind is Kind.READ:
            self._answer(now, client, asked.number)
        elif asked.kind is Kind.CUT:
            if self.relay_s is not None:
                self.rig.powered, self._cut_until = False, now + CUT_HELD
        elif client.number < self._writer:
            client.trouble = Code.SUPERSEDED
        else:
            self._writer = client.number
            try:
                if asked.kind is Kind.THROTTLE:
                    self.rig.throttle(asked.openings)
                else:
                    self.rig.write(asked.lines)
                    self._written(now, asked.lines)
            except AcquisitionError as error:
                client.trouble = error.code

    def _written(self, now: float, lines: Sequence[bool]) -> None:
        """The device has set its outputs, which feeds the relay and may close it."""
        self._written_at = now
        if now >= self._cut_until and not any(lines):
            self.rig.powered = True

    def _answer(self, now: float, client: _Client, number: int) -> None:
        code, client.trouble = client.trouble, 0
        volts = np.zeros(LEGS)
        try:
            volts = self.rig.read(now - self._origin)
        except AcquisitionError as error:
            code = error.code
        with suppress(OSError):  # who does not take its answers has none; who is gone is noticed when it is served
            client.socket.send(messages.answering(Answer(number, now, code, self.relay, volts)))


@final
class RemoteAcquisition:
    """Data acquisition whose device is an `OnOffMachine` in another process: `Acquisition`, `Throttles`, `CutsPower`.

    A reading waits for its answer, at most `wait`, and after a machine was silent only a moment. Writes wait for
    nothing; what was wrong with one is told by the next reading. A machine that comes back is connected again.

    Attributes:
        name: for people
        relay: state of the relay at the newest reading
    """

    def __init__(self, folder: Path, wait: float = WAIT) -> None:
        """Nothing is connected yet; the machine may come later.

        Args:
            folder: where the machine listens
            wait: longest time for an answer [s]
        """
        self._path, self._wait = meeting_point(folder, messages.SOCKET), wait
        self.name, self.relay = f"simulated rig at {self._path}", Relay(0)
        self._socket: socket.socket | None = None
        self._poll = select.poll()
        self._count = 0
        self._answered = True  # the last question
        self._wrote = self._closed = False

    def read(self, now: float) -> Array:
        """(6,) voltages at this time on the monotonic clock, or as soon after it as they come [V]."""
        deadline = monotonic() + (self._wait if self._answered else SHORT_WAIT)
        self._answered = False
        while True:
            self._count += 1
            self._send(messages.reading(self._count))
            answer = self._answer(deadline)
            self.relay = answer.relay
            if answer.measured_at >= now - OLD:
                break
            if monotonic() >= deadline:
                raise self._error(Code.OLD, f"its newest reading is {now - answer.measured_at:.3g} s old")
        self._answered = True
        if answer.code == Code.SUPERSEDED:
            raise self._error(answer.code, "another client has taken over its outputs")
        if answer.code:
            raise self._error(answer.code, f"its device fails with code {answer.code}")
        return answer.volts

    def write(self, lines: Sequence[bool]) -> None:
        """Set all outputs."""
        if len(lines) != LINES:
            raise AcquisitionError(f"{self.name}: {len(lines)} outputs were given, it has {LINES}")
        self._wrote = True
        self._send(messages.writing(lines))

    def throttle(self, openings: Array) -> None:
        """Set the flow-control valves."""
        self._wrote = True
        self._send(messages.throttling(openings))

    def cut(self) -> None:
        """Open the relay, by a connection of its own, so that a reading in progress does not hold it up."""
        made = self._connected()
        try:
            made.send(messages.cutting())
        except OSError as error:
            raise self._error(Code.GONE, reason_of(error)) from None
        finally:
            made.close()

    def close(self) -> None:
        """Set all outputs to 0 V, if this client has ever set any, and release the socket."""
        self._closed = True
        if self._socket is not None:
            with suppress(OSError):
                if self._wrote:
                    self._socket.send(messages.writing(SHUT))
            self._drop()

    def _send(self, data: bytes) -> None:
        """Send a request, to a new machine if there is one where the old one was."""
        if self._socket is None:
            self._socket = self._connected()
            self._poll.register(self._socket, select.POLLIN)
        try:
            self._socket.send(data)
        except BlockingIOError:
            raise self._error(Code.SILENT, "it takes no more requests") from None
        except OSError as error:
            self._drop()
            raise self._error(Code.GONE, reason_of(error)) from None

    def _answer(self, deadline: float) -> Answer:
        """The answer to the newest question; older ones are thrown away."""
        while self._socket is not None:
            left = max(deadline - monotonic(), 0.0)
            if not self._poll.poll(1e3 * left):
                raise self._error(Code.SILENT, "it does not answer")
            try:
                data = self._socket.recv(messages.MOST_BYTES)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                break
            answer = messages.answer(data)
            if answer is None:
                self._drop()
                raise self._error(Code.NONSENSE, "its answer cannot be read")
            if answer.number == self._count:
                return answer
        self._drop()
        raise self._error(Code.GONE, "it is gone")

    def _connected(self) -> socket.socket:
        """A new connection; the machine accepts it later."""
        if self._closed:
            raise self._error(Code.CLOSED, "closed")
        try:
            return connection(self._path)
        except OSError as error:
            raise self._error(Code.GONE, reason_of(error)) from None

    def _drop(self) -> None:
        if self._socket is not None:
            self._poll.unregister(self._socket)
            self._socket.close()
            self._socket = None

    def _error(self, code: int, reason: str) -> AcquisitionError:
        return AcquisitionError(f"{self.name}: {reason}", code)
