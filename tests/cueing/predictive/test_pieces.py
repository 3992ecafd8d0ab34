"""The horizon, feelings and nodes of predictive cueing, each against something independent."""

from functools import cache

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy import signal

from motionbase.cueing.predictive.feelings import Felt, response
from motionbase.cueing.predictive.forecast import AT_REST, Constant, Driver, forecast_of, sampled
from motionbase.cueing.predictive.horizon import Horizon
from motionbase.cueing.predictive.nodes import Nodes
from motionbase.cueing.predictive.weights import Weights, limits_of
from motionbase.cueing.vestibular import CANAL, OTOLITH
from motionbase.errors import UsageError
from motionbase.platform import Hexapod, load_platform
from motionbase.platform.kinematics import kinematics_of
from motionbase.record.vehicle import G

HORIZON = Horizon()


@cache
def simona() -> Hexapod:
    return load_platform("simona")


def test_motion_at_nodes_is_that_of_an_acceleration_linear_in_time() -> None:
    """Such an acceleration is represented exactly, so velocity and position are its integrals to rounding."""
    a = Polynomial([1.3, -0.7])
    v = a.integ(k=0.4)
    p = v.integ(k=-0.2)
    free, forced = HORIZON.basis
    present = np.array([p(0.0), v(0.0), a(0.0)])
    motion = free @ present + forced @ a(HORIZON.knot_times[1:])
    wanted = np.stack([p(HORIZON.times), v(HORIZON.times), a(HORIZON.times)], axis=1)
    np.testing.assert_allclose(motion, wanted, atol=1e-13)


def test_shares_of_the_nodes_are_the_trapezoidal_rule() -> None:
    x = np.linspace(1.0, 2.0, HORIZON.times.size) ** 3
    whole = np.trapezoid(x, HORIZON.times)
    assert HORIZON.share @ x[1:] == pytest.approx(whole - x[0] * HORIZON.times[1] / 2, abs=1e-13)


def test_shifted_plans_are_the_same_demand_later() -> None:
    rng = np.random.default_rng(1)
    start, knots, by = rng.normal(size=6), rng.normal(size=(12, 6)), 0.01
    moved = HORIZON.shifted(start, knots, by)
    old = np.array(
        [np.interp(HORIZON.knot_times + by, HORIZON.knot_times, row) for row in np.vstack([start, knots]).T]
    ).T
    np.testing.assert_allclose(moved[:-1], old[1:-1], atol=1e-14)
    assert not moved[-1].any()  # nothing is known beyond the end


@pytest.mark.parametrize("organ", [OTOLITH, CANAL], ids=["otolith", "canal"])
def test_responses_at_nodes_are_those_of_the_transfer_function(organ) -> None:  # type: ignore[no-untyped-def]
    """SciPy's simulation interpolates linearly as well, so that both are exact."""
    rng = np.random.default_rng(2)
    u = rng.normal(size=HORIZON.times.size)
    u[0] = 0.0
    every = np.linspace(0.0, 2.0, 401)  # all nodes are multiples of 5 ms
    _, y, _ = signal.lsim((organ.numerator, organ.denominator), np.interp(every, HORIZON.times, u), every)
    forced = response(organ, HORIZON.times).forced @ u
    np.testing.assert_allclose(forced, y[np.searchsorted(every, HORIZON.times[1:] - 1e-9)], atol=1e-9)


def test_what_is_felt_carries_on() -> None:
    """Prediction from the carried parts equals carrying on, with the same errors."""
    rng, felt = np.random.default_rng(3), Felt()
    for k in range(30):
        felt.advance(rng.normal(size=6), 0.01 if k else 0.0)
    errors = rng.normal(size=(HORIZON.times.size, 6))
    errors[0] = felt._before
    said = [
        response(organ, HORIZON.times).free @ parts + response(organ, HORIZON.times).forced @ errors[:, at]
        for organ, at, parts in zip((OTOLITH, CANAL), (slice(0, 3), slice(3, 6)), felt.parts, strict=True)
    ]
    for k, h in enumerate(np.diff(HORIZON.times)):
        felt.advance(errors[k + 1], float(h))
        np.testing.assert_allclose(felt.now(), np.concatenate([part[k] for part in said]), atol=1e-12)


def moving_nodes(n: int = 3) -> Nodes:
    rng = np.random.default_rng(4)
    nodes = Nodes(simona(), simona().points["eye"], n)
    for scale, kept in zip((0.1, 0.3, 1.0), (nodes.position, nodes.velocity, nodes.acceleration), strict=True):
        kept[:] = scale * rng.normal(size=(n, 6))
    nodes()
    return nodes


