"""The classical washout against scipy's transfer functions, and in what it must always do."""

from typing import Any

import numpy as np
import pytest
from scipy import signal

from motionbase.arrays import Array
from motionbase.record.vehicle import G
from tests.cueing.rig import DT, cueing, rows, run, ticks

W = 2.0  # [rad/s] of the measured responses
AMPLITUDE = 0.05  # m/s^2, rad/s: small, so that the geometry is linear to about its square


def response(t: Array, y: Array, w: float) -> complex:
    """Of the last whole periods to sin(w t), by least squares."""
    last = t > t[-1] - 2 * (2 * np.pi / w)
    basis = np.stack([np.sin(w * t[last]), np.cos(w * t[last]), np.ones(last.sum())], axis=1)
    a, b, _ = np.linalg.lstsq(basis, y[last], rcond=None)[0]
    return complex(a, b)


def delayed(w: float) -> complex:
    """The reconstruction at a sample a tick: the mean of this sample and the last."""
    return complex(1 + np.exp(-1j * w * DT)) / 2


def values(name: str) -> Array:
    return np.asarray(cueing().cue_set.air[name])


def measured(kind: str, dof: int, **changes: Any) -> complex:
    """From a channel of the vehicle to a degree of freedom."""
    t = ticks(40.0)
    out = run(t, rows(t, **{kind: lambda t: AMPLITUDE * np.sin(W * t)}), **changes)
    return response(t, out["host_frame"][:, 0, dof], W) / AMPLITUDE


@pytest.mark.parametrize(("axis", "dof"), [(axis, k) for k, axis in enumerate("xyz")])
def test_translations_are_high_passed(axis: str, dof: int) -> None:
    """Without tilt and rotation, K s^2 / (s^2 + 2 zeta w s + w^2) s / (s + w_b), integrated twice."""
    gain, w, zeta, first = (values(name)[dof] for name in ("gain", "high_pass", "damping", "first_order"))
    _, h = signal.freqs(gain * np.array([1.0, 0.0]), np.polymul([1, 2 * zeta * w, w**2], [1, first]), [W])
    # the trapezoidal rule shifts the frequency by (w dt)^2 / 12 = 8e-6
    assert measured(f"f_{axis}", dof, cue_tilt_gain=0.0) == pytest.approx(h[0] * delayed(W), rel=1e-4)


@pytest.mark.parametrize(("axis", "dof"), [(axis, 3 + k) for k, axis in enumerate("xyz")])
def test_rotations_are_high_passed(axis: str, dof: int) -> None:
    """K s^2 / (s^2 + 2 zeta w s + w^2) on the rate, integrated once."""
    gain, w, zeta = (values(name)[dof] for name in ("gain", "high_pass", "damping"))
    _, h = signal.freqs(gain * np.array([1.0, 0.0]), [1, 2 * zeta * w, w**2], [W])
    assert measured(f"omega_{axis}", dof) == pytest.approx(h[0] * delayed(W), rel=1e-3)


def test_a_rotation_of_first_order() -> None:
    """K s / (s + w_b) on the rate, integrated once."""
    _, h = signal.freqs([0.6], [1.0, 0.5], [W])
    found = measured(
        "omega_z", 5, cue_high_pass=[0.8, 1.0, 1.0, 0.0, 0.0, 0.0], cue_first_order=[0, 0, 0.2, 0.5, 0.5, 0.5]
    )
    assert found == pytest.approx(h[0] * delayed(W), rel=1e-3)


@pytest.mark.parametrize(("axis", "dof", "side"), [("x", 4, -1.0), ("y", 3, 1.0)])
def test_the_tilt_is_low_passed_and_signed(axis: str, dof: int, side: float) -> None:
    """Forward force: nose up, a negative pitch. Force to the left: left side up, a positive roll."""
    w, zeta, gain = values("tilt_low_pass")[0], values("tilt_damping")[0], values("gain")[0]
    _, h = signal.freqs([side * gain * w**2 / G], [1, 2 * zeta * w, w**2], [W])
    assert measured(f"f_{axis}", dof) == pytest.approx(h[0] * delayed(W), rel=1e-4)


def test_a_lasting_force_is_given_by_tilt_alone() -> None:
    """At rest tilted by theta the head reads (-g sin(pitch), 0, g cos(pitch)): K times the vehicle's force along x."""
    t = ticks(60.0)
    out = run(t, rows(t, f_x=lambda t: np.where(t > 2, 2.0, 0.0)))
    surge, sway, heave, roll, pitch, yaw = out["host_frame"][-1, 0]
    assert out["cue"][-1] == pytest.approx([1.2, 0, G * np.cos(pitch), 0, 0, 0], abs=1e-4)
    assert pitch == pytest.approx(-np.arcsin(1.2 / G), abs=1e-5)
    assert [sway, roll, yaw] == pytest.approx([0, 0, 0], abs=1e-12)
    assert abs(surge) < 0.02 and abs(heave) < 0.02


def test_the_rate_of_the_tilt_is_limited() -> None:
    t = ticks(20.0)
    samples = rows(t, f_x=lambda t: np.where(t > 2, 3.0, 0.0), f_y=lambda t: np.where(t > 3, -4.0, 0.0))
    out = run(t, samples, cue_high_pass=[3.0, 3.0, 1.0, 1.0, 0.8, 1.0])  # short displacements, far from the ends
    frame = out["host_frame"]
    limit = cueing().cue_set.air["tilt_rate"][0]
    assert 0.99 * limit < np.abs(frame[:, 1, 3:5]).max() <= limit
    assert np.abs(frame[:, 2, 3:5]).max() <= cueing().cue_set.air["tilt_acceleration"][0] * (1 + 1e-9)


def test_a_tilt_that_was_limited_meets_its_goal_without_a_jolt() -> None:
    """While the last 0.1 degrees close, the angular acceleration fades: 5 / s of it in a tick of 0.5 ms is 0.25 %."""
    t = ticks(20.0)
    frame = run(t, rows(t, f_x=lambda t: np.where(t > 2, 3.0, 0.0)))["host_frame"]
    left, alpha = np.abs(frame[:, 0, 4] - frame[-1, 0, 4]), frame[:, 2, 4]
    closing = (t > 3) & (left < np.radians(0.1))
    assert np.abs(np.diff(alpha))[closing[1:]].max() < 0.005 * values("tilt_acceleration")[0]


def test_it_returns_to_neutral() -> None:
    t = ticks(90.0)

    def pulse(t: Array) -> Array:
        return np.where((t > 2) & (t < 8), 1.0, 0.0)

    samples = rows(
        t, f_x=pulse, f_y=lambda t: -2 * pulse(t), f_z=lambda t: 3 * pulse(t), omega_x=lambda t: 0.1 * pulse(t),
        omega_y=lambda t: -0.1 * pulse(t), omega_z=lambda t: 0.2 * pulse(t),
    )  # fmt: skip
    out = run(t, samples)
    assert np.abs(out["host_frame"]).max() > 0.1
    assert np.abs(out["host_frame"][-1]).max() < 1e-5  # the slowest decays by exp(-0.2 t)


def test_a_vehicle_at_rest_gives_neutral_at_once() -> None:
    t = ticks(1.0)
    out = run(t, rows(t, on_ground=np.ones_like))
    assert not out["host_frame"].any() and not out["cue_error"].any()
    assert np.array_equal(out["cue_set"], np.ones(len(t)))
