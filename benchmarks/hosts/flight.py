"""Flights: a step of the whole world with its script, and JSBSim alone."""

import functools

from benchmarks.harness import Benchmark, Rounds, Settings, Skip, interleaved, per_evaluation
from motionbase.errors import UsageError
from motionbase.worlds.flight.air import Air
from motionbase.worlds.flight.catalogue import OPTIONS, made
from motionbase.worlds.flight.model import check_installed
from motionbase.worlds.flight.start import CRUISE, Start, begun
from motionbase.worlds.flight.world import FlightWorld
from motionbase.worlds.option import read_options

STEPS = 200


@functools.cache
def steps(settings: Settings) -> Rounds:
    """Seconds of a period of 5 ms: of a cruise in turbulence with its script and all it tells, and of JSBSim's step."""
    try:
        check_installed()
    except UsageError as e:
        raise Skip(str(e)) from None
    options = {"start": CRUISE, "turbulence": "light", "height": "2000"}
    world = made("c172x", read_options("benchmark", OPTIONS, options))
    assert isinstance(world, FlightWorld)
    world.reset()
    steers = world.scripts["cruise"]()
    model, rest = begun(world.aircraft, Start(CRUISE, 2000.0), Air())

    def whole(n: int) -> None:
        for _ in range(n):
            world.step(steers(world.t))
            assert world.vehicle and world.place and world.told

    def alone(n: int) -> None:
        for _ in range(n):
            model.step(rest)

    return interleaved({"world": per_evaluation(whole, STEPS), "jsbsim": per_evaluation(alone, STEPS)}, settings)


BENCHMARKS = [
    Benchmark("worlds.flight_us", "us", "<= 300", "flight: a period of 5 ms of the world with its script, c172x",
              lambda s: steps(s).side("world", 1e6)),
    Benchmark("worlds.flight_jsbsim_us", "us", "<= 100", "flight: JSBSim's step in it",
              lambda s: steps(s).side("jsbsim", 1e6)),
]  # fmt: skip
