"""Stations of blades: their lengths, and swept ones by simple sweep theory."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.multibody.network.nodes import Place
from motionbase.rotor.blades.planform import Planform, load_planform
from motionbase.rotor.blades.stations import beam_stations, rigid_stations
from motionbase.rotor.elements.sections import Station, flow_over, section, section_loads

PLAIN = replace(load_planform("caradonna_tung"), twist=np.array([[0.0, 0.0]]))
STILL = Place(ca.SX.zeros(3), ca.SX.eye(3), ca.SX.zeros(3), ca.SX.zeros(3))


def lift(station: Station, speed: float, up: float) -> float:
    """Of a thin section in air that comes from ahead and a little from below [N]."""
    at = section([STILL], ca.SX(ca.DM(station.numbers)))
    flow = flow_over(at, ca.SX(ca.DM([0.0, -speed, up])))
    force, _ = section_loads(at, flow, ca.SX(1.2), ca.vertcat(2 * np.pi * ca.sin(flow.alpha), 0, 0))
    return float(ca.evalf(force[2]))


def swept(degrees: float) -> Planform:
    return replace(PLAIN, sweep=np.array([[0.0, np.deg2rad(degrees)]]))


@pytest.mark.parametrize("degrees", [-20.0, 15.0, 40.0])
def test_a_swept_wing_lifts_by_the_cosine_of_its_sweep(degrees: float) -> None:
    """Simple sweep theory: of the slope of lift by the wing's angle, cos(sweep) is left."""
    plain = sum(lift(s, 60.0, 1e-3) for s in rigid_stations(PLAIN, 0.1, 4, tip_loss=False))
    found = sum(lift(s, 60.0, 1e-3) for s in rigid_stations(swept(degrees), 0.1, 4, tip_loss=False))
    assert found / plain == pytest.approx(np.cos(np.deg2rad(degrees)), rel=1e-8)  # angles of 2e-5, squared


def test_a_swept_quarter_chord_runs_aft() -> None:
    arms = np.array([s.arms[0] for s in rigid_stations(swept(30.0), 0.1, 6)])
    r = arms[:, 0] + 0.1
    np.testing.assert_allclose(arms[:, 1], -np.tan(np.deg2rad(30.0)) * (r - PLAIN.root), atol=1e-12)


def test_sweep_that_begins_near_the_tip_is_integrated_from_there() -> None:
    tip = replace(PLAIN, sweep=np.array([[1.0, 0.0], [1.05, 0.4]]))
    ramp = np.log(np.cos(0.0) / np.cos(0.4)) * 0.05 / 0.4  # integral of tan over the ramp
    assert tip.aft_at(1.1) == pytest.approx(ramp + 0.05 * np.tan(0.4), rel=2e-4)  # 400 trapezoids
    assert tip.aft_at(0.9) == 0.0


@pytest.mark.parametrize("points", [1, 3, 7])
def test_widths_add_up_to_the_blade(points: int) -> None:
    assert sum(s.width for s in rigid_stations(PLAIN, 0.1, points)) == pytest.approx(PLAIN.radius - PLAIN.root)
    radii, total = np.linspace(0.1, PLAIN.radius, 5), 0.0
    for k in (0, 2):
        stations = beam_stations(PLAIN, radii[k : k + 3].tolist(), [0.0] * 3, points)
        total += sum(s.width for s in stations)
        for s in stations:
            assert s.shares.sum() == pytest.approx(1.0)
    assert total == pytest.approx(PLAIN.radius - PLAIN.root)


def test_bad_numbers_get_one_sentence() -> None:
    with pytest.raises(ModelError, match="0 Gauss points, a whole number from 1 to 64"):
        rigid_stations(PLAIN, 0.1, 0)
    with pytest.raises(ModelError, match="sweep must be from -60 to 60 degrees"):
        swept(80.0)
