"""The native loop with its tables: jobs as addresses, channels as copies, the ring as a port."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, final

import numpy as np

from motionbase.arrays import Array, Ints
from motionbase.errors import ScheduleError
from motionbase.executive.control import BINS, CLOCK, FAST, NEVER, OURS, REAL_TIME, Call, Control, address_of
from motionbase.executive.native_loop import native
from motionbase.executive.schedule import CALLED, Job, NativeJob, Schedule, copy_table
from motionbase.executive.timing import BUSY, CROWDED, SPIN_CROWDED, SPIN_ORDINARY, Clock, Limits
from motionbase.record.schema import Channel, Schema
from motionbase.ring.native_records import native as ring_native
from motionbase.ring.writer import Writer

LEAD_NS = 2_000_000  # from the start of the loop to its first tick


@final
class Loop:
    """Everything that must stay where it is while the loop runs.

    Attributes:
        control: the loop's own numbers
        histogram: of the lateness; `bin_top` says what a bin counts
        error, failed_job: what a Python job raised, and which
    """

    def __init__(
        self,
        schedule: Schedule,
        *,
        real_time: bool,
        clock: Clock,
        limits: Limits,
        writer: Writer | None,
        channels: Mapping[str, Array],
    ) -> None:
        if sys.platform != "linux":
            raise ScheduleError(f"the executive needs Linux, whose clock_nanosleep it calls; this is {sys.platform}")
        self._native = native()  # compiled here, not when the clock is running
        self.error: BaseException | None = None
        self.failed_job = ""
        self.histogram: Ints = np.zeros(BINS, np.int64)
        self._schedule, self._clock, self._writer, self._channels = schedule, clock, writer, dict(channels)
        self._record: Array = writer.record if writer is not None else np.zeros(len(CLOCK) + 1)
        self._copies = copy_table(_channel_copies(writer, self._channels))
        dt, (spin_min, spin_max) = schedule.dt, limits.spin_ns(schedule.dt)
        self.control = Control(
            mode=REAL_TIME if real_time else FAST,
            copies=self._copies.ctypes.data,
            record_every=NEVER,
            record_next=NEVER,
            clock=clock.values.ctypes.data,
            histogram=self.histogram.ctypes.data,
            dt=dt,
            period=1e9 * dt,
            on_time_limit=round(1e9 * limits.on_time),
            slip_limit=limits.slip_ns(dt),
            load_limit=round(1e9 * dt * limits.load),
            busy_limit=round(1e9 * dt * BUSY),
            lead=LEAD_NS,
            margin_min=spin_min,
            margin_max=spin_max,
            margin=spin_max,
        )
        self._scratch: Array = np.zeros(1)  # for channels that the schema does not have
        self._attach_record(writer)
        self._attach_jobs(schedule.jobs)

    def _attach_record(self, writer: Writer | None) -> None:
        control = self.control
        for name in (*CLOCK, "warning"):
            present = writer is not None and name in writer.schema.index
            place = self._record[writer.schema.index[name] :] if writer is not None and present else self._scratch
            setattr(control, f"at_{name}", place.ctypes.data)
        if writer is None:
            return
        layout = writer.header.layout
        if layout.dt != self._schedule.dt:
            raise ScheduleError(
                f"the ring's tick is {layout.dt} s, the schedule's {self._schedule.dt} s; give the writer the same dt"
            )
        control.record_every, control.record_next = layout.every, 0
        control.port = ctypes.addressof(writer.native_port())
        control.ring_write = address_of(ring_native().write)

    def _attach_jobs(self, jobs: Sequence[Job]) -> None:
        rows: list[Call] = []
        self._callbacks: list[Any] = []
        for number, job in enumerate(jobs, 1):
            if isinstance(job.run, NativeJob):
                calls = job.run.calls
            else:
                callback = self._callback(number, job)
                self._callbacks.append(callback)
                calls = ((address_of(callback), 0),)
            rows += [Call(job.every, job.phase, function, argument) for function, argument in calls]
        self._calls = (Call * len(rows))(*rows)
        self.control.calls, self.control.call_count = ctypes.addressof(self._calls), len(rows)

    def _callback(self, number: int, job: Job) -> Any:
        control, run = self.control, job.run

        def call(_: int) -> None:
            try:
                run(control.tick)
            except BaseException as error:  # whatever it is, the platform must be brought to rest
                self.error, self.failed_job = error, job.name
                control.failed = number

        return CALLED(call)

    def run(self, stop_tick: int, seconds: float | None = None) -> None:
        """Run until the tick, a stop, a failure or the end of a piece of so many seconds, without Python's lock."""
        self.control.stop_tick = stop_tick
        self.control.piece_end = NEVER if seconds is None else time.monotonic_ns() + int(1e9 * seconds)
        self._native.run(ctypes.addressof(self.control))

    def spin_less(self) -> None:
        """Use the margin of an ordinary thread, unless one was set."""
        control = self.control
        if control.margin_min < control.margin_max:
            spin = SPIN_CROWDED if (os.cpu_count() or 1) < CROWDED else SPIN_ORDINARY
            control.margin_max = control.margin = max(control.margin_min, round(1e9 * spin))

    def publish(self, bits: int) -> None:
        """One more record from Python, numbered as the tick after the last, with these bits of warning."""
        if self._writer is None:
            return
        control, row, index = self.control, self._record, self._writer.schema.index
        self._native.copy(control.copies)
        values = (
            control.tick * control.dt,
            control.tick,
            0.0,
            1e-9 * control.compute,
            control.overruns,
            control.peak / control.period,
        )
        for name, value in zip(CLOCK, values, strict=True):
            if name in index:
                row[index[name]] = value
        if "warning" in index:
            theirs = row[index["warning"]]
            row[index["warning"]] = (int(theirs) & ~OURS if np.isfinite(theirs) else 0) | control.bits | bits
        self._writer.publish()


