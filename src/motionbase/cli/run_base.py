"""The writer of `motionbase run`: the closed loop in soft real time, in this process, with its record in a ring."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from motionbase.errors import UsageError
from motionbase.record.words import told

if TYPE_CHECKING:
    from motionbase.control.own_law import Law
    from motionbase.executive import Report
    from motionbase.executive.hexapod import HexapodRun, LoopCode
    from motionbase.plant.fault_plan import FaultPlan
    from motionbase.platform.atlas.atlas import Atlas
    from motionbase.platform.hexapod import Hexapod
    from motionbase.record.generator_set import GeneratorSet
    from motionbase.record.parameters import ParameterTable
    from motionbase.record.schema import Schema
    from motionbase.ring.claim import Claim
    from motionbase.ring.printer import Printer
    from motionbase.system.runnable import Runnable

TICK_HZ = 2000
LOOK_S = 0.05
NO_GENERATORS = "none"


class Request(NamedTuple):
    """What a person asks `motionbase run` for."""

    platform: str
    ring: str
    rate: int
    duration: float | None
    faults: Path | None
    manual: bool
    parameters: Path | None
    law: str | None
    generators: str | None = None
    point: str | None = None


class Start(NamedTuple):
    """What a run begins with."""

    hexapod: "Hexapod"
    atlas: "Atlas | None"
    loop: "Runnable"
    plan: "FaultPlan"
    parameters: "ParameterTable"
    tuned: dict[int, float]
    generators: "GeneratorSet | None"


class Ended(NamedTuple):
    """How a run ended; `stopped` is a sentence where the guard held the law stopped to the end, else empty."""

    report: "Report"
    stopped: str


def alone(request: Request) -> Ended:
    """Compile, then run until the end; an emergency stop that comes meanwhile is kept, and the base does not rise."""
    with _signals_wait():
        from motionbase.ring.backend import find
        from motionbase.ring.claim import Claim

        claim = Claim(find(request.ring))  # refuses where somebody else writes the ring, before the compiling
        try:
            start = checked(request)
            claim.tell(platform=(start.atlas or start.hexapod).name, since=time.time())
            code = _compiled(start)
        except BaseException:
            claim.release()
            raise
    return _in_ring(code, request, start, claim)


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


def is_preset_as_it_is(request: Request) -> bool:
    """Whether there is nothing to refuse: a base that checks all the same would check it twice, and start later."""
    from motionbase import platform

    presets = {path.stem for folder in platform.__path__ for path in Path(folder, "presets").glob("*.toml")}
    own = (request.faults, request.parameters, request.law, request.generators, request.point)
    return request.platform in presets and all(given is None for given in own)


def checked(request: Request) -> Start:
    """Everything that can be refused, before anything takes long."""
    from motionbase.executive.tuning import parameter_table
    from motionbase.plant.fault_plan import FaultPlan, load_faults
    from motionbase.ring.blocks.parameter_files import load_parameters

    plan = load_faults(request.faults) if request.faults else FaultPlan()
    hexapod, atlas = _platform(request.platform)
    loop = _loop(hexapod, atlas, _law(hexapod, request.law), request.point)
    table = parameter_table(loop)  # refuses what a ring could not show
    tuned = load_parameters(request.parameters, table) if request.parameters else {}
    return Start(hexapod, atlas, loop, plan, table, tuned, _generators(hexapod, atlas, request))


def _platform(reference: str) -> "tuple[Hexapod, Atlas | None]":
    """Six legs, and the sphere on them where there is one."""
    from motionbase.platform.atlas.load import load_atlas
    from motionbase.platform.atlas.text import is_sphere
    from motionbase.platform.load import load_platform

    atlas = load_atlas(reference) if is_sphere(reference) else None
    return load_platform(atlas.stage if atlas else reference), atlas


def _schema(hexapod: "Hexapod", atlas: "Atlas | None") -> "Schema":
    from motionbase.record.hexapod import hexapod_schema
    from motionbase.record.sphere import sphere_schema

    return sphere_schema(len(atlas.wheels), hexapod.electric) if atlas else hexapod_schema(hexapod.electric)


def _loop(hexapod: "Hexapod", atlas: "Atlas | None", law: "Law", point: str | None) -> "Runnable":
    """With the record's channels."""
    from motionbase.system.closed_loop import ClosedLoop

    channels = tuple(c.name for c in _schema(hexapod, atlas).channels)
    if atlas is None:
        if point is not None:
            raise UsageError(f"--point {point}: platform {hexapod.name!r} has no sphere, and so no point to choose")
        return ClosedLoop.of(hexapod, channels, law)
    from motionbase.platform.atlas.decoupling import CENTRE
    from motionbase.system.atlas_loop import AtlasLoop

    return AtlasLoop.of(atlas, hexapod, channels, law, point=point or CENTRE)


