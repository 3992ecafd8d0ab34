"""`motionbase run`: a motion platform in closed loop, in soft real time, with its record in a ring."""

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.executive import Report
    from motionbase.executive.hexapod import HexapodRun

TICK_HZ = 2000
RATES = (100, 200, 250, 400, 500, 1000, 2000)
LOOK_S = 0.2


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

    if rate not in RATES:
        raise UsageError(f"--rate is {rate}, it must be one of {', '.join(map(str, RATES))} records per second")
    if duration is not None and not (math.isfinite(duration) and duration > 0):
        raise UsageError(f"--duration is {duration:g} s, it must be a finite number above 0")
    plan = load_faults(faults) if faults else FaultPlan()
    hexapod = load_platform(platform)
    print(f"motionbase run {hexapod.name}: compiling the closed loop ...", file=sys.stderr, flush=True)
    report = _in_ring(hexapod, ring, rate, duration, plan, manual)
    print(report)
    if report.error is not None:
        raise typer.Exit(1)


def _in_ring(hexapod: object, ring: str, rate: int, duration: float | None, plan: object, manual: bool) -> "Report":
    from motionbase.executive import Executive, Mode
    from motionbase.executive.hexapod import HexapodRun, safe_stop
    from motionbase.plant.fault_plan import FaultPlan
    from motionbase.platform.hexapod import Hexapod
    from motionbase.ring import Writer, hexapod_schema
    from motionbase.system.closed_loop import ClosedLoop

    assert isinstance(hexapod, Hexapod) and isinstance(plan, FaultPlan)
    schema = hexapod_schema()
    loop = ClosedLoop.of(hexapod, tuple(c.name for c in schema.channels))
    with Writer(schema, name=ring, dt=1 / TICK_HZ, every=TICK_HZ // rate, program="motionbase run") as writer:
        job = HexapodRun(loop, writer, plan, _say)
        job.arrays["mode"][...] = 1.0  # no host yet: generators about the neutral pose
        job.arrays["automatic"][...] = float(not manual)
        schedule = job.schedule
        marks = f"; illustrative: {', '.join(hexapod.illustrative)}" if hexapod.illustrative else ""
        print(f"{hexapod.name}: {hexapod.summary}{marks}", flush=True)
        print(f"ring {ring!r}: {writer.backend}; {rate} records per second; Ctrl-C stops", flush=True)
        executive = Executive(schedule, writer, Mode.REAL_TIME, safe_stop=[safe_stop(job)], on_warning=_say)
        with _told(job):
            return executive.run(duration)


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


class _told:
    """Says every change of state, from a thread of its own."""

    def __init__(self, job: "HexapodRun") -> None:
        import threading

        self._job, self._over = job, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        last = None
        while not self._over.wait(LOOK_S):
            state, fault = self._job.state, int(self._job.arrays["fault"])
            if (state, fault) != last:
                wrong = f", fault {fault}" if fault else ""
                t = float(self._job.arrays["tick"]) / TICK_HZ
                _say(f"{t:8.1f} s  {state.name.lower()}{wrong}")
                last = (state, fault)

    def __enter__(self) -> "_told":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(1.0)
