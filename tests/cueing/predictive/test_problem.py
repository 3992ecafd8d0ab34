"""The quadratic program: optimality, another solver, and the objective written anew from the equations of motion."""

import numpy as np
import piqp
import pytest
from scipy import signal
from scipy.optimize import lsq_linear

from motionbase.arrays import Array
from motionbase.cueing.predictive.feelings import Felt
from motionbase.cueing.predictive.forecast import AT_REST
from motionbase.cueing.predictive.problem import Problem
from motionbase.cueing.predictive.solver import Solver
from motionbase.cueing.predictive.weights import Weights, limits_of
from motionbase.cueing.vestibular import CANAL, OTOLITH, THRESHOLDS
from motionbase.record.vehicle import G
from motionbase.spatial.rotations import R_euler_zyx
from tests.cueing.predictive.rig import assembly, problem_at, simona

SEEDS = [(seed, size) for seed, size in ((1, 0.3), (2, 1.0), (3, 2.0), (4, 3.0))]


def left_by(problem: Problem, z: Array) -> Array:
    """(rows,) by how much rows are left: positive above, negative below."""
    value = problem.A @ z
    return np.maximum(value - problem.upper, 0.0) + np.minimum(value - problem.lower, 0.0)


def cost(problem: Problem, z: Array) -> float:
    left = np.abs(left_by(problem, z))
    priced = problem.price @ left + (left**2 / (2 * problem.give)).sum()
    return float(z @ problem.H @ z / 2 + problem.f @ z + priced)


@pytest.mark.parametrize(("seed", "size"), SEEDS)
def test_solutions_are_optimal(seed: int, size: float) -> None:
    """Karush, Kuhn and Tucker: the gradient vanishes, multipliers have the right sign, slack or no multiplier."""
    made, problem, _ = problem_at(seed, size)
    found = Solver().solve(problem)
    assert found.good
    own, rows = found.multipliers[: made.size], found.multipliers[made.size :]
    scale = np.abs(problem.f).max()
    np.testing.assert_allclose(problem.H @ found.z + problem.f + own + problem.A.T @ rows, 0, atol=1e-7 * scale)
    assert np.all(np.abs(found.z) <= problem.most + 1e-6)
    inside = np.abs(found.z) < problem.most - 1e-6
    np.testing.assert_allclose(own[inside], 0, atol=1e-7 * scale)
    assert np.all(own * found.z >= -1e-9 * scale)
    left = left_by(problem, found.z)
    touched = np.abs(left) > 1e-6
    paid = np.sign(left) * (problem.price + np.abs(left) / problem.give)  # what a row costs is its multiplier
    np.testing.assert_allclose(rows[touched], paid[touched], rtol=1e-3, atol=1e-6 * scale)
    assert size < 2.0 or touched.any()


@pytest.mark.parametrize(("seed", "size"), SEEDS)
def test_another_solver_finds_the_same(seed: int, size: float) -> None:
    """piqp, an interior-point method, with the slacks as variables of their own: up and down for every row."""
    made, problem, _ = problem_at(seed, size)
    found = Solver().solve(problem)
    n, m = made.size, problem.A.shape[0]
    H = np.diag(np.concatenate([np.zeros(n), 1 / problem.give, 1 / problem.give]))
    H[:n, :n] = problem.H
    f = np.concatenate([problem.f, problem.price, problem.price])
    rows = np.hstack([problem.A, -np.eye(m), np.eye(m)])
    lower = np.concatenate([-problem.most, np.zeros(2 * m)])
    upper = np.concatenate([problem.most, np.full(2 * m, 1e30)])
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-9
    solver.setup(H, f, None, None, rows, problem.lower, problem.upper, lower, upper)
    assert solver.solve() == piqp.PIQP_SOLVED
    z = np.asarray(solver.result.x[:n])
    np.testing.assert_allclose(found.z, z, atol=2e-4)  # daqp lets rows off by its tolerance of 1e-6
    assert cost(problem, found.z) == pytest.approx(cost(problem, z), rel=1e-6)


def test_the_active_set_of_the_last_problem_gives_the_same_optimum() -> None:
    warm = Solver()
    for seed in range(5, 10):
        _, problem, _ = problem_at(seed, 1.5)
        np.testing.assert_allclose(warm.solve(problem).z, Solver().solve(problem).z, atol=1e-5)


