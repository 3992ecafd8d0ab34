"""A rotor near the ground: more thrust at the same pitch, as Cheeseman and Bennett have it."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.inflow.theory import momentum
from motionbase.rotor.models.library import rotor_model


@pytest.mark.long("compiles a rotor")
def test_the_induced_flow_is_less_near_the_ground() -> None:
    rotor = rotor_model("caradonna_tung", ground_effect=True, delay=0.01)
    flying, found = Flying.of(rotor), []
    for radii in (100.0, 0.8):
        settings = {"collective": np.deg2rad(8.0), "height": radii * rotor.planform.radius}
        found.append(flying.fly(500, settings))
    far, near = (flown.loads[-1, 2] for flown in found)
    scale = rotor.planform.density * np.pi * rotor.planform.radius**2 * rotor.planform.tip_speed**2
    factor = 1 - 1 / (4 * 0.8) ** 2
    for flown, part in zip(found, (1 - 1 / 400**2, factor), strict=True):
        of_disk = float(momentum(flown.loads[-1, 2] / scale, 0.0, 0.0).lam) * rotor.planform.tip_speed
        assert flown.induced[-1, 0] == pytest.approx(part * of_disk, rel=1e-4)  # 0.26 s are 26 delays
    assert 1.03 < near / far < 1.0 / factor  # the blades' own angle grows, and with it the flow that they induce
