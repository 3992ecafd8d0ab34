"""Hover in a free wake: a wing's lift in closed form, momentum, a measured rotor, convergence, what is refused."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from motionbase.errors import ModelError
from motionbase.rotor.airfoils.own import thin
from motionbase.rotor.blades.planform import load_planform
from motionbase.rotor.inflow.hover import Hover, hover
from motionbase.rotor.inflow.wake import Detail, TipVortex, WakeGrid
from motionbase.rotor.inflow.wake_hover import LiftingLine, wake_hover

MODEL = load_planform("caradonna_tung")
COARSE = Detail(segments=16, steps=24, turns=6)
MEASURED = {5: 0.00213, 8: 0.00459, 12: 0.00796}


@cache
def found(collective: int, detail: Detail = COARSE) -> Hover:
    return wake_hover(MODEL, np.deg2rad(collective), detail=detail)


def horseshoes(edges: np.ndarray, centres: np.ndarray, chord: np.ndarray) -> float:
    """Slope of lift of a straight wing by Weissinger's method in closed form, over its own length squared."""
    back, left, right = chord / 2, centres[:, None] - edges[:-1], centres[:, None] - edges[1:]
    x = back[:, None]
    near, far = np.hypot(left, x), np.hypot(right, x)
    bound = (left / near - right / far) / x
    trailing = (1 + x / near) / left - (1 + x / far) / right
    circulation = np.linalg.solve((bound + trailing) / (4 * np.pi), np.ones_like(centres))
    return float(2 * circulation @ np.diff(edges))


@pytest.mark.parametrize("aspect", [4.0, 8.0])
def test_a_short_blade_far_from_the_hub_is_a_wing(aspect: float) -> None:
    """Slope of lift of an elliptic wing: Weissinger's method in closed form, and Helmbold's formula within 6 %.

    The wing is 1 % of the radius long, so its speed and its wake's direction vary by 1 %. A lifting line that takes
    the flow at quarter chord has 2 pi A / (2 + A), 14 % more than Weissinger's at A = 4.
    """
    span, radius, alpha = 1.0, 100.0, np.deg2rad(2.0)
    across = np.linspace(-1, 1, 401)
    chord = 4 * span / (np.pi * aspect) * np.sqrt(np.maximum(1 - across**2, 1e-6))
    line = np.stack([radius - span / 2 + span / 2 * across, chord], axis=-1)
    level = np.array([[0.0, 0.0], [radius, 0.0]])
    wing = replace(
        MODEL, blades=1, radius=radius, root=radius - span, chord=line, twist=level, airfoil=thin(), speed=0.1
    )
    grid = WakeGrid(wing, Detail(segments=20, steps=360, turns=2, free=1))
    blade = LiftingLine(wing, grid, alpha, 0.0)
    below = -0.1 * np.maximum(grid.age - 0.5, 0.0)  # flat for 50 spans, then far below when it comes round
    influence = blade.influence(TipVortex(np.ones_like(below), below), below * np.ones((21, 1)), np.zeros(21))
    circulation = blade.balanced(blade.attached(influence), influence)
    assert np.abs(blade.at(circulation, influence).surplus).max() < 1e-10
    area = 0.01**2 / aspect
    slope = 2 * np.sum(circulation * grid.centres * np.diff(grid.edges)) / area / alpha
    assert abs(slope / (horseshoes(grid.edges, grid.centres, grid.chord) / area) - 1) < 0.02
    assert abs(slope / (2 * np.pi * aspect / (2 + np.hypot(2, aspect))) - 1) < 0.06


@pytest.mark.parametrize(
    ("detail", "ratios"),
    [(COARSE, 0.08), pytest.param(Detail(), 0.05, marks=pytest.mark.long("three wakes, fine: about 10 s"))],
)
def test_thrust_of_caradonna_and_tung(detail: Detail, ratios: float) -> None:
    """6 % too high at 8 and 12 degrees, 11 to 14 % at 5, so the ratio of 8 and 5 is low: 7.6 % coarse, 3.9 % fine.

    Momentum theory is 27 to 40 % too high, its ratio of 8 and 5 is 9.4 % low.
    """
    ct = np.array([found(c, detail).thrust_coefficient for c in MEASURED])
    assert np.all(np.abs(ct / list(MEASURED.values()) / [1.12, 1.06, 1.06] - 1) < 0.025)
    np.testing.assert_allclose(ct[1:] / ct[:-1], [2.155, 1.734], rtol=ratios)


@pytest.mark.long("several wakes")
def test_finer_wakes_give_the_same_thrust() -> None:
    """Of several refinements none changed thrust at 8 degrees by more than 1 %."""
    for detail in (Detail(segments=24, steps=24, turns=6), Detail(segments=16, steps=24, turns=10)):
        assert abs(found(8, detail).thrust_coefficient / found(8).thrust_coefficient - 1) < 0.015


def test_tip_vortices_load_the_tip_and_cost_power() -> None:
    """No rotor beats an ideal disk; the vortex of the other blade passes at 0.88 R, and lift peaks outboard of it."""
    one, momentum = found(8), hover(MODEL, np.deg2rad(8))
    assert one.figure_of_merit < momentum.figure_of_merit < 1
    assert 0.88 < one.r[one.lift.argmax()] / MODEL.radius < 0.98
    inboard = (one.r > 0.6 * MODEL.radius) & (one.r < 0.85 * MODEL.radius)
    assert one.inflow[inboard].mean() > 1.05 * np.interp(one.r[inboard], momentum.r, momentum.inflow).mean()


def test_climb_brings_wake_and_momentum_theory_closer() -> None:
    """A wake that falls fast away matters less; the rest is that a wide blade lifts less than its sections."""
    pitch = np.deg2rad(12.0)
    excess = [
        hover(MODEL, pitch, climb).thrust / wake_hover(MODEL, pitch, climb, COARSE).thrust - 1 for climb in (0.0, 8.0)
    ]
    assert 0.15 < excess[0] < 0.25 and 0.05 < excess[1] < 0.97 * excess[0]


def test_the_tip_vortex_has_the_largest_circulation_and_no_more() -> None:
    grid = WakeGrid(MODEL, COARSE)
    circulation = np.sin(np.pi * grid.centres**3)
    outer = grid.outer(circulation)
    rolled = float(np.sum(outer * (grid.shed @ circulation)))
    assert abs(rolled / circulation.max() - 1) < 0.03
    assert abs(np.sum(grid.shed @ circulation)) < 1e-14, "what leaves outboard comes back inboard"


def test_what_has_no_wake_below_it_is_refused_in_one_sentence() -> None:
    with pytest.raises(ModelError, match="at a collective of -3 degrees has no thrust"):
        wake_hover(MODEL, np.deg2rad(-3.0))
    with pytest.raises(ModelError, match="climb is -2 m/s, the wake model needs 0 or more"):
        wake_hover(MODEL, np.deg2rad(8.0), climb=-2.0)
    with pytest.raises(ModelError, match="2 segments and 24 steps"):
        Detail(segments=2, steps=24)
    with pytest.raises(ModelError, match="8 free turns of 8"):
        Detail(free=8)
    with pytest.raises(ModelError, match="core 0 chords"):
        Detail(core=0.0)
