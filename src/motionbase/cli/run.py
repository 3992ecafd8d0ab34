"""`motionbase run`: a motion platform in closed loop, in soft real time, with its record in a ring."""

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.control.own_law import Law
    from motionbase.executive import Report
    from motionbase.executive.hexapod import HexapodRun, LoopCode
    from motionbase.executive.printer import Printer
    from motionbase.plant.fault_plan import FaultPlan
    from motionbase.platform.hexapod import Hexapod

TICK_HZ = 2000
RATES = (100, 200, 250, 400, 500, 1000, 2000)
LOOK_S = 0.05


def run(
    platform: Annotated[str, typer.Argument(help="A preset (see `motionbase platforms`) or a TOML file.")] = "simona",
    ring: Annotated[str, typer.Option(help="Name of the ring.")] = "motionbase",
    rate: Annotated[int, typer.Option(help="Records per second: 100 to 2000, a divisor of 2000.")] = 100,
    duration: Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")] = None,
    faults: Annotated[Path | None, typer.Option(help="A TOML file of faults, see docs/plant.md.")] = None,
    manual: Annotated[bool, typer.Option(help="Stay down until a command comes; no automatic operator.")] = False,
    parameters: Annotated[
        Path | None, typer.Option(metavar="FILE.toml", help="Start with parameters of `motionbase tune --save`.")
    ] = None,
    law: Annotated[
        str | None, typer.Option(metavar="FILE.py:NAME", help="A control law of your own, see docs/control.md.")
    ] = None,
) -> None:
    """Simulate a motion platform under its control law, 2000 ticks a second, and record it in a ring.

    It rises, goes to standby and drives the function generators (`motionbase generators set FILE`); whenever they are
    set anew it settles and drives again. Look at it with `motionbase ring watch`, tune it with `motionbase tune`.

    Example: motionbase run simona --duration 20

    Example: motionbase run simona --law examples/07_own_control_law.py:heaving
    """
    if rate not in RATES:
        raise UsageError(f"--rate is {rate}, it must be one of {', '.join(map(str, RATES))} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    with _signals_wait():
        code, start = _prepared(platform, ring, faults, manual, parameters, law)
    report = _in_ring(code, ring, rate, duration, start)
    print(report)
    if report.error is not None:
        raise typer.Exit(1)


@contextmanager
def _signals_wait() -> Iterator[None]:
    """A signal waits until the code is there: tracing sets a handler of its own now and then, which would lose it.

    Threads that NumPy starts when it is imported inherit this, or one of them could take the signal meanwhile; so
    nothing that needs NumPy may be imported before. There is no ring yet that a signal could leave behind.
    """
    import signal

    stopping = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stopping)


class _Start(NamedTuple):
    """What a run begins with."""

    plan: "FaultPlan"
    manual: bool
    tuned: dict[int, float]


def _prepared(
    platform: str, ring: str, faults: Path | None, manual: bool, parameters: Path | None, law: str | None
) -> "tuple[LoopCode, _Start]":
    """Everything that can be refused, then the closed loop with the record's channels."""
    from motionbase.plant.fault_plan import FaultPlan, load_faults
    from motionbase.platform.load import load_platform
    from motionbase.ring import hexapod_schema
    from motionbase.ring.backend import find
    from motionbase.ring.lock import is_held

    plan = load_faults(faults) if faults else FaultPlan()
    hexapod = load_platform(platform)
    if is_held(find(ring).lock_path):  # said before the compiling; the writer itself makes sure
        raise UsageError(f"ring {ring!r} has a writer already; stop it or choose another name")
    chosen = _law(hexapod, law)
    start = _Start(plan, manual, _tuned(chosen, parameters))
    print(f"motionbase run {hexapod.name}: compiling the closed loop ...", file=sys.stderr, flush=True)
    from motionbase.executive.hexapod import LoopCode
    from motionbase.system.closed_loop import ClosedLoop

    return LoopCode.of(ClosedLoop.of(hexapod, tuple(c.name for c in hexapod_schema().channels), chosen)), start


def _law(hexapod: "Hexapod", reference: str | None) -> "Law":
    """The platform's, or a person's own."""
    from motionbase.control.law import ControlLaw

    if reference is None:
        return ControlLaw(hexapod)
    from motionbase.cli.law_ref import load_law

    own = load_law(reference, hexapod)
    if own.dt != 1 / TICK_HZ:
        raise UsageError(f"--law {reference}: its dt is {own.dt:g} s, `motionbase run` needs {1 / TICK_HZ:g} s")
    return own


def _tuned(law: "Law", file: Path | None) -> dict[int, float]:
    from motionbase.executive.tuning import parameter_table
    from motionbase.ring.blocks.parameter_files import load_parameters

    table = parameter_table(law)  # refuses here what a ring could not show
    return load_parameters(file, table) if file else {}


def _in_ring(code: "LoopCode", ring: str, rate: int, duration: float | None, start: _Start) -> "Report":
    from motionbase.executive import Executive, Mode
    from motionbase.executive.hexapod import HexapodRun, safe_stop
    from motionbase.executive.printer import Printer, to_stderr
    from motionbase.executive.signals import heard
    from motionbase.executive.tuning import parameter_table
    from motionbase.ring import Writer, hexapod_schema

    schema, say, table = hexapod_schema(), Printer(to_stderr), parameter_table(code.loop.law).json
    signals: list[int] = []
    told: dict[str, Any] = {"dt": 1 / TICK_HZ, "every": TICK_HZ // rate, "parameters": table}
    with (
        Writer(schema, name=ring, program="motionbase run", **told) as writer,
        heard(signals.append),  # beside the executive's own: no end leaves the ring behind
    ):
        job = HexapodRun(code, writer, say, start.plan, start.tuned)
        job.arrays["mode"][...] = 1.0  # no host yet: generators about the neutral pose
        job.arrays["automatic"][...] = float(not start.manual)
        executive = Executive(job.schedule, writer, Mode.REAL_TIME, safe_stop=[safe_stop(job)], on_warning=to_stderr)
        hexapod = code.loop.plant.hexapod
        marks = f"; illustrative: {', '.join(hexapod.illustrative)}" if hexapod.illustrative else ""
        print(f"{hexapod.name}: {hexapod.summary}{marks}", flush=True)
        print(f"ring {ring!r}: {writer.backend}; {rate} records per second; Ctrl-C stops", flush=True)
        if signals:
            executive.stop()
        with _told(job, say):
            report = executive.run(duration)
        say.close()
        return report


class _told:
    """Says every change of state, from a thread of its own."""

    def __init__(self, job: "HexapodRun", say: "Printer") -> None:
        import threading

        self._job, self._say, self._over = job, say, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        from motionbase.control.faults import Fault

        sentences = {float(f): f.sentence for f in Fault}
        last = None
        while True:
            over = self._over.wait(LOOK_S)
            state, fault = self._job.state, float(self._job.arrays["fault"])
            if (state, fault) != last:
                wrong = f": {sentences.get(fault, f'fault {fault:g}')}" if fault else ""
                t = float(self._job.arrays["tick"]) / TICK_HZ
                self._say(f"{t:8.1f} s  {state.name.lower()}{wrong}")
                last = (state, fault)
            if over:
                return

    def __enter__(self) -> "_told":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)
