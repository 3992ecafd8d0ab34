"""`motionbase run`: a motion platform in closed loop, in soft real time, with its record in a ring."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
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
) -> None:
    """Simulate a motion platform under its control law, 2000 ticks a second, and record it in a ring.

    It rises, goes to standby and drives the function generators (`motionbase generators set FILE`); whenever they are
    set anew it settles and drives again. Look at it with `motionbase ring watch`.

    Example: motionbase run simona --duration 20
    """
    from motionbase.plant.fault_plan import FaultPlan, load_faults
    from motionbase.platform.load import load_platform
    from motionbase.ring.backend import find
    from motionbase.ring.lock import is_held

    if rate not in RATES:
        raise UsageError(f"--rate is {rate}, it must be one of {', '.join(map(str, RATES))} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    plan = load_faults(faults) if faults else FaultPlan()
    hexapod = load_platform(platform)
    if is_held(find(ring).lock_path):  # said before the compiling; the writer itself makes sure
        raise UsageError(f"ring {ring!r} has a writer already; stop it or choose another name")
    print(f"motionbase run {hexapod.name}: compiling the closed loop ...", file=sys.stderr, flush=True)
    report = _in_ring(_compiled(hexapod), ring, rate, duration, plan, manual)
    print(report)
    if report.error is not None:
        raise typer.Exit(1)


def _compiled(hexapod: "Hexapod") -> "LoopCode":
    """The closed loop, with the record's channels; there is no ring yet that a signal could leave behind."""
    import signal

    stopping = {signal.SIGINT, signal.SIGTERM}
    # tracing sets a handler of its own now and then, so a signal waits until the code is there
    signal.pthread_sigmask(signal.SIG_BLOCK, stopping)
    try:
        from motionbase.executive.hexapod import LoopCode
        from motionbase.ring import hexapod_schema
        from motionbase.system.closed_loop import ClosedLoop

        code = LoopCode.of(ClosedLoop.of(hexapod, tuple(c.name for c in hexapod_schema().channels)))
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stopping)
    return code


def _in_ring(
    code: "LoopCode", ring: str, rate: int, duration: float | None, plan: "FaultPlan", manual: bool
) -> "Report":
    from motionbase.executive import Executive, Mode
    from motionbase.executive.hexapod import HexapodRun, safe_stop
    from motionbase.executive.printer import Printer, to_stderr
    from motionbase.executive.signals import heard
    from motionbase.ring import Writer, hexapod_schema

    schema, say = hexapod_schema(), Printer(to_stderr)
    signals: list[int] = []
    with (
        Writer(schema, name=ring, dt=1 / TICK_HZ, every=TICK_HZ // rate, program="motionbase run") as writer,
        heard(signals.append),  # beside the executive's own: no end leaves the ring behind
    ):
        job = HexapodRun(code, writer, say, plan)
        job.arrays["mode"][...] = 1.0  # no host yet: generators about the neutral pose
        job.arrays["automatic"][...] = float(not manual)
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

        last = None
        while True:
            over = self._over.wait(LOOK_S)
            state, fault = self._job.state, int(self._job.arrays["fault"])
            if (state, fault) != last:
                wrong = f": {Fault(fault).sentence}" if fault else ""
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
