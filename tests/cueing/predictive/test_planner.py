"""Plans one after the other: within the legs, symmetric, repeatable, and safe when the solver is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from motionbase.cueing.predictive.forecast import AT_REST, Driver, sampled
from motionbase.cueing.predictive.horizon import PERIOD, PLAN_LENGTH
from motionbase.cueing.predictive.offline import Followed, follow
from motionbase.cueing.predictive.planner import Planner, Verdict, Where
from motionbase.cueing.predictive.solver import Solution
from motionbase.errors import UsageError
from motionbase.record.vehicle import G
from tests.cueing.predictive.rig import MIRROR, planner, simona, vehicle
from tests.tier import often

AHEAD = vehicle(4.0, (0, 2.5, 0.5, 2.5, 0.4), (1, 1.5, 1.0, 3.0, 0.5), (5, 0.15, 1.0, 2.0, 0.3))


def check_legs(found: Followed) -> None:
    """Never out of the platform's own limits; the planner keeps a margin of them for what lies between nodes."""
    stroke, limits = simona().stroke, simona().limits
    l, rate, acceleration = (found.legs[..., k] for k in range(3))
    assert stroke.l_min <= l.min() and l.max() <= stroke.l_max
    assert np.abs(rate).max() <= limits.leg_velocity
    assert np.all(np.abs(found.motion[:, :2]).max(axis=0) <= [limits.position, limits.velocity])
    assert np.abs(acceleration).max() <= limits.leg_acceleration


pulses = st.tuples(
    st.integers(0, 5), st.floats(-1.0, 1.0), st.floats(0.0, 1.0), st.floats(0.05, 2.0), st.floats(0.01, 0.5)
)


@settings(max_examples=often(24), deadline=None)
@given(parts=st.lists(pulses, min_size=1, max_size=5), strength=st.sampled_from([0.3, 1.0, 3.0]))
def test_legs_stay_within_their_limits(parts, strength: float) -> None:  # type: ignore[no-untyped-def]
    """Whatever the vehicle does, up to three times what a car or a fighter does."""
    scale = np.array([10, 10, 15, 1.5, 1.5, 1.0]) * strength
    rows = vehicle(1.8, *((k, x * scale[k], begin, begin + for_, edge) for k, x, begin, for_, edge in parts))
    check_legs(follow(planner(forecast=Driver()), rows))


@pytest.mark.long("two seconds of plans")
def test_an_impossible_demand_uses_the_legs_and_comes_back() -> None:
    """Braking harder than any tyre for six seconds: the stroke is used to its margin, then it returns to neutral."""
    rows = vehicle(16.0, (0, -15.0, 0.5, 6.0, 0.2))
    found = follow(planner(), rows)
    check_legs(found)
    stroke = simona().stroke
    assert found.legs[..., 0].min() < stroke.l_min + 0.05 or found.legs[..., 0].max() > stroke.l_max - 0.05
    assert np.abs(found.motion[-1, 0]).max() < 0.25 * np.abs(found.motion[:, 0]).max()


def test_left_is_right_mirrored() -> None:
    """SIMONA is symmetric; what is left are the tolerances of the solver, which picks rows in another order."""
    there = follow(planner(), AHEAD)
    back = follow(planner(), AHEAD * MIRROR)
    np.testing.assert_allclose(back.motion, there.motion * MIRROR, atol=2e-4)


def test_the_same_again() -> None:
    made = planner()
    first, second = follow(made, AHEAD[:100]), follow(made, AHEAD[:100])
    assert first.motion.tobytes() == second.motion.tobytes()


def test_a_platform_at_rest_stays_at_rest() -> None:
    found = follow(planner(), vehicle(1.0))
    assert np.abs(found.motion).max() < 1e-9


def test_what_lasts_is_given_by_tilt_below_the_threshold() -> None:
    """Nobody tells it to: 2 m/s^2 for long are a tilt of asin(0.2), and no rate on the way is a false cue."""
    found = follow(planner(), vehicle(12.0, (0, 2.0, 0.5, 20.0, 0.5)))
    assert found.cue[-1, 0] == pytest.approx(2.0, rel=0.15)
    assert np.sin(-found.motion[-1, 0, 4]) * G == pytest.approx(2.0, rel=0.15)
    assert np.degrees(np.abs(found.cue[:, 4])).max() < 1.5 * 3.6  # threshold, and what the onset is worth
    assert np.abs(found.motion[-1, 0, :3]).max() < 0.35


