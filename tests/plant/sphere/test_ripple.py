"""Rollers on the sphere: the closed forms against points of the rollers' surfaces, and the waves that come of them."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from motionbase.compile import Kernel, Port, compile
from motionbase.errors import PlatformError
from motionbase.plant.sphere.outline import Outline
from motionbase.plant.sphere.ripple import Ripple, sampled
from motionbase.platform.atlas.wheels import PROFILES, DrivenWheel
from tests.plant.sphere.cases import PRESET, moved, sphere_on
from tests.tier import some_of

R = PRESET.sphere.radius
FLAT = 1e5  # a sphere of 100 km: b^2 / (2 R) is 1e-8 m at the rollers' ends


def wheel_with(profile: str, gamma: float = 45.0) -> DrivenWheel:
    wheel = PRESET.wheels[0]
    rollers = replace(wheel.rollers, profile=profile, length=0.15 if gamma == 45 else 0.11)
    return replace(wheel, roller_angle=math.radians(gamma), rollers=rollers)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("gamma", [45.0, 0.0])
@pytest.mark.parametrize("beta", some_of([0.1, 0.0, -0.25], 1))
def test_the_sphere_rests_on_the_farthest_point_of_a_roller(profile: str, gamma: float, beta: float) -> None:
    """Every surface point p alone would hold the centre at p_out + sqrt(R^2 - p_side^2); the largest counts."""
    wheel = wheel_with(profile, gamma)
    outline = Outline.of(wheel)
    C, S = math.cos(wheel.roller_angle), math.sin(wheel.roller_angle)
    _, s, radius = outline.points()
    s, radius = np.concatenate([-s[::-1], s])[:, None], np.concatenate([radius[::-1], radius])[:, None]
    around = np.linspace(-1.0, 1.0, 1001)
    out, rim = np.array([math.cos(beta), math.sin(beta), 0]), np.array([-math.sin(beta), math.cos(beta), 0])
    axle = np.array([0.0, 0.0, 1.0])
    axis, across = C * rim + S * axle, C * axle - S * rim
    p = [outline.rho * out[i] + s * axis[i] + radius * (np.cos(around) * out[i] + np.sin(around) * across[i])
         for i in range(3)]  # fmt: skip
    D = p[0] + np.sqrt(R**2 - p[1] ** 2 - p[2] ** 2)
    at = np.unravel_index(np.argmax(D), D.shape)
    touch = outline.touch(R)
    # neighbouring points are 2 mrad apart around the roller: 0.03 * 0.001^2 / 2, and its curve is interpolated
    assert np.interp(beta, touch.beta, touch.D) == pytest.approx(D[at], abs=3e-8)
    assert np.interp(beta, touch.beta, touch.roll) == pytest.approx(p[0][at], abs=2e-5)
    assert np.interp(beta, touch.beta, touch.lever) == pytest.approx(p[1][at] * S - p[2][at] * C, abs=2e-4)


def test_ideal_outline_rolls_evenly_on_a_plane_and_not_on_a_sphere() -> None:
    for gamma in (45.0, 30.0, 0.0):
        reach, roll, _ = sampled(wheel_with("elliptical", gamma), FLAT)
        np.testing.assert_allclose(reach, 0, atol=5e-8)  # FLAT is no plane: 1e-8, and the curve is interpolated
        np.testing.assert_allclose(roll, 0, atol=5e-8)
    reach, _, _ = sampled(wheel_with("elliptical"), R)
    assert -6e-4 < reach.min() < -5e-4  # 0.57 mm between two rollers


def test_the_ideal_outline_of_thin_rollers_is_the_known_ellipse() -> None:
    """x^2 / 2 + y^2 = r^2 at 45 degrees, up to the rollers' own radius over that of the wheel."""
    wheel = replace(PRESET.wheels[0], rollers=replace(PRESET.wheels[0].rollers, radius=1e-3, length=0.02))
    outline = Outline.of(wheel)
    _, s, radius = outline.points()
    within = s < 0.0099
    ellipse = np.sqrt(wheel.radius**2 - s[within] ** 2 / 2) - outline.rho
    sag = 1e-3 - radius[within]
    np.testing.assert_allclose(radius[within], ellipse, rtol=0, atol=1e-2 * sag.max())


@pytest.mark.parametrize("profile", PROFILES)
def test_waves_repeat_with_every_roller_and_are_smooth(profile: str) -> None:
    wheel = wheel_with(profile)
    outputs = tuple(Port(name, (), "m") for name in ("reach", "slope", "roll", "lever"))
    waves = compile(Kernel("waves", (Port("psi", (), "rad"),), outputs, lambda psi: tuple(Ripple.of(wheel, R).at(psi))))
    psi, h = np.linspace(0, 2 * math.pi, 2401), 2 * math.pi / 2400
    out = waves.map(psi=psi)
    for wave in out.values():
        np.testing.assert_allclose(wave[200:], wave[:-200], rtol=0, atol=1e-12)  # 12 rollers, 200 samples each
        assert abs(wave[:-1].mean()) < 1e-15 * 2400
        assert np.abs(np.diff(wave)).max() < 0.15 * np.ptp(wave)  # no jump where the next roller takes over
    slope = (out["reach"][2:] - out["reach"][:-2]) / (2 * h)
    np.testing.assert_allclose(out["slope"][1:-1], slope, rtol=0, atol=0.01 * np.abs(slope).max())


def test_outlines_from_good_to_bad() -> None:
    """Ripple of the reach on the sphere: a barrel is as good as the ideal outline, a cylinder runs on its edges."""
    ripple = {profile: np.ptp(sampled(wheel_with(profile), R)[0]) for profile in PROFILES}
    assert ripple["barrel"] == pytest.approx(ripple["elliptical"], rel=0.1)
    assert ripple["cylindrical"] > 5 * ripple["elliptical"]


def test_normal_forces_come_and_go_with_the_rollers() -> None:
    """Coasting without losses: what the wheels press changes at the rate at which rollers pass."""
    atlas, speed = sphere_on(inertia=900.0), 3.0  # [rad/s] of the wheels
    Omega = np.linalg.lstsq(atlas.J_omega, np.full(3, speed), rcond=None)[0]
    start = {"omega_S": Omega, "omega_wheel": np.full(3, speed)}
    run = moved(atlas, 8000, ripple=True, start=start)
    heavy = run["N_wheel"][:, 0]
    spectrum = np.abs(np.fft.rfft(heavy - heavy.mean()))
    rollers = 12 * np.mean(run["omega_wheel"]) / (2 * math.pi)  # a second
    assert rollers > 5
    order = np.argmax(spectrum) / 4.0 / rollers  # in 4 s a line is 0.25 Hz wide, and the speed varies a little
    assert order == pytest.approx(round(order), abs=0.1) and 1 <= round(order) <= 3
    assert np.abs(run["slip"]).max() < 1e-13 and np.ptp(heavy) > 100


@pytest.mark.parametrize(
    ("rollers", "message"),
    [
        ({"radius": 0.2}, "rollers: radius is 0.2 m, it must be less than the wheel's of 0.1905 m"),
        ({"length": 0.5}, "rollers: length is 0.5 m, the outline of the wheel comes to a point at 0."),
    ],
)
def test_rollers_that_cannot_be(rollers: dict[str, Any], message: str) -> None:
    wheel = replace(PRESET.wheels[0], rollers=replace(PRESET.wheels[0].rollers, **rollers))
    with pytest.raises(PlatformError, match=re.escape(message)):
        Outline.of(wheel)
