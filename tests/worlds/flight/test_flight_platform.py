"""A flight moves a platform: cueing, control law and plant in simulated time, with every limit held."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cueing.cueing import Cueing
from motionbase.platform.load import load_platform
from motionbase.record.faults import WarningBit
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.record.vehicle import G
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_loop import CuedLoop
from motionbase.system.runs import Run, Runner, Scenario
from motionbase.worlds.felt import held
from motionbase.worlds.flight.aircraft import AIRCRAFT
from motionbase.worlds.flight.scripts import SCRIPTS
from motionbase.worlds.flight.world import FlightWorld
from tests.worlds.flight.flown import by_hand, scripted, world_of

CHANNELS = tuple(c.name for c in hexapod_schema().channels)
DRIVEN_S = 8.0  # from when on the platform follows its host
EQUAL = 1 + 1e-9  # rounding of a limit that acts
AXES = ("surge", "sway", "heave", "roll", "pitch", "yaw")


@cache
def runner() -> Runner:
    hexapod = load_platform("simona")
    return Runner(CuedLoop(ClosedLoop.of(hexapod, CHANNELS), Cueing.of(hexapod)))


def driven(world: FlightWorld, period: Callable[[], None], seconds: float) -> Run:
    """The platform under a flight that waits until it is driven, as in real time."""

    def host(t: float) -> Array:
        if t < DRIVEN_S:
            return np.array(held(world.vehicle))
        period()
        return np.array(world.vehicle)

    return runner().run(Scenario(host=host, host_rate=1 / world.dt), DRIVEN_S + seconds, every=4)


def every_limit_is_held(run: Run) -> None:
    """Of axes and legs, for what is commanded; the plant's legs within the stroke; and no fault."""
    hexapod = load_platform("simona")
    limits = hexapod.limits
    assert set(run["fault"]) == {0.0}
    flown = run.t > DRIVEN_S
    assert set(run["state"][flown]) == {State.DRIVE}
    for k, axis in enumerate(AXES):
        for ending, most in (("", limits.position), ("_dot", limits.velocity), ("_ddot", limits.acceleration)):
            assert np.abs(run[f"cmd_{axis}{ending}"][flown]).max() <= most[k] * EQUAL, axis + ending
    for leg in range(1, 7):
        for name in (f"leg{leg}_l_cmd", f"leg{leg}_l_meas"):
            assert hexapod.stroke.l_min < run[name][flown].min() and run[name][flown].max() < hexapod.stroke.l_max
        assert np.abs(run[f"leg{leg}_l_dot_cmd"][flown]).max() <= limits.leg_velocity * EQUAL
        assert np.abs(run[f"leg{leg}_l_ddot_cmd"][flown]).max() <= limits.leg_acceleration * EQUAL
    limiting = WarningBit.DOF_LIMIT | WarningBit.LEG_LIMIT  # that a limit acts, as at a touchdown, is no fault
    assert not (run["warning"].astype(int)[flown] & ~int(limiting)).any()


def test_a_minute_of_flight_moves_the_platform_within_every_limit() -> None:
    world = world_of("c172x")
    run = driven(world, scripted(world, "tour"), 62.0)
    every_limit_is_held(run)
    flown = run.t > DRIVEN_S
    told, felt = run["vehicle_f_z"][flown] - G, run["cue_f_z"][flown] - G
    assert np.ptp(run["pose_meas_heave"][flown]) > 0.05 and np.ptp(run["pose_meas_pitch"][flown]) > 0.03
    quick = (np.diff(x.reshape(-1, 50).mean(axis=1)) for x in (told[:30_000], felt[:30_000]))  # from 0.1 s to 0.1 s
    assert np.corrcoef(*quick)[0, 1] > 0.6


@pytest.mark.long("all aircraft and scripts through a platform")
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("name", AIRCRAFT)
def test_every_flight_moves_the_platform_within_every_limit(name: str, script: str) -> None:
    world = world_of(name, turbulence="moderate")
    every_limit_is_held(driven(world, scripted(world, script), 70.0))


@pytest.mark.long("crashes of all aircraft through a platform")
@pytest.mark.parametrize("name", AIRCRAFT)
def test_a_crash_moves_the_platform_within_every_limit(name: str) -> None:
    world = world_of(name, start="final", aids="off")
    run = driven(world, by_hand(world, elevator=-0.8, aileron=0.3, throttle=1.0), 25.0)
    assert world.number > 1
    every_limit_is_held(run)
