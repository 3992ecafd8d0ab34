"""Requests of clients, read from the blocks of a ring: commands with their answers, tuning, generators, stops.

Every client writes its name into the block, so a reader can report who requested what with which program, and the
answer. Reading does not disturb the writer. A recorder and a console read about ten times a second; the block holds
sixteen requests, and any that were overwritten between two reads are counted.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, final

import numpy as np

from motionbase.errors import GeneratorError, MotionBaseError
from motionbase.record.generator_set import BYTES, GeneratorSet
from motionbase.record.requests import SENTENCE, Command, Kind, Reason, Result
from motionbase.ring.backend import AbstractBackend
from motionbase.ring.blocks import generators, mapping, parameters
from motionbase.ring.blocks.command import SLOT_BYTES, decoded
from motionbase.ring.blocks.commands import ANSWERS_AT, NUMBER_MASK, SLOTS, SLOTS_AT
from motionbase.ring.blocks.seqlock import Outcome, SeqlockReader
from motionbase.ring.command_words import ACK_AT, BY_AT, ESTOP_ACK_AT, ESTOP_AT, WHO, person_of, printable
from motionbase.ring.layout import Layout
from motionbase.ring.segment import Segment

WORD = struct.Struct("<Q")
ACTIONS = {
    Kind.RESET_FAULT: "reset",
    Kind.HOST_MODE: "host mode",
    Kind.MAINTENANCE_MODE: "maintenance mode",
}  # names shown to users; other commands are shown by the name of their kind
MOST_TUNED = 32  # parameters reported one by one at the start


class Asked(NamedTuple):
    """A request to the ring's writer.

    Attributes:
        kind: request, tuning, generators or estop
        text: sentence for display, with the name of the person
        person: who made the request, "" if unknown
        is_bad: refused, or a stop
        number: of the command; channel `command_ack` reaches it when the command is taken; 0 if it is not a command
        program: the client program
    """

    kind: str
    text: str
    person: str
    is_bad: bool = False
    number: int = 0
    program: str = ""


@final
class RequestWatch:
    """Reads the blocks of one ring; `news` returns the requests since its last call.

    Args:
        segment: the ring, mapped for reading
    """

    def __init__(self, segment: Segment, layout: Layout) -> None:
        self._memory, self._at = segment.memory, layout.commands_at
        self._segment = segment  # keeps the memory mapped
        self._generators = SeqlockReader(
            segment.address + layout.generators_at, generators.KIND, generators.FORMAT, BYTES
        )
        self._tuned: parameters.Parameters | None = None
        with suppress(MotionBaseError):  # a ring without parameters
            self._tuned = parameters.current(segment, layout)
        self._answered, self._stops = self._word(ACK_AT), False
        self._is_first = True

    def news(self) -> list[Asked]:
        """New requests, in order of arrival as far as it is known. The first call reports what is in force."""
        found = [*self._standing(), *self._requests(), *self._armed(), *self._stop()]
        self._is_first = False
        return found

    def _word(self, at: int) -> int:
        word: int = WORD.unpack_from(self._memory, self._at + at)[0]
        return word

    def _standing(self) -> Iterator[Asked]:
        """Parameters that differ from their design values when the watch begins."""
        if not self._is_first or self._tuned is None:
            return
        tuned = self._tuned.tuned
        for name in list(tuned)[:MOST_TUNED]:
            p = self._tuned.table.parameter(name)
            now, designed = (", ".join(f"{x:.6g}" for x in values) for values in (tuned[name], p.designed))
            yield Asked("tuning", f"{name} is {_quantity(now, p.unit)}, designed {designed}", "")
        if (more := len(tuned) - MOST_TUNED) > 0:
            yield Asked("tuning", f"{more} more parameters are not as designed", "")

    # ---- requests ----

    def _requests(self) -> Iterator[Asked]:
        before, newest = self._answered, self._word(ACK_AT)
        if newest == before:
            return
        self._answered = newest
        missed = max(0, newest - before - SLOTS) if newest - before < NUMBER_MASK else 0
        if not 0 < newest - before <= SLOTS:
            before = max(0, newest - SLOTS)  # also if the block is damaged
        for number in range(before + 1, newest + 1):
            asked = self._request(number)
            if asked is None:
                missed += 1
            elif asked.text:
                yield asked
        if missed > 0:
            many = "1 request" if missed == 1 else f"{missed} requests"
            yield Asked("request", f"{many} came too quickly to be reported one by one", "", True)

    def _request(self, number: int) -> Asked | None:
        """One request; None if its slot has been reused, without text if it is not worth reporting."""
        at = self._at + SLOTS_AT + number % SLOTS * SLOT_BYTES
        order = decoded(bytes(self._memory[at : at + SLOT_BYTES]), number, 0)
        word = WORD.unpack_from(self._memory, self._at + ANSWERS_AT + 8 * (number % SLOTS))[0]
        if word >> 16 != number & NUMBER_MASK:
            return None
        who, person = named(order.sender), person_of(order.sender)
        refused = word >> 8 & 0xFF != Result.ACCEPTED
        try:
            why = SENTENCE[Reason(word & 0xFF)]
        except ValueError:
            why = f"reason {word & 0xFF}"
        if order.command is None:
            if order.refusal != word & 0xFF:  # the slot is being overwritten: the answer no longer belongs to it
                return None
            return Asked("request", f"a request{who} was refused: {why}", person, True, number)
        if order.command.kind >= Kind.PLAY:
            return Asked("request", "", person)  # seeking in a replay, which moves no base
        became = f": refused, {why}" if refused else ": accepted"
        if order.command.kind is Kind.TUNE:
            return Asked("tuning", self._tuning(order.command, refused) + who + became, person, refused, number)
        action = ACTIONS.get(order.command.kind, order.command.kind.name.lower())
        return Asked("request", f"{action} asked for{who}{became}", person, refused, number)

    def _tuning(self, command: Command, refused: bool) -> str:
        """Text of a tuning command: the parameter with its old and new value."""
        place, value = int(command.arguments[0]), command.arguments[1]
        if self._tuned is None or place >= self._tuned.table.size:
            return f"parameter {place} to {value:.6g}"
        p, k = self._tuned.table.places[place]
        before = float(self._tuned.goals[place])
        if not refused:
            goals = np.array(self._tuned.goals)
            goals[place] = value
            self._tuned = parameters.Parameters(self._tuned.table, self._tuned.values, goals, self._tuned.version)
        return f"{p.label(k)} from {before:.6g} to {_quantity(f'{value:.6g}', p.unit)}"

    # ---- generators and stops ----

    def _armed(self) -> Iterator[Asked]:
        if self._generators.poll() is not Outcome.NEW or not self._generators.version:
            return
        version = self._generators.version
        try:
            found = GeneratorSet.decoded(self._generators.payload)
        except GeneratorError as error:
            yield Asked("generators", f"version {version} cannot be used: {error}", "", True)
            return
        name = f" {found.name!r}" if found.name else ""
        on = ", ".join(map(str, found.enabled)) or "none"
        verb = "is armed, written" if self._is_first else "armed"
        text = f"generators{name} {verb}{named(found.author)}, version {version}, on: {on}"
        yield Asked("generators", text, person_of(found.author))

    def _stop(self) -> Iterator[Asked]:
        """An emergency stop, reported once although clients repeat it and send it in several ways."""
        acts = self._word(ESTOP_AT) != self._word(ESTOP_ACK_AT)
        if acts and not self._stops:
            _, raw = WHO.unpack_from(self._memory, self._at + BY_AT)
            who = printable(raw.rstrip(b"\0").decode(errors="replace"))
            text, program = f"emergency stop asked for{named(who)}", who.partition(": ")[0]
            yield Asked("estop", text, person_of(who), True, program=program)
        self._stops = acts


def watched(ring: str, backend: AbstractBackend, epoch: int) -> RequestWatch | None:
    """A watch of the ring of this epoch; None if another ring now has the name."""
    with suppress(MotionBaseError, OSError):
        segment, header = mapping.attached(ring, backend)
        if header.epoch == epoch:
            return RequestWatch(segment, header.layout)
    return None


def spoken(sender: str) -> str:
    """A sender as text with the person first, as in `Anna (console)`."""
    person = person_of(sender)
    return f"{person} ({sender.removesuffix(f': {person}')})" if person else sender


def named(sender: str) -> str:
    """Text such as ` by Anna (console)`, with a leading space; "" if there is no name."""
    return f" by {spoken(sender)}" if sender else ""


def _quantity(number: str, unit: str) -> str:
    return number if unit == "-" else f"{number} {unit}"
