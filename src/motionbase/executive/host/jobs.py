"""The loop's side of the exchange with a host, as native jobs: no system call, no lock, whatever the host does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Compiled, compile
from motionbase.executive.exchange import Exchange
from motionbase.executive.host.accept import TELL, Heard, accept
from motionbase.executive.host.rows import kind_of
from motionbase.executive.schedule import Job, native_job
from motionbase.executive.timing import Clock
from motionbase.host.format import Kind
from motionbase.record.cueing import LINK

TAKES = {Kind.POSE: ("host_frame", "host_count"), Kind.VEHICLE: ("vehicle", "vehicle_count")}  # inputs of the loop
TOLD = ("pose_hat", "state", "fault", "warning", "mode_used")  # outputs of the loop


@final
@dataclass(frozen=True, eq=False)
class HostCode:
    """Compiled kernels; made before there is a ring."""

    kind: Kind
    accept: Compiled
    tell: Compiled

    @staticmethod
    def of(kind: Kind) -> HostCode:
        """Compile."""
        return HostCode(kind, compile(accept(kind)), compile(TELL))


@final
@dataclass(frozen=True, eq=False)
class HostLink:
    """The loop's link to a host: takes the newest frame in every tick, and tells the state of the base after it.

    Attributes:
        exchange: made by this process
    """

    code: HostCode
    exchange: Exchange

    def __post_init__(self) -> None:
        assert kind_of(self.exchange.blocks) is self.code.kind

    @cached_property
    def on(self) -> Array:
        """() 1; 0 while a dropout is tried."""
        return np.ones(())

    @cached_property
    def counters(self) -> Array:
        """(6,) in the order of `record.cueing.LINK`, since the start of the run."""
        return np.zeros(len(LINK))

    @property
    def channels(self) -> dict[str, Array]:
        """Channels of the record, by name of the first of each array; a loop with cueing makes them itself."""
        return {LINK[0].name: self.counters} if self.code.kind is Kind.POSE else {}

    def hearing(self, arrays: Mapping[str, Array]) -> tuple[Job, ...]:
        """Before the loop's step: bring its inputs, by name of port, up to date."""
        box, motion, count = self.exchange.answers, *TAKES[self.code.kind]
        newest, size = arrays[motion].reshape(-1), Heard.layout.size
        judged = native_job(
            self.code.accept, feedback={"heard": "heard_next", "motion": "motion_next"},
            heard=np.zeros(size), motion=newest, row=box.row, taken=box.taken.reshape(()), on=self.on,
            heard_next=np.zeros(size), motion_next=np.zeros(newest.size), frames=arrays[count],
            lost=arrays["host_lost"], link=arrays.get("link", self.counters),
        )  # fmt: skip
        return Job("host", 1, box.taking()), Job("host frames", 1, judged)

    def telling(self, arrays: Mapping[str, Array], clock: Clock) -> tuple[Job, ...]:
        """After the loop's step: what the host is told."""
        box, given = self.exchange.states, {name: arrays[name] for name in TOLD}
        given |= {"tick": clock.tick.reshape(()), "t": clock.t.reshape(()), "told": box.row}
        told = native_job(self.code.tell, feedback=None, **given)
        return Job("host status", 1, told), Job("tell host", 1, box.sending())
