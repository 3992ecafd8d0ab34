"""Unsteady sections on turning blades: the wake's lag as Theodorsen has it, loops of dynamic stall, steady limits."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError
from motionbase.rotor.airfoils.unsteady import A1, A2, B1, B2
from motionbase.rotor.blades.stations import gauss
from motionbase.rotor.flight.flying import Flown
from motionbase.rotor.models.library import rotor_model
from tests.rotor.small_rotor import HELD, RADIUS, SPEED, harmonics, started

PER, CHORD, DENSITY = 180, 0.5, 1.2


def flown(unsteady: str, airfoil: str = "thin", **settings: float) -> Flown:
    """The last of eight revolutions of one blade of half a metre of chord, which does not flap."""
    options = {"chord": CHORD, "density": DENSITY, "airfoil": airfoil, "flap_damping": HELD}
    flying = started(PER, unsteady=unsteady, **options)
    flying.fly(7 * PER, settings)
    return flying.fly(PER, settings)


@pytest.mark.parametrize(("unsteady", "states"), [("steady", 0), ("indicial", 2), ("dynamic_stall", 4)])
def test_each_station_has_its_states(unsteady: str, states: int) -> None:
    """Of four blades with four stations each."""
    network = rotor_model("puma_compact", unsteady=unsteady).network()
    assert network.equations == 211 + 16 * states
    own = network.network.assembly.names
    assert sum(name.startswith("b2_air.3_") for name in own) == states


@pytest.mark.long("compiles rotors")
@pytest.mark.parametrize("unsteady", ["indicial", "dynamic_stall"])
def test_in_hover_all_models_are_the_steady_one(unsteady: str) -> None:
    """After eight revolutions the slowest lag, at the innermost station, is e^-7 of its start, on a little load."""
    steady, found = (flown(model, "naca0012", collective=0.1) for model in ("steady", unsteady))
    np.testing.assert_allclose(found.loads[-1], steady.loads[-1], atol=1e-4 * steady.loads[-1, 2])


@pytest.mark.long("compiles rotors")
@pytest.mark.parametrize("unsteady", ["steady", "indicial"])
def test_lift_lags_as_theodorsen_has_it(unsteady: str) -> None:
    """Cyclic pitch of a blade that does not flap: lift is C(k) (1 + i k) theta at every station, k = b / r.

    C(k) is that of Jones' exponentials, and 1 of the steady model; the term of the rate of pitch is that of the air at
    three quarters of the chord. Terms of theta^2, 1e-3.
    """
    found = flown(unsteady, cyclic_cos=0.03)
    theta = harmonics(found.angles("pitch")[:, 0], found.azimuth[:, 0])
    lift = harmonics(found.loads[:, 2], found.azimuth[:, 0])
    r, width = gauss(0.0, RADIUS, 4)
    k = CHORD / 2 / r
    C = 1 - A1 * 1j * k / (B1 + 1j * k) - A2 * 1j * k / (B2 + 1j * k) if unsteady == "indicial" else 1.0
    each = 0.5 * DENSITY * 2 * np.pi * CHORD * width * (SPEED * r) ** 2 * C * (1 + 1j * k)
    wanted = each.sum() * (theta[1] - 1j * theta[2])
    assert complex(lift[1], -lift[2]) == pytest.approx(complex(wanted), abs=3e-3 * abs(wanted))


def loop(found: Flown) -> float:
    """Lift while the pitch grows, less that while it falls, at the mean pitch, over the mean of both."""
    theta, lift = found.angles("pitch")[:, 0], found.loads[:, 2]
    middle = 0.5 * (theta.max() + theta.min())
    sides: list[Array] = []
    for up in (True, False):
        turns = np.gradient(theta) > 0 if up else np.gradient(theta) < 0
        near = turns & (np.abs(theta - middle) < 0.1 * np.ptp(theta))
        sides.append(lift[near].mean())
    return float(2 * (sides[0] - sides[1]) / (sides[0] + sides[1]))


@pytest.mark.long("compiles rotors")
@pytest.mark.parametrize("unsteady", ["steady", "indicial", "dynamic_stall"])
def test_attached_lift_follows_late_where_there_is_a_wake(unsteady: str) -> None:
    """The rate of pitch alone gives more lift on the way up, and the wake takes more than that: 6 %, and -7 %."""
    found = loop(flown(unsteady, "naca0012", collective=0.07, cyclic_cos=0.03))
    assert found == pytest.approx(0.064 if unsteady == "steady" else -0.069, abs=5e-3)


@pytest.mark.long("compiles rotors")
def test_stall_follows_late() -> None:
    """7 to 18 degrees of pitch: on the way up lift is far more, and goes beyond that of the static table."""
    settings = {"collective": 0.22, "cyclic_cos": 0.1}
    steady, stalled = (flown(model, "naca0012", **settings) for model in ("steady", "dynamic_stall"))
    assert loop(steady) < 0.0 and loop(stalled) > 0.3
    assert stalled.loads[:, 2].max() > 1.08 * steady.loads[:, 2].max()


def test_a_model_that_there_is_not_is_refused() -> None:
    with pytest.raises(MotionBaseError, match=r"no unsteady model 'onera'; .*: steady, indicial, dynamic_stall"):
        rotor_model("puma", unsteady="onera")
