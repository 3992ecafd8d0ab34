"""The executive: runs a schedule in one of three modes, publishes records, and always ends with the safe stop."""

from __future__ import annotations

import logging
import signal
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from enum import Enum
from typing import final

from motionbase.arrays import Array
from motionbase.errors import ScheduleError
from motionbase.executive.control import NEVER, Warnings
from motionbase.executive.loop import Loop
from motionbase.executive.realtime import Grant, RealTime
from motionbase.executive.report import Report, Stop, report
from motionbase.executive.schedule import Job, Schedule
from motionbase.executive.timing import Clock, Limits, SlowTicks
from motionbase.ring.printer import Printer
from motionbase.ring.signals import heard, orphaned
from motionbase.ring.writer import Writer

PIECE_S = 0.05  # between looks at signals, the parent and the load
WARN_LAST_S = 0.2  # for the last warning, when the run is over
FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT}
LOG = logging.getLogger("motionbase.executive")


class Mode(Enum):
    """How ticks follow each other."""

    REAL_TIME = "soft real time"
    FAST = "as fast as possible"
    STEPPED = "stepped"


@final
class Executive:
    """Runs a schedule once: `run`, or `step` and `close`.

    In real time the loop has a thread of its own, which never returns to Python before its end, so that nothing in
    Python can delay a tick; the calling thread listens for signals meanwhile. In the other modes the loop runs in the
    calling thread, in pieces of 50 ms.

    Args:
        writer: of the ring; it gives the ticks between records and must have the schedule's dt. The caller closes it;
            after a failure it is closed already, as failed and unsaved
        channels: arrays that are copied into every record: name of the first channel -> array
        clock: for jobs that take time or timing as inputs
        safe_stop: run once, in order, when the run ends, for whatever reason; one that fails does not keep the rest
        realtime: what to ask of the system in real time
        exit_with_parent: number of the parent process; the run stops when that is no longer the parent
        on_warning: takes a sentence, in a thread of its own: it may block. The default logs it
    """

    def __init__(
        self,
        schedule: Schedule,
        writer: Writer | None = None,
        mode: Mode = Mode.REAL_TIME,
        *,
        channels: Mapping[str, Array] | None = None,
        clock: Clock | None = None,
        limits: Limits | None = None,
        safe_stop: Sequence[Job] = (),
        realtime: RealTime | None = None,
        exit_with_parent: int | None = None,
        on_warning: Callable[[str], object] = LOG.warning,
    ) -> None:
        self.schedule, self.writer, self.mode, self.clock = schedule, writer, mode, clock or Clock()
        self.loop = Loop(
            schedule,
            real_time=mode is Mode.REAL_TIME,
            clock=self.clock,
            limits=limits or Limits(),
            writer=writer,
            channels=channels or {},
        )
        self._safe_stop, self._realtime = tuple(safe_stop), realtime or RealTime()
        self._parent, self._warn = exit_with_parent, Printer(on_warning)
        self._listening = ExitStack()  # to signals between steps
        self._grants: tuple[Grant, ...] = ()
        self._reason: tuple[Stop, str] | None = None
        self._error: BaseException | None = None
        self._begun = self._ended = False
        self._slow = SlowTicks(schedule.dt, (limits or Limits()).load, self._warn)

    # ---- running ----

    def run(self, duration: float | None = None, *, ticks: int | None = None) -> Report:
        """Run for a duration [s] or a number of ticks, or until stopped; then the safe stop."""
        if self.mode is Mode.STEPPED:
            raise ScheduleError("the executive is stepped: call step(ticks), and close() at the end")
        if self._begun:
            raise ScheduleError("this executive has run already; make a new one for another run")
        last = self._last_tick(duration, ticks)
        self._begun = True
        self._guarded(self._in_thread if self.mode is Mode.REAL_TIME else self._in_pieces, last)
        return self.report

    def step(self, ticks: int = 1) -> Report:
        """Run this many ticks as fast as possible, then pause."""
        if self.mode is not Mode.STEPPED:
            raise ScheduleError(f"step is for an executive in mode STEPPED, this one is in {self.mode.name}")
        if self._ended:
            raise ScheduleError(f"this executive has ended ({self.report.why}); make a new one")
        if not self._begun:
            self._listen()
        self._begun = True
        self._guarded(self._in_pieces, self.loop.control.tick + self._last_tick(None, ticks), pause=True)
        return self.report

    def stop(self) -> None:
        """Ask for the end, from any thread or job; the tick that runs is finished."""
        self._ask(Stop.ASKED, Stop.ASKED.value)

    def close(self) -> Report:
        """End a stepped run with its safe stop; nothing where it has ended already."""
        if self._begun and not self._ended:
            self._end()
            self._finish()
        return self.report

    def __enter__(self) -> Executive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def report(self) -> Report:
        """The report so far."""
        stop, why = self._reason or (Stop.FINISHED, Stop.FINISHED.value)
        return report(self.loop.control, self.loop.histogram, stop, why, self._error, self._grants)

    def _last_tick(self, duration: float | None, ticks: int | None) -> int:
        if duration is not None and ticks is not None:
            raise ScheduleError(f"both a duration, {duration} s, and {ticks} ticks are given; give one")
        if ticks is not None:
            if isinstance(ticks, bool) or not isinstance(ticks, int) or ticks < 0:
                raise ScheduleError(f"{ticks!r} ticks are asked for; it must be a whole number, 0 or more")
            return ticks
        return NEVER if duration is None else self.schedule.ticks(duration)

    def _guarded(self, drive: Callable[[int], None], last: int, pause: bool = False) -> None:
        """Drive the loop; whatever happens, end safely before anything else."""
        with heard(self._signalled, self._parent):
            try:
                drive(last)
                self._look()
            except BaseException as error:  # of a warning's callback, say
                self._failed(error, f"the executive failed: {_sentence(error)}")
            if self.loop.error is not None:
                job, tick = self.loop.failed_job, self.loop.control.tick - 1
                self._failed(self.loop.error, f"job {job!r} failed in tick {tick}: {_sentence(self.loop.error)}")
            if not pause or self._reason is not None:
                self._end()
        if self._ended:
            self._finish()

    def _listen(self) -> None:
        """A signal between steps ends the run as well: safe stop, ring, then the process."""
        here = weakref.WeakMethod(self._signalled_between)  # an executive that was forgotten is not kept by its signals

        def signalled(number: signal.Signals) -> None:
            if (end := here()) is not None:
                end(number)
            if number is signal.SIGINT:
                raise KeyboardInterrupt
            raise SystemExit(128 + number)

        self._listening.enter_context(heard(signalled, self._parent))

    def _signalled_between(self, number: signal.Signals) -> None:
        if self._ended:
            return
        self._signalled(number)
        self._end()
        if self.writer is not None:
            self.writer.close()

    def _in_pieces(self, last: int) -> None:
        control = self.loop.control
        while control.tick < last and not control.stop and not control.failed:
            self._look()
            self.loop.run(last, PIECE_S)

    def _in_thread(self, last: int) -> None:
        done, errors = threading.Event(), list[BaseException]()

        def ticks() -> None:
            try:
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - FAULTS)
                grants = self._realtime.thread()
                self._grants += grants
                if not any(g.what == "priority" and g.allowed for g in grants):
                    self.loop.spin_less()
                self.loop.run(last)
            except BaseException as error:
                errors.append(error)
            finally:
                done.set()

        ring = (self.writer.segment.address, self.writer.segment.size) if self.writer is not None else None
        with self._realtime.process(ring) as self._grants:
            thread = threading.Thread(target=ticks, name="motionbase ticks")
            thread.start()
            try:
                while not done.wait(PIECE_S):
                    self._look()
            finally:
                self.loop.control.stop = 1
                thread.join()
        if errors:
            raise errors[0]

    # ---- what comes from outside the ticks ----

    def _look(self) -> None:
        """Called between pieces, or beside the loop's thread."""
        if orphaned(self._parent):
            self._ask(Stop.PARENT, Stop.PARENT.value)
        if self._warn.error is not None:
            raise self._warn.error
        if self.writer is not None and not self._ended:
            self.writer.segment.require_whole()  # nobody could see what is published into a ring that was cut short
        self._look_at_load()

    def _look_at_load(self, is_last: bool = False) -> None:
        control = self.loop.control
        self._slow.look(control.load_warnings, control.max_compute / control.period, is_last)

    def _signalled(self, number: signal.Signals) -> None:
        if orphaned(self._parent):
            self._ask(Stop.PARENT, Stop.PARENT.value)
        else:
            self._ask(Stop.SIGNAL, f"{number.name} came")

    def _ask(self, stop: Stop, why: str) -> None:
        if self._reason is None:
            self._reason = (stop, why)
        self.loop.control.stop = 1

    # ---- the end ----

    def _failed(self, error: BaseException, why: str) -> None:
        self._reason, self._error = (Stop.FAILED, why), self._error or error

    def _end(self) -> None:
        self._ended = True
        for job in self._safe_stop:
            try:
                job.run(self.loop.control.tick)
            except BaseException as error:  # the others must have their turn
                so_far = f"{self._reason[1]}; " if self._reason else ""
                self._failed(error, f"{so_far}safe stop {job.name!r} failed: {_sentence(error)}")
        failed = self._reason is not None and self._reason[0] is Stop.FAILED
        if self._safe_stop:
            self.loop.publish(Warnings.FAILED if failed else 0)
        if failed and self.writer is not None:
            self.writer.mark_unsaved()
            self.writer.close(failed=True)

    def _finish(self) -> None:
        """Called when nothing moves any more."""
        self._look_at_load(is_last=True)
        self._warn.close(WARN_LAST_S)
        if threading.current_thread() is threading.main_thread():
            self._listening.close()


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
