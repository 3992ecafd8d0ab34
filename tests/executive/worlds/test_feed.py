"""The host's process of a world, without a base: rows for the loop and the record, hands, kills, files of strangers."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.executive.exchange import HOST, Exchange
from motionbase.executive.host.process import command, feed_of
from motionbase.executive.host.rows import FRAME_AT, TOLD, blocks_of
from motionbase.executive.host.source import host_source, told_by
from motionbase.executive.worlds.link import WorldLink
from motionbase.host.format import Kind
from motionbase.record.cueing import cued_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.record.world import GAMEPAD, SCRIPT, WORLD, Hand, worldly_schema
from motionbase.ring import names
from motionbase.ring.backend import find
from motionbase.ring.hand import BLOCK_AT, HandWriter, hand_path
from motionbase.worlds.boat.channels import CHANNELS
from tests.ring.ring_processes import PATIENCE_S, environment, until

URL = "boat://seed?script=circle"
HAND_AT = 1 + [channel.name for channel in WORLD].index("world_hand")


class Base:
    """The loop's side, by hand."""

    def __init__(self, stack: ExitStack) -> None:
        backend = find("rig")
        self.world = WorldLink.made(backend, CHANNELS, stack)
        self.host = stack.enter_context(Exchange.made(backend, blocks_of(Kind.VEHICLE), names.HOST))
        self._takes = [self.host.answers.taking(), self.world.exchange.answers.taking()]
        self._tell = self.host.states.sending()
        self.tell(State.STANDBY)

    def tell(self, state: State) -> None:
        self.host.states.row[:] = [1, 0.0, *(0.0,) * (TOLD - 4), state, 0, 0, 1]
        self._tell()

    def look(self) -> tuple[np.ndarray, np.ndarray]:
        """The newest rows: for the loop, and for the record."""
        for take in self._takes:
            take()
        return self.host.answers.row, self.world.exchange.answers.row


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Base]:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    with ExitStack() as stack:
        yield Base(stack)


@contextmanager
def serving(base: Base) -> Iterator[None]:
    """The feed in a thread, until the base ends."""
    feed = feed_of(host_source(URL), "rig", "simona")
    exchange = Exchange.attached(find("rig"), names.HOST, (HOST,))
    assert exchange is not None
    with feed, exchange:
        thread = threading.Thread(target=feed.serve, args=(exchange,))
        thread.start()
        try:
            yield
        finally:
            base.host.close()
            thread.join(PATIENCE_S)
            assert not thread.is_alive()


def test_a_world_waits_for_drive_then_moves_and_a_hand_takes_over(base: Base) -> None:
    with serving(base):
        until(lambda: base.look()[0][1] > 20, "frames")
        loop, record = base.look()
        assert record[1] == 0.0 and record[HAND_AT] == SCRIPT  # at its begin
        np.testing.assert_allclose(np.linalg.norm(loop[1 + FRAME_AT : 4 + FRAME_AT]), 9.80665)
        base.tell(State.DRIVE)
        until(lambda: base.look()[1][1] > 1.0, "a second of the world")
        loop, record = base.look()
        assert record[2] != 0.0 and np.isfinite(record).all() and loop[0] > 200
        assert abs(record[5:9] @ record[5:9] - 1) < 1e-9
        writer = HandWriter.attached(find("rig"))
        assert writer is not None

        def is_steering() -> bool:
            writer.write(Hand(GAMEPAD, (-1.0, -1.0, *(0.0,) * 6)))
            return bool(base.look()[1][HAND_AT] == GAMEPAD)

        with writer:
            until(is_steering, "the gamepad")
        until(lambda: base.look()[1][HAND_AT] == SCRIPT, "the script, as the program has ended")


def test_hostile_hands_cost_nothing(base: Base) -> None:
    random = np.random.default_rng(4)
    base.tell(State.DRIVE)
    with serving(base):
        until(lambda: base.look()[1][1] > 0.1, "the world")
        with hand_path(find("rig")).open("r+b", buffering=0) as file:
            for k in range(300):
                rows = random.choice([np.nan, np.inf, -1e300, 1e18, 2.0, 3.0, 0.5, 7.0], 12)
                file.seek(BLOCK_AT)
                file.write(np.array([2 * k + k % 2], "<u8").tobytes() + bytes(56) + rows.astype("<f8").tobytes())
        os.truncate(hand_path(find("rig")), 10)
        before = base.look()[1][1]
        until(lambda: base.look()[1][1] > before + 0.2, "the world, which goes on")
        assert np.isfinite(base.look()[0]).all() and np.isfinite(base.look()[1]).all()


def test_a_file_of_hands_that_is_none_is_told_and_costs_nothing(base: Base, capfd: pytest.CaptureFixture[str]) -> None:
    hand_path(find("rig")).write_bytes(b"MBSX")
    with serving(base):
        until(lambda: base.look()[0][1] > 20, "frames")
    assert "devices of the page are ignored: " in capfd.readouterr().err


def test_a_base_without_its_world_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    with Exchange.made(find("rig"), blocks_of(Kind.VEHICLE), names.HOST) as exchange:
        feed = feed_of(host_source(URL), "rig", "simona")
        with feed, pytest.raises(UsageError, match="has no world in its record; it needs --host boat://seed"):
            feed.serve(exchange)
        with ExitStack() as stack:
            WorldLink.made(find("rig"), (), stack)
            count = 12 + len(CHANNELS)
            with feed, pytest.raises(UsageError, match=rf"has another world, of 12 numbers, not {count}\b"):
                feed.serve(exchange)


def test_the_channels_of_the_record_are_those_of_the_row(base: Base) -> None:
    schema = worldly_schema(cued_schema(hexapod_schema()), CHANNELS)
    base.world.exchange.answers.row[:] = np.arange(-1.0, len(WORLD) + len(CHANNELS))
    found = base.world.channels
    numbers = [x for name in schema.index if name in found for x in found[name]]
    assert numbers == list(range(len(WORLD) + len(CHANNELS)))
    for name, array in found.items():
        place = schema.place(name)
        assert len({c.group for c in schema.channels[place : place + len(array)]}) == 1


def test_a_killed_process_is_silence_and_its_successor_begins_again(base: Base, tmp_path: Path) -> None:
    """As a supervisor restarts it: the loop's rows stand still meanwhile, and go on from the world's begin."""
    base.tell(State.DRIVE)

    def started() -> subprocess.Popen[bytes]:
        return subprocess.Popen(command(URL, "rig", "simona"), env=environment(tmp_path), stdout=subprocess.DEVNULL)

    for _ in range(2):
        process = started()
        try:
            until(lambda: base.look()[1][1] > 0.2, "the world")
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
        count = base.look()[0][0]
        assert base.look()[0][0] == count and count > 30
        base.look()[1][:] = 0.0


def test_worlds_tell_the_motion_of_a_vehicle() -> None:
    assert told_by(host_source("boat")) is Kind.VEHICLE and told_by(host_source(URL)) is Kind.VEHICLE
    with pytest.raises(UsageError, match="no vessel 'sed'"):
        host_source("boat://sed")
