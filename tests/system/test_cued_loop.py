"""A loop with cueing in front: what the law gets, what is recorded, what it does when the host falls silent."""

import math
from dataclasses import dataclass
from functools import cache

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Kernel, Layout, Port
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.ports import COUNT, OUTPUTS, VEHICLE, Vehicle
from motionbase.errors import ModelError, SimulationError
from motionbase.executive.tuning import parameter_table
from motionbase.host.format import AT_REST
from motionbase.plant.fault_plan import FaultEvent, FaultKind, FaultPlan
from motionbase.platform.load import load_platform
from motionbase.record.cueing import LINK, cued_schema
from motionbase.record.faults import WarningBit
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.cued_loop import LINK_COUNTS, CuedLoop
from motionbase.system.runs import Run, Runner, Scenario

CHANNELS = tuple(c.name for c in hexapod_schema().channels)
GAIN = 0.5
MEMORY = Layout((Port("seen", (), "-"),))


@dataclass(frozen=True, eq=False)
class Tilts:
    """The simplest cueing there is: the platform rolls with a share of the vehicle's attitude, frame by frame."""

    dt: float = 5e-4
    parameters = Layout((Port("cue_gain", (), "-", "of roll", start=GAIN, least=0.0, most=1.0, tunable=True),))

    @property
    def program(self) -> Kernel:
        def expr(parameters: ca.SX, x: ca.SX, vehicle: Vehicle, count: ca.SX) -> list[ca.SX]:
            frame = ca.SX(3, 6)
            frame[0, 3] = parameters[0] * vehicle.attitude[0]
            felt = ca.vertcat(vehicle.f, vehicle.omega)
            single = [ca.SX(number) for number in (5, 6, 0, 1)]
            return [count, frame, count, felt, 2 * felt, 3 * felt, 4 * felt, *single]

        inputs = (self.parameters.port("parameters"), MEMORY.port("x"), VEHICLE, COUNT)
        return Kernel("tilts", inputs, (MEMORY.port("x_next"), *OUTPUTS), expr)

    def parameter_vector(self) -> Array:
        return self.parameters.vector()

    def initial_state(self) -> Array:
        return MEMORY.vector()


@cache
def cued() -> Runner:
    return Runner(CuedLoop(ClosedLoop.of(load_platform("simona"), CHANNELS), Tilts()))


@cache
def hosted() -> Runner:
    return Runner(ClosedLoop.of(load_platform("simona"), CHANNELS))


def roll(t: float) -> float:
    return 0.1 * math.sin(2 * math.pi * 0.4 * t)


def vehicle(t: float) -> Array:
    row = np.array(AT_REST)
    row[0], row[9] = t, roll(t)
    return row


def demand(t: float) -> Array:
    frame = np.zeros((3, 6))
    frame[0, 3] = GAIN * roll(t)
    return frame


@cache
def runs() -> tuple[Run, Run]:
    counts = {"link": 10.0 * np.arange(6.0)}
    return cued().run(Scenario(host=vehicle, inputs=counts), 20.0, every=20), hosted().run(
        Scenario(host=demand), 20.0, every=20
    )


def test_the_law_does_what_it_does_for_a_host_that_sends_the_demand_itself() -> None:
    """To the bit, in every one of the base's own channels; host_lost is told by nobody here."""
    with_cueing, without = runs()
    assert without["state"][-1] == State.DRIVE and np.ptp(without["pose_meas_roll"]) > 0.05
    for name in CHANNELS:
        np.testing.assert_array_equal(with_cueing[name], without[name], err_msg=name)


def test_every_channel_holds_what_its_name_says() -> None:
    run, _ = runs()
    loop = cued().loop
    assert loop.record_channels == tuple(c.name for c in cued_schema(hexapod_schema()).channels)
    for k, channel in enumerate(LINK):
        np.testing.assert_array_equal(run[channel.name], 10.0 * k)
    np.testing.assert_array_equal(run["vehicle_on_ground"], 1.0)
    np.testing.assert_array_equal(run["vehicle_f_z"], 9.80665)
    sent = np.floor((run.t - 5e-4) * 60 + 1e-6) / 60  # the newest sample at the tick before the state of a row
    np.testing.assert_allclose(run["vehicle_f_x"], sent, atol=5.1e-4)  # a frame comes with the tick after its time
    np.testing.assert_array_equal(run["demand_f_x"], run["vehicle_f_x"])
    for share, row in ((2, "cue"), (3, "felt_vehicle"), (4, "felt_cue")):
        np.testing.assert_array_equal(run[f"{row}_f_x"], share * run["vehicle_f_x"])
    single = {"cue_error": 5, "stroke_left": 6, "cue_follows": 0, "cue_set": 1, "cue_late": 0}
    for name, value in single.items():
        np.testing.assert_array_equal(run[name], float(value))


