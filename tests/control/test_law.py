"""The whole law in closed loop with hydraulic legs: a session, host and generators, aborts and faults."""

import numpy as np
import pytest

from motionbase.record.faults import Fault, WarningBit
from motionbase.record.states import Request, State
from tests.control.rig import DT, LAW, run

UP = {0.01: Request.DOWN, 0.02: Request.STANDBY}  # standby is reached after 7.3 s
STANDBY_AT, DRIVE_AT = 8.0, 9.0
DRIVES_FROM = 8.5  # standby is left at STANDBY_AT, and engaging takes `move_least`
COMES_DOWN = 1.25  # [s] in which an abort from rest has gone 50 mm; from 0.1 m above neutral it takes 1.03 s
HEAVE = [1, 1, 4, 0, 0.1, 0.5, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0]
LEG1 = [1, 0, 1, 0, 0.02, 1.0, 0, 0, 0, 0.5, 0.0, 0, 0, 0, 0, 0]
CARDS = np.array([HEAVE, LEG1, *[[0] * 16] * 5], dtype=float)
LIMITS = LAW.platform.limits


def visited(made: dict[str, np.ndarray]) -> list[State]:
    """The states in their order."""
    state = made["state"]
    return [State(int(s)) for s in state[np.flatnonzero(np.diff(state, prepend=-1))]]


def check_down(made: dict[str, np.ndarray]) -> None:
    """Sent down under control, and then at rest: with closed valves leakage lets the legs sink onto their hard ends."""
    quiet = np.isin(made["state"], [State.OFF, State.DOWN])
    entry = np.flatnonzero(quiet[1:] & ~quiet[:-1])[-1]
    tolerance = LAW.parameters.find("down_tolerance").start_values[0]
    np.testing.assert_allclose(made["motion_next"][entry, :, 0], LAW.platform.l_down, atol=tolerance)
    last = made["motion_next"][-1]
    assert last[:, 0].max() <= LAW.platform.l_down + tolerance
    assert last[:, 0].min() >= LAW.platform.stroke.hard_min - 1e-3  # weight over the stiffness of the stops: 0.1 mm
    assert np.abs(last[:, 1]).max() < 5e-3
    assert not made["valve_cmd"][-1].any()


def at(t: float) -> int:
    return round(t / DT)


def check_smooth(made: dict[str, np.ndarray]) -> None:
    """While the valves are driven, commands keep the limits of the legs; from tick to tick nothing jumps."""
    driven = ~np.isin(made["state"], [State.OFF, State.DOWN, State.HELD])
    both = driven[1:] & driven[:-1]
    l = made["legs_cmd"][..., 0]
    v = np.diff(l, axis=0)[both] / DT
    assert np.abs(v).max() <= LIMITS.leg_velocity * (1 + 1e-9)
    assert l[driven].min() >= LAW.platform.stroke.hard_min - 1e-3 and l[driven].max() <= LAW.platform.stroke.l_max
    three = both[1:] & both[:-1]
    a = np.diff(l, n=2, axis=0)[three] / DT**2
    assert np.abs(a).max() <= LIMITS.leg_acceleration * (1 + 1e-6)  # 1e-16 m of rounding over DT^2 is 4e-10
    rate = np.diff(made["valve_cmd"], axis=0) / DT
    assert np.abs(rate).max() <= LAW.parameters.find("valve_rate_max").start_values[0] * (1 + 1e-9)


