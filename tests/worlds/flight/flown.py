"""Flights for tests: a world by its options, flown by a script or by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from motionbase.arrays import Array
from motionbase.worlds.flight.catalogue import OPTIONS, made
from motionbase.worlds.flight.world import FlightWorld
from motionbase.worlds.option import read_options


def world_of(name: str, **options: object) -> FlightWorld:
    """A world at its start."""
    world = made(name, read_options("test", OPTIONS, {key: str(value) for key, value in options.items()}))
    assert isinstance(world, FlightWorld)
    world.reset()
    return world


def scripted(world: FlightWorld, script: str) -> Callable[[], None]:
    """A period of a script."""
    steers = world.scripts[script]()
    return lambda: world.step(steers(world.t))


def by_hand(world: FlightWorld, **controls: float) -> Callable[[], None]:
    """A period with controls at rest but for these."""
    held = {c.name: c.rest for c in world.controls} | controls
    return lambda: world.step(tuple(held.values()))


def rows(world: FlightWorld, period: Callable[[], None], seconds: float) -> Array:
    """(n, 13) what the pilot feels."""
    found: list[Sequence[float]] = []
    for _ in range(round(seconds / world.dt)):
        period()
        found.append(world.vehicle)
    return np.array(found)
