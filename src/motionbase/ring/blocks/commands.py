"""The operator-command block: sixteen numbered slots with answers, and a latch for the emergency stop.

    0      ready      the receiver's word: MBCM and the format, 0 while nobody takes commands
    64     head       number of the newest command, written by clients under their lock
    128    estop      emergency stops asked for, counted up by anybody without a lock
    192    ack        number of the last command answered, written by the receiver
    256    estop_ack  emergency stops released, written by the receiver
    320    by         process and name of who asked for the last emergency stop, for people
    512    slots      16 x 128 bytes
    2560   answers    16 words: number << 16 | result << 8 | reason

The stop acts while `estop` is not `estop_ack`. A release stores the count that was seen, so one more request at the
same instant still differs: it cannot be lost, needs no slot and waits for no lock. The receiver keeps what it has seen
in memory of its own: a client that spoils the page can neither take back a stop nor keep commands out.
"""

from __future__ import annotations

import ctypes
import os
import time
from contextlib import suppress
from typing import final

from motionbase.errors import CommandError, RingError
from motionbase.native.atomics import atomics
from motionbase.record.requests import Ack, Command, Reason, Result
from motionbase.ring.backend import DEFAULT_NAME, AbstractBackend, Device
from motionbase.ring.blocks.command import SLOT_BYTES, Order, decoded, encoded
from motionbase.ring.blocks.mapping import RENAMES, BlockMap, Section
from motionbase.ring.blocks.native_blocks import LookPort, block_native
from motionbase.ring.blocks.seqlock import held
from motionbase.ring.command_words import (
    ACK_AT,
    BY_AT,
    ESTOP_ACK_AT,
    ESTOP_AT,
    HEAD_AT,
    READY_AT,
    READY_WORD,
    SENDER_BYTES,
    WHO,
    printable,
    signature,
)
from motionbase.ring.layout import COMMAND_BYTES, Layout
from motionbase.ring.segment import Segment

SLOTS_AT, SLOTS, ANSWERS_AT = 512, 16, 2560
NUMBER_MASK = (1 << 48) - 1  # of a command's number, in its answer
TIMEOUT_S = 1.0


@final
class CommandReceiver:
    """The side of the ring's writer: polled each tick, one command at a time, nothing but five loads if there is none.

    Args:
        segment: the ring, mapped for writing
    """

    def __init__(self, segment: Segment, layout: Layout) -> None:
        self._at = segment.address + layout.commands_at
        self._memory = segment.memory[layout.commands_at : layout.commands_at + COMMAND_BYTES]
        self._port = LookPort(self._at)
        self._look, self._argument = block_native().look, ctypes.addressof(self._port)
        self._taken = self._answered = _load(self._at + ACK_AT)
        self._estop_ack, self._stops = _load(self._at + ESTOP_ACK_AT), False
        atomics().store_release(self._at + READY_AT, READY_WORD)

    def poll(self) -> Order | None:
        """The next command, if there is one; `estop` is up to date afterwards.

        What is not a command is answered here, and returned so that it can be reported, with `command` None. That a
        client had spoilt the receiver's own words is reported likewise, with the number of the last command taken.
        """
        self.look()
        port = self._port
        if port.ready != READY_WORD or port.ack != self._answered or port.estop_ack != self._estop_ack:
            self._repair()
            return Order(self._taken, None, Reason.SPOILT)
        head = port.head
        if head == self._taken:
            return None
        if not 0 < head - self._taken <= SLOTS:  # no client leaves such a head: begin anew behind it
            order = Order(head, None, Reason.BAD_NUMBER)
        else:
            number = self._taken + 1
            at = SLOTS_AT + number % SLOTS * SLOT_BYTES
            order = decoded(bytes(self._memory[at : at + SLOT_BYTES]), number, time.monotonic_ns())
        self._taken = order.number
        if order.command is None:
            self.answer(order, Result.REFUSED, order.refusal)
        return order

    def look(self) -> None:
        """Only whether an emergency stop acts; commands wait."""
        self._look(self._argument)
        if self._port.estop != self._estop_ack:
            self._stops = True

    def answer(self, order: Order, result: Result, reason: Reason = Reason.NONE) -> None:
        """Tell the sender what became of its command."""
        word = (order.number & NUMBER_MASK) << 16 | result << 8 | reason
        atomics().store_release(self._at + ANSWERS_AT + 8 * (order.number % SLOTS), word)
        atomics().store_release(self._at + ACK_AT, order.number)
        self._answered = order.number

    def _repair(self) -> None:
        """The words of the receiver, from its own copies; a stop that acts is put back where clients look for it."""
        for at, word in ((READY_AT, READY_WORD), (ACK_AT, self._answered), (ESTOP_ACK_AT, self._estop_ack)):
            atomics().store_release(self._at + at, word)
        if self._stops and self._port.estop == self._estop_ack:
            atomics().add(self._at + ESTOP_AT, 1)

    @property
    def estop(self) -> bool:
        """Whether an emergency stop acts, as of the last poll: from the first that saw it until it is released."""
        return self._stops

    def release_estop(self) -> None:
        """End the stops seen by the last poll; one that was asked for since acts on."""
        self._estop_ack, self._stops = self._port.estop, False
        atomics().store_release(self._at + ESTOP_ACK_AT, self._estop_ack)

    @property
    def estop_by(self) -> tuple[str, int]:
        """Name and process of who asked for the last emergency stop; best effort, two at once may mix."""
        pid, name = WHO.unpack_from(self._memory, BY_AT)
        return printable(name.rstrip(b"\0").decode(errors="replace")), pid


