"""A multibody model of `motionbase run`: in soft real time, alone in this process or supervised in its own.

Nothing here may import NumPy when it is imported itself: see `signals_blocked` of base.py.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, final

from motionbase.executive.base import COMPILING_S, Ended, refuse_taken, signals_blocked
from motionbase.executive.model.setup import CONTROLLER_HZ, PROCESS, ModelOptions, ModelSetup, checked

if TYPE_CHECKING:
    from motionbase.executive.exchange import Exchange
    from motionbase.executive.executive import Executive
    from motionbase.executive.model.code import ModelCode
    from motionbase.executive.model.run import ModelRun
    from motionbase.executive.supervisor import Ending, Process
    from motionbase.ring.claim import Claim

LISTEN_S, LOOK_S = 0.01, 0.25
LINK_S = 1 / CONTROLLER_HZ  # between states sent to the controller


def run_supervised(options: ModelOptions, readers: Callable[[], Sequence[Process]], *, stays: bool) -> Ending:
    """The model and its controller in processes of their own, with readers and the watch for ESTOP files."""
    from motionbase.ring.backend import find
    from motionbase.ring.claim import Waiting

    backend = find(options.ring)
    refuse_taken(backend)
    with Waiting(backend) as waiting:  # from here on an emergency stop is kept for the model
        from motionbase.executive.model import controller
        from motionbase.executive.supervisor import Process, Role, Supervisor

        checked(options)  # refused here, in one sentence, rather than by a process that ends at once
        again = options.at_rest().command() if stays else None
        processes = [Process("model", options.command(), Role.WRITER, stop_s=COMPILING_S, again=again)]
        if options.controller == "udp":
            command = controller.command(options.control_port, CONTROLLER_HZ)
            processes.append(Process("controller", command, prompt=True))
        elif options.controller == "ring":
            command = controller.ring_command(options.ring, CONTROLLER_HZ)
            processes.append(Process("controller", command, prompt=True))
        if options.tail == PROCESS:
            processes.append(Process("tail", options.tail_command(), prompt=True, stop_s=COMPILING_S))
        return Supervisor([*processes, *readers()], ring=options.ring, waiting=waiting).run()


def run_alone(options: ModelOptions) -> Ended:
    """Compile, then run to the end in this process."""
    with signals_blocked():
        from motionbase.ring.backend import find
        from motionbase.ring.claim import Claim

        claim = Claim(find(options.ring))  # refuses a ring that has a writer, before the compiling
        try:
            setup = checked(options)
            claim.tell(platform=setup.plant.name, since=time.time())
            print(f"motionbase run {options.model}: compiling the model ...", file=sys.stderr, flush=True)
            code = setup.compiled()
        except BaseException:
            claim.release()
            raise
    return _run(code, options, setup, claim)


def _run(code: ModelCode, options: ModelOptions, setup: ModelSetup, claim: Claim) -> Ended:
    from motionbase.executive.exchange import Exchange
    from motionbase.executive.executive import Executive, Mode
    from motionbase.executive.model.link import Link
    from motionbase.executive.model.run import ModelRun
    from motionbase.executive.model.tail import await_helicopter
    from motionbase.executive.schedule import Job
    from motionbase.ring.names import TAIL
    from motionbase.ring.printer import Printer, to_stderr
    from motionbase.ring.signals import heard
    from motionbase.ring.writer import Writer

    say = Printer(to_stderr)
    signals: list[int] = []
    stops: list[Callable[[], None]] = []

    def hear(number: int) -> None:
        signals.append(number)
        for stop in stops:
            stop()

    header: dict[str, Any] = {"dt": setup.timing.dt, "every": setup.tick_hz // options.rate}
    header |= {"parameters": setup.plant.parameters.json, "platform": json.dumps(setup.plant.scene)}
    with (
        Writer(setup.plant.schema, name=options.ring, program="motionbase run", claim=claim, **header) as writer,
        heard(hear),  # besides the executive's own handlers, which it sets when it runs: no end leaves the ring behind
        ExitStack() as beside,
    ):
        shared = None
        if options.controller == "ring" and options.tail_of is None:
            shared = beside.enter_context(Exchange.made(writer.backend, setup.plant.form.blocks))
        if options.tail_of is not None:
            shared = beside.enter_context(await_helicopter(options.tail_of, setup.plant.form, signals))
        partner, form = None, setup.plant.partner_form
        if form is not None:
            partner = beside.enter_context(Exchange.made(writer.backend, form.blocks, TAIL))
        automatic, tuned = not options.manual, setup.tuned
        run = ModelRun(code, writer, say, automatic, tuned, exchange=shared, partner=partner)
        schedule = run.schedule
        settings: dict[str, Any] = {"clock": run.clock, "channels": run.shown, "on_warning": to_stderr}
        settings["safe_stop"] = [Job("rest", 1, lambda _: run.rest())]
        executive = Executive(schedule, writer, Mode.REAL_TIME, **settings)
        stops.append(executive.stop)
        if shared is None and not setup.timing.internal:
            boxes, port = (run.state_out, run.answer_in), options.control_port
            beside.enter_context(Link(*boxes, run.form, port=port, pause=LINK_S, hold=run.hold, say=say))
        _tell(options, setup, code, str(writer.backend), shared)
        if signals:
            executive.stop()
        with Listener(run, executive, say) as listener, run.repivoting() as watch:
            report = executive.run(options.duration)
        if watch.failed:
            say(f"pivots could not be chosen anew, the first ones were kept: {watch.failed}")
        say.close()
        if listener.error is not None:
            raise listener.error
        return Ended(report, f"ring {options.tail_of!r} is of another run now" if listener.is_left else "")


def _tell(options: ModelOptions, setup: ModelSetup, code: ModelCode, where: str, shared: Exchange | None) -> None:
    marks = "; its numbers are illustrative" if setup.illustrative else ""
    print(f"{setup.plant.name}: {setup.plant.sentence}, {code.network.equations} equations{marks}", flush=True)
    silent = f"silent after {setup.timing.hold_s:g} s"
    if shared is not None:
        print(f"controller: through {shared.path}; {silent}", flush=True)
    elif not setup.timing.internal:
        ports = f"UDP port {options.control_port}, its controller at {options.control_port + 1}"
        print(f"controller: the model listens at {ports}; {silent}", flush=True)
    print(f"ring {options.ring!r}: {where}; {options.rate} records per second; Ctrl-C stops", flush=True)


@final
class Listener:
    """The thread beside the loop that takes commands and reports every change of state and fault."""

    def __init__(self, run: ModelRun, executive: Executive, say: Callable[[str], object]) -> None:
        self._run, self._executive, self._say = run, executive, say
        self._over = threading.Event()
        self._last: object = None
        self.error: BaseException | None = None
        self.is_left, self._looked = False, 0.0
        self._thread = threading.Thread(target=self._listen, name="motionbase listener", daemon=True)

    def _listen(self) -> None:
        try:
            while not self._over.wait(LISTEN_S):
                self._run.listen()
                self._report()
                self._look()
        except BaseException as error:  # nobody would hear an operator any more
            self.error = error
            self._executive.stop()

    def _look(self) -> None:
        """A tail rotor ends where another helicopter has taken the ring, so that it is started again and meets that."""
        now, shared = time.monotonic(), self._run.exchange
        if shared is not None and not shared.is_ours and now - self._looked > LOOK_S:
            self._looked = now
            if shared.is_replaced() and shared.path.exists():
                self.is_left = True
                self._executive.stop()

    def _report(self) -> None:
        seen = self._run.state, self._run.fault, self._run.tail_is_silent
        if seen != self._last and self._run.clock.tick[0] > 0:
            self._last = seen
            wrong = f": {seen[1].sentence}" if seen[1] else ""
            tail = "; the tail rotor is silent, its thrust is taken as asked for" if seen[2] else ""
            self._say(f"{self._run.clock.t[0]:8.1f} s  {seen[0].name.lower()}{wrong}{tail}")

    def __enter__(self) -> Listener:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)
        if self.error is None:
            self._report()
