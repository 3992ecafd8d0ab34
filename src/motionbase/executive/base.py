"""The base of `motionbase run`: the closed loop in soft real time, alone in this process or supervised in its own.

Nothing here may import NumPy when it is imported itself: see `signals_blocked`.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from motionbase.executive.base_setup import FORECAST, TICK_HZ, BaseOptions, Setup, checked
from motionbase.record.words import told

if TYPE_CHECKING:
    from motionbase.executive.hexapod import HexapodRun, LoopCode
    from motionbase.executive.report import Report
    from motionbase.executive.supervisor import Ending, Process
    from motionbase.ring.backend import AbstractBackend
    from motionbase.ring.claim import Claim
    from motionbase.ring.printer import Printer

LOOK_S = 0.05
LOOKS = 10  # for so many something is wrong with a host before it is told
COMPILING_S = 30.0  # a base that is told to stop while it compiles finishes compiling first


class Ended(NamedTuple):
    """How a run ended; `stopped` is a sentence if the guard held the law stopped to the end, else empty."""

    report: "Report"
    stopped: str


def run_supervised(options: BaseOptions, readers: Callable[[], Sequence["Process"]], *, stays: bool) -> "Ending":
    """The base in a process of its own, with its readers and the watch for ESTOP files, until the end.

    Args:
        readers: makes them, once the options are known to be good
        stays: whether the readers stay when the base ends, so that an operator can restart it
    """
    from motionbase.ring.backend import find
    from motionbase.ring.claim import Waiting

    backend = find(options.ring)
    refuse_taken(backend)
    with Waiting(backend) as waiting:  # from here on an emergency stop is kept for the base
        from motionbase.executive.supervisor import Process, Role, Supervisor

        # refused here, in one sentence, rather than by a process that ends at once
        setup = None if options.is_plain_preset else checked(options)
        again = options.at_rest().command() if stays else None
        processes = [Process("base", options.command(), Role.WRITER, stop_s=COMPILING_S, again=again)]
        if options.host is not None:
            from motionbase.executive.host import process as host

            processes += host.processes(options.host, options.ring, options.platform, options.joystick)
        if options.plans:
            from motionbase.executive.predictive import process as planner

            processes += planner.processes(options.ring, options.platform, options.forecast or FORECAST)
        with ExitStack() as beside:
            if setup is not None and setup.rig is not None:
                from motionbase.executive.rig import process as rig

                place = Path(beside.enter_context(tempfile.TemporaryDirectory(prefix="motionbase-rig-")))
                processes += rig.processes(setup.rig, options.ring, options.platform, place)
            return Supervisor([*processes, *readers()], ring=options.ring, waiting=waiting).run()


def refuse_taken(backend: "AbstractBackend") -> None:
    """Refuse a ring that has a writer before the compiling; the writer itself makes sure."""
    from motionbase.ring.lifeline import taken
    from motionbase.ring.living import has_writer

    if (pid := has_writer(backend)) is not None:
        raise taken(backend, pid)


def run_alone(options: BaseOptions) -> Ended:
    """Compile, then run to the end in this process; after an emergency stop while it compiles, the base stays down."""
    with signals_blocked():
        from motionbase.ring.backend import find
        from motionbase.ring.claim import Claim

        claim = Claim(find(options.ring))  # refuses a ring that has a writer, before the compiling
        try:
            setup = checked(options)
            claim.tell(platform=setup.platform.name, since=time.time())
            code = _compiled(setup)
        except BaseException:
            claim.release()
            raise
    return _run(code, options, setup, claim)


@contextmanager
def signals_blocked() -> Iterator[None]:
    """A signal waits until the code is compiled: tracing sets a handler of its own at times, which would lose it.

    Threads that NumPy starts when it is imported inherit the mask; otherwise one of them could take the signal. So
    nothing that needs NumPy may be imported before. There is no ring yet that a signal could leave behind.
    """
    import signal

    stopping = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stopping)


def _compiled(setup: Setup) -> "LoopCode":
    """The closed loop as machine code."""
    print(f"motionbase run {setup.platform.name}: compiling the closed loop ...", file=sys.stderr, flush=True)
    from motionbase.executive.hexapod import LoopCode

    return LoopCode.of(setup.loop, setup.told, setup.rig is not None)


def _run(code: "LoopCode", options: BaseOptions, setup: Setup, claim: "Claim") -> Ended:
    from motionbase.executive.exchange import Exchange
    from motionbase.executive.executive import Executive
    from motionbase.executive.executive import Mode as Pace
    from motionbase.executive.hexapod import HexapodRun, safe_stop
    from motionbase.executive.host.jobs import HostLink
    from motionbase.executive.host.rows import blocks_of
    from motionbase.executive.predictive.jobs import BLOCKS, PlannerLink
    from motionbase.executive.preview import BLOCKS as PREVIEWS
    from motionbase.executive.rig.link import RigLink
    from motionbase.executive.worlds.link import WorldLink
    from motionbase.platform.atlas.text import sphere_text
    from motionbase.platform.load import platform_text
    from motionbase.record.states import Mode
    from motionbase.ring.blocks.generators import GeneratorClient
    from motionbase.ring.names import HOST, PLANNER, PREVIEW
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

    header: dict[str, Any] = {"dt": 1 / TICK_HZ, "every": TICK_HZ // options.rate, "parameters": setup.parameters.json}
    header["platform"] = (sphere_text if setup.atlas else platform_text)(options.platform)
    header["world"] = setup.world.text if setup.world else ""
    with (
        Writer(setup.schema, name=options.ring, program="motionbase run", claim=claim, **header) as writer,
        heard(hear),  # besides the executive's own handlers, which it sets when it runs: no end leaves the ring behind
        ExitStack() as beside,
    ):
        if options.previews:  # first, so that host and planner find it
            beside.enter_context(Exchange.made(writer.backend, PREVIEWS, PREVIEW))
        world = None if setup.world is None else WorldLink.made(writer.backend, setup.world.channels, beside)
        host = None
        if code.host is not None:
            host = HostLink(
                code.host, beside.enter_context(Exchange.made(writer.backend, blocks_of(code.host.kind), HOST))
            )
        planner = None
        if options.plans:
            planner = PlannerLink.of(beside.enter_context(Exchange.made(writer.backend, BLOCKS, PLANNER)))
        rig = None if code.rig is None else RigLink.made(writer.backend, code.rig, beside)
        job = HexapodRun(code, writer, say, setup.plan, setup.tuned, host=host, planner=planner, world=world, rig=rig)
        job.arrays["mode"][...] = float(Mode.MAINTENANCE if host is None else Mode.HOST)
        job.arrays["automatic"][...] = float(not (options.manual or (setup.rig and not setup.rig.simulated)))
        settings: dict[str, Any] = {"clock": job.clock, "safe_stop": [safe_stop(job)], "on_warning": to_stderr}
        settings["channels"] = {**(host.channels if host else {}), **(world.channels if world else {})}
        settings["channels"] |= rig.channels(job.arrays) if rig else {}
        executive = Executive(job.schedule, writer, Pace.REAL_TIME, **settings)
        stops.append(executive.stop)
        if setup.generators is not None:
            GeneratorClient(options.ring, author="motionbase run").write(setup.generators)
        platform = setup.platform
        marks = f"; illustrative: {', '.join(platform.illustrative)}" if platform.illustrative else ""
        print(f"{platform.name}: {platform.summary}{marks}", flush=True)
        if host is not None:
            by = setup.world.name if setup.world else options.host
            print(f"host: {by}, through {host.exchange.path}", flush=True)
        if setup.rig is not None:
            kind = "a simulated machine" if setup.rig.simulated else "a real machine: an operator switches its legs on"
            print(f"rig: {setup.rig.name}, {kind}", flush=True)
        print(f"ring {options.ring!r}: {writer.backend}; {options.rate} records per second; Ctrl-C stops", flush=True)
        if signals:
            executive.stop()
        with StateLog(job, say, setup.hexapod.electric):
            report = executive.run(options.duration)
        say.close()
        return Ended(report, told(stopped_by_guard(float(job.arrays["fault"])), setup.hexapod.electric))


def stopped_by_guard(fault: float) -> str:
    """The sentence of a fault that the guard found; empty for all others."""
    from motionbase.record.faults import GUARDED

    return next((f.sentence for f in GUARDED if f == fault), "")


def fault_sentences(electric: bool, on_rig: bool) -> dict[float, str]:
    """What each fault is called, by its number; a rig without power need not be one whose supply is low."""
    from motionbase.record.faults import Fault

    found = {float(f): told(f.sentence, electric) for f in Fault}
    if on_rig:
        found[float(Fault.SUPPLY)] = "the rig gives no power: its legs or power unit have stopped, or it is silent"
    return found


class Lasting:
    """The last text that came `LOOKS` times in a row: what comes and goes is in the record."""

    def __init__(self) -> None:
        self._text, self._lately = "", [""] * LOOKS

    def of(self, text: str) -> str:
        """After one more look."""
        self._lately = [*self._lately[1:], text]
        if len(set(self._lately)) == 1:
            self._text = text
        return self._text


class StateLog:
    """Reports every change of state and fault, and of the host, from a thread of its own."""

    def __init__(self, job: "HexapodRun", say: "Printer", electric: bool) -> None:
        import threading

        self._job, self._say, self._electric, self._over = job, say, electric, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        sentences = fault_sentences(self._electric, self._job.rig is not None)
        last, lasting = None, Lasting()
        while True:
            over = self._over.wait(LOOK_S)
            state, fault, host = self._job.state, float(self._job.arrays["fault"]), lasting.of(self._host())
            if (state, fault, host) != last:
                wrong = f": {sentences.get(fault, f'fault {fault:g}')}" if fault else ""
                t = float(self._job.clock.t[0])
                self._say(f"{t:8.1f} s  {state.name.lower()}{wrong}{host}")
                last = (state, fault, host)
            if over:
                return

    def _host(self) -> str:
        """What is wrong with the host, if there is one and its mode is in use."""
        from motionbase.record.faults import WarningBit

        bits = int(self._job.arrays["warning"])
        if self._job.host is None:
            return ""
        if bits & WarningBit.HOST_SILENT:
            return "; the host is silent"
        return "; the host asks for more than the limits allow" if bits & WarningBit.DEMAND_OUTSIDE else ""

    def __enter__(self) -> "StateLog":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)