def test_without_limits_it_is_a_least_squares_problem_written_from_the_equations() -> None:
    """About rest everything is linear: simulate each knot's influence with SciPy and the linear equations of a tilted
    platform, weigh the residuals, and let SciPy find the least squares.

    Motion and vehicle are 1e-4 of what is usual, so that products of them do not matter.
    """
    weights, size = Weights(), 1e-4
    made, grid = assembly(weights), assembly(weights).horizon
    rng = np.random.default_rng(6)
    present, forecast = size * rng.normal(size=(3, 6)), size * rng.normal(size=(20, 6))
    nominal = np.zeros(made.size)
    made.look(present, nominal)
    problem = made.problem(present, nominal, AT_REST + forecast, Felt())
    found = Solver().solve(problem)

    h, limits = 0.0025, limits_of(simona()).dof
    t = np.arange(0.0, 2.0 + h / 2, h)
    at = np.searchsorted(t, grid.times[1:] - 1e-9)
    height = simona().points["eye"][2]

    def residuals(z: Array, start: Array, vehicle: Array) -> Array:
        values = np.vstack([start[2], z.reshape(6, -1).T])
        a = np.stack([np.interp(t, grid.knot_times, column) for column in values.T], axis=1)
        v = start[1] + np.vstack([np.zeros(6), np.cumsum(h * (a[:-1] + a[1:]) / 2, axis=0)])
        p = start[0] + np.vstack([np.zeros(6), np.cumsum(h * (v[:-1] + h * (a[:-1] / 3 + a[1:] / 6)), axis=0)])
        cue = np.concatenate([a[:, :3], v[:, 3:]], axis=1)
        cue[:, 0] += height * a[:, 4] - G * p[:, 4]  # nose down: the head goes ahead, and gravity pulls ahead
        cue[:, 1] += -height * a[:, 3] + G * p[:, 3]
        nodes = np.vstack([cue[:1], cue[at]]) - vehicle
        error = np.stack([np.interp(t, grid.times, column) for column in nodes.T], axis=1)
        parts = []
        for k in range(6):
            organ = OTOLITH if k < 3 else CANAL
            _, y, _ = signal.lsim((organ.numerator, organ.denominator), error[:, k], t)
            parts.append(np.sqrt(grid.share * weights.error[k]) * y[at] / THRESHOLDS[k])
        jerk = np.diff(values, axis=0) / np.diff(grid.knot_times)[:, None]
        steps = np.diff(grid.knot_times)
        for k in range(6):
            for row, motion, most in zip(
                (weights.position, weights.velocity, weights.acceleration), (p, v, a), limits[:, k], strict=True
            ):
                parts.append(np.sqrt(grid.share * row[k]) * motion[at, k] / most)
            parts.append(np.sqrt(weights.end[k]) * (p[-1:, k] + 1.0 * v[-1:, k]) / limits[0, k])
            parts.append(np.sqrt(weights.jerk[k] * steps) * jerk[:, k] / limits[2, k])
        return np.concatenate(parts)

    nothing, rest = np.zeros_like(present), np.zeros_like(forecast)
    base = residuals(np.zeros(made.size), present, forecast)
    slope = np.stack([residuals(unit, nothing, rest) for unit in np.eye(made.size)], axis=1)
    wanted = lsq_linear(slope, -base).x
    np.testing.assert_allclose(found.z / size, wanted / size, atol=2e-3 * np.abs(wanted / size).max())


def test_the_objective_falls_to_its_least_value_at_the_solution() -> None:
    """Any change of the solution costs more."""
    _, problem, _ = problem_at(2, 1.0)
    found, rng = Solver().solve(problem).z, np.random.default_rng(0)
    least = cost(problem, found)
    for _ in range(50):
        other = np.clip(found + 1e-2 * rng.normal(size=found.size), -problem.most, problem.most)
        assert cost(problem, other) > least


def test_axes_turn_as_the_linear_equations_say() -> None:
    """Nose down is a positive pitch: at rest it feels like braking, -g sin."""
    R = np.asarray(R_euler_zyx(np.array([0.0, 0.1, 0.0])))
    assert (R.T @ [0, 0, G])[0] == pytest.approx(-G * np.sin(0.1))
