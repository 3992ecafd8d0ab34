"""Cueing of one base, compiled once, over signals that tests give."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from motionbase.arrays import Array
from motionbase.compile import scan
from motionbase.compile.scans import Scan
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.ports import OUTPUTS
from motionbase.platform.load import load_platform
from motionbase.record.vehicle import G

DT = 0.005  # [s] of most tests; those of the reconstruction use that of the loop


@cache
def cueing(dt: float = DT, algorithm: str = "classical") -> Cueing:
    """Of SIMONA with its own set."""
    return Cueing.of(load_platform("simona"), "simona", dt=dt, algorithm=algorithm)


@cache
def loop(dt: float = DT, algorithm: str = "classical") -> Scan:
    """Its native loop, with all outputs."""
    return scan(
        cueing(dt, algorithm).program, per_step=("vehicle", "vehicle_count"), record=[port.name for port in OUTPUTS]
    )


def ticks(seconds: float, dt: float = DT) -> Array:
    """Times of the ticks' ends."""
    return np.asarray(np.arange(1, round(seconds / dt) + 1) * dt)


def rows(t: Array, **signals: Callable[[Array], Array]) -> Array:
    """Samples of a vehicle at these times: `f_x`, `omega_z` and the like, functions of time; the rest is at rest."""
    names = [f"{kind}_{axis}" for kind in ("f", "omega", "alpha") for axis in "xyz"]
    names += ["roll", "pitch", "yaw", "on_ground"]
    made = np.zeros((len(t), 13))
    made[:, 2] = G
    for name, signal in signals.items():
        made[:, names.index(name)] += signal(t)
    return made


def run(
    t: Array, samples: Array, *, dt: float = DT, algorithm: str = "classical", hertz: float = 0.0, **changes: ArrayLike
) -> dict[str, Array]:
    """Outputs of each tick, for a sample at each, or for those at a lower rate."""
    case = cueing(dt, algorithm)
    turns = np.arange(len(t)) if not hertz else np.floor(np.arange(len(t)) * dt * hertz + 1e-9).astype(int)
    first = np.searchsorted(turns, np.arange(turns[-1] + 1))
    return loop(dt, algorithm)(
        len(t), parameters=case.parameter_vector(**changes), x=case.initial_state(),
        vehicle=samples[first[turns]], vehicle_count=turns + 1.0,
    )  # fmt: skip
