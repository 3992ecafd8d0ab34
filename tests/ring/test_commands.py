"""Operator commands: each is taken once or refused with a reason; an emergency stop is never lost."""

import math
import os
import struct
import subprocess
import sys
import threading
import time
import zlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.errors import CommandError, RingError
from motionbase.native.atomics import atomics
from motionbase.record.requests import ARGUMENTS, SENTENCE, Ack, Command, Kind, Reason, Result
from motionbase.ring.blocks.command import CRC, SLOT, SLOT_BYTES, decoded, encoded
from motionbase.ring.blocks.commands import SLOTS, SLOTS_AT, CommandReceiver, CommandSender
from motionbase.ring.blocks.seqlock import held
from motionbase.ring.command_words import ESTOP_AT, HEAD_AT, READY_AT
from motionbase.ring.writer import Writer
from tests.ring.rings import small_writer
from tests.tier import often

DRIVE = Command(Kind.DRIVE)


def receiver_of(ring: Writer) -> CommandReceiver:
    return CommandReceiver(ring.segment, ring.header.layout)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    kind = draw(st.sampled_from(Kind))
    if kind is Kind.LOOP:
        begin = draw(st.floats(0, 1e6))
        return Command(kind, (begin, begin + draw(st.floats(1.0, 1e6))))
    values = [
        float(draw(st.integers(int(a.low), int(a.high)))) if a.whole else draw(st.floats(a.low, a.high))
        for a in ARGUMENTS.get(kind, ())
    ]
    return Command(kind, tuple(values))


# ---- one command ----


@settings(max_examples=often(200), deadline=None)
@given(command=commands(), number=st.integers(1, 2**64 - 1), pid=st.integers(0, 2**31))
def test_round_trip(command: Command, number: int, pid: int) -> None:
    order = decoded(encoded(number, command, "console ✓", pid, 0), number, 10**18)
    assert (order.number, order.command, order.sender, order.pid) == (number, command, "console ✓", pid)


@settings(max_examples=often(300), deadline=None)
@given(raw=st.binary(min_size=SLOT_BYTES, max_size=SLOT_BYTES), sealed=st.booleans())
def test_random_bytes_are_refused_with_a_reason(raw: bytes, sealed: bool) -> None:
    """With and without a right checksum; a random number, kind and format cannot be right too."""
    if sealed:
        raw = (raw[: SLOT.size] + CRC.pack(zlib.crc32(raw[: SLOT.size]))).ljust(SLOT_BYTES, b"\0")
    order = decoded(raw, 77, 0)
    assert order.command is None
    assert order.refusal in ((Reason.BAD_FORMAT, Reason.BAD_NUMBER) if sealed else (Reason.BAD_CHECKSUM,))


def _slot(**change: Any) -> bytes:
    """A sealed slot with some of its numbers changed."""
    fields = {"number": 1, "kind": Kind.DRIVE, "form": 1, "a": 0.0, "b": 0.0, "deadline": 0, "pid": 1, "who": b"x"}
    raw = SLOT.pack(*{**fields, **change}.values())
    return (raw + CRC.pack(zlib.crc32(raw))).ljust(SLOT_BYTES, b"\0")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"number": 2}, Reason.BAD_NUMBER),
        ({"form": 2}, Reason.BAD_FORMAT),
        ({"kind": 99}, Reason.BAD_COMMAND),
        ({"a": 1.0}, Reason.BAD_COMMAND),
        ({"b": math.nan}, Reason.BAD_COMMAND),
        ({"kind": Kind.SEEK, "a": math.nan}, Reason.BAD_COMMAND),
        ({"kind": Kind.SPEED, "a": 1000.0}, Reason.BAD_COMMAND),
        ({"kind": Kind.LOOP, "a": 5.0, "b": 5.0}, Reason.BAD_COMMAND),
        ({"deadline": 999}, Reason.EXPIRED),
        ({"deadline": 1000}, Reason.NONE),
        ({"who": b"\xff\x1b[2J"}, Reason.NONE),
    ],
)
def test_sealed_slots_are_checked_number_by_number(change: dict[str, Any], reason: Reason) -> None:
    order = decoded(_slot(**change), 1, 1000)
    assert order.refusal is reason and (order.command is None) == (reason is not Reason.NONE)
    assert order.sender.isprintable()


