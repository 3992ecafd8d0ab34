"""Energy of conservative systems: methods that damp never add any, the trapezoidal rule keeps it."""

import functools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import JointSpring, PointSpring
from motionbase.multibody.joints import Free, prismatic
from motionbase.multibody.models import MODELS
from motionbase.multibody.network.methods import TRAPEZOIDAL, Multistep, ms
from motionbase.multibody.simulate import simulate

SECONDS = 6


def spring() -> Model:
    """A kilogram on 400 N/m."""
    body, joint = Body("b", 1.0, inertia=(0.1, 0.1, 0.1)), Joint("rail", GROUND, "b", prismatic((1, 0, 0)))
    return Model("spring", (body,), (joint,), (0, 0, 0), (JointSpring("k", "rail", 400.0),))


def tethered() -> Model:
    """A body that flies about the point where a spring holds it by a corner."""
    body = Body("b", 1.0, inertia=(0.1, 0.2, 0.25), points={"corner": (0.2, 0.1, 0)})
    tether = PointSpring("k", "b", "corner", stiffness=50.0, length=0.5)
    return Model("tethered", (body,), (Joint("f", GROUND, "b", Free()),), (0, 0, 0), (tether,))


@functools.cache
def case(name: str) -> tuple[Model, dict[str, Any], float]:
    """Model, start, step [s]."""
    if name in ("pendulum", "four_bar"):
        built_in = MODELS[name]
        return built_in.build(), {"q0": built_in.q0, "v0": built_in.v0}, 1e-2 if name == "pendulum" else 2e-3
    if name == "spring":
        return spring(), {"q0": [0.1]}, 1e-2
    return tethered(), {"q0": [1.0, 0, 0, 1.0, 0, 0, 0], "v0": [0.3, 0.2, 1.0, 0, 1.5, 0]}, 5e-3


def energy(name: str, method: Multistep) -> NDArray[np.float64]:
    """Over time, as a part of the largest kinetic energy."""
    model, start, dt = case(name)
    run = simulate(model, SECONDS, dt, method=method, engine="network", **start)
    total = run.energy["kinetic"] + run.energy["potential"] + run.energy["strain"]
    return np.asarray((total - total[0]) / run.energy["kinetic"].max())


def tops(E: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest of each second: it hides what a method of second order takes and gives back within a swing."""
    return np.array([part.max() for part in np.array_split(E, SECONDS)])


@pytest.mark.parametrize("name", ["pendulum", "four_bar", "spring"])
@pytest.mark.parametrize("radius", [0.0, 0.6, 0.9])
def test_a_method_that_damps_takes_energy_out(name: str, radius: float) -> None:
    """From second to second, and the more the smaller the spectral radius."""
    E = tops(energy(name, ms(radius)))
    assert np.all(np.diff(E) < 0)


@pytest.mark.parametrize("radius", [0.0, 0.6])
def test_energy_of_a_linear_system_falls_at_every_step(radius: float) -> None:
    """x and v decay by one root, so that nothing is given back; with 0.9 the other root is still there at first."""
    assert np.diff(energy("spring", ms(radius))).max() < 0


def test_less_radius_damps_more() -> None:
    lost = [energy("spring", ms(radius))[-1] for radius in (0.0, 0.3, 0.6, 0.9, 1.0)]
    assert np.all(np.diff(lost) > 0) and lost[0] < -0.3 and lost[-1] > -1e-12


@pytest.mark.parametrize(("name", "bound"), [("spring", 1e-13), ("tethered", 5e-4)])
def test_the_trapezoidal_rule_keeps_energy_bounded(name: str, bound: float) -> None:
    """To rounding in a linear system; otherwise within what the method's error of second order gives and takes."""
    E = energy(name, TRAPEZOIDAL)
    assert np.abs(E).max() < bound
    assert np.ptp(tops(E)) < 0.3 * bound  # no trend
