"""Decoding: one frame of each format. Of simulators, a vehicle in motion, to a head away from its point."""

import functools
import math
import random

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.host.format import Frame, Kind, Options
from motionbase.host.formats import HOMES, format_of
from tests.host.telemetry.doing import Doing
from tests.host.telemetry.layouts import BEFORE, BUILDERS

FRAMES = 240  # different ones, in turn
LEVER = (0.5, 0.2, 1.0)  # [m]


def datagrams(name: str) -> list[bytes]:
    """Four seconds at 60 Hz of a vehicle that turns, rolls and brakes at random; what comes before each is left out."""
    if name not in BUILDERS:
        return poses(name)
    chance = random.Random(1)
    made = []
    for k in range(FRAMES):
        t = 10 + k / 60
        forward, left, up = (chance.uniform(-3, 3) for _ in range(3))
        doing = Doing(
            forward,
            left,
            up,
            0.1 * math.sin(t),
            0.2 * math.sin(2 * t),
            0.3 * t,
            0.4 * math.cos(2 * t),
            0.1 * math.cos(t),
            0.3,
        )
        made.append(BUILDERS[name](doing, t))
    return made


def poses(name: str) -> list[bytes]:
    """Four seconds at 60 Hz of a platform that moves in all axes; legs are told by the same text as poses."""
    form = format_of(name)
    encoder = (form.encoder or format_of("text").encoder)(Options())  # type: ignore[misc]
    made = []
    for k in range(FRAMES):
        t = k / 60
        row = [0.1 * math.sin(t + j) for j in range(13 if form.kind is Kind.VEHICLE else 18)]
        made.append(encoder.encode(Frame(tuple(row), k + 1, t)))
    return made


@functools.cache
def formats(settings: Settings) -> Rounds:
    """Seconds a frame of every format."""
    names = [name for names in HOMES.values() for name in names]
    sides = {}
    for name in names:
        made = datagrams(name)
        decoder = format_of(name).decoder(Options(lever=LEVER))
        if name in BEFORE:
            decoder.decode(BEFORE[name](Doing(), 12.0))

        def loop(n: int, decode=decoder.decode, made=made) -> None:  # type: ignore[no-untyped-def]
            for k in range(n):
                decode(made[k % FRAMES])

        sides[name] = per_evaluation(loop, 2 * FRAMES)
    return interleaved(sides, settings)


def slowest(settings: Settings) -> Samples:
    """Of the format with the largest median."""
    rounds = formats(settings)
    sides = {name: rounds.side(name, 1e6) for name in rounds.seconds}
    name = max(sides, key=lambda name: sides[name].median)
    return Samples(sides[name].values, f"{name}; " + ", ".join(f"{k} {s.median:.1f}" for k, s in sides.items()))


BENCHMARKS = [
    Benchmark("host.decode_us", "us", "<= 5", "a frame decoded, the slowest of all formats", slowest),
]
