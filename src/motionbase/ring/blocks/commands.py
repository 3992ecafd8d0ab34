"""The operator-command block: sixteen numbered slots with answers, and a latch for the emergency stop.

        0      ready      MBCM and the format, written by the receiver; 0 while no receiver takes commands
    64     head       number of the newest command, written by clients under their lock
    128    estop      count of emergency stops requested, raised by any client without a lock
    192    ack        number of the last command answered, written by the receiver
    256    estop_ack  emergency stops released, written by the receiver
    320    by         process and name of the last client to request an emergency stop, for display
    512    slots      16 x 128 bytes
    2560   answers    16 words: number << 16 | result << 8 | reason

The stop is active while `estop` differs from `estop_ack`. A release stores the count that the receiver saw, so a
request at the same instant still differs: a stop cannot be lost, needs no slot and waits for no lock. The receiver
keeps its own copies of these words, so a client that overwrites the page can neither cancel a stop nor block commands.
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
NUMBER_MASK = (1 << 48) - 1  # bits of a command's number that its answer holds
TIMEOUT_S = 1.0


@final
class CommandReceiver:
    """Receives commands in the ring's writer, one per poll; a tick without a command costs five loads.

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
        """The next command, if there is one; also updates `estop`.

        An invalid command is refused here and returned with `command` None, so that it can be reported. If a client has
        overwritten the receiver's words, that is reported likewise, with the number of the last command taken.
        """
        self.look()
        port = self._port
        if port.ready != READY_WORD or port.ack != self._answered or port.estop_ack != self._estop_ack:
            self._repair()
            return Order(self._taken, None, Reason.SPOILT)
        head = port.head
        if head == self._taken:
            return None
        if not 0 < head - self._taken <= SLOTS:  # no client leaves such a head: continue after it
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
        """Update `estop` without taking commands, which stay queued."""
        self._look(self._argument)
        if self._port.estop != self._estop_ack:
            self._stops = True

    def answer(self, order: Order, result: Result, reason: Reason = Reason.NONE) -> None:
        """Answer a command: accepted or refused, with the reason."""
        word = (order.number & NUMBER_MASK) << 16 | result << 8 | reason
        atomics().store_release(self._at + ANSWERS_AT + 8 * (order.number % SLOTS), word)
        atomics().store_release(self._at + ACK_AT, order.number)
        self._answered = order.number

    def _repair(self) -> None:
        """Restore the receiver's words from its own copies, including an active stop."""
        for at, word in ((READY_AT, READY_WORD), (ACK_AT, self._answered), (ESTOP_ACK_AT, self._estop_ack)):
            atomics().store_release(self._at + at, word)
        if self._stops and self._port.estop == self._estop_ack:
            atomics().add(self._at + ESTOP_AT, 1)

    @property
    def estop(self) -> bool:
        """Whether an emergency stop is active, as of the last poll; it stays active until it is released."""
        return self._stops

    def release_estop(self) -> None:
        """Release the stops seen by the last poll; one requested since then stays active."""
        self._estop_ack, self._stops = self._port.estop, False
        atomics().store_release(self._at + ESTOP_ACK_AT, self._estop_ack)

    @property
    def released(self) -> int:
        """Count of emergency stops released so far."""
        return self._estop_ack

    @property
    def estop_by(self) -> tuple[str, int]:
        """Name and process of the last client to request an emergency stop; two requests at once may mix the two."""
        pid, name = WHO.unpack_from(self._memory, BY_AT)
        return printable(name.rstrip(b"\0").decode(errors="replace")), pid


@final
class CommandSender:
    """Sends commands to a ring: used by the console, the command line and hosts."""

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
        """Put a command into the ring and return its number. It expires if it is not taken within `valid` [s]."""
        if not 0 < valid <= 3600:
            raise CommandError(f"command {command}: valid is {valid!r} s, it must be above 0 and at most 3600")
        self._require_receiver()
        with held(self.map.lock_path, self.map.mode):
            head, ack = _load(self._at + HEAD_AT), _load(self._at + ACK_AT)
            if head - ack >= SLOTS:
                raise RingError(f"{self._where} has {head - ack} commands waiting; its writer does not take them")
            number = (head + 1) % 2**64  # in a damaged block the head may be any number
            # no deadline on a device: its writer may use the clock of another machine
            shared_clock = not isinstance(self.map.backend, Device)
            deadline = time.monotonic_ns() + int(valid * 1e9) if shared_clock else 0
            at = SLOTS_AT + number % SLOTS * SLOT_BYTES
            self.map.memory[at : at + SLOT_BYTES] = encoded(number, command, self._sender, os.getpid(), deadline)
            atomics().store_release(self._at + HEAD_AT, number)
        return number

    def wait(self, number: int, timeout: float = TIMEOUT_S) -> Ack | None:
        """The answer to a command; None if there is none within `timeout` [s]."""
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
        """Send a command and return its answer; without one in time, the command expires and an error is raised."""
        ack = self.wait(self.send(command, valid=timeout), timeout + 0.1)
        if ack is None:
            raise RingError(f"{self._where} has not answered {str(command)!r} within {timeout:g} s")
        return ack

    def estop(self) -> None:
        """Request an emergency stop at once, without lock or slot; then an error if the ring has no writer.

        If another writer has taken the ring's name, that writer is stopped. A writer that is just creating its ring
        takes over the stops requested meanwhile.
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
        """Whether an emergency stop is active in the ring that now has the name."""
        if self.map.is_replaced():
            with suppress(RingError):  # not ready yet: answer from the block known so far
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