def test_a_silent_host_lets_the_base_settle_and_frames_bring_it_back() -> None:
    """As the law does it for poses: a warning at the horizon, settling after a second, drive when frames come again."""
    faults = FaultPlan((FaultEvent(FaultKind.HOST_DROPOUT, 16.0, until=26.0),))
    run = cued().run(Scenario(host=vehicle, faults=faults), 45.0, every=20)
    states, warning = run["state"], run["warning"].astype(int)
    driven = states == State.DRIVE
    assert driven[run.t < 16.0][-1] and driven[-1] and set(run["fault"]) == {0.0}
    silent = (run.t > 16.5) & (run.t < 25.9)
    assert (warning[silent] & WarningBit.HOST_SILENT).all() and not warning[-1] & WarningBit.HOST_SILENT
    settling = run.t[(states == State.SETTLING) & (run.t > 16.0)]
    assert 16.9 < settling[0] < 17.1
    assert (states[(run.t > 24.0) & (run.t < 25.9)] == State.STANDBY).all()
    rest = np.abs(run["pose_meas_roll"][(run.t > 24.0) & (run.t < 25.9)])
    assert rest.max() < 1e-3


def test_parameters_of_both_can_be_tuned() -> None:
    loop = cued().loop
    table = parameter_table(loop)
    assert table.named("cue_gain")[0].designed == (GAIN,)
    assert table.size == loop.parameters.size == loop.quiet_inputs()["parameters"].size


def test_a_host_of_the_other_kind_is_refused() -> None:
    for runner, host, wanted in ((cued, demand, r"\(13,\)"), (hosted, vehicle, r"\(3, 6\)")):
        with pytest.raises(SimulationError, match=f"the host tells .* numbers, {wanted} are wanted"):
            runner().run(Scenario(host=host), 0.1)


def test_periods_must_agree() -> None:
    with pytest.raises(ModelError, match=r"the cueing has a period of 0.01 s, the loop one of 0.0005 s"):
        CuedLoop(ClosedLoop.of(load_platform("simona"), CHANNELS), Tilts(0.01))


def test_inputs_are_those_of_the_loop_but_for_the_demand() -> None:
    ours, theirs = ({p.name for p in runner().loop.program.inputs} for runner in (cued, hosted))
    assert theirs - ours == {"host_frame", "host_count"}
    assert ours - theirs == {"x_cueing", "vehicle", "vehicle_count", LINK_COUNTS.name}


@pytest.mark.long("another loop to compile, with the cueing of the package")
@pytest.mark.parametrize("scale", [50.0, 1e9, 1e300])
def test_a_vehicle_of_nonsense_moves_the_platform_within_its_limits_or_counts_as_silence(scale: float) -> None:
    hexapod = load_platform("simona")
    runner = Runner(CuedLoop(ClosedLoop.of(hexapod, CHANNELS), Cueing.of(hexapod)))
    chance = np.random.default_rng(1)

    def nonsense(t: float) -> Array:
        row = np.array(AT_REST)
        if t > 9.0:  # in drive
            row[:12] += scale * chance.standard_normal(12)
        return row

    run = runner.run(Scenario(host=nonsense), 14.0, every=10)
    assert all(np.isfinite(column).all() for column in run.columns.values())
    assert set(run["fault"]) == {0.0} and run["state"][run.t < 9.0][-1] == State.DRIVE
    limits = np.array(hexapod.limits.acceleration)
    for k, axis in enumerate(("surge", "sway", "heave", "roll", "pitch", "yaw")):
        assert np.abs(run[f"host_{axis}_ddot"]).max() < 2 * limits[k]
    if scale > 1e6:
        assert run["warning"].astype(int)[-1] & WarningBit.HOST_SILENT
