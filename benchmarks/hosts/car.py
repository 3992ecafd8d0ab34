"""Cars: a step of the whole world, the compiled part of it alone, and braking on a dry road."""

import functools

from benchmarks.harness import Benchmark, Rounds, Samples, Settings, interleaved, per_evaluation
from motionbase.record.vehicle import G
from motionbase.worlds.drive.catalogue import OPTIONS, made
from motionbase.worlds.drive.simulation import Simulation
from motionbase.worlds.drive.world import DriveWorld
from motionbase.worlds.option import read_options

STEPS = 200
FAST = 25.0  # [m/s]


def _world(**options: str) -> DriveWorld:
    world = made("hatchback", read_options("benchmark", OPTIONS, options))
    assert isinstance(world, DriveWorld)
    world.reset()
    return world


@functools.cache
def steps(settings: Settings) -> Rounds:
    """Seconds of a step of 5 ms: of a lap on a road of class C with its script, and of its machine code alone."""
    world = _world(road="C")
    steer = world.scripts["lap"]()

    def whole(n: int) -> None:
        for _ in range(n):
            world.step(steer(world.t))
            assert world.vehicle and world.place and world.told

    def compiled(n: int) -> None:
        for _ in range(n):
            world.simulation.run()

    return interleaved({"world": per_evaluation(whole, STEPS), "step": per_evaluation(compiled, STEPS)}, settings)


def braking(settings: Settings) -> Samples:
    """Ideal distance of an emergency stop, v^2 / (2 mu g), over that of the car with its ABS."""
    car: Simulation = _world(course="pad", speed=f"{FAST:g}").simulation
    begin, v = float(car.q[0]), float(car.v[3])
    while float(car.v[3]) > 0.05:
        car.step((0.0, 0.0, 1.0, 0.0))
    return Samples((v * v / (2 * car.car.tyre.grip_x * G) / (float(car.q[0]) - begin),))


BENCHMARKS = [
    Benchmark("worlds.car_us", "us", "<= 300", "car: a step of 5 ms of the world with its script, on a road of class C",
              lambda s: steps(s).side("world", 1e6), lanes=1),
    Benchmark("worlds.car_step_us", "us", "<= 150", "car: the compiled part, eight inner steps of the multibody model",
              lambda s: steps(s).side("step", 1e6), lanes=1),
    Benchmark("worlds.car_brake_share", "-", ">= 0.85", "car: ideal braking distance over that with ABS, from 25 m/s",
              braking),
]  # fmt: skip