def test_session_with_generators() -> None:
    session = run(
        25.0,
        {**UP, STANDBY_AT: Request.DRIVE, 13.0: Request.SETTLE, 16.0: Request.LOWER},
        settings=CARDS,
        settings_version=7,
    )
    assert visited(session) == [
        State.OFF, State.DOWN, State.RISING, State.STANDBY, State.ENGAGING, State.DRIVE, State.SETTLING, State.STANDBY,
        State.LOWERING, State.DOWN,
    ]  # fmt: skip
    assert not session["fault"].any()
    check_smooth(session)
    error = session["motion_next"][at(0.5) : at(23), :, 0] - session["legs_cmd"][at(0.5) : at(23), :, 0]
    assert np.abs(error).max() < 2e-3  # of 0.1 m at 0.5 Hz; friction and the inertia a leg was not told of
    check_down(session)
    driving = slice(at(9.5), at(12.9))
    assert np.ptp(session["cmd"][driving, 2, 0]) == pytest.approx(0.2, rel=1e-3)
    assert np.ptp(session["generator_sums"][driving, 6, 0]) == pytest.approx(0.04, rel=1e-3)


def test_settings_are_taken_once_on_the_way_to_drive() -> None:
    n = at(12.0)
    settings = np.broadcast_to(CARDS, (n, 7, 16)).copy()
    settings[at(10.0) :, 0, 4] = 0.4  # somebody writes while it drives
    version = np.where(np.arange(n) < at(10.0), 3.0, 4.0)
    made = run(12.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=settings, settings_version=version)
    np.testing.assert_array_equal(made["cmd"][: at(12.0)], run_of_cards()["cmd"])
    assert made["generators_version"][-1] == 3.0


def run_of_cards() -> dict[str, np.ndarray]:
    return run(12.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=CARDS, settings_version=3)


def host_sine(seconds: float, silent_from: float = 1e9) -> dict[str, np.ndarray]:
    """60 Hz frames of 0.08 m heave and 3 degrees of roll at 0.4 Hz."""
    n = at(seconds)
    ticks = np.arange(n)
    count = np.floor(np.minimum(ticks * DT, silent_from) * 60) + 1
    t, w = (count - 1) / 60, 2 * np.pi * 0.4
    frame = np.zeros((n, 3, 6))
    for dof, size in ((2, 0.08), (3, np.radians(3))):
        frame[:, :, dof] = size * np.stack([np.sin(w * t), w * np.cos(w * t), -(w**2) * np.sin(w * t)], axis=1)
    return {"host_frame": frame, "host_count": count, "mode": np.zeros(n)}


def test_host_is_followed_and_its_silence_settles() -> None:
    made = run(17.0, {**UP, STANDBY_AT: Request.DRIVE}, **host_sine(17.0, silent_from=13.0))
    assert visited(made)[3:] == [State.STANDBY, State.ENGAGING, State.DRIVE, State.SETTLING, State.STANDBY]
    check_smooth(made)
    t = np.arange(at(10.0), at(13.0)) * DT
    wanted = 0.08 * np.sin(2 * np.pi * 0.4 * t)
    # frames are held from the tick before they are due at the latest: one tick of 0.2 m/s, and a jerk over 1/60 s
    assert np.abs(made["cmd"][at(10.0) : at(13.0), 2, 0] - wanted).max() < 2e-4
    silent = made["warning"][at(13.3)].astype(int)
    assert silent & WarningBit.HOST_SILENT
    assert not made["fault"].any()
    assert np.abs(made["motion_next"][-1, :, 0] - LAW.platform.l_neutral).max() < 1e-3


def test_change_of_mode_waits_for_the_end_of_the_drive() -> None:
    """Maintenance is asked for while the host is followed: nothing changes until standby."""
    host = host_sine(14.0)
    asked = host | {"mode": (np.arange(at(14.0)) > at(10.0)).astype(float)}
    requests = {**UP, STANDBY_AT: Request.DRIVE, 11.0: Request.SETTLE}
    made, plain = run(14.0, requests, **asked), run(14.0, requests, **host)
    settled = np.flatnonzero(made["state"] == State.STANDBY)[-1]
    first = np.flatnonzero((made["state"] == State.STANDBY) & (np.arange(at(14.0)) > at(11.0)))[0]
    np.testing.assert_array_equal(made["legs_cmd"][: first + 1], plain["legs_cmd"][: first + 1])
    assert not made["mode_used"][: first + 1].any() and made["mode_used"][settled] == 1.0


