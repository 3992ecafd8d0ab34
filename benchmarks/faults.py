"""Faults at any instant on lanes: their effects on the base, detection times, and false alarms."""

import functools
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings
from motionbase.plant.fault_plan import FaultKind
from motionbase.platform.load import load_platform
from motionbase.platform.sensors import Sensors
from motionbase.record.axes import DOFS
from motionbase.record.generators import COLUMNS, COUNT, PLACE, Shape
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.fault_cases import SHOWS, FaultStudy, Moment, Outcome
from motionbase.system.lane_runs import LANES, LaneRunner
from motionbase.system.loads import PHASES, Allowables, Loads, swings
from motionbase.system.runs import Scenario

PLATFORMS = ("simona", "cmf", "emotion-1500")
QUICK_S = 240.0  # two thousand runs, an hour of tour, and compiling six loops the first time
EVERY = 2  # of all cases, in a quick run
LANDS = 4  # one of this many is followed down to its lower ends, in a quick run
TOUR_S = 1200.0  # on each platform, an hour in total
NOISE = 2.0  # times the nominal noise of every sensor
GENTLE = 0.1  # of the limit of each axis: amplitude of the tour


@dataclass(frozen=True)
class Case:
    """An outcome as plain numbers, to be sent between processes."""

    name: str
    seized: bool
    end_speed: float
    force: float
    joint: float
    shows: bool
    found: bool
    detect_ms: float


