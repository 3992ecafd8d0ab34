"""Flexible bodies bent further than assumed modes can describe: a warning, and silence where they are good."""

import warnings
from functools import cache

import numpy as np
import pytest

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import PointForce
from motionbase.multibody.flexible import beam
from motionbase.multibody.flexible.modes import Modes
from motionbase.multibody.joints import fixed
from motionbase.multibody.simulate import simulate
from motionbase.multibody.watch import SimulationWarning, bending_slopes


@cache
def cantilever() -> Model:
    """L = 1 m, EI = 1 N m^2, heavily damped, so that a load of one second has settled at the end."""
    modes = beam(1.0, 1.0, EI_z=1.0, EI_y=1.0, bending=(3, 0), damping=0.7)
    joint = Joint("root", GROUND, "arm", fixed())
    return Model("cantilever", (Body("arm", modes=modes),), (joint,), (0, 0, 0), (PointForce("load", "arm", "tip"),))


def test_a_cantilever_at_unit_load_warns() -> None:
    """P L^2 / EI = 1: linear theory ends at 1/3 with a slope of 1/2 rad; the elastica has 0.301721."""
    with pytest.warns(SimulationWarning, match=r"'arm' bent to a slope of 0\.\d+ rad .* use beams"):
        run = simulate(cantilever(), 6.0, 2e-3, inputs={"load_force": (0.0, 1.0, 0.0)})
    eta = run.q[-1]
    deflection = cantilever().body("arm").modes.points["tip"].shape[1] @ eta  # type: ignore[union-attr]
    assert deflection == pytest.approx(1 / 3, rel=5e-3)  # three modes have 99.8 % of it, and it has settled to 1e-3


def test_a_tenth_of_it_does_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(cantilever(), 1.0, 2e-3, inputs={"load_force": (0.0, 0.1, 0.0)})


def shape(modes: Modes, amplitude: float) -> float:
    eta = np.zeros((1, modes.n))
    eta[0, 0] = amplitude
    return float(bending_slopes(modes, eta)[0])


def test_bodies_held_at_both_ends_are_seen_by_how_far_they_draw_in() -> None:
    """A clamped-clamped beam has no slope at its ends; the mean square of its first mode's is 12.3026 / 1.588^2."""
    modes = beam(1.0, 1.0, EI_z=1.0, bending=(1, 0), boundary="clamped-clamped")
    # integral of w'^2 = 12.3026 for unit mean square (Blevins), whose largest deflection is 1.58815
    assert shape(modes, 0.1) == pytest.approx(0.1 * np.sqrt(12.3026) / 1.58815, rel=1e-3)


def test_twist_is_no_slope() -> None:
    modes = beam(1.0, 1.0, GJ=1.0, torsion=1, inertia_per_length=(0.1, 0.0, 0.0))
    assert shape(modes, 1.0) == 0.0
