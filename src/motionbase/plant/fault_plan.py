"""Faults by name and time, as data: a file's list becomes the fault inputs of every tick."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError, PlatformError
from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.plant.plant import HARD_IN, HARD_OUT, REVERSED, STUCK
from motionbase.plant.sensors import ACCELERATION, CAP_PRESSURE, FORCE, FROZEN, LOST, OFFSET, RATE, SPOOL, fault_code
from motionbase.platform.table import Table
from motionbase.record.words import named

LEGS = 6
LARGEST_SUPPLY = 1.2  # times the nominal pressure: a supply may lose pressure, or exceed it slightly


class FaultKind(Enum):
    """Kinds of faults; the sentence is shown to users."""

    VALVE_STUCK = "the spool stays where it is"
    VALVE_HARD_OUT = "the spool goes to the end that extends the leg"
    VALVE_HARD_IN = "the spool goes to the end that retracts the leg"
    VALVE_REVERSED = "the spool moves against its command"
    SENSOR_LOST = "the length sensor reads 0"
    SENSOR_FROZEN = "the length sensor reads what it read last"
    SENSOR_OFFSET = "the length sensor adds `value` [m]"
    RATE_LOST = "the rate sensor reads 0"
    RATE_FROZEN = "the rate sensor reads what it read last"
    RATE_OFFSET = "the rate sensor adds `value` [m/s]"
    ACCELERATION_FROZEN = "the acceleration sensor reads what it read last"
    ACCELERATION_OFFSET = "the acceleration sensor adds `value` [m/s^2]"
    PRESSURE_LOST = "the sensor of the pressure that extends reads 0"
    PRESSURE_FROZEN = "the sensor of the pressure that extends reads what it read last"
    SPOOL_LOST = "the sensor of the spool, or of the drive's speed, reads 0"
    SPOOL_FROZEN = "the sensor of the spool, or of the drive's speed, reads what it read last"
    FORCE_LOST = "the force sensor reads 0"
    FORCE_FROZEN = "the force sensor reads what it read last"
    LEG_SEIZED = "the leg is held where it is"
    SUPPLY_LOST = "the supply pressure falls to `value` times the nominal one, 0 to 1.2"
    HOST_DROPOUT = "no host frames come"

    @property
    def of_a_leg(self) -> bool:
        """Whether the fault needs a leg."""
        return self not in (FaultKind.SUPPLY_LOST, FaultKind.HOST_DROPOUT)


OFFSETS = (FaultKind.SENSOR_OFFSET, FaultKind.RATE_OFFSET, FaultKind.ACCELERATION_OFFSET)
OF_OIL = (FaultKind.PRESSURE_LOST, FaultKind.PRESSURE_FROZEN)  # do not apply to electric legs
# kind -> input of the plant, and the code for it
INPUTS = {
    FaultKind.VALVE_STUCK: ("valve_fault", STUCK),
    FaultKind.VALVE_HARD_OUT: ("valve_fault", HARD_OUT),
    FaultKind.VALVE_HARD_IN: ("valve_fault", HARD_IN),
    FaultKind.VALVE_REVERSED: ("valve_fault", REVERSED),
    FaultKind.SENSOR_LOST: ("sensor_fault", LOST),
    FaultKind.SENSOR_FROZEN: ("sensor_fault", FROZEN),
    FaultKind.SENSOR_OFFSET: ("sensor_fault", OFFSET),
    FaultKind.RATE_LOST: ("sensor_fault", fault_code(RATE, LOST)),
    FaultKind.RATE_FROZEN: ("sensor_fault", fault_code(RATE, FROZEN)),
    FaultKind.RATE_OFFSET: ("sensor_fault", fault_code(RATE, OFFSET)),
    FaultKind.ACCELERATION_FROZEN: ("sensor_fault", fault_code(ACCELERATION, FROZEN)),
    FaultKind.ACCELERATION_OFFSET: ("sensor_fault", fault_code(ACCELERATION, OFFSET)),
    FaultKind.PRESSURE_LOST: ("sensor_fault", fault_code(CAP_PRESSURE, LOST)),
    FaultKind.PRESSURE_FROZEN: ("sensor_fault", fault_code(CAP_PRESSURE, FROZEN)),
    FaultKind.SPOOL_LOST: ("sensor_fault", fault_code(SPOOL, LOST)),
    FaultKind.SPOOL_FROZEN: ("sensor_fault", fault_code(SPOOL, FROZEN)),
    FaultKind.FORCE_LOST: ("sensor_fault", fault_code(FORCE, LOST)),
    FaultKind.FORCE_FROZEN: ("sensor_fault", fault_code(FORCE, FROZEN)),
    FaultKind.LEG_SEIZED: ("seized", 1.0),
}
DEFAULT_VALUE = {
    FaultKind.SENSOR_OFFSET: 0.02,
    FaultKind.RATE_OFFSET: 0.05,
    FaultKind.ACCELERATION_OFFSET: 2.0,
    FaultKind.SUPPLY_LOST: 0.0,
}


@final
@dataclass(frozen=True)
class FaultEvent:
    """One fault.

    Attributes:
        leg: 1 to 6, for faults of a leg
        at, until: start and end of the fault [s]
        value: as described in the kind's sentence
    """

    kind: FaultKind
    at: float
    leg: int | None = None
    until: float = math.inf
    value: float | None = None

    def __post_init__(self) -> None:
        name = f"fault {self.kind.name.lower()}"
        if self.kind.of_a_leg and self.leg not in range(1, LEGS + 1):
            raise PlatformError(f"{name}: leg is {self.leg!r}, it must be 1 to 6")
        if not self.kind.of_a_leg and self.leg is not None:
            raise PlatformError(f"{name}: leg is {self.leg!r}, but the fault is not one of a leg; leave it out")
        if not (math.isfinite(self.at) and 0 <= self.at < self.until):
            raise PlatformError(f"{name}: from {self.at!r} to {self.until!r} s; times must rise, from 0 on")
        if self.value is not None and not math.isfinite(self.value):
            raise PlatformError(f"{name}: value is {self.value!r}, it must be finite")
        if self.kind is FaultKind.SUPPLY_LOST and not 0 <= self.strength <= LARGEST_SUPPLY:
            raise PlatformError(
                f"{name}: value is {self.value!r}, it must be 0 to {LARGEST_SUPPLY:g} times the nominal"
            )

    @property
    def strength(self) -> float:
        """The value, or the default of its kind."""
        return DEFAULT_VALUE.get(self.kind, 0.0) if self.value is None else self.value


@final
@dataclass(frozen=True)
class FaultPlan:
    """The faults of a run; if two contradict each other for one part, the later one in the list counts."""

    events: tuple[FaultEvent, ...] = ()

    def __post_init__(self) -> None:
        offsets = [e for e in self.events if e.kind in OFFSETS]
        for k, one in enumerate(offsets):
            for other in offsets[:k]:
                if (
                    one.kind is not other.kind
                    and one.leg == other.leg
                    and one.at < other.until
                    and other.at < one.until
                ):
                    both = f"{other.kind.name.lower()} and {one.kind.name.lower()}"
                    raise PlatformError(f"faults {both} of leg {one.leg}: one offset of a leg at a time")

    def inputs(self, t: float) -> dict[str, Array]:
        """Fault inputs of the plant at a time [s], with `supply` (1 is nominal) and `host` (1 while frames arrive)."""
        found = {name: np.zeros(LEGS) for name in ("valve_fault", "seized", "sensor_fault", "sensor_offset")}
        found |= {"supply": np.ones(()), "host": np.ones(())}
        for event in self.events:
            if not event.at <= t < event.until:
                continue
            if event.kind is FaultKind.SUPPLY_LOST:
                found["supply"] = np.array(event.strength)
            elif event.kind is FaultKind.HOST_DROPOUT:
                found["host"] = np.zeros(())
            else:
                assert event.leg is not None
                name, code = INPUTS[event.kind]
                before = found[name][event.leg - 1]
                found[name][event.leg - 1] = _with(before, code) if name == "sensor_fault" else code
                if event.kind in DEFAULT_VALUE:
                    found["sensor_offset"][event.leg - 1] = event.strength
        return found

    @property
    def changes(self) -> tuple[float, ...]:
        """Times at which a fault starts or ends [s]."""
        return tuple(sorted({t for e in self.events for t in (e.at, e.until) if math.isfinite(t)}))

    def rows(self, ticks: int, dt: float) -> dict[str, Array]:
        """The same for every tick of a run: arrays with one row per tick."""
        edges = [0, *(min(ticks, max(0, math.ceil(t / dt - 1e-9))) for t in self.changes), ticks]
        parts = [(self.inputs((start + 0.5) * dt), end - start) for start, end in zip(edges, edges[1:], strict=False)]
        return {name: np.concatenate([np.repeat(p[name][None], n, 0) for p, n in parts]) for name in parts[0][0]}


def _with(codes: float, code: float) -> float:
    """Sensor codes of a leg with another one added; a later code for the same sensor replaces the earlier one."""
    digit = 4.0 ** math.floor(math.log(code, 4.0) + 1e-9)
    return codes - digit * (codes // digit % 4) + code


def load_faults(path: Path | str) -> FaultPlan:
    """Read a list [[fault]] with kind, at and, where applicable, leg, until and value."""
    try:
        source = TomlSource.read(path)
        top = Table(source, (), source.data)
        top.check_keys(("fault",), ())
        listed: Any = source.data.get("fault", [])
        if not isinstance(listed, list) or not all(isinstance(one, Mapping) for one in listed):
            top.refuse("fault", "a list of tables, [[fault]],")
        return FaultPlan(tuple(_event(Table(source, ("fault", str(k)), one)) for k, one in enumerate(listed)))
    except ModelError as e:
        raise PlatformError(str(e)) from None


def _event(table: Table) -> FaultEvent:
    table.check_keys(("kind", "leg", "at", "until", "value"), ("kind", "at"))
    kinds = {kind.name.lower(): kind for kind in FaultKind}
    kinds |= {named(name, electric=True): kind for name, kind in kinds.items()}  # names for drives, for electric legs
    if table.text("kind") not in kinds:
        table.refuse("kind", f"one of {', '.join(kinds)}")
    numbers = {key: table.number(key) for key in ("at", "until", "value") if key in table.data}
    leg = table.data.get("leg")
    if leg is not None and (isinstance(leg, bool) or not isinstance(leg, int)):
        table.refuse("leg", "a whole number from 1 to 6")
    return table.made(FaultEvent, kind=kinds[table.text("kind")], leg=leg, **numbers)