def test_garbage_from_the_host_moves_nothing() -> None:
    """One frame in sixty is spoilt, finite but absurd; the platform follows the others."""
    host = host_sine(14.0)
    clean = run(14.0, {**UP, STANDBY_AT: Request.DRIVE}, **host)
    spoilt = host["host_count"] % 60 == 30
    host["host_frame"][spoilt, 0, 1] = 1e6
    made = run(14.0, {**UP, STANDBY_AT: Request.DRIVE}, **host)
    difference = np.abs(made["cmd"] - clean["cmd"])[at(10.0) :, :, 0].max()
    assert difference < 1e-3  # a parabola used for two periods: jerk 1.3 m/s^3 over (1/30 s)^3 / 6, and the bridge
    assert made["warning"][spoilt].astype(int).max() & WarningBit.FRAME_REFUSED


def test_demand_outside_the_limits_is_not_engaged() -> None:
    n = at(10.0)
    frame = np.zeros((n, 3, 6))
    frame[:, 0, 2] = 0.9  # [m] of heave; the legs end at 0.68 m
    made = run(10.0, {**UP, STANDBY_AT: Request.DRIVE}, host_frame=frame, host_count=np.floor(np.arange(n) * DT * 60),
               mode=0)  # fmt: skip
    assert visited(made)[-1] is State.STANDBY
    assert int(made["warning"][-1]) & WarningBit.DEMAND_OUTSIDE


def test_demand_that_leaves_the_limits_in_drive_is_held_at_them() -> None:
    """Heave is demanded beyond the legs after engaging; roll, which is healthy, still follows."""
    host = host_sine(14.0)
    late = np.arange(at(14.0)) > at(9.5)
    host["host_frame"][late, 0, 2] += 2.0
    made = run(14.0, {**UP, STANDBY_AT: Request.DRIVE}, **host)
    check_smooth(made)
    assert not made["fault"].any()
    assert visited(made)[-1] is State.DRIVE
    warned = made["warning"][-1].astype(int)
    assert warned & WarningBit.DOF_LIMIT
    roll = made["pose_meas"][at(11.0) :, 3]
    assert np.ptp(roll) > 0.5 * np.ptp(host["host_frame"][:, 0, 3])


def test_abort_in_drive_ends_down_and_quiet() -> None:
    made = run(25.0, {**UP, STANDBY_AT: Request.DRIVE, 10.13: Request.ABORT, 12.0: Request.DRIVE}, settings=CARDS)
    assert visited(made)[5:] == [State.DRIVE, State.ABORT, State.OFF]
    check_smooth(made)
    assert made["fault"][-1] == Fault.OPERATOR_ABORT
    check_down(made)


def test_reset_works_only_at_rest() -> None:
    n = at(25.0)
    reset = np.zeros(n)
    reset[[at(10.5), at(24.0)]] = 1.0  # during the abort, and after it
    made = run(25.0, {**UP, STANDBY_AT: Request.DRIVE, 10.13: Request.ABORT, 24.5: Request.DOWN}, settings=CARDS,
               reset=reset)  # fmt: skip
    assert made["fault"][at(23.9)] == Fault.OPERATOR_ABORT
    assert made["fault"][-1] == Fault.NONE
    assert visited(made)[-1] is State.DOWN


