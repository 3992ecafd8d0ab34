"""The protocol under random interleavings of one writer, its deaths and restarts, and readers that come and go."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from motionbase.ring.backend import AbstractBackend, Device, Emulation
from motionbase.ring.layout import CLAIM, HEAD
from motionbase.ring.reader import LOOK_AGAIN_S, Reader, ReaderState
from motionbase.ring.writer import Writer
from tests.ring.rings import numbered, small_schema
from tests.tier import often

CAPACITY = 32


class Follower:
    """A reader and what it has been given."""

    def __init__(self, backend: AbstractBackend, start: str, batch: int) -> None:
        self.reader = Reader(start=start, batch=batch, backend=backend)  # type: ignore[arg-type]
        self.next = self.reader.tail  # number of the record that must come next


class Protocol(RuleBasedStateMachine):
    """Record i of generation g has i + g / 1024 in every word, so a mixture of any two is seen."""

    in_place = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        path = Path(self.folder) / "device"
        path.write_bytes(bytes(200_000))
        self.backend: AbstractBackend = Device(path, 200_000) if self.in_place else _Elsewhere(self.folder)
        self.generation, self.published = 0, 0
        self.writer = self.new_writer()
        self.followers: list[Follower] = []

    def new_writer(self) -> Writer:
        self.generation, self.published = self.generation + 1, 0
        return Writer(small_schema(), capacity=CAPACITY, backend=self.backend)

    def rows(self, first: int, count: int) -> np.ndarray:
        return numbered(first, count, salt=self.generation / 1024)

    @rule(count=st.integers(1, 3 * CAPACITY))
    def write(self, count: int) -> None:
        self.writer.write(self.rows(self.published, count))
        self.published += count

    @rule(start=st.sampled_from(["head", "oldest"]), batch=st.integers(1, 50))
    def join(self, start: str, batch: int) -> None:
        if len(self.followers) < 4:
            follower = Follower(self.backend, start, batch)
            oldest = max(0, self.writer.segment.counter(CLAIM) - CAPACITY)
            assert follower.next == (self.published if start == "head" else oldest)
            self.followers.append(follower)

    @precondition(lambda self: self.followers)
    @rule(which=st.integers(0, 3), times=st.integers(1, 4))
    def read(self, which: int, times: int) -> None:
        follower = self.followers[which % len(self.followers)]
        for _ in range(times):
            self.take(follower)

    def take(self, follower: Follower) -> None:
        reader = follower.reader
        reader._looked -= LOOK_AGAIN_S  # as if time had passed since it last looked at the file system
        batch = reader.read()
        if batch.state is ReaderState.RESTARTED:
            follower.next = 0
            assert reader.header.epoch == self.writer.header.epoch
        salt = np.unique(batch.rows % 1) * 1024
        assert len(salt) <= 1, "records of two writers in one batch"
        if len(batch.rows):
            assert batch.first == follower.next + batch.lost
            wanted = numbered(batch.first, len(batch.rows), salt=float(salt[0]) / 1024)
            np.testing.assert_array_equal(batch.rows, wanted)
        follower.next += batch.lost + len(batch.rows)

    @rule(half=st.booleans())
    def die(self, half: bool) -> None:
        """Killed, perhaps in the middle of a record; then another writer starts."""
        segment, layout = self.writer.segment, self.writer.header.layout
        if half:
            head = segment.counter(HEAD)
            segment.set_counter(CLAIM, head + 1)
            at = layout.records_at + head % CAPACITY * layout.schema.record_bytes
            segment.memory[at : at + 16] = np.full(2, -1.0).tobytes()
        assert self.writer._lock is not None
        self.writer._lock.release()  # what the system does
        if half:
            for follower in self.followers:  # readers meet the half-written record before the new writer is there
                self.take(follower)
        self.writer._lock = None
        self.writer = self.new_writer()

    @rule()
    def stop(self) -> None:
        """An end in good order, and a new start."""
        self.writer.close()
        self.writer = self.new_writer()

    @invariant()
    def nobody_is_ahead(self) -> None:
        assert self.writer.head == self.published

    def teardown(self) -> None:
        for follower in self.followers:
            for _ in range(200):
                before = follower.next
                self.take(follower)
                if follower.next == before and follower.reader.behind == 0:
                    break
            if follower.reader._header is not None and follower.reader.header.epoch == self.writer.header.epoch:
                assert follower.next == self.published  # every record was given or counted as lost
        self.writer.close()
        shutil.rmtree(self.folder)


class InPlace(Protocol):
    """The same on a device, where every writer uses the same memory again."""

    in_place = True


class _Elsewhere(AbstractBackend):
    """Shared memory in a folder of its own."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / Emulation("test").path.name

    @property
    def path(self) -> Path:
        return self._path

    @property
    def kind(self) -> str:
        return "a file"

    @property
    def lock_path(self) -> Path:
        return self._path.with_suffix(".lock")


QUICK = settings(max_examples=often(40), stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck))
TestProtocol = Protocol.TestCase
TestProtocol.settings = QUICK
TestInPlace = InPlace.TestCase
TestInPlace.settings = QUICK
