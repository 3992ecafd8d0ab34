"""The stop path under fault: writers that come again in every way, and clients that spoil the command block."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

from motionbase.errors import RingError
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.requests import Command, Kind, Reason, Result
from motionbase.ring import catalogue
from motionbase.ring.blocks.commands import CommandReceiver, CommandSender
from motionbase.ring.blocks.generators import GeneratorClient
from motionbase.ring.command_words import ACK_AT, READY_AT
from motionbase.ring.layout import Status
from motionbase.ring.lock import FileLock
from motionbase.ring.writer import Writer
from tests.ring.rings import numbered, small_schema, small_writer

DRIVE = Command(Kind.DRIVE)


def receiver_of(ring: Writer) -> CommandReceiver:
    return CommandReceiver(ring.segment, ring.header.layout)


def acts(sender: CommandSender) -> bool:
    return sender.estop_acts


def as_killed(writer: Writer) -> None:
    """As SIGKILL leaves it: the lock is free, the ring says that it runs."""
    assert writer._lock is not None
    writer._lock.release()


def removed_in_order(writer: Writer) -> None:
    writer.close()


def kept_in_order(writer: Writer) -> None:
    writer.close(remove=False)


def killed_and_cleaned(writer: Writer) -> None:
    as_killed(writer)
    assert catalogue.clean(("motionbase",), force=True)[0].removed


@pytest.mark.parametrize("end", [removed_in_order, kept_in_order, as_killed, killed_and_cleaned])
def test_a_stop_reaches_a_writer_that_came_again(end: Callable[[Writer], None]) -> None:
    first = small_writer()
    first.write(numbered(0, 3))
    receiver_of(first)
    console, generators = CommandSender(sender="console"), GeneratorClient(author="console")
    end(first)
    with small_writer() as second:
        receiver = receiver_of(second)
        assert not acts(console)  # it looks at the ring that has the name now
        with pytest.raises(RingError, match="another writer has taken the name; attach again"):
            generators.write(GeneratorSet())
        console.estop()
        receiver.poll()
        assert receiver.estop and acts(console) and receiver.estop_by == ("console", os.getpid())
    with pytest.raises(RingError, match="its writer has stopped"):
        console.estop()


def test_a_stop_between_two_writers_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the new writer holds the lock, but before the name leads to its ring, it takes the stop over."""
    first = small_writer()
    receiver_of(first)
    console = CommandSender(sender="console")
    as_killed(first)
    rename = os.rename

    def pressed_before(*paths: str) -> None:
        with pytest.raises(RingError, match="another writer has taken the name"):
            console.estop()
        rename(*paths)

    monkeypatch.setattr("motionbase.ring.segment.os.rename", pressed_before)
    with small_writer() as second:
        receiver = receiver_of(second)
        receiver.poll()
        assert receiver.estop
    assert first.segment.status is Status.RETIRED


def test_a_ring_whose_file_was_removed_still_takes_a_stop() -> None:
    """Its writer has the memory as before, and says itself that it lives."""
    with small_writer() as ring:
        receiver = receiver_of(ring)
        console = CommandSender(sender="console")
        ring.backend.path.unlink()
        console.estop()
        receiver.poll()
        assert receiver.estop


def test_a_ring_whose_file_and_writer_are_gone_takes_nothing() -> None:
    """Another writer may hold the lock already, and not have made its ring yet."""
    ring = small_writer()
    receiver_of(ring)
    console = CommandSender(sender="console")
    ring.backend.path.unlink()
    as_killed(ring)
    with FileLock(ring.backend.lock_path) as lock:
        assert lock.take()
        with pytest.raises(RingError, match="its file was removed"):
            console.estop()
    with pytest.raises(RingError, match="its writer has died"):
        console.estop()


KILLED = """
import os, signal
from motionbase.ring.blocks.commands import CommandReceiver
from tests.ring.rings import small_writer
ring = small_writer()
CommandReceiver(ring.segment, ring.header.layout)
ring.publish()
print("ready", flush=True)
signal.pause()
"""


def test_a_stop_after_a_real_kill() -> None:
    process = subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        console = CommandSender(sender="console")
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    with pytest.raises(RingError, match="its writer has died"):
        console.estop()
    with Writer(small_schema(), capacity=16) as ring:
        receiver = receiver_of(ring)
        console.estop()
        receiver.poll()
        assert receiver.estop


# ---- a spoilt block ----


def answered(receiver: CommandReceiver, sender: CommandSender, times: int) -> None:
    for _ in range(times):
        number = sender.send(DRIVE)
        order = receiver.poll()
        assert order is not None and order.command == DRIVE
        receiver.answer(order, Result.ACCEPTED)
        ack = sender.wait(number)
        assert ack is not None and ack.accepted


def test_a_wiped_block_does_not_take_back_a_stop() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        answered(receiver, sender, 20)
        sender.estop()
        receiver.poll()
        sender.map.memory[:] = bytes(len(sender.map.memory))
        order = receiver.poll()
        assert order is not None and (order.command, order.refusal) == (None, Reason.SPOILT)
        for _ in range(3):
            receiver.poll()
            assert receiver.estop and sender.estop_acts
        receiver.release_estop()
        receiver.poll()
        assert not receiver.estop and not sender.estop_acts
        answered(receiver, sender, 20)


@pytest.mark.parametrize("word", [READY_AT, ACK_AT])
@pytest.mark.parametrize("value", [0, 2**63])
def test_a_spoilt_word_of_the_receiver_is_repaired_and_reported(word: int, value: int) -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        answered(receiver, sender, 20)
        sender.map.memory[word : word + 8] = value.to_bytes(8, "little")
        order = receiver.poll()
        assert order is not None and (order.number, order.refusal) == (20, Reason.SPOILT) and not receiver.estop
        assert receiver.poll() is None
        answered(receiver, sender, 20)
