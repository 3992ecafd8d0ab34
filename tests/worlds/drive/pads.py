"""A car on a level, smooth road, for tests; compiled once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from motionbase.worlds.drive.car import Car, load_car
from motionbase.worlds.drive.roads import road_of
from motionbase.worlds.drive.simulation import DT, Simulation
from motionbase.worlds.drive.surface import Surface

PLAIN = load_car("hatchback")


@cache
def without_losses() -> Car:
    """The car without dampers, rolling resistance and air, and with roll centres on the road."""
    axles = (replace(axle, bump=0.0, rebound=0.0, roll_centre=0.0) for axle in PLAIN.axles)
    front, rear = axles
    return replace(PLAIN, front=front, rear=rear, body=replace(PLAIN.body, drag_area=0.0),
                   tyre=replace(PLAIN.tyre, damping=0.0, rolling=0.0))  # fmt: skip


def on_pad(car: Car = PLAIN, speed: float = 0.0, grip: float = 1.0, assisted: bool = True) -> Simulation:
    """On a level road without roughness."""
    return Simulation(car, Surface(road_of("pad"), grip=grip, rough=0.0), speed, assisted)


def driven(
    car: Simulation, seconds: float, controls: Sequence[float] | Callable[[float], Sequence[float]]
) -> np.ndarray:
    """(n, 33) coordinates and speeds after every step."""
    rows = []
    for k in range(round(seconds / DT)):
        car.step(controls(k * DT) if callable(controls) else controls)
        rows.append(np.concatenate([car.q, car.v]))
    return np.array(rows)
