"""Modes against rotor speed: kinds, zones, both methods, and the picture."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.rotor.models.ground_resonance import GroundResonance, linear_rig
from motionbase.rotor.stability.against_speed import METHODS, stability
from motionbase.rotor.stability.periodic import PeriodicSystem
from motionbase.rotor.stability.plot import write_stability

RIG = GroundResonance()
LOST = replace(RIG, without_damper=(1,))


def simple(speed: float) -> PeriodicSystem:
    """Grows between 2 and 5 rad/s: growth 0.1 (speed - 2) (5 - speed) at 7 rad/s."""
    growth = 0.1 * (speed - 2) * (5 - speed)
    A = np.array([[0, 1], [-(growth**2) - 49, 2 * growth]])
    return PeriodicSystem(np.array([A] * 4), speed, ("x", "x_dot"))


@pytest.mark.parametrize("method", ["multiblade", "floquet"])
def test_zones_lie_where_growth_changes_sign(method: str) -> None:
    """A straight line through growths h apart misses a root by h^2 / 8 of the curvature over the slope: 1e-4."""
    found = stability(simple, np.linspace(0.5, 7, 131).tolist(), method)  # type: ignore[arg-type]
    ((low, high),) = found.unstable
    np.testing.assert_allclose([low, high], [2.0, 5.0], atol=3e-4)
    np.testing.assert_allclose(found.points[50].exponents, [0.1 * 1.0 * 2.0 + 7j], rtol=1e-9)  # at 3 rad/s
    at_ends = stability(simple, [3.0, 4.0, 6.0, 7.0])
    assert at_ends.unstable[0][0] == 3.0 and 4 < at_ends.unstable[0][1] < 6


def test_undamped_motion_is_no_instability() -> None:
    rig = GroundResonance(hub_damper=(0.0, 0.0), lag_damper=0.0)
    found = stability(lambda speed: linear_rig(rig, speed), [0.0, 2.0, 5.0])
    assert found.unstable == [] and (found.growth == 0).all()


def test_kinds_of_the_rig_far_from_coalescence() -> None:
    """Lag, damped, at 0.285 of the speed seen from the hub, and as much below and above it from the ground."""
    point = stability(lambda speed: linear_rig(RIG, speed), [38.0]).points[0]
    assert point.kinds == (
        "lag collective", "lag differential", "hub x", "hub y", "lag regressing", "lag progressing",
    )  # fmt: skip
    nu = np.sqrt(RIG.offset * RIG.first_moment / RIG.inertia) * 38.0
    lag = np.roots([RIG.inertia, RIG.lag_damper, RIG.inertia * nu**2])[0]
    np.testing.assert_allclose(point.exponents[:2], [complex(lag.real, abs(lag.imag))] * 2, rtol=1e-9)
    heavy = replace(RIG, hub_mass=(8e7, 3e7), hub_spring=(1.2e10, 1.2e10))  # blades hardly move it
    point = stability(lambda speed: linear_rig(heavy, speed), [38.0]).points[0]
    expected = [lag.real + 1j * (38.0 - abs(lag.imag)), lag.real + 1j * (38.0 + abs(lag.imag))]
    np.testing.assert_allclose(point.exponents[-2:], expected, rtol=1e-4)
    np.testing.assert_allclose(point.frequency[[2, 3]], np.sqrt(1.2e10 / np.array(heavy.hub_mass)), rtol=1e-4)


def test_six_blades_have_a_second_harmonic() -> None:
    point = stability(lambda speed: linear_rig(replace(RIG, blades=6), speed, 4), [38.0]).points[0]
    assert {"lag 2 regressing", "lag 2 progressing", "lag collective", "lag differential"} < set(point.kinds)


def test_averaging_misses_what_floquet_finds() -> None:
    """The rig without one damper: the averaged rotor has three quarters of the damping on each blade, and is stable."""
    speeds = [20.0, 24.0, 28.0, 34.0]
    averaged, exact = (stability(lambda speed: linear_rig(LOST, speed), speeds, m) for m in METHODS)
    assert averaged.unstable == [] and averaged.variation > 0.01
    ((low, high),) = exact.unstable
    assert 20 < low < 24 and 28 < high < 34
    assert exact.points[1].kinds[exact.points[1].worst] == "lag regressing"


def test_picture(tmp_path: Path) -> None:
    path = tmp_path / "modes.svg"
    write_stability(stability(lambda speed: linear_rig(LOST, speed), [0.0, 24.0, 25.0], "floquet"), path, "A rotor")
    text = path.read_text()
    assert text.startswith("<?xml") and len(text) > 20_000


def test_bad_input_is_named() -> None:
    for speeds in ([], [2.0, 1.0], [-1.0], [np.nan]):
        with pytest.raises(ModelError, match="stability: speeds must be"):
            stability(simple, speeds)
    with pytest.raises(ModelError, match="methods: multiblade, floquet"):
        stability(simple, [1.0], "laplace")  # type: ignore[arg-type]