@pytest.mark.parametrize(
    ("kind", "arguments", "sentence"),
    [
        (Kind.DRIVE, (1.0,), "command drive has 1 arguments, it takes 0: none"),
        (Kind.SEEK, (), "command seek has 0 arguments, it takes 1: time"),
        (Kind.SEEK, (-1.0,), "command seek: time is -1 s, it must be 0 to 1e"),
        (Kind.STEP, (0.5,), "command step: records is 0.5, it must be a whole number from"),
        (Kind.SPEED, (math.nan,), "factor is nan, it must be 0.01 to 100"),
        (Kind.SPEED, ("1",), "factor is '1', it must be a number"),
        (Kind.LOOP, (3.0, 2.0), "end is 2 s, it must be after begin, 3 s"),
        (4, (), "4 is not a command; commands: off, down"),
    ],
)
def test_errors_name_the_command_and_the_bounds(kind: Any, arguments: Any, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        Command(kind, arguments)


def test_every_reason_has_its_sentence() -> None:
    assert set(SENTENCE) == set(Reason)
    assert str(Ack(1, Result.REFUSED, Reason.EXPIRED)).startswith("it was taken after its deadline")


# ---- through the ring ----


def test_taken_in_order_and_answered() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        assert receiver.poll() is None and not receiver.estop
        numbers = [sender.send(c) for c in (Command(Kind.STANDBY), DRIVE, Command(Kind.SEEK, (1.5,)))]
        assert numbers == [1, 2, 3] and sender.wait(1, timeout=0.0) is None
        orders = [receiver.poll() for _ in numbers]
        assert [o.command and str(o.command) for o in orders if o] == ["standby", "drive", "seek 1.5"]
        assert all(o and o.pid == os.getpid() and o.sender == "a test" for o in orders)
        assert receiver.poll() is None
        assert orders[0] is not None and orders[1] is not None
        receiver.answer(orders[0], Result.ACCEPTED)
        receiver.answer(orders[1], Result.REFUSED, Reason.WRONG_STATE)
        assert sender.wait(1) == Ack(1, Result.ACCEPTED, Reason.NONE)
        refused = sender.wait(2)
        assert refused is not None and not refused.accepted and "present state" in str(refused)


def test_many_times_round_the_slots() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        for number in range(1, 4 * SLOTS):
            assert sender.send(DRIVE) == number
            order = receiver.poll()
            assert order is not None and order.number == number and order.command == DRIVE
            receiver.answer(order, Result.ACCEPTED)
            assert sender.wait(number) == Ack(number, Result.ACCEPTED, Reason.NONE)
        with pytest.raises(RingError, match="the answer to command 1 has been overwritten"):
            sender.wait(1)


def test_a_full_block_refuses_and_overwrites_nothing() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        for k in range(SLOTS):
            sender.send(Command(Kind.STEP, (float(k),)))
        with pytest.raises(RingError, match="has 16 commands waiting; its writer does not take them"):
            sender.send(DRIVE)
        taken = [receiver.poll() for _ in range(SLOTS)]
        assert [o.command.arguments[0] for o in taken if o and o.command] == list(range(SLOTS))


def test_request_waits_for_the_answer() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        stop = threading.Event()

        def tick() -> None:
            while not stop.wait(1e-3):
                if (order := receiver.poll()) is not None:
                    receiver.answer(order, Result.ACCEPTED)

        executive = threading.Thread(target=tick)
        executive.start()
        try:
            assert sender.request(DRIVE, timeout=10.0).accepted
        finally:
            stop.set()
            executive.join()


def test_a_command_nobody_took_in_time_is_not_acted_on_later() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        with pytest.raises(RingError, match="has not answered 'drive' within 0.01 s"):
            sender.request(DRIVE, timeout=0.01)
        order = receiver.poll()
        assert order is not None and order.command is None and order.refusal is Reason.EXPIRED
        assert sender.wait(1) == Ack(1, Result.REFUSED, Reason.EXPIRED)


def test_rings_that_take_no_commands_say_so() -> None:
    ring = small_writer()
    sender = CommandSender(sender="a test")
    with pytest.raises(RingError, match="takes no commands"):
        sender.send(DRIVE)
    receiver_of(ring)
    atomics().store_release(sender.map.address + READY_AT, 7)
    with pytest.raises(RingError, match="its commands have format 0x7, this program's"):
        sender.send(DRIVE)
    ring.close()
    with pytest.raises(RingError, match="its writer has stopped"):
        sender.send(DRIVE)
    with pytest.raises(RingError, match="no ring"):
        CommandSender("nothing", sender="a test")


@pytest.mark.parametrize("head", [SLOTS + 5, 2**63, 2**64 - 1])
def test_a_wild_head_is_reported_and_survived(head: int) -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        atomics().store_release(sender.map.address + HEAD_AT, head)
        order = receiver.poll()
        assert order is not None and order.command is None and order.refusal is Reason.BAD_NUMBER
        assert receiver.poll() is None
        taken = []
        for _ in range(2):
            number = sender.send(DRIVE)
            order = receiver.poll()
            assert order is not None and order.number == number
            taken.append(order.command)
        assert taken == [None if head == 2**64 - 1 else DRIVE, DRIVE]  # the number that wraps is refused, no more


def test_a_spoilt_slot_is_reported_and_the_next_taken() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        sender.send(DRIVE)
        sender.send(Command(Kind.FREEZE))
        sender.map.memory[SLOTS_AT + SLOT_BYTES + 8 : SLOTS_AT + SLOT_BYTES + 12] = struct.pack("<I", Kind.ABORT)
        first, second = receiver.poll(), receiver.poll()
        assert first is not None and first.refusal is Reason.BAD_CHECKSUM and first.command is None
        assert second is not None and second.command == Command(Kind.FREEZE)


# ---- emergency stop ----


def test_stop_needs_no_room_and_no_lock() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="red button")
        for _ in range(SLOTS):
            sender.send(DRIVE)
        with held(sender.map.lock_path):
            sender.estop()
        receiver.poll()
        assert (receiver.estop, sender.estop_acts) == (True, True)
        assert receiver.estop_by == ("red button", os.getpid())
        receiver.poll()
        assert (receiver.estop, sender.estop_acts) == (True, True)  # until it is released, however many ticks pass
        receiver.release_estop()
        assert (receiver.estop, sender.estop_acts) == (False, False)