@final
class CommandSender:
    """A client that asks: console, command line, host."""

    def __init__(self, name: str = DEFAULT_NAME, *, sender: str, backend: AbstractBackend | None = None) -> None:
        if not sender.isprintable() or len(sender.encode(errors="replace")) > SENDER_BYTES:
            raise CommandError(f"sender is {sender!r:.80}, it must be printable text of at most {SENDER_BYTES} bytes")
        self._sender, self._name, self._backend = sender, name, backend
        self._attach()

    def _attach(self) -> None:
        self.map = BlockMap(Section.COMMANDS, self._name, self._backend)
        self._at = self.map.address

    @property
    def _where(self) -> str:
        return f"ring {self.map.name!r} ({self.map.backend})"

    def _require_receiver(self) -> None:
        self.map.require_writer()
        ready = _load(self._at + READY_AT)
        if ready == 0:
            raise RingError(f"{self._where} takes no commands")
        if ready != READY_WORD:
            raise RingError(f"{self._where}: its commands have format {ready:#x}, this program's {READY_WORD:#x}")

    def send(self, command: Command, valid: float = TIMEOUT_S) -> int:
        """Put a command into the ring; returns its number. One not taken within `valid` [s] will not be acted on."""
        if not 0 < valid <= 3600:
            raise CommandError(f"command {command}: valid is {valid!r} s, it must be above 0 and at most 3600")
        self._require_receiver()
        with held(self.map.lock_path, self.map.mode):
            head, ack = _load(self._at + HEAD_AT), _load(self._at + ACK_AT)
            if head - ack >= SLOTS:
                raise RingError(f"{self._where} has {head - ack} commands waiting; its writer does not take them")
            number = (head + 1) % 2**64  # in a block that was spoilt the head may be anything
            # another machine's clock is not ours
            shared_clock = not isinstance(self.map.backend, Device)
            deadline = time.monotonic_ns() + int(valid * 1e9) if shared_clock else 0
            at = SLOTS_AT + number % SLOTS * SLOT_BYTES
            self.map.memory[at : at + SLOT_BYTES] = encoded(number, command, self._sender, os.getpid(), deadline)
            atomics().store_release(self._at + HEAD_AT, number)
        return number

    def wait(self, number: int, timeout: float = TIMEOUT_S) -> Ack | None:
        """The answer to a command; None when none has come within `timeout` [s]."""
        end, pause = time.monotonic() + timeout, 1e-4
        while True:
            word = _load(self._at + ANSWERS_AT + 8 * (number % SLOTS))
            if word >> 16 == number & NUMBER_MASK:
                return _ack(number, word)
            if word >> 16 > number & NUMBER_MASK:
                raise RingError(f"the answer to command {number} has been overwritten; ask for it sooner")
            if time.monotonic() > end:
                return None
            time.sleep(pause)
            pause = min(2 * pause, 5e-3)

    def request(self, command: Command, timeout: float = TIMEOUT_S) -> Ack:
        """Send, and wait for the answer; an error if there is none, and then the command is not acted on later."""
        ack = self.wait(self.send(command, valid=timeout), timeout + 0.1)
        if ack is None:
            raise RingError(f"{self._where} has not answered {str(command)!r} within {timeout:g} s")
        return ack

    def estop(self) -> None:
        """Ask for an emergency stop, at once: no lock, no slot. An error afterwards says that nobody is there to stop.

        Where another writer has taken the ring's name, however the last one ended, it is that one which is stopped. A
        writer that is just making its ring takes over what is asked for meanwhile.
        """
        for _ in range(RENAMES):
            self._add_estop()
            if not self.map.is_replaced():
                break
            self._attach()
        self._require_receiver()

    def _add_estop(self) -> None:
        self.map.memory[BY_AT : BY_AT + WHO.size] = signature(self._sender)
        atomics().add(self._at + ESTOP_AT, 1)

    @property
    def estop_acts(self) -> bool:
        """Whether an emergency stop acts on the ring that has the name now."""
        if self.map.is_replaced():
            with suppress(RingError):  # not ready yet: what is known is told
                self._attach()
        return _load(self._at + ESTOP_AT) != _load(self._at + ESTOP_ACK_AT)


def _ack(number: int, word: int) -> Ack:
    try:
        return Ack(number, Result(word >> 8 & 0xFF), Reason(word & 0xFF))
    except ValueError:
        code = f"{word & 0xFFFF:#06x}"
        raise RingError(f"the answer to command {number} is {code}, which this program does not know") from None


def _load(address: int) -> int:
    value = ctypes.c_uint64()
    atomics().load_acquire(address, ctypes.addressof(value))
    return value.value
