"""A tail rotor that is simulated by itself: its air and its collective pitch are told, it tells thrust and torque.

Its axes: x forward, y upwards and z to the right in the airframe, so that a positive thrust pushes to the right.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import casadi as ca

from motionbase.errors import ModelError
from motionbase.rotor.blades.planform import Planform
from motionbase.rotor.models.library import rotor_model, rotor_names
from motionbase.rotor.models.rotor_model import AIR, RotorModel
from motionbase.rotor.models.settings import Setting
from motionbase.rotor.running.of_model import operated
from motionbase.rotor.running.operated import OperatedRotor
from motionbase.rotor.running.stabiliser import LIFT_SLOPE
from motionbase.spatial.rotations import Expr

FLOW = "flow_x", "flow_y", "flow_z"  # air at the hub, in the axes of the tail rotor
FASTEST = 150.0  # [m/s] of the air
SUDDEN = 1e6  # [m/s^2] so that the air is taken as it is told
STILL2 = 1e-12  # of a thrust coefficient, so that its root has a derivative


def tail_of(reference: str) -> RotorModel:
    """The tail rotor of a rotor: that of its name with `_tail`."""
    name = f"{reference}_tail"
    if name not in rotor_names():
        raise ModelError(f"rotor {reference!r} has no tail rotor of its own: there is no rotor {name!r}")
    return rotor_model(name)


def told(rotor: RotorModel) -> OperatedRotor:
    """A rotor whose settings are its collective pitch and the air, without cyclic pitch."""
    found = operated(rotor)
    collective = next(replace(one, rate=2.0) for one in found.controls if one.name == "collective")
    about = zip(FLOW, ("x", "y", "z"), strict=True)
    air = [Setting(name, "m/s", f"air along {axis}", 0.0, -FASTEST, FASTEST, SUDDEN) for name, axis in about]
    still = {one.name: 0.0 for one in rotor.settings}

    def given(settings: Mapping[str, Any]) -> dict[str, Any]:
        inputs = rotor.given({**still, "collective": settings["collective"]})
        return {**inputs, f"{AIR}_wind": ca.vertcat(*(settings[name] for name in FLOW))}

    return replace(found, controls=(collective, *air), flight=(), given=given)


def collective_for(rotor: Planform, thrust: Expr, along: Expr) -> Expr:
    """Pitch at the root that gives about a thrust, by blade element theory with uniform inflow [rad].

    Args:
        along: air along the shaft, positive in the direction of thrust [m/s]
    """
    at_75 = 6 / (rotor.solidity * LIFT_SLOPE)  # Bramwell 2001, eq. 3.29: theta at 0.75 R, for linear twist
    C_T = thrust / (rotor.density * math.pi * rotor.radius**2 * rotor.tip_speed**2)
    induced = C_T / ca.sqrt(2 * ca.sqrt(C_T**2 + STILL2))
    return at_75 * C_T + 1.5 * (induced - along / rotor.tip_speed) - float(rotor.twist_at(0.75 * rotor.radius))
