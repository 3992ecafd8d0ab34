"""Repeatability: the same motion of a vehicle several times through the whole system, and how far the runs differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.arrays import Array
from motionbase.control.law import ControlLaw
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.omct.algorithm import Vehicle
from motionbase.cueing.omct.measure import LANES
from motionbase.errors import UsageError
from motionbase.plant.plant import Plant
from motionbase.platform.hexapod import Hexapod
from motionbase.record.vehicle import AXES, G
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_lanes import CuedLanes

ALLOWED_G = 0.05  # 14 CFR part 60, table A2A, 3.d: of the platform's linear acceleration
EVERY = 2  # ticks between samples of the acceleration: 1 kHz
AFTER_S = 2.0  # of the motion, to its end at rest
Progress: TypeAlias = Callable[[float], None]


@final
@dataclass(frozen=True)
class Tolerances:
    """What differs between the runs beside the noise of the sensors, as fractions; illustrative.

    Attributes:
        supply: of the supply pressure, or of the power of electric legs: evenly from -supply to +supply over the runs
        oil: of the oil's stiffness and viscosity between cold and warm: both are as they are, higher, and lower
    """

    supply: float = 0.0
    oil: float = 0.0

    def __post_init__(self) -> None:
        for name, most in (("supply", 0.2), ("oil", 0.5)):
            if not 0 <= (value := getattr(self, name)) <= most:
                raise UsageError(f"repeatability: the tolerance of {name} is {value:g}, it must be 0 to {most:g}")


@final
@dataclass(frozen=True, eq=False)
class Repeatability:
    """Accelerations of all runs.

    Attributes:
        motion: name of what the vehicle did
        t: (n,) [s]
        acceleration: (n, 3, runs) linear acceleration of the head, in axes of P [m/s^2]
        runs: what each run had
        host_rate: samples of the vehicle a second
    """

    cueing: Cueing
    motion: str
    t: Array
    acceleration: Array
    runs: tuple[str, ...]
    host_rate: float

    @property
    def spread(self) -> Array:
        """(n, 3) largest difference between any two runs at each moment [g]."""
        return np.asarray(np.ptp(self.acceleration, axis=2) / G)

    @property
    def largest(self) -> Array:
        """(3,) over the motion, along each axis [g]."""
        return np.asarray(self.spread.max(axis=0))

    @property
    def worst(self) -> tuple[str, float, float]:
        """The axis, the difference there [g], and when [s]."""
        k = int(np.argmax(self.largest))
        return AXES[k], float(self.largest[k]), float(self.t[int(np.argmax(self.spread[:, k]))])

    @property
    def passed(self) -> bool:
        """Whether all runs agree to 0.05 g."""
        return self.worst[1] <= ALLOWED_G

    @property
    def most(self) -> Array:
        """(3,) largest acceleration of any run along each axis [g]."""
        return np.asarray(np.abs(self.acceleration).max(axis=(0, 2)) / G)


def repeated(
    cueing: Cueing,
    motion: str,
    vehicle: Vehicle,
    duration: float,
    tolerances: Tolerances | None = None,
    *,
    seeds: Array | None = None,
    host_rate: float = 60.0,
    progress: Progress | None = None,
) -> Repeatability:
    """Eight runs for each state of the oil, from rest on, each with noise of its own.

    Args:
        motion: its name; vehicle: (n,) times -> (n, 13) motion at the head
        duration: of the motion [s]
        seeds: (8,) of the sensors' noise, 1 to 8 by default
    """
    tolerances = tolerances or Tolerances()
    seeds = np.arange(1.0, LANES + 1.0) if seeds is None else seeds
    part = np.linspace(-tolerances.supply, tolerances.supply, LANES)
    plants = list(_plants(cueing.platform, tolerances.oil))  # refuses what cannot be, before anything runs
    law, all_t, found, names = ControlLaw(cueing.platform), np.zeros(0), [], []
    for number, (oil, hexapod) in enumerate(plants):
        loop = ClosedLoop(law, Plant(hexapod, dt=law.dt))
        inputs: dict[str, Any] = {"seed": seeds, "supply": 1.0 + part}
        lanes, pieces = CuedLanes.of(cueing, loop, host_rate=host_rate, inputs=inputs, every=EVERY), []
        for seen in lanes.runs([vehicle], duration + AFTER_S):
            pieces.append((seen.t, seen.acceleration_at(cueing.head_P)))
            if progress is not None:
                progress((number + float(seen.t[-1]) / (duration + AFTER_S)) / len(plants))
        all_t = np.concatenate([t for t, _ in pieces])
        found.append(np.concatenate([a for _, a in pieces]))
        supply = [f", supply {100 * x:+.1f} %" if tolerances.supply else "" for x in part]
        names += [f"noise {seed:g}{more}{oil}" for seed, more in zip(seeds, supply, strict=True)]
    return Repeatability(cueing, motion, all_t, np.concatenate(found, axis=2), tuple(names), host_rate)


def _plants(hexapod: Hexapod, oil: float) -> Iterator[tuple[str, Hexapod]]:
    """The hexapod with nominal, cold and warm oil; the law knows the nominal one only."""
    yield "", hexapod
    if oil == 0:
        return
    if not isinstance(actuator := hexapod.actuator, HydraulicActuator):
        raise UsageError(f"platform {hexapod.name!r} has electric legs, so there is no tolerance of oil")
    for name, thick in (("cold", 1 + oil), ("warm", 1 - oil)):
        changed = replace(
            actuator,
            bulk_modulus=thick * actuator.bulk_modulus,
            leakage_internal=actuator.leakage_internal / thick,
            leakage_external=actuator.leakage_external / thick,
            friction=replace(actuator.friction, sigma2=thick * actuator.friction.sigma2),
        )
        yield f", {name} oil", replace(hexapod, actuator=changed)