@pytest.mark.parametrize("begins", [9.5, 10.6], ids=["drive", "abort"])
def test_reset_under_way_does_not_blind_the_monitor_of_a_frozen_sensor(begins: float) -> None:
    """Not a bit changes: held from before the sensor freezes, or pressed while the base goes down without it."""
    n, fails = at(20.0), at(10.13)
    requests = {**UP, STANDBY_AT: Request.DRIVE}
    frozen, reset = np.zeros((n, 6)), np.zeros(n)
    frozen[fails:, 4] = run(10.2, requests, settings=CARDS)["motion_next"][fails - 1, 4, 0]
    reset[at(begins) : at(11.0)] = 1.0
    plain = run(20.0, requests, settings=CARDS, frozen=frozen)
    made = run(20.0, requests, settings=CARDS, frozen=frozen, reset=reset)
    assert plain["fault"][-1] == Fault.MEASUREMENT
    for name in ("state", "fault", "legs_cmd", "valve_cmd", "motion_next"):
        np.testing.assert_array_equal(made[name], plain[name], err_msg=name)
    check_down(made)


def leg_sine(amplitude: float, frequency: float) -> tuple[np.ndarray, float]:
    """A sine on all legs [m, Hz], and when it is at its first peak."""
    cards = np.zeros((7, 16))
    cards[0] = [1, 0, 63, 0, amplitude, frequency, 0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0]
    return cards, DRIVES_FROM + 0.25 / frequency


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 10.0])
def test_a_leg_generator_beyond_the_stroke_does_not_delay_a_stop(amplitude: float) -> None:
    """The legs begin to come down as from any peak within the stroke: the plan starts from what they really got."""
    cards, peak = leg_sine(amplitude, 0.05)
    estop = np.zeros(at(peak + 10.0))
    estop[at(peak) :] = 1.0
    made = run(peak + 10.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=cards, estop=estop)
    check_smooth(made)
    assert visited(made)[-2:] == [State.ABORT, State.OFF]
    l = made["motion_next"][at(peak) :, :, 0]
    below = (l < l[0] - 0.05).all(axis=1)
    assert below.any() and np.argmax(below) * DT < COMES_DOWN


def test_a_leg_generator_beyond_the_stroke_freezes_where_it_is_and_settles_smoothly() -> None:
    cards, peak = leg_sine(10.0, 0.05)
    requests = {**UP, STANDBY_AT: Request.DRIVE, peak: Request.FREEZE, peak + 2.0: Request.SETTLE}
    made = run(peak + 12.0, requests, settings=cards)
    check_smooth(made)
    stood, frozen = made["legs_cmd"][at(peak) - 1, :, 0], made["legs_cmd"][at(peak + 2.0) - 1, :, 0]
    np.testing.assert_allclose(frozen, stood, atol=1e-9)
    assert visited(made)[-2:] == [State.SETTLING, State.STANDBY]


def test_settling_lets_a_leg_generator_beyond_the_stroke_fade_from_what_it_asks_for() -> None:
    """Straight to neutral: no leg goes far below it on the way, as if the generator had faded from the stroke's end."""
    cards, peak = leg_sine(10.0, 0.05)
    made = run(peak + 8.0, {**UP, STANDBY_AT: Request.DRIVE, peak: Request.SETTLE}, settings=cards)
    check_smooth(made)
    assert visited(made)[-2:] == [State.SETTLING, State.STANDBY]
    low = LAW.platform.l_neutral - made["legs_cmd"][at(peak) :, :, 0]
    assert low.max() < 0.02


@pytest.mark.parametrize("asked", [Request.FREEZE, Request.ABORT])
def test_no_tuning_weakens_a_stop(asked: Request) -> None:
    """With accelerations tuned down to a fifth and the longest shortest move, a stop is the same as without."""
    names = ("dof_acceleration", "dof_chase")
    slow = {name: LAW.parameters.find(name).bounds[0] for name in names}
    least = LAW.parameters.find("move_least").bounds[1]
    ways = []
    for engaging, changes in ((0.5, {}), (least[0], slow | {"move_least": least})):
        when = STANDBY_AT + engaging + 4.0  # heave is at its fastest
        parameters = LAW.parameter_vector(**changes)
        made = run(when + 9.0, {**UP, STANDBY_AT: Request.DRIVE, when: asked}, settings=CARDS, parameters=parameters)
        ways.append(made["legs_cmd"][at(when) - 1 : at(when + 1.5), :, 1])
    assert np.abs(ways[0][0]).max() > 0.2 and np.abs(ways[0][-1]).max() < 0.2
    np.testing.assert_allclose(ways[1], ways[0], atol=1e-9)  # times are sums of ticks, rounded


