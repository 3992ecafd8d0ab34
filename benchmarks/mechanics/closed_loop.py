"""The hexapod in closed loop: real-time factors, and a tick inside the executive with cold caches and readers."""

import functools
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Rounds, Samples, Settings, Skip, interleaved, per_evaluation
from motionbase.compile import Scan, scan
from motionbase.compile.inspection.machine_code import build
from motionbase.compile.runtime.cuda import scan_cuda
from motionbase.errors import TargetUnavailable
from motionbase.executive import Executive, Mode
from motionbase.executive.hexapod import HexapodRun, LoopCode
from motionbase.interpreter import python
from motionbase.plant.motion import STATE, Motion, next_of
from motionbase.platform.load import load_platform
from motionbase.record.generator_set import GeneratorSet
from motionbase.record.generators import Generator
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.reader import Reader
from motionbase.ring.writer import Writer
from motionbase.system.closed_loop import ClosedLoop

TICK = 5e-4
TICKS = 20_000  # ten seconds: calling a run from Python costs as much as 300 ticks
LANES = 8
SCENARIOS, GPU_TICKS = 65_536, 400
LENGTH, PRESSURE = 1e-4, 1e-2  # [m], of supply: permitted error of a step of one tick
HEAVE = Generator(True, "dof", ("heave",), "sine", 0.2, 0.5, fade_in=2.0, fade_out=2.0)  # type: ignore[arg-type]
READER = "from motionbase.ring.reader import Reader\nr = Reader({name!r})\nwhile True: r.wait(0.05)\n"


@functools.cache
def loop() -> ClosedLoop:
    """The loop of the default platform."""
    return ClosedLoop.of(load_platform("simona"))


@functools.cache
def driving() -> dict[str, Any]:
    """State and inputs in drive, heaving."""
    of = loop()
    inputs = of.quiet_inputs() | {"mode": np.array(1.0), "settings_version": np.array(1.0)}
    inputs["settings"] = GeneratorSet((HEAVE,)).values
    start = of.at_rest()
    out = scan(of.program, of.feedback)(round(14.0 / TICK), **start, **inputs)
    if out["state_before"] != 5.0:
        raise RuntimeError(f"the platform is in state {out['state_before']:g} after 14 s, not in drive")
    return {**inputs, **{name: out[name] for name in start}}


def _wide(values: dict[str, Any], lanes: int) -> dict[str, Any]:
    if lanes == 1:
        return values
    return {name: np.repeat(np.asarray(v, dtype=np.float64)[..., None], lanes, axis=-1) for name, v in values.items()}


def _run(run: Scan, values: dict[str, Any], n: int) -> object:
    return run(n, **values)


@functools.cache
def speeds(settings: Settings) -> Rounds:
    """Time per tick [s] for one scenario and for eight at once, strict and fast."""
    check_accuracy(settings)
    of, sides = loop(), {}
    for mode in ("fast", "strict"):
        for lanes in (1, LANES):
            run = scan(of.program, of.feedback, lanes=lanes, mode="fast" if mode == "fast" else "strict")
            sides[f"{mode}{lanes}"] = per_evaluation(functools.partial(_run, run, _wide(driving(), lanes)), TICKS)
    turns = scan(of.program, of.feedback, each="loops")
    sides["loops1"] = per_evaluation(functools.partial(_run, turns, driving()), TICKS)
    return interleaved(sides, settings)


def for_each_gain(settings: Settings) -> Samples:
    """Iterations of `for_each` one by one / on the lanes of a register, strict, one scenario."""
    return speeds(settings).ratio("loops1", "strict1")


@functools.cache
def compiled() -> dict[str, float]:
    """Code and stack size of the closed loop [bytes], strict, and the time of tracing and compiling [s]."""
    start = time.perf_counter()
    built = build(ClosedLoop.of(load_platform("simona")).program, 1, "strict")
    seconds = time.perf_counter() - start
    return {"code": built.code_bytes, "stack": max(f.deepest for f in built.functions), "seconds": seconds}


def size(what: str) -> Callable[[Settings], Samples]:
    """One entry of `compiled`."""
    return lambda settings: Samples((compiled()[what],))


