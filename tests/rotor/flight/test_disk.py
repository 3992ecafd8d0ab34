"""Sections over the disk: Mach number and angle by hand, and lift against the thrust of the rotor."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.rotor.flight.disk import Disk, disk, thousands, write_disk
from motionbase.rotor.trim.trim import trim
from tests.rotor.trim.trimmed import FORWARD, compact, march, trimmed


@cache
def forward() -> Disk:
    trimmed(FORWARD)
    trim(compact(), FORWARD, march())  # the march may have gone elsewhere since
    return disk(march())


@pytest.mark.long("trims a rotor")
def test_mach_numbers_are_those_of_turning_and_flight() -> None:
    """Omega r + V cos 6 deg sin psi, where a point of the blade lags by its angle at the hinge times (r - e) / r.

    The 9 m/s through the disk add up to 0.5 % where the blade meets 90 m/s, flapping and harmonics of lag as much.
    """
    found, at = forward(), compact().planform
    V = FORWARD.airspeed * math.cos(FORWARD.shaft_angle)
    lag = float(trimmed(FORWARD).revolution.lag.mean()) * (1 - 0.289 / found.r)
    expected = np.abs(at.speed * found.r + V * np.sin(found.psi[:, None] - lag)) / at.sound
    outer = found.r.mean(axis=0) > 0.6 * at.radius
    np.testing.assert_allclose(found.mach[:, outer], expected[:, outer], rtol=0.015)


@pytest.mark.long("trims a rotor")
def test_lift_of_the_stations_makes_the_thrust() -> None:
    """Drag, coning and the angle of the flow at the sections leave a few hundredths of it."""
    found = forward()
    lift = float((found.lift.mean(axis=0) * found.width).sum()) * len(compact().blades)
    assert lift == pytest.approx(FORWARD.thrust, rel=0.04)


@pytest.mark.long("trims a rotor")
def test_the_retreating_blade_has_the_larger_angle_and_the_flow_behind_it_reverses() -> None:
    found = forward()
    retreating, advancing = np.sin(found.psi) < -0.8, np.sin(found.psi) > 0.8
    assert found.alpha[retreating, -1].mean() > found.alpha[advancing, -1].mean() + math.radians(5.0)
    assert found.alpha[retreating, 0].min() < -math.radians(5.0)


@pytest.mark.long("trims a rotor")
def test_picture(tmp_path: Path) -> None:
    write_disk(forward(), "puma", path := tmp_path / "disk.png")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_loads_of_small_rotors_are_drawn_in_newtons() -> None:
    assert thousands(np.array([-200.0, 30.0])) == (1.0, "")
    assert thousands(np.array([-51e3, 30.0])) == (1e3, "k")
