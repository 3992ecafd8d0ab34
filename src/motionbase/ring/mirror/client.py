"""Client of a mirror: writes the records that a server sends into a ring of this machine, and counts missing ones."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from motionbase.errors import MirrorError
from motionbase.ring.backend import Emulation
from motionbase.ring.layout import DEFAULT_BYTES
from motionbase.ring.mirror.frames import Begin, Hello, Kind, Records, Ring, State, read_frame, sentence_of
from motionbase.ring.mirror.link import Receiver, Stopped
from motionbase.ring.reader import ReaderState
from motionbase.ring.writer import Writer

CONNECT_S, SILENCE_S = 5.0, 5.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.25, 5.0
LARGEST_NUMBER = 1 << 63


@final
@dataclass(frozen=True)
class Gap:
    """Records of the source missing in the mirror: `count` of them from number `first` on."""

    first: int
    count: int
    why: str


@final
@dataclass
class Run:
    """The copied part of one run of the source's writer.

    The copy is numbered without gaps: its record 0 is the source's record `first`, and it has `received` records.
    """

    ring: Ring
    received: int = 0
    gaps: list[Gap] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """Exact number of records between the first and the newest that never arrived."""
        return sum(gap.count for gap in self.gaps)

    @property
    def next(self) -> int:
        """The source's number of the next record."""
        return self.ring.first + self.received + self.missing


@final
class Mirror:
    """Copies a ring until it is stopped; reconnects with growing pauses when the connection is lost.

    The copy is always in shared memory, never on a device: a mirror must not write to hardware.

    Args:
        name: of the ring to write
        begin: at the source's head, or at the oldest record that it still has; later connections resume
        capacity: records; the default is the source's, 64 MB at most
        say: called with a sentence on every event
    """

    def __init__(
        self,
        host: str,
        port: int,
        name: str,
        *,
        begin: Begin = Begin.HEAD,
        capacity: int | None = None,
        say: Callable[[str], None],
    ) -> None:
        self.host, self.port, self.name = host, port, name
        self.backend = Emulation(name)
        self.connections, self.runs = 0, list[Run]()
        self.source: ReaderState | None = None  # last state of the writer from the server; None while not connected
        self.source_head = 0
        self._begin, self._capacity, self._say = begin, capacity, say
        self._writer: Writer | None = None
        self._resumed = False  # True from a new connection until its first records

    @property
    def received(self) -> int:
        """Number of records over all runs."""
        return sum(run.received for run in self.runs)

    @property
    def missing(self) -> int:
        """Number of records over all runs."""
        return sum(run.missing for run in self.runs)

    def run(self, stop: threading.Event) -> None:
        """Connect, copy and reconnect until `stop`; then close the ring."""
        pause, said = FIRST_PAUSE_S, ""
        try:
            while not stop.is_set():
                before = self.connections
                try:
                    with socket.create_connection((self.host, self.port), timeout=CONNECT_S) as link:
                        self._follow(link, stop)
                except Stopped:
                    break
                except (OSError, MirrorError) as error:
                    what = str(error) if isinstance(error, MirrorError) else f"{error.strerror or error}"
                    if what != said:  # once, not at every attempt
                        self._say(f"{self.host}:{self.port}: {what}; trying again")
                    said = what
                self.source = None
                if self.connections > before:
                    pause, said = FIRST_PAUSE_S, ""
                stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)
        finally:
            self.source = None
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _follow(self, link: socket.socket, stop: threading.Event) -> None:
        """Serve one connection until it ends."""
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        run = self.runs[-1] if self.runs else None
        hello = Hello(Begin.RESUME, run.ring.epoch, run.next) if run else Hello(self._begin)
        link.sendall(hello.encoded())
        receive, known = Receiver(link, stop, SILENCE_S), False
        self._resumed = run is not None
        while True:
            frame = read_frame(receive)
            if frame.kind is Kind.RING:
                self._begin_run(Ring.decoded(frame.payload))
                known = True
            elif frame.kind is Kind.RECORDS and known:
                run = self.runs[-1]
                self._copy(run, Records.decoded(frame.payload, len(run.ring.layout.schema.channels)))
            elif frame.kind is Kind.STATE:
                self._hear(State.decoded(frame.payload))
            elif frame.kind is Kind.REFUSED:
                raise MirrorError(f"the server refused: {sentence_of(frame.payload)}")
            else:
                raise MirrorError(f"a frame {frame.kind.name} came where none is expected")

    def _begin_run(self, ring: Ring) -> None:
        last = self.runs[-1] if self.runs else None
        if ring.first >= LARGEST_NUMBER:
            raise MirrorError(f"the server begins with record {ring.first}, which is beyond any count")
        if last is not None and ring.epoch == last.ring.epoch:
            if ring.first != last.next or ring.layout.schema.hash != last.ring.layout.schema.hash:
                raise MirrorError(
                    f"record {last.next} was asked for, the server goes on with {ring.first} of another kind"
                )
            return
        if self._writer is not None:
            self._writer.close()
            self._writer = None
            unseen = "; how many records are missing at the end of its last run is unknown" if self._resumed else ""
            self._say(f"the writer was restarted{unseen}")
        layout = ring.layout
        most = max(2, DEFAULT_BYTES // layout.schema.record_bytes)
        self._writer = Writer(
            layout.schema,
            name=self.name,
            dt=layout.dt,
            every=layout.every,
            capacity=self._capacity or min(layout.capacity, most),
            platform=layout.platform,
            world=layout.world,
            program=f"mirror of {self.host}:{self.port}",
            utc_ns=ring.utc_ns,
            backend=self.backend,
        )
        self.runs.append(Run(ring))
        if self._writer.replaced:
            self._say(self._writer.replaced)
        self._say(f"copying {ring.writer!r} from record {ring.first} on: {len(layout.schema.channels)} channels")

    def _copy(self, run: Run, records: Records) -> None:
        assert self._writer is not None
        if records.first != run.next + records.lost or records.first + len(records.rows) >= LARGEST_NUMBER:
            raise MirrorError(
                f"the server's numbers do not add up: {records.lost} lost before record {records.first}, "
                f"{run.next} was expected"
            )
        if records.lost:
            why = "while not connected" if self._resumed else "the connection is too slow"
            run.gaps.append(Gap(run.next, records.lost, why))
            self._say(f"{records.lost} records are missing from number {run.gaps[-1].first} on: {why}")
        if len(records.rows):
            self._writer.write(records.rows)
        run.received += len(records.rows)
        self._resumed = False

    def _hear(self, state: State) -> None:
        if self.source is None:
            self.connections += 1
        if state.state is not self.source:
            self._say(f"the writer: {state.state.value}")
        self.source, self.source_head = state.state, state.head
        if self._writer is not None and state.state in (ReaderState.LIVE, ReaderState.WAITING):
            self._writer.beat()  # the writer lives but pauses; without this, readers would see it as stopped