@pytest.mark.parametrize("wrong", [np.nan, 1e9, -1e9])
def test_an_unbelievable_return_pressure_moves_no_valve_and_ends_in_a_fault(wrong: float) -> None:
    """Until then the last believable one is used: not a bit of the valves changes."""
    fails = at(10.13)
    told = fails + at(
        LAW.parameters.find("supply_time").start_values[0]
    )  # a tick more or less: the sum of ticks is rounded
    requests = {**UP, STANDBY_AT: Request.DRIVE}
    clean, p_return = run(11.5, requests, settings=CARDS), np.full(at(11.5), 0.5e6)
    p_return[fails:] = wrong
    made = run(11.5, requests, settings=CARDS, p_return=p_return)
    np.testing.assert_array_equal(made["valve_cmd"][: told - 2], clean["valve_cmd"][: told - 2])
    assert np.isfinite(made["valve_cmd"]).all()
    assert made["fault"][told - 2] == Fault.NONE and made["fault"][told + 2] == Fault.PRESSURE
    assert visited(made)[-1] is State.ABORT


def test_down_is_not_said_aloft() -> None:
    """A valve that stuck for a while: held, reset, switched off where it is, and then lowered."""
    stuck, reset = np.full((at(30.0), 6), 9.0), np.zeros(at(30.0))
    stuck[at(10.13) : at(10.3), 2], reset[at(12.5)] = 1.0, 1.0
    requests = {12.6: Request.OFF, 12.7: Request.DOWN, 12.8: Request.LOWER}
    made = run(30.0, {**UP, STANDBY_AT: Request.DRIVE, **requests}, settings=CARDS, stuck=stuck, reset=reset)
    assert visited(made)[-5:] == [State.STOPPING, State.HELD, State.OFF, State.LOWERING, State.DOWN]
    check_smooth(made)
    check_down(made)


def test_stop_button_is_latched_until_reset() -> None:
    estop = np.zeros(at(25.0))
    estop[at(9.7) : at(9.8)] = 1.0
    made = run(25.0, {**UP, STANDBY_AT: Request.DRIVE, 24.0: Request.DOWN}, settings=CARDS, estop=estop)
    assert visited(made)[-2:] == [State.ABORT, State.OFF]
    assert made["fault"][-1] == Fault.ESTOP


def test_hard_over_valve_is_shut_off_and_held() -> None:
    stuck = np.full((at(12.0), 6), 9.0)
    stuck[at(10.13) :, 2] = 1.0
    made = run(12.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=CARDS, stuck=stuck)
    assert visited(made)[-3:] == [State.DRIVE, State.STOPPING, State.HELD]
    found = np.flatnonzero(made["state"] == State.STOPPING)[0]
    assert made["fault"][found] == Fault.VALVE
    # detection within mismatch_time and the spool's way to the threshold, and the hardware is told in the same tick
    assert (found * DT - 10.13) <= 0.01 + 0.005
    abort, ticks = made["abort"], at(LAW.parameters.find("shut_time").start_values[0])
    assert not abort[:found].any() and (abort[found + ticks :] == 1.0).all()
    np.testing.assert_allclose(np.diff(abort[found - 1 : found + ticks]), 1 / ticks, rtol=1e-9)
    assert not made["valve_cmd"][-1].any()
    moved = made["motion_next"][:, 2, 0]
    assert moved.max() < LAW.platform.stroke.l_max


