"""Predictive cueing: time of a step, and what people feel against the washout, on SIMONA."""

import functools
import gc
import time
from typing import NamedTuple

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings
from motionbase.arrays import Array
from motionbase.cueing.cueing import Cueing, head_of
from motionbase.cueing.predictive.forecast import Driver, Forecast, sampled
from motionbase.cueing.predictive.horizon import PERIOD
from motionbase.cueing.predictive.planner import Planner
from motionbase.cueing.run import cue
from motionbase.host.manoeuvres.library import manoeuvre, manoeuvre_names, recipe_of
from motionbase.platform.load import load_platform

PUBLISHED = tuple(name for name in manoeuvre_names() if recipe_of(name).source != "illustrative")
QUICK = ("double_lane_change", "surge_step", "roll_doublet")
LONGEST = 30.0  # [s] of a manoeuvre; 8 s in a quick run
HOST_HZ = 60.0


class Felt(NamedTuple):
    """Rms difference of what is felt in the vehicle and on the platform [thresholds], for each manoeuvre."""

    washout: Array
    driver: Array
    preview: Array
    stroke: float  # least way of a leg to its end, over everything [m]


def rows_of(name: str, settings: Settings) -> tuple[Array, Array]:
    """Times and samples, as a host sends them."""
    made = manoeuvre(name, HOST_HZ)
    kept = made.t <= (8.0 if settings.quick else LONGEST)
    return np.asarray(made.t[kept]), np.asarray(made.rows[kept])


@functools.cache
def felt(settings: Settings) -> Felt:
    """Through the tick at 200 Hz with everything that belongs to it; preview knows the samples to come."""
    platform = load_platform("simona")
    plain = Cueing.of(platform, "simona", dt=0.005)
    predictive = Cueing.of(platform, "simona", dt=0.005, algorithm="predictive")
    found: list[list[float]] = []
    stroke = np.inf
    for name in QUICK if settings.quick else PUBLISHED:
        t, rows = rows_of(name, settings)
        forecasts: list[Forecast] = [Driver(), sampled(t, rows[:, :6])]
        told = [cue(plain, t, rows)]
        told += [cue(predictive, t, rows, planner=Planner(platform, head_of(platform), forecast=f)) for f in forecasts]
        found.append([float(np.sqrt(np.mean(one["cue_error"] ** 2))) for one in told])
        stroke = min(stroke, *(float(one["stroke_left"].min()) for one in told))
    washout, driver, preview = np.transpose(found)
    return Felt(washout, driver, preview, stroke)


def ratio(settings: Settings, side: str) -> Samples:
    """Mean over the manoeuvres of predictive / washout."""
    made = felt(settings)
    each = getattr(made, side) / made.washout
    whole = np.sqrt(np.sum(getattr(made, side) ** 2) / np.sum(made.washout**2))
    note = f"{each.size} manoeuvres: {each.min():.2f} to {each.max():.2f}; of all errors together {whole:.2f}"
    return Samples((float(each.mean()),), f"{note}; legs at least {1e3 * made.stroke:.0f} mm off their ends")


@functools.cache
def steps(settings: Settings) -> Samples:
    """p99 of a plan, processor time of its thread [ms]: kinematics, linearisation, matrices, solver, second passes."""
    platform = load_platform("simona")
    seconds: list[float] = []
    for name in ("slalom",) if settings.quick else ("slalom", "take_off", "stall", "braking", "turbulence"):
        made = Cueing.of(platform, "simona", dt=0.005, algorithm="predictive")
        planner = Planner(platform, head_of(platform), forecast=Driver())
        kept = planner.plan
        times: list[float] = []

        def timed(where, plan=kept, times=times):  # type: ignore[no-untyped-def]
            start = time.thread_time()
            found = plan(where)
            times.append(time.thread_time() - start)
            return found

        planner.plan = timed  # type: ignore[method-assign]
        gc.disable()
        try:
            cue(made, *rows_of(name, settings), planner=planner)
        finally:
            gc.enable()
        seconds += times[10:]
    ms = 1e3 * np.array(seconds)
    note = f"p50 {np.median(ms):.2f}, worst {ms.max():.2f} of {ms.size} plans, one every {1e3 * PERIOD:g} ms"
    return Samples((float(np.quantile(ms, 0.99)),), note)


BENCHMARKS = [
    Benchmark(
        "host.mpc_p99_ms", "ms", "<= 5", "a plan within the legs over 2 s, all of its thread's time, p99", steps,
        quick_s=40.0,
    ),
    Benchmark(
        "host.mpc_vs_washout", "x", "<= 0.7",
        "perceived error, predictive / SIMONA's washout, mean over published manoeuvres; what comes is not known",
        lambda s: ratio(s, "driver"), quick_s=50.0,
    ),
    Benchmark(
        "host.mpc_vs_washout_preview", "x", "<= 0.7", "the same where the host tells what comes",
        lambda s: ratio(s, "preview"), quick_s=50.0,
    ),
]  # fmt: skip
