"""The rig's increments: errors of the printed forms in closed form, and accuracy of the others."""

import numpy as np
import pytest

from motionbase.errors import PlatformError
from motionbase.platform.load import load_platform
from motionbase.workbench.increments import FORMS, MEANING, compare, follow, turn_in_steps
from motionbase.workbench.posture import at_dof

ODU = load_platform("odu")
STILL = (0.0, 0.0, 0.0)
Array = np.ndarray


def turns(degrees: float, *about: tuple[float, float, float], step: float = 1.0) -> Array:
    """Rotation vectors of equal steps about one axis after the other [rad]."""
    count = round(degrees / step)
    return np.asarray(np.radians(step) * np.vstack([np.tile(axis, (count, 1)) for axis in about]))


def test_a_step_stretches_by_a_quarter_of_its_square() -> None:
    """7.6e-5 at a step of a degree, 0.76 % at ten; it adds up."""
    for degrees in (1.0, 10.0):
        theta = np.radians(degrees)
        found = follow(ODU, [STILL] * 3, [(theta, 0, 0)] * 3, "paper").stretch
        np.testing.assert_allclose(found, (1 + theta**2 / 4) ** np.arange(1, 4) - 1, rtol=1e-9)
        for form in ("scaled", "scaled, in front", "exact"):
            assert np.abs(follow(ODU, [STILL] * 3, [(theta, 0, 0)] * 3, form).stretch).max() < 1e-14
    assert np.radians(1.0) ** 2 / 4 == pytest.approx(7.6e-5, abs=5e-7)
    assert np.radians(10.0) ** 2 / 4 == pytest.approx(7.6e-3, abs=5e-5)


def test_roll_then_yaw_ends_ten_degrees_wrong_behind() -> None:
    """20 degrees of roll, then 30 of yaw, by steps of one degree."""
    dtheta = np.vstack([turns(20, (1, 0, 0)), turns(30, (0, 0, 1))])
    ds = np.zeros_like(dtheta)
    exact = follow(ODU, ds, dtheta)
    wrong = {form: np.degrees(follow(ODU, ds, dtheta, form).angle_to(exact)[-1]) for form in FORMS}
    assert wrong["paper"] == pytest.approx(10.3, abs=0.05) and wrong["scaled"] == pytest.approx(10.3, abs=0.05)
    assert wrong["in front"] < 0.01 and wrong["scaled, in front"] < 0.01 and wrong["exact"] == 0.0


def test_exact_increments_end_at_the_pose() -> None:
    """Increments of a known motion, small or large, lead to the lengths of inverse kinematics."""
    n = 40
    dtheta, ds = np.tile([0, 0, np.radians(20.0) / n], (n, 1)), np.tile([0.05 / n, -0.03 / n, 0.02 / n], (n, 1))
    found = follow(ODU, ds, dtheta)
    np.testing.assert_allclose(
        found.l_pose[-1], at_dof(ODU, [0.05, -0.03, 0.02, 0, 0, np.radians(20)]).l[0], atol=1e-14
    )


@pytest.mark.parametrize(("form", "order"), [("scaled, in front", 2.0), ("exact", 1.0)])
def test_what_is_left_goes_with_the_step(form: str, order: float) -> None:
    """The attitude by scaled parameters converges by the second order, added leg increments by the first."""
    errors = []
    for n in (20, 40, 80):
        turn = np.radians(12.0) / n * np.array([[1, 0, 0.5]] * n + [[0, 1, 0.3]] * n)
        ds = np.tile([0.02 / n, 0.0, 0.03 / n], (2 * n, 1))
        exact = follow(ODU, ds, turn)
        found = follow(ODU, ds, turn, form)  # type: ignore[arg-type]
        last = found.angle_to(exact)[-1] if order == 2.0 else np.abs(found.l_jacobian[-1] - exact.l_pose[-1]).max()
        errors.append(last)
    rates = np.log2(np.divide(errors[:-1], errors[1:]))
    np.testing.assert_allclose(rates, order, atol=0.1)


def test_bad_input_is_said() -> None:
    with pytest.raises(PlatformError, match="2 displacements and 1 rotations"):
        follow(ODU, [STILL] * 2, [STILL])
    with pytest.raises(PlatformError, match="rows of 3 finite numbers"):
        follow(ODU, [(0, np.inf, 0)], [STILL])
    with pytest.raises(PlatformError, match="form is 'fast', it must be one of paper, scaled"):
        follow(ODU, [STILL], [STILL], "fast")  # type: ignore[arg-type]
    assert set(MEANING) == set(FORMS)


def test_increments_end_where_the_document_says() -> None:
    """20 degrees of roll, then 30 of yaw, in steps of 1: 10.3 degrees wrong, 0.38 % too long (theta^2 / 4 a step)."""
    odu = load_platform("odu")
    steps = turn_in_steps(np.radians([20, 0, 30]), np.radians(1))
    assert steps.shape == (50, 3)
    found = compare(odu, np.zeros_like(steps), steps)
    errors = {one.form: one.summary() for one in found.forms}
    assert np.degrees(errors["paper"]["attitude_rad"]) == pytest.approx(10.3, abs=0.05)
    assert errors["paper"]["stretch"] == pytest.approx((1 + np.radians(1) ** 2 / 4) ** 50 - 1, rel=1e-9)
    assert errors["exact"]["attitude_rad"] == 0 and errors["scaled, in front"]["legs_at_pose_m"] < 1e-5
    with pytest.raises(PlatformError, match="at least one angle other than 0"):
        turn_in_steps([0, 0, 0], 0.1)
    with pytest.raises(PlatformError, match="at most 1000000 are wanted"):
        turn_in_steps([1, 0, 0], 1e-9)