def test_stop_at_the_instant_of_a_release_acts_on() -> None:
    with small_writer() as ring:
        receiver, sender = receiver_of(ring), CommandSender(sender="a test")
        sender.estop()
        receiver.poll()
        sender.estop()  # after the look, before the release
        receiver.release_estop()
        receiver.poll()
        assert receiver.estop and sender.estop_acts


def test_stop_reaches_the_writer_that_took_the_name() -> None:
    first = small_writer()
    sender = CommandSender(sender="a test")
    first.close(remove=False)
    with small_writer() as ring:
        receiver = receiver_of(ring)
        sender.estop()
        receiver.poll()
        assert receiver.estop
    with pytest.raises(RingError, match="its writer has stopped"):
        sender.estop()


CHILD = """
import sys
from motionbase.record.requests import Command, Kind
from motionbase.ring.blocks.commands import CommandSender
sender = CommandSender(sender='child')
for _ in range(500):
    sender._add_estop()
acks = [sender.request(Command(Kind.STEP, (float(k),)), timeout=30.0) for k in range(20)]
sys.exit(not all(a.accepted for a in acks))
"""


def test_two_senders_at_once() -> None:
    """Every stop is counted, every command has a number of its own, and each sender's come in its order."""
    with small_writer() as ring:
        receiver = receiver_of(ring)
        children = [subprocess.Popen([sys.executable, "-c", CHILD]) for _ in range(2)]
        try:
            taken, end = [], time.monotonic() + 60
            while any(c.poll() is None for c in children) and time.monotonic() < end:
                time.sleep(1e-3)
                if (order := receiver.poll()) is not None:
                    receiver.answer(order, Result.ACCEPTED)
                    taken.append(order)
        finally:
            for child in children:
                child.kill()
                child.wait(timeout=10)
        assert [c.returncode for c in children] == [0, 0]
        assert [o.number for o in taken] == list(range(1, 41))
        for child in children:
            steps = [o.command.arguments[0] for o in taken if o.command and o.pid == child.pid]
            assert steps == list(range(20))
        at = ring.header.layout.commands_at + ESTOP_AT
        assert struct.unpack_from("<Q", ring.segment.memory, at)[0] == 1000
