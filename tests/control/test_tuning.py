"""What may be tuned: bounds that hold for every platform, and a loop that stays stable wherever its gains are put."""

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Port, scan
from motionbase.control import design, electric_design
from motionbase.control.design import LinearLeg
from motionbase.control.law import ControlLaw
from motionbase.errors import PortError
from motionbase.platform.load import PRESETS, load_platform
from tests.control.test_limits import LIMIT

LOOP = ("k_p", "k_i", "k_v", "k_a", "k_dp", "dp_corner")


@cache
def law(preset: str) -> ControlLaw:
    return ControlLaw(load_platform(preset))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_loop_is_stable_in_every_corner_of_its_gains(preset: str) -> None:
    """All gains at their bounds at once, in all combinations, by the linear model of the design."""
    fields, linear = law(preset).parameters, law(preset).legs.linear
    found = [f.name for f in law(preset).legs.gains.layout.ports if f.name in LOOP]
    choices = itertools.product(*(fields.find(name).bounds for name in found))
    corners = [{n: float(bound[0]) for n, bound in zip(found, choice, strict=True)} for choice in choices]
    assert len(corners) == 2 ** len(found) and "k_p" in found
    if isinstance(linear, LinearLeg):
        unstable = [c for c in corners for m in linear.masses if not design.is_stable(linear, c, m)]
    else:
        unstable = [c for c in corners if not electric_design.margins(linear, c["k_p"]).stable]
    assert unstable == []
    k_p = fields.find("k_p")
    assert k_p.tunable and not k_p.at_rest and k_p.bounds[1][0] > 1.05 * k_p.start_values[0], "there is room to tune"


@pytest.mark.parametrize("preset", PRESETS)
def test_limits_and_monitors_go_to_the_strict_side_only(preset: str) -> None:
    fields = law(preset).parameters
    limits = load_platform(preset).limits
    for name in ("position", "velocity", "acceleration"):
        field = fields.find(f"dof_{name}")
        np.testing.assert_array_equal(field.bounds[1], getattr(limits, name))
        assert field.tunable and field.at_rest and (field.bounds[0] > 0).all()
    for name in ("tracking_max", "speed_max", "leg_velocity", "leg_acceleration", "leg_braking", "l_max"):
        field = fields.find(name)
        np.testing.assert_array_equal(field.bounds[1], field.start_values)
        assert field.at_rest
    for name in ("l_min", "p_min", "contact"):  # more is stricter
        field = fields.find(name)
        np.testing.assert_array_equal(field.bounds[0], field.start_values)
        assert field.at_rest and (field.bounds[1] > field.start_values).all()
    l = load_platform(preset).l_neutral
    assert fields.find("l_min").bounds[1].max() < l.min() and fields.find("l_max").bounds[0].min() > l.max()
    assert fields.find("leg_acceleration").bounds[0].min() >= limits.leg_braking, "braking must stay possible"
    assert fields.find("speed_max").bounds[0].min() > limits.leg_velocity, "no alarm at the largest demand"


@pytest.mark.parametrize("name", ["abort_velocity", "abort_acceleration", "abort_timeout", "down_tolerance", "l_low"])
def test_the_way_out_of_trouble_is_fixed(name: str) -> None:
    assert not law("simona").parameters.find(name).tunable


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "its value is 2 m, and its bounds are -inf and inf; a tunable one needs finite bounds around its value"),
        ({"least": 3.0, "most": 4.0}, "its value is 2 m, and its bounds are 3 and 4"),
        ({"least": math.nan, "most": 4.0}, "bounds are nan and 4"),
        ({"least": 1.0, "most": (4.0, 5.0)}, "most has 2 numbers, 1 or 3 are wanted"),
        ({"least": (1.0, 1.0, 2.5), "most": 4.0}, "bounds are 2.5 and 4"),
    ],
)
def test_fields_refuse_bounds_that_cannot_be(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(PortError, match=sentence):
        Port("length", 3, "m", "of something", start=2.0, tunable=True, **changes)  # type: ignore[arg-type]


def test_a_limit_of_position_that_is_tightened_at_rest_leads_back_inside() -> None:
    """The limiter stands at 0.5 when its limit becomes 0.2: it goes there within its acceleration and speed."""
    dt, given = 5e-4, {p.name for p in LIMIT.inputs}
    held = {
        "dt": dt, "x_min": -0.2, "x_max": 0.2, "v_max": 0.5, "a_max": 4.0, "a_chase": 4.0, "a_brake": 4.0,
        "jerk_time": 0.04,
    }  # fmt: skip
    before = np.zeros(LIMIT.inputs[[p.name for p in LIMIT.inputs].index("before")].dims)
    before[0] = 0.5
    run = scan(LIMIT, {"before": "after"}, record=["motion"])
    bounds: dict[str, Any] = {name: value for name, value in held.items() if name in given}
    made = run(4000, before=before, target=np.array([0.5, 0.0, 0.0]), **bounds)
    x, v = made["motion"][:, 0], made["motion"][:, 1]
    assert x[-1] == pytest.approx(0.2, abs=1e-6) and x.min() >= 0.2 - 1e-9
    assert np.abs(v).max() <= 0.5 and np.abs(np.diff(v)).max() <= 4.0 * dt * (1 + 1e-9)
    np.testing.assert_allclose(np.diff(x), v[1:] * dt, atol=1e-12)  # no step of position on the way
