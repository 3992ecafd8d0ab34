"""A flight moves a platform: cueing, control law and plant in simulated time, with every limit held."""

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.control.limits import Limiter
from motionbase.cueing.cueing import Cueing
from motionbase.platform.hexapod import Hexapod
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
RISEN_S = 30.0  # by then the platform is in drive, whatever attitude the flight waits in
EQUAL = 1 + 1e-9  # rounding of a limit that acts
LIMITING = WarningBit.DOF_LIMIT | WarningBit.LEG_LIMIT  # a limit that acts, as at a touchdown, is no fault


@cache
def hexapod() -> Hexapod:
    return load_platform("simona")


@cache
def runner() -> Runner:
    return Runner(CuedLoop(ClosedLoop.of(hexapod(), CHANNELS), Cueing.of(hexapod())), ("x_next",))


def flown(world: FlightWorld, period: Callable[[], None], seconds: float) -> Iterator[Run]:
    """The platform under a flight that waits until it is driven, as in real time; every tick of the flight."""
    rate = 1 / world.dt

    def flies(t: float) -> Array:
        period()
        return np.array(world.vehicle)

    waits = Scenario(host=lambda t: np.array(held(world.vehicle)), host_rate=rate)
    risen = runner().run(waits, RISEN_S, every=500, until=lambda rows: bool(rows["state"][-1] == State.DRIVE))
    assert risen["state"][-1] == State.DRIVE
    yield from runner().pieces(Scenario(host=flies, host_rate=rate), seconds, risen.end)


def check_limits(piece: Run) -> None:
    """What the law promises in every tick: of each degree of freedom, and of each leg, after its limiter.

    `cmd_*` of the record is the demand before the limits, so it may be beyond them.
    """
    platform, law = hexapod(), runner().loop.law
    limits, stroke = platform.limits, platform.stroke
    assert set(piece["fault"]) == {0.0} and set(piece["state"]) == {State.DRIVE}
    assert not (piece["warning"].astype(int) & ~int(LIMITING)).any()
    for part, most in (
        ("dof_before", np.array([limits.position, limits.velocity, limits.acceleration])),
        ("leg_before", np.array([[np.inf], [limits.leg_velocity], [limits.leg_acceleration]])),
    ):
        motion = np.abs(law.state.part(piece["x_next"], part).reshape(-1, 6, Limiter.layout.size))
        for k, bound in enumerate(most):
            assert (motion[:, :, k] <= EQUAL * bound).all(), f"{part}: derivative {k}"
    for leg in range(1, 7):
        for name in (f"leg{leg}_l_cmd", f"leg{leg}_l_meas"):
            assert stroke.l_min < piece[name].min() and piece[name].max() < stroke.l_max, name
        assert np.abs(piece[f"leg{leg}_l_dot_cmd"]).max() <= limits.leg_velocity * EQUAL
        assert np.abs(piece[f"leg{leg}_l_ddot_cmd"]).max() <= limits.leg_acceleration * EQUAL


def test_a_minute_of_flight_moves_the_platform_within_every_limit() -> None:
    world, found = world_of("c172x"), []
    names = "vehicle_f_z", "cue_f_z", "pose_meas_heave", "pose_meas_pitch"
    for piece in flown(world, scripted(world, "tour"), 62.0):
        check_limits(piece)
        found.append(np.column_stack([piece[name] for name in names]))
    rows = np.concatenate(found)
    assert np.ptp(rows[:, 2]) > 0.05 and np.ptp(rows[:, 3]) > 0.03
    quick = (np.diff((x - G).reshape(-1, 200).mean(axis=1)) for x in rows[:120_000, :2].T)  # from 0.1 s to 0.1 s
    assert np.corrcoef(*quick)[0, 1] > 0.6


@pytest.mark.long("all aircraft and scripts through a platform")
@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("name", AIRCRAFT)
def test_every_flight_moves_the_platform_within_every_limit(name: str, script: str) -> None:
    world = world_of(name, turbulence="moderate")
    for piece in flown(world, scripted(world, script), 70.0):
        check_limits(piece)


@pytest.mark.long("crashes of all aircraft through a platform")
@pytest.mark.parametrize("name", AIRCRAFT)
def test_a_crash_moves_the_platform_within_every_limit(name: str) -> None:
    world = world_of(name, start="final", aids="off")
    for piece in flown(world, by_hand(world, elevator=-0.8, aileron=0.3, throttle=1.0), 25.0):
        check_limits(piece)
    assert world.number > 1
