"""Parameters that a user may change between runs: they become ports of a kernel instead of constants."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, TypeVar

from motionbase.actuators.hydraulic import NOT_NEGATIVE, POSITIVE
from motionbase.compile import Port
from motionbase.errors import ModelError
from motionbase.multibody.elements.friction_law import Friction
from motionbase.spatial.rotations import Expr

Parameters = TypeVar("Parameters")  # of an actuator
FRICTION = {
    "coulomb": "N",
    "static": "N",
    "stribeck": "m/s",
    "sigma0": "N/m",
    "sigma1": "N s/m",
    "sigma2": "N s/m",
}
NOMINAL = {"p_supply", "p_return"}  # the line pressures are inputs in any case
UNITS = {
    **{name: unit for name, unit in {**POSITIVE, **NOT_NEGATIVE}.items() if name not in NOMINAL},
    **{f"friction.{name}": unit for name, unit in FRICTION.items()},
}


def live_ports(names: Sequence[str]) -> tuple[Port, ...]:
    """A port for each name; "friction.coulomb" becomes friction_coulomb."""
    for name in names:
        if name not in UNITS:
            raise ModelError(f"actuator: parameter {name!r} cannot be a port; those that can: {', '.join(UNITS)}")
    return tuple(Port(name.replace(".", "_"), (), UNITS[name]) for name in names)


def with_live(parameters: Parameters, names: Sequence[str], values: Sequence[Expr]) -> Parameters:
    """The same parameters with expressions for the named ones; these are not checked, as they are not numbers yet."""
    if not names:
        return parameters
    own: Any = copy(parameters)
    friction: Friction = copy(own.friction)
    for name, value in zip(names, values, strict=True):
        part, _, field = name.rpartition(".")
        object.__setattr__(friction if part else own, field, value)
    object.__setattr__(own, "friction", friction)
    result: Parameters = own
    return result
