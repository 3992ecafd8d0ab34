"""Inputs of a model that drives give: which they are, and their values from the time and the other inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Port
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody.body import shown
from motionbase.multibody.drives import AbstractDrive, Input, Product, Rate, Sum, drive_of
from motionbase.multibody.lookup import listed
from motionbase.spatial.rotations import Expr

if TYPE_CHECKING:
    from motionbase.multibody.model import Model

TIME = "t"
Drives = Mapping[str, "AbstractDrive | float | Sequence[AbstractDrive | float]"]


def checked_drives(model: Model, given: object) -> dict[str, tuple[AbstractDrive, ...]]:
    """A drive for every number of each driven input of a model."""
    if not isinstance(given, Mapping):
        raise ModelError(f"model {model.name!r}: drives are {shown(given)}, drives by name of an input are wanted")
    ports, found = {port.name: port for port in input_ports(model)}, {}
    imposed = {port.name: closure.name for closure in model.closures for port in closure.inputs}
    for name, drive in given.items():
        owner = f"model {model.name!r}: drive {name!r}"
        if name not in ports:
            raise ModelError(f"{owner}: there is no such input; inputs: {listed(ports)}")
        parts = tuple(drive) if isinstance(drive, list | tuple) else (drive,)
        if len(parts) != ports[name].size:
            raise ModelError(f"{owner} has {len(parts)} parts, input {name!r} has {ports[name].size}")
        found[name] = tuple(drive_of(owner, part) for part in parts)
        read = [other for part in found[name] for other in part.names]
        if name in imposed and read:
            raise ModelError(
                f"{owner} reads the input {read[0]!r}, whose rates closure {imposed[name]!r} would need; "
                f"give {name!r} and its rates as inputs"
            )
        if taken := [other for other in read if other in ports or other == TIME]:
            raise ModelError(f"{owner}: an input of the model is called {taken[0]!r} already; use another name")
    return found


def input_ports(model: Model) -> tuple[Port, ...]:
    """All inputs of elements and closures, tau first."""
    of_elements = tuple(port for element in model.elements for port in element.inputs(model))
    followed = tuple(port for closure in model.closures for port in closure.inputs)
    switches = (Port(f"{c.name}_active", (), "-", "1 holds, 0 lets go") for c in model.closures if c.switchable)
    return Port("tau", model.nv, "-", "generalised forces"), *of_elements, *followed, *switches


@final
@dataclass(frozen=True, eq=False)
class Driven:
    """The inputs of a model: those that drives give, and those that are left.

    Attributes:
        ports: all inputs of elements and closures
        drives: by input, rates of imposed motions included
    """

    ports: tuple[Port, ...]
    drives: Mapping[str, tuple[AbstractDrive, ...]]

    @classmethod
    def of(cls, model: Model) -> Driven:
        """With the rates that closures need beside an imposed motion."""
        drives = checked_drives(model, model.drives)
        for closure in model.closures:
            names = [port.name for port in closure.inputs]
            if names and names[0] in drives:
                for order, name in enumerate(names[1:], start=1):
                    drives.setdefault(name, (Rate(drives[names[0]][0], order),))
        return cls(input_ports(model), drives)

    @property
    def read(self) -> tuple[Input, ...]:
        """Inputs that drives read."""
        found: dict[str, Input] = {}
        for parts in self.drives.values():
            for part in parts:
                found.update({each.name: each for each in _inputs_of(part)})
        return tuple(found.values())

    @property
    def left(self) -> tuple[Port, ...]:
        """Inputs that nobody gives: those without a drive, those that drives read, and the time."""
        kept = tuple(port for port in self.ports if port.name not in self.drives)
        if not self.drives:
            return kept
        read = tuple(Port(each.name, (), each.unit, "input that drives read") for each in self.read)
        return *kept, *read, Port(TIME, (), "s", "time")

    def all(self, column: Expr) -> Expr:
        """All inputs of elements and closures, one after the other, from a column of those that are left."""
        if not self.drives:
            return column
        given, at = {}, 0
        for port in self.left:
            given[port.name] = column[at : at + port.size]
            at += port.size
        values = [
            ca.vertcat(*(part.value(given[TIME], given) for part in self.drives[port.name]))
            if port.name in self.drives
            else given[port.name]
            for port in self.ports
        ]
        return ca.vertcat(*values)

    def numbers(self, column: Array) -> Array:
        """`all` of numbers."""
        if not self.drives:
            return column
        return np.array(ca.evalf(ca.densify(ca.SX(self.all(ca.DM(column)))))).ravel()

    def named(self, given: Mapping[str, Any]) -> dict[str, Array]:
        """All inputs by name, from values of those that are left."""
        values = self.numbers(np.concatenate([np.ravel(given[port.name]) for port in self.left]))
        found, at = {}, 0
        for port in self.ports:
            found[port.name] = values[at : at + port.size].reshape(port.dims)
            at += port.size
        return found


def without(model: Model, given: Any) -> Model:
    """A model whose drives leave alone what a user gives."""
    taken = set(given) if isinstance(given, Mapping) else set() if given is None else {"tau"}
    if not taken & set(model.drives):
        return model
    return replace(model, drives={name: drive for name, drive in model.drives.items() if name not in taken})


def as_functions(model: Model, given: Any) -> Any:
    """Inputs by name with a function of time for each input that a drive gives."""
    driven = Driven.of(model)
    if not driven.drives:
        return given
    named = dict(given) if isinstance(given, Mapping) else {} if given is None else {"tau": given}
    read = {each.name: _function(each.name, named.pop(each.name, 0.0)) for each in driven.read}
    for name, parts in driven.drives.items():
        named.setdefault(name, _together(parts, read))
    return named


def _together(
    parts: Sequence[AbstractDrive], read: Mapping[str, Callable[[float], Any]]
) -> Callable[[float], list[float] | float]:
    t, inputs = ca.SX.sym("t"), {name: ca.SX.sym(name) for name in read}
    values = ca.vertcat(*(part.value(t, inputs) for part in parts))
    function = ca.Function("drives", [t, *inputs.values()], [ca.densify(values)])

    def at(time: float) -> list[float] | float:
        found = np.array(function(time, *(law(time) for law in read.values()))).ravel()
        return found.tolist() if len(found) > 1 else float(found[0])

    return at


def _function(name: str, value: Any) -> Callable[[float], Any]:
    """An input that drives read, as a function of time."""
    if callable(value):
        return value  # type: ignore[no-any-return]
    if np.ndim(value):
        raise SimulationError(f"input {name!r}, which drives read, must be a number or a function of time")
    return lambda _: value


def _inputs_of(drive: AbstractDrive) -> list[Input]:
    if isinstance(drive, Input):
        return [drive]
    parts: Sequence[Any] = drive.parts if isinstance(drive, Sum | Product) else ()
    return [found for part in parts for found in _inputs_of(part)]
