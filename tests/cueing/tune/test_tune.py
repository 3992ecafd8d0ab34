"""Tuning over manoeuvres: scores against single runs, constraints, a front that is one, going on, the set written."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.cueing.cueing import Cueing
from motionbase.cueing.run import cue
from motionbase.cueing.sets import load_set
from motionbase.cueing.summary import Summary
from motionbase.cueing.tune.result import Tuned
from motionbase.cueing.tune.scores import Case, Judge, cases_of
from motionbase.cueing.tune.search import Search, State
from motionbase.cueing.tune.space import TILT_MOST, Allowed, Space
from motionbase.errors import MotionBaseError
from motionbase.host.manoeuvres import manoeuvre
from tests.cueing.rig import cueing

NAMES = ("surge_step", "heave_doublet")
GENERATIONS = 12


@cache
def judge() -> Judge:
    made = [(name, manoeuvre(name, 60.0, duration=6.0)) for name in NAMES]
    return Judge(cueing(), cases_of([(name, m.t, m.rows) for name, m in made]))


@cache
def search() -> Search:
    return Search(Space(judge()), population=16)


@cache
def states() -> tuple[State, ...]:
    return tuple(search().states(GENERATIONS))


@cache
def tuned() -> Tuned:
    return Tuned(search(), states()[-1], 0.25)


def test_scores_are_those_of_single_runs() -> None:
    """Summed in the loop on lanes, and from all rows of runs one by one: the same up to the order of a sum."""
    vectors = search().space.vectors(states()[0].cube[:9])
    scores = judge().scores(vectors)
    for k, case in enumerate(judge().cases):
        for j in (0, 8):
            told = Summary(cue(cueing(), case.t, case.rows, vectors[j]))
            assert scores.errors[j, k] == pytest.approx(told.share, rel=1e-10)
            legs = told.run.legs
            way = min(legs[0, 0] - cueing().platform.stroke.l_min, cueing().platform.stroke.l_max - legs[0, 0])
            assert scores.strokes[j, k] == pytest.approx(1 - told.left / way, abs=1e-9)
    told_of_first = [Summary(cue(cueing(), c.t, c.rows, vectors[0])) for c in judge().cases]
    assert scores.left[0] == pytest.approx(min(told.left for told in told_of_first), abs=1e-12)
    assert scores.fastest[0] == pytest.approx(max(told.leg_speed for told in told_of_first), rel=1e-9)


def test_scores_do_not_depend_on_threads_or_neighbours() -> None:
    vectors = search().space.vectors(states()[0].cube[:11])
    whole, alone = judge().scores(vectors), Judge(cueing(), judge().cases, threads=1).scores(vectors[3:4])
    for part, other in zip(whole, alone, strict=True):
        np.testing.assert_array_equal(part[3:4], other)


def test_axes_may_count_alike() -> None:
    """The mean of the squares of what is left of each axis that is felt; false cues against half a threshold."""
    alike = Judge(cueing(), judge().cases, alike=True)
    vector = search().space.vectors(states()[0].cube[5:6])
    scores = alike.scores(vector)
    for k, case in enumerate(judge().cases):
        told = Summary(cue(cueing(), case.t, case.rows, vector[0]))
        least = np.maximum(told.at_rest, 0.5)
        wanted = np.sqrt(((told.error / least) ** 2).sum() / ((told.at_rest / least) ** 2).sum())
        assert scores.errors[0, k] == pytest.approx(wanted, rel=1e-10)
    still = cueing().parameter_vector(cue_gain=0.0, cue_ground_gain=0.0)
    np.testing.assert_allclose(alike.scores(still[None]).errors, 1.0, rtol=1e-12)
    assert Search(Space(alike), population=16).key != search().key


def test_a_platform_at_rest_has_error_1_and_stroke_0() -> None:
    still = cueing().parameter_vector(cue_gain=0.0, cue_ground_gain=0.0)
    np.testing.assert_allclose(judge().scores(still[None]).goals, [[1.0, 0.0]], atol=1e-12)


def test_the_cube_is_the_bounds_of_the_parameters() -> None:
    space, layout = search().space, cueing().parameters
    assert space.names == ("cue_gain", "cue_high_pass", "cue_tilt_gain", "cue_tilt_low_pass")  # nothing on the ground
    ends = space.vectors(np.array([np.zeros(16), np.ones(16)]))
    assert layout.part(ends, "cue_gain")[:, 0].tolist() == [0.0, 2.0]
    np.testing.assert_allclose(layout.part(ends, "cue_high_pass")[:, 3], [0.05, 20.0])  # 0 would be a drift
    middle = space.vectors(np.full((1, 16), 0.5))
    np.testing.assert_allclose(layout.part(middle, "cue_high_pass"), 1.0)  # by its logarithm
    cube = np.random.Generator(np.random.PCG64(1)).uniform(size=(5, 16))
    np.testing.assert_allclose(space.cube(space.vectors(cube)), cube, atol=1e-12)
    own = cueing().parameter_vector()
    np.testing.assert_allclose(space.vectors(space.cube(own[None]))[0], own, rtol=1e-12)


def test_constraints() -> None:
    space, own = search().space, cueing().parameter_vector()

    def broken(vector: Array, allowed: Allowed | None = None) -> float:
        case = Space(judge(), space.quantities, allowed or Allowed())
        return float(case.violation(vector[None], judge().scores(vector[None]))[0])

    assert broken(own) == 0
    fast = cueing().parameter_vector(cue_tilt_rate=1.5 * TILT_MOST)
    assert broken(fast) == pytest.approx(0.5, abs=1e-3) and broken(fast, Allowed(tilt=True)) == 0
    noticed = Judge(Cueing.of(cueing().platform, dt=cueing().dt, params={"cue_tilt_rate": 0.1}), judge().cases)
    with pytest.raises(MotionBaseError, match="tilts by up to 5.73 deg/s, which people notice"):
        Space(noticed)
    assert Space(noticed, ("tilt_rate",)).names == ("cue_tilt_rate",)
    # a surge of 1 m/s^2 scaled by 0.6 is 1.2 times its saturation; that of heave is 10 m/s^2
    low = cueing().parameter_vector(cue_saturation=[0.5, 6, 10, 0.6, 0.6, 0.6])
    assert broken(low) == pytest.approx(0.2, abs=1e-3) and broken(low, Allowed(saturation=True)) == 0
    far = judge().scores(own[None]).left[0]
    assert broken(own, Allowed(reserve=far)) == pytest.approx(0.02)  # the set's margin
    quick = judge().scores(own[None])._replace(fastest=np.array([1.5 * cueing().platform.limits.leg_velocity]))
    assert search().space.violation(own[None], quick)[0] == pytest.approx(0.5)


def test_every_front_is_one_and_beats_the_start() -> None:
    start = states()[0].start.goals[0]
    for state in (states()[0], states()[-1]):
        front = state.scores.goals[state.front]
        for a in front:
            assert not any((b <= a).all() and (b < a).any() for b in front)
    last = states()[-1]
    assert (last.violation[last.front] == 0).all() and last.front.sum() > 4
    better = last.scores.goals[last.front]
    assert ((better[:, 0] < 0.98 * start[0]) & (better[:, 1] <= start[1])).any()
    costs = [(s.scores.goals[s.front] @ (1.0, 0.25)).min() for s in states() if s.front.any()]
    assert costs[-1] < costs[0]


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """From a file half way, to the same bits; and the same seed gives the same search."""
    path = tmp_path / "half.tune.json"
    search().save(states()[6], path)
    *_, last = search().states(GENERATIONS, search().load(path))
    np.testing.assert_array_equal(last.cube, states()[-1].cube)
    np.testing.assert_array_equal(last.scores.goals, states()[-1].scores.goals)
    assert last.runs == pytest.approx(states()[-1].runs)
    again = next(iter(search().states(0)))
    np.testing.assert_array_equal(again.cube, states()[0].cube)
    assert (Search(search().space, 16, seed=2).begun().cube != again.cube).any()


def test_states_of_other_searches_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    search().save(states()[0], path)
    with pytest.raises(MotionBaseError, match="belongs to another search"):
        Search(search().space, 16, seed=2).load(path)
    text = path.read_text()
    for wrong in ("", "[]", "{}", text[:-40], text.replace('"cube": [', '"cube": 1, "c": ['), '"' + "[" * 5000):
        path.write_text(wrong)
        with pytest.raises(MotionBaseError, match="is not the state of a search"):
            search().load(path)
    with pytest.raises(MotionBaseError, match="cannot read"):
        search().load(tmp_path / "missing.json")


def test_the_set_that_is_written_is_the_one_that_was_judged(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    tuned().write(path)
    found = load_set(path)
    read = Cueing.of(cueing().platform, found, dt=cueing().dt)
    np.testing.assert_array_equal(read.parameter_vector(), tuned().vector)
    np.testing.assert_allclose(tuned().scores.goals, tuned().state.scores.goals[[tuned().number]], atol=2e-3)  # rounded
    assert "surge_step, heave_doublet" in found.sources[0] and "seed 1, 12 generations of 16" in found.sources[1]
    assert any("Gouverneur" in source for source in found.sources)
    assert "air.gain" in found.illustrative and "ground" in found.illustrative
    data = tuned().data()
    assert data["after"]["error"] < data["before"]["error"] and len(data["front"]) == len(tuned().front)


def test_what_is_tuned_depends_on_the_algorithm(tmp_path: Path) -> None:
    """The descent of the adaptive washout has parameters of its own, which hold in the air and on the ground."""
    adaptive = cueing(algorithm="adaptive")
    m = manoeuvre("heave_doublet", 60.0, duration=3.0)
    rows = m.rows.copy()
    rows[m.t > 2, 12] = 1
    found = Search(Space(Judge(adaptive, (Case(m.name, m.t, rows),))), population=8)
    assert found.space.names[3:6] == ("cue_tilt_low_pass", "cue_ground_gain", "cue_ground_high_pass")
    assert found.space.names[-2:] == ("cue_adaptive_way", "cue_adaptive_rate")
    made = Tuned(found, found.begun(), 0.25)
    made.write(tmp_path / "mine.toml")
    read = load_set(tmp_path / "mine.toml")
    again = Cueing.of(adaptive.platform, read, dt=adaptive.dt, algorithm="adaptive")
    np.testing.assert_array_equal(again.parameter_vector(), made.vector)
    assert "adaptive.way" in read.illustrative and "ground" in read.illustrative  # all of it


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Space(judge(), ("gian",)), "did you mean 'gain'"),
        (lambda: Search(search().space, population=4), "it must be 8 to 4096"),
        (lambda: Search(search().space, seed=-1), "it must be 0 or above"),
        (lambda: Judge(cueing(), ()), "no manoeuvre to tune for"),
        (
            lambda: Judge(cueing(), (Case("rest", np.arange(3.0), np.tile([0, 0, 9.80665, *[0] * 10], (3, 1))),)),
            "'rest' has nothing to feel",
        ),
    ],
)
def test_wrong_searches_are_one_sentence(make: object, sentence: str) -> None:
    with pytest.raises(MotionBaseError, match=sentence):
        make()  # type: ignore[operator]


def test_constraints_that_nobody_keeps_are_one_sentence() -> None:
    strict = Search(Space(judge(), ("damping",), Allowed(reserve=0.9)), population=8)
    with pytest.raises(MotionBaseError, match="no candidate keeps all constraints"):
        _ = Tuned(strict, strict.begun(), 0.25).number