def test_seized_leg_is_held() -> None:
    mass = np.full((at(14.0), 6), 700.0)
    mass[at(8.2) :, 3] = 1e9  # from standby, where it stands still
    cards = CARDS.copy()
    cards[0, 4] = 0.3  # [m] of heave
    made = run(14.0, {**UP, STANDBY_AT + 0.3: Request.DRIVE, 12.0: Request.LOWER}, settings=cards, mass=mass)
    assert visited(made)[-3:] == [State.DRIVE, State.STOPPING, State.HELD]  # to lower is refused: no reset
    assert made["fault"][-1] == Fault.TRACKING
    stopping = np.flatnonzero(made["state"] == State.STOPPING)
    closing = np.abs(made["valve_cmd"][stopping, 3])  # the seized leg is not pushed on, the others brake
    assert closing[-1] == 0.0 and np.all(np.diff(closing) <= 0.0)
    assert np.abs(np.diff(made["motion_next"][stopping, :, 1], axis=0) / DT).max() < LIMITS.leg_acceleration
    assert not made["abort"].any() and not made["valve_cmd"][-1].any()
    last = made["motion_next"][-at(1.0) :, :, 0]
    assert np.ptp(last, axis=0).max() < 5e-3  # stopped, but for leakage of 2 mm/s and the fading oil spring


@pytest.mark.parametrize("wrong", [np.nan, 0.02])
def test_base_goes_down_without_a_length_sensor_and_without_a_nan(wrong: float) -> None:
    """The measured rate carries the leg down; the true length in the end is what the integral thinks it is."""
    bias = np.zeros((at(20.0), 6))
    bias[at(10.13) :, 4] = wrong
    made = run(20.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=CARDS, bias=bias)
    assert visited(made)[-3:] == [State.DRIVE, State.ABORT, State.OFF]
    assert made["fault"][-1] == Fault.MEASUREMENT
    check_smooth(made)
    check_down(made)
    for name in ("valve_cmd", "legs_cmd", "cmd", "pose_meas", "pose_hat", "u_ff", "u_fb"):
        assert np.isfinite(made[name]).all(), name
    assert not made["abort"].any()


def test_loss_of_supply_holds() -> None:
    supply = np.full(at(12.0), 16e6)
    supply[at(10.13) :] = 2e6
    made = run(12.0, {**UP, STANDBY_AT: Request.DRIVE}, settings=CARDS, p_supply=supply)
    assert visited(made)[-1] is State.HELD
    assert made["fault"][-1] in (Fault.SUPPLY, Fault.TRACKING)


def test_freeze_stops_and_resumes() -> None:
    made = run(
        16.0, {**UP, STANDBY_AT: Request.DRIVE, 10.13: Request.FREEZE, 12.0: Request.DRIVE, 14.0: Request.SETTLE},
        settings=CARDS,
    )  # fmt: skip
    assert visited(made)[5:10] == [State.DRIVE, State.FREEZE, State.ENGAGING, State.DRIVE, State.SETTLING]
    check_smooth(made)
    frozen = slice(at(11.0), at(12.0))
    assert np.ptp(made["legs_cmd"][frozen, :, 0], axis=0).max() == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_asked_limits_hold_and_abort_ends(seed: int) -> None:
    """Random requests in closed loop, then an abort: an end is reached within its time limit, smoothly."""
    rng = np.random.default_rng(seed)
    early = seed % 2 == 0  # while it rises, or from standby on
    times = np.sort(rng.uniform(3.0 if early else 7.6, 16.0, 25))
    asked = {float(t): int(rng.choice([*list(Request)[1:8], Request.DRIVE, Request.DRIVE])) for t in times}
    made = run(40.0, {**UP, **({} if early else {7.5: Request.DRIVE}), **asked, 17.0: Request.ABORT}, settings=CARDS)
    check_smooth(made)
    assert visited(made)[-1] in (State.OFF, State.DOWN)
    assert early or {State.ENGAGING, State.FREEZE, State.SETTLING} & set(visited(made))
    assert made["state"][at(17.0) + 1] in (State.ABORT, State.OFF, State.HELD, State.DOWN)
    check_down(made)