def by_group(channels: Sequence[Channel], numbers: Array) -> dict[str, Array]:
    """Numbers of these channels, in their order, as arrays by the name of each group's first channel."""
    found, at = dict[str, Array](), 0
    for _, group in groupby(channels, key=lambda channel: channel.group):
        names = [channel.name for channel in group]
        found[names[0]] = numbers[at : at + len(names)]
        at += len(names)
    return found


def _channel_copies(writer: Writer | None, channels: Mapping[str, Array]) -> list[tuple[Array, Array]]:
    """Copies from every array to its channels in the record."""
    if channels and writer is None:
        raise ScheduleError(f"channels are given ({', '.join(channels)}), but no writer to publish them")
    copies: list[tuple[Array, Array]] = []
    taken: dict[int, str] = {}
    for name, array in channels.items():
        assert writer is not None
        first = writer.schema.place(name)
        places = range(first, first + _checked(name, array, writer.schema).size)
        if double := next((taken[p] for p in places if p in taken), None):
            raise ScheduleError(f"channels from {name!r} and from {double!r} on overlap")
        taken |= dict.fromkeys(places, name)
        copies.append((array, writer.record[first : places.stop]))
    return copies


def _checked(name: str, array: Array, schema: Schema) -> Array:
    if not (isinstance(array, np.ndarray) and array.dtype == np.float64 and array.flags.c_contiguous):
        raise ScheduleError(f"channels from {name!r} on: a contiguous NumPy array of float64 is wanted")
    first = schema.place(name)
    covered = schema.channels[first : first + array.size]
    if not array.size or len(covered) < array.size or len({c.group for c in covered}) > 1:
        group = schema.channels[first].group
        raise ScheduleError(
            f"channels from {name!r} on: {array.size} numbers do not fit into the group {group!r}, which has "
            f"{len([c for c in schema.channels[first:] if c.group == group])} from there"
        )
    return array
