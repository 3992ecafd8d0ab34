"""Boats at sea: a step alone and on lanes; heights, natural periods and responses against what is published."""

import functools
import math
from typing import Any, Literal

import numpy as np

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.compile import scan
from motionbase.worlds.boat.sailing import Sailing
from motionbase.worlds.boat.step import Body
from motionbase.worlds.boat.vessel import load_vessel
from motionbase.worlds.felt import angles_of
from motionbase.worlds.sea.choice import chosen_sea
from motionbase.worlds.sea.realise import realised
from motionbase.worlds.sea.spectra import jonswap
from motionbase.worlds.sea.statistics import statistics
from motionbase.worlds.sea.waves import regular

STEPS, LANES = 500, 8
MINUTES, HEIGHT, PERIOD = 20, 2.0, 7.0  # of the sea whose height is measured
OMEGAS = (0.105, 0.370, 0.465, 0.598, 0.838)  # [rad/s]
HEAVE = {  # of the S175 by the Marine Systems Simulator, over the amplitude of the wave
    "head": (math.pi, (0.999, 0.870, 0.681, 0.262, 0.353)),
    "beam": (math.pi / 2, (1.000, 1.011, 1.032, 1.112, 1.379)),
}
PERIODS = {"heave": 7.45, "roll": 18.16, "pitch": 7.13}  # [s] likewise


Each = Literal["lanes", "loops"]
SIDES: dict[str, tuple[int, Each]] = {"alone": (1, "lanes"), "scalar": (1, "loops"), "lanes": (LANES, "lanes")}


@functools.cache
def steps(settings: Settings, *wanted: str) -> Rounds:
    """Seconds of a step of the launch in sea state 4: alone, in scalar code (no lanes in its loops), eight together."""
    vessel = load_vessel("launch")
    boat = Sailing(vessel, chosen_sea({"sea": 4.0}).waves(vessel.length / 2))
    start = boat.start(8.0)
    sides = {}
    for name in wanted:
        lanes, each = SIDES[name]
        loop = scan(boat.program, lanes=lanes, each=each)
        body = start if lanes == 1 else np.repeat(start[:, None], lanes, axis=1)
        controls = np.array([0.8, 0.1]) if lanes == 1 else np.repeat([[0.8], [0.1]], lanes, axis=1)
        given: dict[str, Any] = dict(boat.inputs) | {"push": np.zeros(6)}
        if lanes > 1:
            given = {name: np.repeat(np.asarray(value)[..., None], lanes, axis=-1) for name, value in given.items()}
        sides[name] = per_evaluation(functools.partial(loop, **given, body=body, controls=controls), STEPS)
    return interleaved(sides, settings)


def lanes_gain(settings: Settings) -> Samples:
    """Steps per second of eight boats on lanes over those of one in scalar code."""
    return Samples(tuple(LANES * ratio for ratio in steps(settings, "scalar", "lanes").ratio("scalar", "lanes").values))


def height_error(settings: Settings) -> Samples:
    """Largest error of the significant height over 20 minutes at a place, of seven seas of one spectrum."""
    t = np.arange(0.0, MINUTES * 60, 0.25)
    seas = (realised(jonswap(HEIGHT, PERIOD), math.pi, math.radians(25), seed) for seed in range(1, 8))
    heights = [statistics(t, sea.elevation(t)).spectral_height for sea in seas]
    return Samples((max(abs(height / HEIGHT - 1) for height in heights),))


def period_error(settings: Settings) -> Samples:
    """Largest error of a natural period of the ship, from free decays."""
    errors = {name: natural_period(name) / wanted - 1 for name, wanted in PERIODS.items()}
    return Samples((max(map(abs, errors.values())),), ", ".join(f"{name} {x:+.1%}" for name, x in errors.items()))


def natural_period(motion: str) -> float:
    """From the first three half swings, without their damping [s]."""
    boat = Sailing(load_vessel("container"), h=0.05)
    at = boat.vessel.statics.upright
    turn = [math.cos(0.01), math.sin(0.01) * (motion == "roll"), math.sin(0.01) * (motion == "pitch"), 0.0]
    start = {"p_W": [0.0, 0.0, at.height + 0.3]} if motion == "heave" else {"Q_WB": turn}
    boat.reset(boat.start(0.0, **start))
    x = np.empty(round(2.6 * PERIODS[motion] / boat.h))
    for n in range(len(x)):
        boat.step(0.0, 0.0)
        roll, pitch, _ = angles_of(Body.layout.part(boat.body, "Q_WB").tolist())
        height = Body.layout.part(boat.body, "p_W")[2] - at.height
        x[n] = {"heave": height, "roll": roll, "pitch": pitch - at.trim}[motion]
    k = np.flatnonzero((x[:-1] < 0) != (x[1:] < 0))[:4]
    crossings = boat.h * (k + x[k] / (x[k] - x[k + 1]))
    peaks = [np.abs(x[a:b]).max() for a, b in zip(k, k[1:], strict=False)]
    decay = math.log(peaks[0] / peaks[2])
    return 2 * float(np.diff(crossings).mean()) / math.sqrt(1 + (decay / (2 * math.pi)) ** 2)


@functools.cache
def heave_errors(name: str) -> tuple[float, ...]:
    """Differences of the heave over the wave's amplitude from those published, the longest wave first."""
    direction, published = HEAVE[name]
    found = []
    for omega, wanted in zip(OMEGAS, published, strict=True):
        boat = Sailing(load_vessel("container"), regular(1.0, 2 * math.pi / omega, direction), h=0.1)
        boat.reset()
        z = []
        for _ in range(round((150 + 8 * math.pi / omega) / boat.h)):
            boat.step(0.0, 0.0)
            Body.layout.part(boat.body, "p_W")[:2] = 0.0
            z.append(float(Body.layout.part(boat.body, "p_W")[2]))
        found.append(abs(float(np.ptp(z[-round(4 * math.pi / omega / boat.h) :])) - wanted))
    return tuple(found)


BENCHMARKS = [
    Benchmark(
        "worlds.hs_error", "-", "<= 0.05", "significant height of a JONSWAP sea over 20 minutes, over the wanted one",
        height_error,
    ),
    Benchmark(
        "worlds.boat_us", "us", "<= 60", "a step of 5 ms of a launch in sea state 4, on one core",
        lambda s: steps(s, "alone").side("alone", 1e6), mode="strict", lanes=1,
    ),
    Benchmark(
        "worlds.boat_lanes8_gain", "x", ">= 3", "steps per second of eight launches on lanes over one in scalar code",
        lanes_gain, mode="strict", lanes=8, quick_s=90.0,
    ),
    Benchmark(
        "worlds.boat_period_error", "-", "<= 0.05", "natural periods of the ship: heave, roll, pitch of the S175",
        period_error,
    ),
    Benchmark(
        "worlds.boat_long_wave_error", "-", "<= 0.02", "heave over the amplitude of long waves, ship against the S175",
        lambda s: Samples((max(heave_errors(name)[0] for name in HEAVE),)),
    ),
    Benchmark(
        "worlds.boat_rao_error", "-", None, "the same in waves of 5.6 km to 88 m, the largest difference",
        lambda s: Samples((max(error for name in HEAVE for error in heave_errors(name)),)),
    ),
]  # fmt: skip