def test_legs_at_nodes_are_those_of_the_kinematics() -> None:
    nodes = moving_nodes(1)
    kinematics = kinematics_of(simona())
    h, t = 1e-4, np.array([-1.0, 0.0, 1.0])
    poses = [nodes.position[0] + h * x * nodes.velocity[0] + (h * x) ** 2 / 2 * nodes.acceleration[0] for x in t]
    l = np.array(
        [np.asarray(kinematics.inverse.function(*kinematics.pose_of_dof.function(pose))[0]).ravel() for pose in poses]
    )
    np.testing.assert_allclose(nodes.legs[0, :, 0], l[1], atol=1e-14)
    np.testing.assert_allclose(nodes.legs[0, :, 1], (l[2] - l[0]) / (2 * h), atol=1e-7)  # h^2 and rounding / h
    np.testing.assert_allclose(nodes.legs[0, :, 2], (l[2] - 2 * l[1] + l[0]) / h**2, atol=1e-6)


def test_derivatives_at_nodes_are_difference_quotients() -> None:
    """Those of the legs by J, J' and J'' alone."""
    nodes, h = moving_nodes(), 1e-6
    legs, cue, by = nodes.legs.copy(), nodes.cue.copy(), nodes.by_motion.copy()
    J, J_dot, J_ddot = nodes.changes.copy().transpose(2, 0, 1, 3)
    nothing = np.zeros_like(J)
    wanted = (
        np.stack([J, J_dot, J_ddot], axis=2), np.stack([nothing, J, 2 * J_dot], axis=2),
        np.stack([nothing, nothing, J], axis=2),
    )  # fmt: skip
    for j, kept in enumerate((nodes.position, nodes.velocity, nodes.acceleration)):
        for d in range(6):
            kept[:, d] += h
            nodes()
            np.testing.assert_allclose((nodes.legs - legs) / h, wanted[j][..., d], atol=1e-5)
            np.testing.assert_allclose((nodes.cue - cue) / h, by[:, :, j, d], atol=3e-5)
            kept[:, d] -= h


def test_a_tilted_platform_feels_gravity_along() -> None:
    nodes = Nodes(simona(), simona().points["eye"], 2)
    nodes.position[0, 4], nodes.position[1, 3] = -0.2, 0.2  # nose up; to the left side up
    nodes()
    np.testing.assert_allclose(nodes.cue[0], [G * np.sin(0.2), 0, G * np.cos(0.2), 0, 0, 0], atol=1e-14)
    np.testing.assert_allclose(nodes.cue[1], [0, G * np.sin(0.2), G * np.cos(0.2), 0, 0, 0], atol=1e-14)


def test_forecasts() -> None:
    times = HORIZON.times
    row = AT_REST + [1.0, 0, 0, 0, 0, 0.2]
    assert (Constant().ahead(row, 0.0, times) == row).all()
    driver = Driver(fades=(0.5, 0.7), mean=(3.0, 3.0))
    first = driver.ahead(row, 0.0, times)  # at rest until now, as far as it knows: no slope
    np.testing.assert_allclose(first[:, 0], (1 + times / 0.5) * np.exp(-times / 0.5))
    np.testing.assert_allclose(first[:, 5], 0.2 * (1 + times / 0.7) * np.exp(-times / 0.7))
    for k in range(1, 3000):
        last = driver.ahead(row, 0.01 * k, times)
    np.testing.assert_allclose(last, np.tile(row, (times.size, 1)), atol=1e-4)  # the mean has followed: exp(-10)
    driver.reset()
    for k in range(200):  # a ramp: its slope goes on
        last = driver.ahead(AT_REST + 0.01 * k * np.eye(6)[0], 0.01 * k, times)
    assert (last[1, 0] - last[0, 0]) / times[1] == pytest.approx(1.0, abs=0.4)  # it fades from there
    t = np.arange(0.0, 5.0, 0.01)
    known = sampled(t, np.stack([np.sin(t + k) for k in range(6)], axis=1))
    ahead = known.ahead(row, 1.0, times)
    assert (ahead[0] == row).all()
    np.testing.assert_allclose(ahead[1:, 2], np.sin(1.0 + times[1:] + 2), atol=2e-5)  # 0.01^2 / 8


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: forecast_of("drivr"), "did you mean 'driver'"),
        (lambda: forecast_of("preview"), "needs a source"),
        (lambda: Driver(fades=(0.0, 1.0)), "must be above 0"),
        (lambda: Horizon(nodes=(0.1, 0.2), knots=(0.15, 0.2)), "knots must be nodes"),
        (lambda: Horizon(nodes=(0.2, 0.1), knots=(0.1,)), "increase"),
        (lambda: Weights(position=(1.0, 1.0, 1.0, 1.0, 1.0, -1.0)), "six numbers from 0"),
        (lambda: Weights(slack=0.0), "slack is 0.0"),
    ],
)
def test_wrong_settings_are_refused(make, says: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(UsageError, match=says):
        make()


def test_braking_rows_keep_legs_where_they_can_be_stopped() -> None:
    """v = d / T is inside v^2 = 2 a d up to the largest rate."""
    limits = limits_of(simona())
    d = np.linspace(0.0, limits.braking_time * limits.leg[0], 50)
    assert np.all((d / limits.braking_time) ** 2 <= 2 * limits.braking * d + 1e-12)


def test_nodes_compile_to_the_same_bits_on_every_call() -> None:
    first, second = moving_nodes(), moving_nodes()
    assert first.cue.tobytes() == second.cue.tobytes() and first.changes.tobytes() == second.changes.tobytes()
