"""Identification from simulated recordings with sensor noise: how far off what was simulated.

    .venv/bin/python -m benchmarks.rig.identify docs/pictures/identify.png

draws what `motionbase identify --plot` draws, of the first of these recordings.
"""

import functools
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark, Samples, Settings
from motionbase.arrays import Array
from motionbase.control.law import ControlLaw
from motionbase.identify.bristle import steady, vector
from motionbase.identify.of_legs import STATED_SPEED
from motionbase.identify.plot import draw
from motionbase.identify.signals import USED_CHANNELS, channels_of, signals_from
from motionbase.identify.study import Identified, identify
from motionbase.plant.plant import Plant
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.platform.ready_sets import IDENTIFY, ready_sets
from motionbase.record.hexapod import hexapod_schema
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario

PLATFORMS = ("simona", "emotion-1500", "odu")
SECONDS = 80.0  # of a recording, ten of them to drive
EVERY = {"2000": 1, "100": 20}  # records a second -> ticks per record
FRICTION, VISCOUS, GAIN, MASS = 1.4, 1.3, 0.9, 1.15  # what is simulated, times what identification starts from


def simulated(platform: Hexapod) -> Hexapod:
    """The machine that is recorded: more friction, less gain, a heavier load off centre."""
    law, payload, actuator = platform.actuator.friction, platform.payload, platform.actuator
    friction = replace(law, coulomb=FRICTION * law.coulomb, static=FRICTION * law.static, sigma2=VISCOUS * law.sigma2)
    gain = "speed_max" if platform.electric else "rated_flow"
    changed: dict[str, Any] = {gain: GAIN * getattr(actuator, gain), "friction": friction}
    xx, yy, zz, *products = (1.1 * x for x in payload.inertia)
    centre, inertia = (0.05, -0.03, payload.com[2]), (xx, yy, zz, products[0], products[1], products[2])
    heavier = replace(payload, mass=MASS * payload.mass, com=centre, inertia=inertia)
    return replace(platform, actuator=replace(actuator, **changed), payload=heavier)


def recording(name: str, seed: int) -> dict[str, Array]:
    """Every tick of a run of the simulated machine under the law that was designed for the platform as it was known."""
    known = load_platform(name)
    law = ControlLaw(known)
    kept = ("t", *(c.name for c in hexapod_schema(known.electric).channels if c.name in USED_CHANNELS))
    loop = ClosedLoop(law, Plant(simulated(known), dt=law.dt), kept)
    settings = ready_sets(known)[IDENTIFY].values
    return Runner(loop).run(Scenario(settings=settings, seed=seed), SECONDS).columns


@functools.cache
def identified(name: str, seed: int) -> dict[str, Identified]:
    """Friction, gain and mass from one recording, with all its records and with few."""
    known, columns, found = load_platform(name), recording(name, seed), dict[str, Identified]()
    for rate, every in EVERY.items():
        rows = {channel: x[::every] for channel, x in columns.items()}
        signals = signals_from(rows["t"], channels_of(rows), known, f"recording of {name}")
        found[rate] = identify(signals, known, ("friction", "flow", "drive", "mass"))
    return found


def true_values(platform: Hexapod) -> dict[str, float]:
    """What must be found: friction, total friction at a stated speed, gain, moving mass."""
    law = platform.actuator.friction
    gain = "speed_max" if platform.electric else "rated_flow"
    return {
        "actuator.friction.coulomb": law.coulomb,
        "actuator.friction.sigma2": law.sigma2,
        f"friction at {STATED_SPEED:g} m/s": float(steady(vector(law), np.array(STATED_SPEED))),
        f"actuator.{gain}": getattr(platform.actuator, gain),
        "moving mass": platform.moving_mass,
    }


def worst(settings: Settings, rate: str) -> Samples:
    """Largest relative error of any of these, of any platform and seed; one that was not found counts as wholly off."""
    errors, notes = [], []
    for name in PLATFORMS[:2] if settings.quick else PLATFORMS:
        truth = true_values(simulated(load_platform(name)))
        for seed in range(1 if settings.quick else 5):
            found = identified(name, seed)[rate].estimates
            each = {key: abs(found[key].value / x - 1) if key in found else 1.0 for key, x in truth.items()}
            key = max(each, key=lambda k: each[k])
            errors.append(each[key])
            notes.append(f"{name} {each[key]:.2%} ({key.removeprefix('actuator.')})")
    return Samples((max(errors),), f"worst of {len(errors)} recordings: {notes[int(np.argmax(errors))]}")


def covered(settings: Settings, rate: str) -> Samples:
    """Part of all values whose 95 % interval has what was simulated."""
    inside = []
    for name in PLATFORMS[:2] if settings.quick else PLATFORMS:
        truth = true_values(simulated(load_platform(name)))
        for seed in range(1 if settings.quick else 5):
            found = identified(name, seed)[rate].estimates
            inside += [key in found and abs(found[key].value - x) <= found[key].half for key, x in truth.items()]
    return Samples((float(np.mean(inside)),))


BENCHMARKS = [
    Benchmark(
        "rigs.identify_error", "-", "<= 0.05",
        "largest relative error of friction, gain and moving mass, identified from every tick of simulated recordings "
        "with sensor noise, of two hydraulic platforms and an electric one",
        lambda s: worst(s, "2000"),
    ),
    Benchmark(
        "rigs.identify_error_100hz", "-", None, "the same from a hundred records a second",
        lambda s: worst(s, "100"),
    ),
    Benchmark(
        "rigs.identify_covered", "-", None, "part of these values whose interval of 95 % has what was simulated",
        lambda s: covered(s, "2000"),
    ),
]  # fmt: skip


if __name__ == "__main__":
    draw(identified(PLATFORMS[0], 0)["100"], sys.argv[1], source="a simulated recording")
