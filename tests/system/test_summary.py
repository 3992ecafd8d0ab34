"""Summaries of runs: from made-up motion with known answers, however it is cut."""

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.states import State
from motionbase.system.runs import Run
from motionbase.system.summary import Summary, Tally

Array = NDArray[np.float64]
DT, TICKS = 5e-4, 4000
T = DT * np.arange(1, TICKS + 1, dtype=np.float64)


@cache
def hexapod() -> Hexapod:
    return load_platform("simona")


def made() -> dict[str, Array]:
    """Two seconds: standby, from 0.5 s on drive, from 1.5 s on held; heave is 2 mm low in drive, yaw 3 mrad behind.

    Leg 6 moves alone and is 4 mm short.
    """
    heave, yaw = 0.1 * np.sin(3 * T), 0.05 * np.cos(2 * T)
    Q = Rotation.from_euler("z", yaw[:, None]).as_quat(scalar_first=True)
    p = np.asarray(hexapod().p_neutral) + np.outer(heave, [0, 0, 1])
    cmd = np.zeros((TICKS, 6, 3))
    cmd[1:, 2, 0], cmd[1:, 5, 0] = heave[:-1] + 2e-3, yaw[:-1] - 3e-3  # a row's demand is that of the tick's start
    state = np.where(T < 0.5 + DT / 2, State.STANDBY, np.where(T < 1.5 + DT / 2, State.DRIVE, State.HELD))
    stroke = hexapod().stroke
    l = np.full((TICKS, 6), 2.7)
    l[100, 0] = stroke.l_min - 0.01  # in standby
    l[2000, 1], l[3500, 2] = stroke.l_max - 0.03, stroke.hard_max + 1e-3  # in drive, held
    l[:, 5] += 0.05 * np.sin(4 * T)
    legs_cmd = np.zeros((TICKS, 6, 3))
    legs_cmd[1:, :, 0] = l[:-1]
    legs_cmd[:, 5, 0] += 4e-3
    f = np.full((TICKS, 6), 7e3)
    f[2500, 4], f[1234, 5] = -21e3, 9e3
    fault = np.where(T < 1.5 + DT / 2, Fault.NONE, Fault.VALVE)
    rows = {"state": state, "fault": fault, "cmd": cmd, "legs_cmd": legs_cmd, "l": l, "f": f}
    return {n: np.asarray(x, dtype=np.float64) for n, x in (rows | {"p_W_next": p, "Q_WP_next": Q}).items()}


def summed(*cuts: int) -> Summary:
    rows, edges, tally = made(), (0, *cuts, TICKS), Tally(hexapod(), DT)
    for a, b in zip(edges, edges[1:], strict=False):
        tally.add(Run(T[a:b], {}, {name: x[a:b] for name, x in rows.items()}, {}))
    return tally.summary()


def test_what_was_put_in_comes_out() -> None:
    s = summed()
    assert [(round(t, 4), state) for t, state in s.states] == [
        (0.0005, State.STANDBY),
        (0.5005, State.DRIVE),
        (1.5005, State.HELD),
    ]
    assert [(round(t, 4), fault) for t, fault in s.faults] == [(1.5005, Fault.VALVE)]
    assert s.drive_s == pytest.approx(1.0)
    wanted = [0, 0, 2e-3, 0, 0, 3e-3]
    assert s.rms is not None and s.largest is not None
    np.testing.assert_allclose(s.rms, wanted, atol=1e-12)
    np.testing.assert_allclose(s.largest, wanted, atol=1e-12)
    for legs in (s.leg_rms, s.leg_largest):
        np.testing.assert_allclose(legs, [0, 0, 0, 0, 0, 4e-3], atol=1e-12)
    np.testing.assert_array_equal(s.force, [7e3, 7e3, 7e3, 7e3, 21e3, 9e3])
    np.testing.assert_allclose(s.force_at[4:], [T[2500], T[1234]])
    stroke = hexapod().stroke
    usual = min(2.7 - stroke.l_min, stroke.l_max - 2.7)
    np.testing.assert_allclose(s.stroke_left[:5], [usual, 0.03, usual, usual, usual])
    assert s.hard_left[2] == pytest.approx(-1e-3) and s.hard_left[0] == pytest.approx(
        stroke.l_min - 0.01 - stroke.hard_min
    )


@pytest.mark.parametrize("cuts", [(1,), (1000, 1001), (500, 3000, 3999), tuple(range(250, TICKS, 250))])
def test_cuts_change_nothing(cuts: tuple[int, ...]) -> None:
    whole, cut = summed(), summed(*cuts)
    assert cut.states == whole.states and cut.faults == whole.faults
    for name in ("largest", "leg_largest", "force", "force_at", "stroke_left", "hard_left"):
        np.testing.assert_array_equal(getattr(cut, name), getattr(whole, name), err_msg=name)
    for a, b in ((cut.rms, whole.rms), (cut.leg_rms, whole.leg_rms)):
        assert a is not None and b is not None
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-15)  # sums in another order


def test_where_legs_move_alone_only_lengths_are_compared() -> None:
    """No demand of the platform has their motion in it."""
    tally = Tally(hexapod(), DT, legs_alone=True)
    _, errors = tally.add(Run(T, {}, made(), {}))
    s = tally.summary()
    assert s.rms is None and s.largest is None and np.isnan(errors).all()
    np.testing.assert_allclose(s.leg_rms, [0, 0, 0, 0, 0, 4e-3], atol=1e-12)


def test_without_drive_there_is_no_tracking() -> None:
    rows = made()
    rows["state"][:] = State.STANDBY
    tally = Tally(hexapod(), DT)
    _, errors = tally.add(Run(T, {}, rows, {}))
    assert tally.summary().drive_s == 0 and np.isnan(errors).all()
