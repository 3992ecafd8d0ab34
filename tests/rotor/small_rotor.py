"""A small rotor with closed forms: uniform blades of a thin airfoil, hinged at one radius; and how it is flown."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from motionbase.arrays import Array
from motionbase.rotor.airfoils.own import AIRFOILS
from motionbase.rotor.blades.blade import Blade, Hinge
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.flight.flying import Flying
from motionbase.rotor.models.articulated import Articulated, Swashplate, articulated_rotor
from motionbase.rotor.models.rotor_model import RotorModel

RADIUS, CHORD, SPEED, MASS = 5.0, 0.01, 40.0, 6.0  # [m], [m], [rad/s], [kg/m]; slender, so that sections are points
HELD = 1e9  # [N m s/rad] of the lag hinge, which then hardly moves
VACUUM = 1e-12  # [kg/m^3]


def small_rotor(
    *, hinge: float = 0.0, density: float = 40.0, twist: float = 0.0, chord: float = CHORD, blades: int = 1,
    airfoil: str = "thin", speed: float = SPEED, flapping: float = 0.0, flap_damping: float = 0.0,
    bandwidth: float = 200.0, corrections: int = 4, **how: Any,
) -> RotorModel:  # fmt: skip
    """Without gravity; blades reach from the centre to the tip.

    Args:
        hinge: radius of flap and lag, where the pitch links pull, so that flapping does not change the pitch [m]
        twist: linear, from the centre to the tip [rad]
        flapping: rate at the start over the rotor's speed
        flap_damping: [N m s/rad]; `HELD` for a blade that does not flap
        bandwidth: of the actuators; usually so much that controls are followed at once [rad/s]
    """
    line = np.array([[0.0, 0.0], [RADIUS, twist]])
    constant: dict[str, float] = {
        "mass": MASS, "inertia_flap": 1e-6, "inertia_lag": 1e-6, "EA": 1e9, "GJ": 1e6, "EI_flap": 1e6, "EI_lag": 1e6,
        "cg": 0.0, "elastic_axis": 0.0,
    }  # fmt: skip
    lines: dict[str, Any] = {key: np.array([[0.0, value]]) for key, value in constant.items()}
    blade = Blade(
        "small", root=0.0, radius=RADIUS, **lines, twist=np.zeros((1, 2)),
        lag=Hinge(hinge, damping=HELD), flap=Hinge(hinge, damping=flap_damping), pitch=Hinge(hinge + 0.05),
    )  # fmt: skip
    planform = Planform(
        "small", "of tests", ("none",), ("all",), blades, RADIUS, 0.0, np.array([[0.0, chord]]), line,
        AIRFOILS[airfoil](), speed, density, 340.0, blade,
    )  # fmt: skip
    plate = Swashplate(max(hinge, 1e-9), 0.2, 0.4, bandwidth=bandwidth)
    usual = {"root": "compact", "inflow": "none", "tip_loss": False, "counted": False}
    found = articulated_rotor(planform, plate, Articulated(**{**usual, **how}))
    model = found.model
    for joint, (at, _) in zip(model.joints, model.v_slices, strict=True):
        if joint.name.endswith("_flap"):
            found.v0[at.stop - 1] = flapping * speed
    return replace(found, model=replace(found.model, gravity=(0.0, 0.0, 0.0)), corrections=corrections)


@cache
def _compiled(options: tuple[tuple[str, Any], ...]) -> Flying:
    return Flying.of(small_rotor(**dict(options)))


def started(per_revolution: int = 90, **options: Any) -> Flying:
    """A small rotor after its first steps, compiled once for all tests of a file and all lengths of steps."""
    found = copy.copy(_compiled(tuple(sorted(options.items()))))
    found.network = replace(found.network, step_size=2 * np.pi / SPEED / per_revolution)
    found.state, found.t = {**found.network.start().ports(), "worst": np.zeros(2)}, 0.0
    found.begin()
    return found


LOCK = MASS * RADIUS**3 / 3  # [kg m^2] inertia about the centre


def lock_number(density: float, chord: float = CHORD) -> float:
    """rho a c R^4 / I of a blade hinged at the centre."""
    return density * 2 * np.pi * chord * RADIUS**4 / LOCK


def harmonics(y: Array, psi: Array) -> Array:
    """(5,) mean, cosine, sine, and both of twice the azimuth, of samples over whole revolutions."""
    columns = [np.ones_like(psi), np.cos(psi), np.sin(psi), np.cos(2 * psi), np.sin(2 * psi)]
    found: Array = np.linalg.lstsq(np.stack(columns, axis=1), y, rcond=None)[0]
    return found