def test_knowing_what_comes_helps() -> None:
    t = np.asarray(PERIOD * np.arange(len(AHEAD)))
    blind = follow(planner(), AHEAD)
    seeing = follow(planner(forecast=sampled(t, AHEAD)), AHEAD)
    errors = [np.sqrt(np.mean((found.cue - AHEAD)[:, :2] ** 2)) for found in (blind, seeing)]
    assert errors[1] < 0.9 * errors[0]


def test_plans_go_on_where_the_last_one_is() -> None:
    made = planner()
    first = made.plan(Where(0.0, np.zeros((3, 6)), AHEAD[200]))
    assert first is not None
    now = first.motion(PERIOD)
    second = made.plan(Where(PERIOD, now, AHEAD[200]))
    assert second is not None
    np.testing.assert_array_equal(second.motion(0.0), now)
    np.testing.assert_allclose(second.motion(0.1)[0], first.motion(0.1 + PERIOD)[0], atol=2e-3)  # knots have moved on
    h = 1e-5  # velocity and acceleration are derivatives of the position, by central differences
    p, v, a = second.motion(0.12)
    np.testing.assert_allclose((second.motion(0.12 + h)[0] - second.motion(0.12 - h)[0]) / (2 * h), v, atol=1e-8)
    np.testing.assert_allclose((second.motion(0.12 + h)[1] - second.motion(0.12 - h)[1]) / (2 * h), a, atol=1e-8)


# ---- trouble ---------------------------------------------------------------------------------------------------------


def standing(made: Planner, k: int = 0) -> Where:
    return Where(k * PERIOD, np.zeros((3, 6)), AHEAD[100])


@pytest.mark.parametrize("part", ["t", "motion", "demand"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_no_number_makes_no_plan(part: str, value: float) -> None:
    made = planner()
    given = standing(made)._asdict()
    wrong = Where(**(given | {part: np.full(np.shape(given[part]), value)}))
    assert made.plan(wrong) is None and made.outcome.verdict is Verdict.BAD_INPUT
    assert made.plan(standing(made)) is not None  # and the next one is as good as ever


def test_a_deadline_that_is_over_is_late() -> None:
    made = planner(deadline=1e-7)
    assert made.plan(standing(made)) is None and made.outcome.verdict is Verdict.LATE


class Broken:
    """A solver that answers garbage, for some time."""

    def __init__(self, solver: object, answer: Solution, times: range) -> None:
        self.solver, self.answer, self.times, self.calls = solver, answer, times, 0

    def solve(self, problem: object, time_limit: float = 0.0) -> Solution:
        self.calls += 1
        found: Solution = self.solver.solve(problem, time_limit)  # type: ignore[attr-defined]
        return self.answer if self.calls in self.times else found


@pytest.mark.parametrize("code", [1, -7])
def test_the_plan_before_lasts_while_the_solver_fails(code: int) -> None:
    """Up to the length of a plan; the motion has no jump then, or afterwards."""
    made = planner()
    answer = Solution(np.full(72, np.nan), np.zeros(600), code, 0, 0.0)
    made.solver = Broken(made.solver, answer, range(100, 120))  # type: ignore[assignment]
    found = follow(made, AHEAD)
    assert found.late > 10 and made.outcome.verdict is Verdict.GOOD
    p, v, a = found.motion[:, 0], found.motion[:, 1], found.motion[:, 2]
    h = PERIOD  # an acceleration linear in each hundredth of a second, or with one knee in it
    np.testing.assert_allclose(np.diff(v, axis=0), h * (a[:-1] + a[1:]) / 2, atol=3e-3)
    np.testing.assert_allclose(np.diff(p, axis=0), h * (v[:-1] + v[1:]) / 2, atol=2e-4)
    assert np.abs(np.diff(a, axis=0)).max() < 1.0  # [m/s^2] in a hundredth of a second
    check_legs(found)


def test_without_any_plan_it_says_so() -> None:
    made = planner()
    never = Solution(np.full(72, np.nan), np.zeros(600), -7, 0, 0.0)
    made.solver = Broken(made.solver, never, range(20, 1000))  # type: ignore[assignment]
    with pytest.raises(UsageError, match=f"no plan for {PLAN_LENGTH:g} s: UNSOLVED"):
        follow(made, np.tile(AT_REST, (200, 1)))