def _compiled(start: Start) -> "LoopCode":
    """The closed loop as machine code."""
    print(
        f"motionbase run {(start.atlas or start.hexapod).name}: compiling the closed loop ...",
        file=sys.stderr,
        flush=True,
    )
    from motionbase.executive.hexapod import LoopCode

    return LoopCode.of(start.loop)


def _law(hexapod: "Hexapod", reference: str | None) -> "Law":
    """The platform's, or a person's own."""
    from motionbase.control.law import ControlLaw

    if reference is None:
        return ControlLaw(hexapod)
    from motionbase.control.law_file import load_law

    own = load_law(reference, hexapod)
    if own.dt != 1 / TICK_HZ:
        raise UsageError(f"--law {reference}: its dt is {own.dt:g} s, `motionbase run` needs {1 / TICK_HZ:g} s")
    return own


def _usual(request: Request) -> str:
    """The generators where none are named: nothing where a person decides, or a law of their own."""
    from motionbase.platform.ready_sets import GENTLE

    return NO_GENERATORS if request.manual or request.law else GENTLE


def at_rest(request: Request) -> Request:
    """The same base and generators, but it stays off until an operator asks: for one that is started again."""
    return request._replace(manual=True, generators=request.generators or _usual(request))


def _generators(hexapod: "Hexapod", atlas: "Atlas | None", request: Request) -> "GeneratorSet | None":
    """What is armed at the start."""
    from motionbase.platform.ready_sets import ready_sets
    from motionbase.ring.blocks.files import load

    wanted = request.generators or _usual(request)
    if wanted == NO_GENERATORS:
        return None
    if wanted.endswith((".toml", ".json")):
        return load(wanted)
    ready = ready_sets(hexapod, atlas)
    if wanted not in ready:
        there = ", ".join((*ready, NO_GENERATORS))
        raise UsageError(f"--generators {wanted!r:.80}: it must be one of {there}, or a file .toml or .json")
    return ready[wanted]


def _in_ring(code: "LoopCode", request: Request, start: Start, claim: "Claim") -> Ended:
    from motionbase.executive import Executive, Mode
    from motionbase.executive.hexapod import HexapodRun, safe_stop
    from motionbase.executive.signals import heard
    from motionbase.platform.atlas.text import sphere_text
    from motionbase.platform.load import platform_text
    from motionbase.ring.blocks.generators import GeneratorClient
    from motionbase.ring.printer import Printer, to_stderr
    from motionbase.ring.writer import Writer

    schema, say = _schema(start.hexapod, start.atlas), Printer(to_stderr)
    signals: list[int] = []
    stops: list[Callable[[], None]] = []

    def hear(number: int) -> None:
        signals.append(number)
        for stop in stops:
            stop()

    header: dict[str, Any] = {"dt": 1 / TICK_HZ, "every": TICK_HZ // request.rate, "parameters": start.parameters.json}
    header["platform"] = (sphere_text if start.atlas else platform_text)(request.platform)
    with (
        Writer(schema, name=request.ring, program="motionbase run", claim=claim, **header) as writer,
        heard(hear),  # beside the executive's own, which begin when it runs: no end leaves the ring behind
    ):
        job = HexapodRun(code, writer, say, start.plan, start.tuned)
        job.arrays["mode"][...] = 1.0  # no host yet: generators about the neutral pose
        job.arrays["automatic"][...] = float(not request.manual)
        options: dict[str, Any] = {"clock": job.clock, "safe_stop": [safe_stop(job)], "on_warning": to_stderr}
        executive = Executive(job.schedule, writer, Mode.REAL_TIME, **options)
        stops.append(executive.stop)
        if start.generators is not None:
            GeneratorClient(request.ring, author="motionbase run").write(start.generators)
        platform = start.atlas or start.hexapod
        marks = f"; illustrative: {', '.join(platform.illustrative)}" if platform.illustrative else ""
        print(f"{platform.name}: {platform.summary}{marks}", flush=True)
        print(f"ring {request.ring!r}: {writer.backend}; {request.rate} records per second; Ctrl-C stops", flush=True)
        if signals:
            executive.stop()
        with _told(job, say, start.hexapod.electric):
            report = executive.run(request.duration)
        say.close()
        return Ended(report, told(stopped_by_guard(float(job.arrays["fault"])), start.hexapod.electric))


def stopped_by_guard(fault: float) -> str:
    """The sentence of a fault that the guard found; empty for all others."""
    from motionbase.record.faults import GUARDED

    return next((f.sentence for f in GUARDED if f == fault), "")


class _told:
    """Says every change of state, from a thread of its own."""

    def __init__(self, job: "HexapodRun", say: "Printer", electric: bool) -> None:
        import threading

        self._job, self._say, self._electric, self._over = job, say, electric, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        from motionbase.record.faults import Fault

        sentences = {float(f): told(f.sentence, self._electric) for f in Fault}
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
