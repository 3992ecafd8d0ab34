"""Sockets of `motionbase host listen`, and the file that it writes."""

import errno
import math
import selectors
import socket
import struct
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, final

from motionbase.errors import UsageError
from motionbase.host.format import Format, Frame, Kind, Options
from motionbase.host.formats import FORMATS
from motionbase.host.heard import Heard
from motionbase.host.receiver import LARGEST, LOOPBACK, Network
from motionbase.host.url import Udp, source_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from motionbase.executive.host.sinks import Writes
    from motionbase.host.rest import Rest

AT_ONCE = 1000  # datagrams read between two looks at the clock: a flood does not stop the view
PICTURE_S, LINE_S, GUESS_S = 0.25, 1.0, 1.0
BUFFER = 1 << 20  # [bytes] of a socket
TIMESTAMPNS = 35  # option of Linux that `socket` does not name: the kernel tells when a datagram came
LONGEST_WAIT = 10.0  # [s] of a datagram for us; more is a clock that was set
TIMESPEC = struct.Struct("@ll")


@final
class Listener:
    """Listens at one port, or at all usual ones.

    Args:
        form: of the datagrams; None guesses it
        asked: options of the URL, as they stand there

    Attributes:
        heard: what came, by port
        taken: ports that another program has
        record: writes each sample of a vehicle
        written: how many samples
    """

    def __init__(
        self,
        address: str,
        ports: list[int],
        form: Format | None = None,
        options: Options | None = None,
        allowed: tuple[Network, ...] = LOOPBACK,
        asked: dict[str, str] | None = None,
    ) -> None:
        self.address, self.given, self._asked = address, form, asked or {}
        self.record: Writes | None = None
        self.written, self.taken = 0, list[int]()
        self._begun, self._stamp, self._t, self._at = False, 0.0, 0.0, 0.0
        self._sockets: dict[int, socket.socket] = {}
        self.heard: dict[int, Heard] = {}
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        for port in ports:
            opened = socket.socket(family, socket.SOCK_DGRAM)
            try:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
                if sys.platform == "linux":
                    opened.setsockopt(socket.SOL_SOCKET, TIMESTAMPNS, 1)
                opened.bind((address, port))
            except OSError as error:
                opened.close()
                if len(ports) > 1 and error.errno == errno.EADDRINUSE:
                    self.taken.append(port)
                    continue
                self.close()
                why = "another program listens there" if error.errno == errno.EADDRINUSE else error.strerror
                raise UsageError(f"cannot listen at {address}:{port}: {why}") from None
            opened.setblocking(False)
            self._sockets[port] = opened
            self.heard[port] = Heard(form, options, allowed)
        if not self._sockets:
            raise UsageError(f"other programs listen at all usual ports of {address}; give a URL with another port")

    @staticmethod
    def at(url: str | None) -> "Listener":
        """At the place that a URL names; at all usual ports of this machine without one.

        A format that is guessed has the options that vehicles have.
        """
        if url is None:
            return Listener("127.0.0.1", sorted({form.port for form in FORMATS.values()}))
        source = source_of(url, usual=replace(FORMATS["motionbase-vehicle"], name="(guessed)", options=None))
        if not isinstance(source, Udp):
            raise UsageError(f"{url!r}: only udp:// can be listened to; `motionbase cue` shows files")
        asked = dict(piece.partition("=")[::2] for piece in url.partition("?")[2].split("&") if piece)
        form = source.form if "format" in asked else None
        return Listener(source.address, [source.port], form, source.options, source.allowed, asked)

    def __enter__(self) -> "Listener":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the sockets."""
        for opened in self._sockets.values():
            opened.close()

    @property
    def port(self) -> int:
        """Where most arrives."""
        return max(self.heard, key=lambda port: self.heard[port].count)

    @property
    def main(self) -> Heard:
        """What most arrives of."""
        return self.heard[self.port]

    def listen(
        self,
        duration: float | None,
        from_first: float | None,
        line: "Callable[[Listener], str] | None" = None,
        picture: "Callable[[Listener], RenderableType] | None" = None,
    ) -> None:
        """Until Ctrl-C, or for a duration [s], or for some time from the first datagram [s]."""
        from rich.live import Live

        from motionbase.cli import terminal
        from motionbase.ring.gentle import stop_requested

        is_screen = sys.stdout.isatty() and picture is not None
        with stop_requested() as stop, selectors.DefaultSelector() as chosen:
            for port, opened in self._sockets.items():
                chosen.register(opened, selectors.EVENT_READ, port)
            begun = time.monotonic()
            end = math.inf if duration is None else begun + duration
            show_at, guess_at, every = begun + PICTURE_S, begun + GUESS_S, PICTURE_S if is_screen else LINE_S
            with Live(console=terminal.console(), auto_refresh=False, transient=True) as live:
                while not stop.is_set() and (now := time.monotonic()) < end:
                    for key, _ in chosen.select(max(0.0, min(show_at, end) - now)):
                        self._drain(key.data)
                    now = time.monotonic()
                    if from_first is not None and end == math.inf and self.main.count:
                        end = now + from_first
                    if now >= guess_at:
                        self._guess()
                        guess_at = now + GUESS_S
                    if now >= show_at:
                        show_at = now + every
                        if is_screen and picture is not None:
                            live.update(picture(self), refresh=True)
                        elif line is not None and self.main.count:
                            print(line(self), flush=True)
            self._guess()

    def _guess(self) -> None:
        for heard in self.heard.values():
            heard.guess()

    def _drain(self, port: int) -> None:
        heard, opened = self.heard[port], self._sockets[port]
        for _ in range(AT_ONCE):
            try:
                data, beside, _, sender = opened.recvmsg(LARGEST, 64)
            except (BlockingIOError, ConnectionError):
                return
            now = arrival(beside)
            frame = heard.take(data, sender, now)
            if frame is not None and self.record is not None and heard is self.main:
                self._keep(frame, now, heard)

    def _keep(self, frame: Frame, now: float, heard: Heard) -> None:
        """One sample into the file, by the host's time where it goes on steadily, else by its arrival."""
        if heard.form is None or heard.form.kind is not Kind.VEHICLE or self.record is None:
            return
        stamp = now if frame.stamp is None else frame.stamp
        if self._begun:
            step = stamp - self._stamp
            if not 0.0 < step < 1.0:
                step = now - self._at
            if step <= 0.0:
                return
            self._t += step
        self._begun, self._stamp, self._at = True, stamp, now
        self.record(self._t, frame.row)
        self.written += 1

    def url(self, verdict: "Rest | None" = None) -> str:
        """What `run --host` takes."""
        place = f"[{self.address}]" if ":" in self.address else self.address
        form = self.main.form
        if form is None:
            return f"udp://{place}:{self.port}"
        known = ("format", "from", "requests", *form.known_options)
        query = {"format": form.name} | {name: text for name, text in self._asked.items() if name in known}
        for name, text in (verdict.options if verdict is not None else {}).items():
            if name == "flip" and name in query:  # what was turned, and is wrong now, was right before
                both = query.pop(name).split(","), text.split(",")
                text = ",".join(one for k in (0, 1) for one in both[k] if one not in both[1 - k])
            query |= {name: text} if text else {}
        return f"udp://{place}:{self.port}?{'&'.join(map('='.join, query.items()))}"

    def sentences(self) -> list[str]:
        """What came, in words."""
        heard = self.main
        sizes = ", ".join(f"{size}" for size, _ in heard.sizes.most_common(4))
        senders = ", ".join(name for name, _ in heard.senders.most_common(3))
        place = f"from {senders} to {self.address}:{self.port}"
        found = [
            f"{heard.count} datagrams of {sizes} bytes at {heard.rate:.1f} Hz {place}",
            f"time between them varies by {1e3 * heard.jitter:.2f} ms; the longest gap was {heard.largest_gap:.3g} s",
        ]
        if heard.guesses:
            found += [f"format {g.form.name}: {g.score:.0%}, {g.why}" for g in heard.guesses[:3]]
        elif heard.form is None:
            found.append(f"no known format; the first bytes are {heard.latest[-1][:16].hex(' ')}")
        if heard.receiver is not None:
            names = ("good", "lost", "late", "duplicate", "malformed", "foreign")
            counts = (
                f"{n} {name}" for n, name in zip(heard.receiver.counts, names, strict=True) if n or name == "good"
            )
            found.append(f"read as {heard.receiver.form.name}: {', '.join(counts)}")
            if not any(heard.receiver.counts):
                found.append("they tell no motion: a menu, or something is not switched on, see docs/telemetry.md")
        return found


def arrival(beside: list[tuple[int, int, bytes]]) -> float:
    """When a datagram came, by the monotonic clock [s]: as the kernel says, since we may have been busy, else now.

    Args:
        beside: what came with it
    """
    now, waited = time.monotonic(), 0.0
    for level, kind, data in beside:
        if (level, kind, len(data)) == (socket.SOL_SOCKET, TIMESTAMPNS, TIMESPEC.size):
            seconds, nanoseconds = TIMESPEC.unpack(data)
            waited = time.time() - (seconds + 1e-9 * nanoseconds)
    return now - waited if 0.0 < waited < LONGEST_WAIT else now