def moments(platform: str) -> list[Moment]:
    """Every fault of every leg at rest and once in every motion; at reversals, full speed and random phases in turn."""
    loads = Loads(load_platform(platform), DOFS, (1, 2, 3, 4, 5, 6))
    chance = np.random.default_rng(14)
    listed: list[Moment] = []
    for kind, leg in loads.faults:
        if kind is None or leg is None:
            continue
        for swing in swings(loads.hexapod, DOFS):
            turn = len(listed) % 8
            phase = PHASES[turn // 2] if turn % 2 else float(chance.uniform())
            listed.append(Moment(kind, leg, swing, phase))
    return listed


def study(platform: str, quick: bool) -> list[Case]:
    """All cases of a platform, or every second one."""
    hexapod = load_platform(platform)
    allowed, found = Allowables.of(hexapod), FaultStudy(hexapod, swings(hexapod, DOFS))
    chosen = moments(platform)[:: EVERY if quick else 1]
    followed = chosen[::LANDS] if quick else chosen
    rest = [m for k, m in enumerate(chosen) if k % LANDS] if quick else []
    return [_case(platform, o, allowed) for o in (*found.run(followed), *found.run(rest, lands=False))]


def _case(platform: str, o: Outcome, allowed: Allowables) -> Case:
    name = f"{platform}, {o.moment.fault} of leg {o.moment.leg}, {o.moment.when}"
    return Case(
        name,
        o.moment.kind is FaultKind.LEG_SEIZED,
        o.contact or 0.0,
        o.force / allowed.force,
        o.joint / allowed.joint,
        o.shows_after is not None,
        o.found_after is not None,
        1e3 * (o.detected_after or 0.0),
    )


def false_alarms(platform: str, seconds: float = TOUR_S) -> int:
    """Faults reported in a fault-free tour of all axes, from down to drive, with sensors twice as noisy."""
    hexapod = load_platform(platform)
    sensors = hexapod.sensors
    noisy = Sensors(*(replace(s, noise=NOISE * s.noise) for s in (getattr(sensors, f.name) for f in fields(sensors))))
    runner = LaneRunner(ClosedLoop.of(hexapod, sensors=noisy), ("state", "fault"))
    scenarios = [Scenario(settings=_tour(hexapod.limits.position, k), seed=k) for k in range(LANES)]
    alarms, drove = np.zeros(LANES, dtype=bool), np.zeros(LANES, dtype=bool)
    for piece in runner.pieces(scenarios, seconds / LANES, length=5.0):
        alarms |= (piece.rows["fault"] != 0).any(axis=0)
        drove |= (piece.rows["state"] == State.DRIVE).any(axis=0)
    if not drove.all():
        raise RuntimeError(f"{platform}: the tour did not come to drive")
    return int(alarms.sum())


def _tour(limits: tuple[float, ...], seed: int) -> np.ndarray:
    rows = np.zeros((COUNT, len(COLUMNS)))
    for k, limit in enumerate(limits):
        values: dict[str, Any] = {"enabled": 1, "space": 1, "axes": 1 << k, "shape": Shape.RANDOM.code, "tones": 12}
        values |= {"amplitude": GENTLE * limit, "frequency": 0.05, "end_frequency": 0.8, "seed": 6 * seed + k}
        values |= {"fade_in": 2.0, "fade_out": 2.0}
        for name, value in values.items():
            rows[k, PLACE[name]] = float(value)
    return rows


@functools.cache
def measured(settings: Settings) -> tuple[list[Case], int]:
    """Cases and false alarms of all platforms, one process each."""
    context = multiprocessing.get_context("spawn")
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(min(2 * len(PLATFORMS), cores), context, os.sched_setaffinity, (0, range(cores))) as pool:
        parts = [pool.submit(study, p, settings.quick) for p in PLATFORMS]
        tours = [pool.submit(false_alarms, p) for p in PLATFORMS]
        return [case for part in parts for case in part.result()], sum(t.result() for t in tours)


def _worst(settings: Settings, what: str, cases: list[Case]) -> Samples:
    worst = max(cases, key=lambda c: float(getattr(c, what)))
    return Samples((float(getattr(worst, what)),), worst.name)


def _found(settings: Settings) -> list[Case]:
    return [c for c in measured(settings)[0] if c.found and c.shows]


def _exceeded(settings: Settings) -> Samples:
    over = [c for c in measured(settings)[0] if not c.seized and max(c.force, c.joint) > 1]
    return Samples((float(len(over)),), over[0].name if over else "")


def _unfound(settings: Settings) -> Samples:
    lost = [c for c in measured(settings)[0] if c.shows and not c.found]
    return Samples((float(len(lost)),), lost[0].name if lost else "")


def _count(what: str, settings: Settings) -> Samples:
    cases = measured(settings)[0]
    return Samples((float(len(cases) if what == "cases" else sum(not c.shows for c in cases)),))


BENCHMARKS = [
    Benchmark("faults.cases", "-", ">= 2000", f"every sensor, valve and leg fault on {', '.join(PLATFORMS)}",
              functools.partial(_count, "cases"), "strict", LANES, quick_s=QUICK_S),
    Benchmark("faults.end_speed_max", "m/s", "<= 0.05", "fastest meeting of a leg with its hard end",
              lambda s: _worst(s, "end_speed", measured(s)[0]), "strict", LANES),
    Benchmark("faults.allowable_exceeded", "-", "<= 0", "cases beyond an allowable load, seized legs left out",
              _exceeded, "strict", LANES),
    Benchmark("faults.seized_joint", "-", None, "largest joint load of a seized leg, over the allowable one",
              lambda s: _worst(s, "joint", [c for c in measured(s)[0] if c.seized]), "strict", LANES),
    Benchmark("faults.detect_ms_p99", "ms", "<= 60", f"from a leg {1e3 * SHOWS:g} mm off its motion to the fault",
              lambda s: Samples((float(np.percentile([c.detect_ms for c in _found(s)], 99)),)), "strict", LANES),
    Benchmark("faults.detect_ms_max", "ms", None, "the largest of them",
              lambda s: _worst(s, "detect_ms", _found(s)), "strict", LANES),
    Benchmark("faults.unfound", "-", "<= 0", "cases that show and are not found within six seconds", _unfound, "strict",
              LANES),
    Benchmark("faults.dormant", "-", None, "cases that never show: no leg ever goes off its motion",
              functools.partial(_count, "dormant"), "strict", LANES),
    Benchmark("faults.false_alarms", "-", "<= 0", "in an hour of tour at twice the noise of all sensors",
              lambda s: Samples((float(measured(s)[1]),)), "strict", LANES),
]  # fmt: skip
