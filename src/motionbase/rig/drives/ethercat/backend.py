"""Six drives on EtherCAT as actuators: six targets and six positions in one exchange of every cycle."""

from __future__ import annotations

import math
import struct
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import cycle
from typing import final

from motionbase.rig.drives.canopen import PDO
from motionbase.rig.drives.ethercat.mailbox import Mailbox
from motionbase.rig.drives.ethercat.segment import STATE, AlState, Seen, Segment
from motionbase.rig.drives.master import AbstractDrives
from motionbase.rig.drives.node import Node
from motionbase.rig.drives.profile import State
from motionbase.rig.drives.setup import Setup

GIVEN = struct.Struct("<HiH")  # statusword, position, error code
LOOK_TIME = 0.02  # between looks at the slaves' states while all is well [s]
KNOCK_TIME = 0.1  # between frames on a line from which none comes back [s]
STEER = 0.01  # of its lateness, a cycle is shifted by; a drift of 1e-4 is then held to a hundredth of a period
IN_FAULT = State.FAULT, State.FAULT_REACTION_ACTIVE


@final
class EtherCatDrives(AbstractDrives):
    """Drives on EtherCAT; `AbstractDrives` tells the rest.

    A cycle takes what its predecessor's frame brought back, then sends its own, and so waits for nothing. States,
    settings and emergency objects are the business of a thread of their own, because slaves may be slow to answer.

    Attributes:
        shift: what to add to the time of the next cycle [s], so that frames pass midway between two SYNC0 although the
            clock that calls `cycle` and that of the drives drift; at most half a hundredth of a period
    """

    def __init__(
        self, setup: Setup, interface: str, pause: Callable[[float], None] = time.sleep, jobs: Executor | None = None
    ) -> None:
        """The slaves are configured now, which takes seconds, and operate from the first cycles on.

        Args:
            setup: what is known of the drives; a node number is a position on the line, from 1
            interface: of the network, such as eth1
            pause: waits while `close` stops the drives; a simulation moves on instead
            jobs: runs what slaves may be slow to answer, one after the other; a thread if not given
        """
        self._segment = Segment(setup, interface)
        self._jobs = jobs or ThreadPoolExecutor(1, thread_name_prefix="mailboxes")
        self._mailboxes = tuple(Mailbox(self._segment, leg, node, self._jobs) for leg, node in enumerate(setup.nodes))
        super().__init__(setup, f"drives on EtherCAT, {interface}", self._mailboxes, pause)
        self.shift = 0.0
        self._is_sent, self._unanswered, self._knocked_at = False, 0, -math.inf
        self._seen, self._looked_at = Seen((0,) * 6, ("",) * 6, 0), -math.inf
        self._look: tuple[Future[Seen], tuple[bool, ...]] | None = None
        self._poll: Future[None] | None = None
        self._next = cycle(range(6))

    def _receive(self) -> None:
        """Positions of the last exchange; a working counter that is wrong says that some drives did not take part."""
        while self._segment.emergencies:
            leg, code = self._segment.emergencies.popleft()
            self.nodes[leg].live()
            self.nodes[leg].code = code
        self._take_look()
        counter = self._segment.receive() if self._is_sent else 0
        self._unanswered = self._unanswered + 1 if counter < 0 else 0 if self._is_sent else self._unanswered
        self.shift = -STEER * self._segment.lateness if counter > 0 else 0.0
        is_whole = counter == self._segment.expected
        for leg, node in enumerate(self.nodes):
            if is_whole or (counter > 0 and self._takes_part(leg, counter)):
                self._take(node, self._segment.given(leg))
        if not self._unanswered:  # otherwise there is nothing to see, and pysoem would hold up cycles by looking
            self._look_or_poll(is_whole)

    def _takes_part(self, leg: int, counter: int) -> bool:
        """Whether the others, which a look found out of operation, explain the working counter."""
        return counter >= self._seen.counter > 0 and self._seen.states[leg] == AlState.OPERATIONAL

    def _take(self, node: Node, data: bytes) -> None:
        """Positions are those of SYNC0, up to a cycle before the frame passed."""
        statusword, position, code = GIVEN.unpack(data)
        was_in_fault = node.state in IN_FAULT
        node.take(statusword, position, max(self._sent_at - self.setup.period, node.measured_at))
        if node.state in IN_FAULT:
            node.code = node.code or code
        elif was_in_fault:
            node.code = 0

    def _take_look(self) -> None:
        """What a look found, of drives that were in operation when it began."""
        if self._look is None or not self._look[0].done():
            return
        (future, connected), self._look = self._look, None
        self._seen = future.result()
        for node, state, words, was_connected in zip(
            self.nodes, self._seen.states, self._seen.words, connected, strict=True
        ):
            if state & STATE != AlState.NONE:
                node.live()
                if was_connected and state != AlState.OPERATIONAL:
                    node.left(f"left operation for {words}")

    def _look_or_poll(self, is_whole: bool) -> None:
        """One look at the states, or at one mailbox, at a time."""
        due = self._now - self._looked_at >= LOOK_TIME or not is_whole or any(box.is_asked for box in self._mailboxes)
        if self._look is None and due:
            self._looked_at = self._now
            asked = tuple(leg for leg, box in enumerate(self._mailboxes) if box.is_asked)
            for box in self._mailboxes:
                box.is_asked = False
            connected = tuple(node.connected for node in self.nodes)
            self._look = self._jobs.submit(self._segment.look, asked), connected
        elif self._poll is None or self._poll.done():
            self._poll = self._jobs.submit(self._segment.poll, next(self._next))

    def _send(self) -> None:
        """A frame; seldom on a dead line, where SOEM waits some milliseconds for each."""
        self._is_sent = False
        if self._unanswered >= self.setup.misses and self._now - self._knocked_at < KNOCK_TIME:
            return
        self._knocked_at = self._now
        self._segment.send([PDO.pack(node.controlword, node.target) for node in self.nodes])
        self._is_sent = True

    def _leave(self) -> None:
        self._jobs.shutdown(cancel_futures=True)
        self._segment.leave()

    def _release(self) -> None:
        self._jobs.shutdown(cancel_futures=True)
        self._segment.close()