@functools.cache
def check_accuracy(settings: Settings) -> tuple[float, float]:
    """Largest errors of leg length [m] and pressure [of supply] against steps of 1 us (4 in a quick run).

    Full authority into the cushions at both ends, and friction reversals: the accuracy behind the real-time factor.
    """
    motion = Motion(loop().plant.hexapod)
    feedback = {p.name: next_of(p).name for p in STATE}
    run = scan(motion.step, feedback, per_step=["u"], record=["l", "legs_next"])
    a, t = motion.actuator, np.arange(round(1.0 / TICK)) * TICK
    held: dict[str, Any] = {"p_supply": a.p_supply, "p_return": a.p_return, "abort": 0.0}
    held |= {"f_brake": np.zeros(6), "load_P": np.zeros(6)}
    drives = (np.ones((len(t), 6)), -np.ones((len(t), 6)), 0.1 * np.sin(4 * np.pi * t[:, None] + np.arange(6)))
    length = pressure = 0.0
    for u in drives:
        rows = []
        for parts in (1, 125 if settings.quick else 500):
            out = run(
                len(u) * parts, every=parts, h=TICK / parts, u=np.repeat(u, parts, axis=0), **motion.at_rest(), **held
            )
            rows.append((out["l"], out["legs_next"][:, :, 2:4]))
        length = max(length, float(np.abs(rows[0][0] - rows[1][0]).max()))
        pressure = max(pressure, float(np.abs(rows[0][1] - rows[1][1]).max()) / a.p_supply)
    if not (length <= LENGTH and pressure <= PRESSURE):
        raise RuntimeError(f"a step of {TICK:g} s is off by {length:.1e} m and {pressure:.1%} of supply")
    return length, pressure


def realtime(side: str) -> Callable[[Settings], Samples]:
    """Simulated seconds per second, of all lanes together."""

    def measure(settings: Settings) -> Samples:
        lanes = int(side[-1])
        values = speeds(settings).rate(side, TICK * lanes).values
        length, pressure = check_accuracy(settings)
        return Samples(values, f"off by {length * 1e3:.3f} mm and {pressure:.2%} of supply at most")

    return measure


# ---- thousands of scenarios on a GPU -------------------------------------------------------------------------------


def on_gpu(mode: Literal["strict", "fast"]) -> Callable[[Settings], Samples]:
    """Simulated seconds per second, of all scenarios together; they differ in the noise of their sensors."""

    def measure(settings: Settings) -> Samples:
        of = loop()
        try:
            run = scan_cuda(of.program, of.feedback, mode=mode)
        except TargetUnavailable as error:
            raise Skip(str(error)) from None
        import cupy

        values = {name: cupy.asarray(value, dtype=cupy.float64) for name, value in driving().items()}
        for name in of.feedback:
            values[name] = cupy.ascontiguousarray(cupy.repeat(values[name][..., None], SCENARIOS, axis=-1))
        values["seed"] = cupy.arange(SCENARIOS, dtype=cupy.float64)
        factors = []
        for _ in range(2 if settings.quick else 5):
            cupy.cuda.Device().synchronize()
            start = time.perf_counter()
            run(SCENARIOS, GPU_TICKS, every=GPU_TICKS, **values)
            cupy.cuda.Device().synchronize()
            factors.append(SCENARIOS * GPU_TICKS * TICK / (time.perf_counter() - start))
        return Samples(tuple(factors[1:]), f"{SCENARIOS} scenarios")  # the first run warms the device up

    return measure


# ---- a tick inside the executive -----------------------------------------------------------------------------------


@contextmanager
def _readers(name: str, count: int = 3) -> Iterator[None]:
    command = python("-c", READER.format(name=name))
    processes = [subprocess.Popen(command, env={**os.environ}) for _ in range(count)]
    try:
        time.sleep(1.0)
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@functools.cache
def ticks(settings: Settings) -> np.ndarray:
    """Computing times [us] of control, plant and record in real time at 2 kHz, with three readers."""
    schema = hexapod_schema()
    of = ClosedLoop.of(load_platform("simona"), tuple(c.name for c in schema.channels))
    name = f"bench-hexapod-{os.getpid()}"
    with Writer(schema, name=name, dt=TICK, every=1, program="bench") as writer, _readers(name):
        job = HexapodRun(LoopCode.of(of), writer, lambda _: None)
        for port, value in driving().items():
            job.arrays[port][...] = value
        executive = Executive(job.schedule, writer, Mode.REAL_TIME, on_warning=lambda _: None)
        reader = Reader(name, start="oldest", batch=44_943)
        report = executive.run(2.0 if settings.quick else 10.0)
        rows = reader.read().rows
        found = 1e6 * rows[1:, schema.place("compute")].copy()
    writer.backend.lock_path.unlink(missing_ok=True)
    if not len(found):
        raise Skip(f"no ticks were recorded: {report.why}")
    return found


def tick_us(percentile: float) -> Callable[[Settings], Samples]:
    """A percentile of the computing times; the note has the size of the code."""

    def measure(settings: Settings) -> Samples:
        note = f"{compiled()['code'] / 1024:.0f} KiB of code, {compiled()['stack'] / 1024:.1f} KiB of stack"
        return Samples((float(np.percentile(ticks(settings), percentile)),), note)

    return measure
