"""Rig files of the kind `serial`: SMC3 boards or an ESP32 controller on serial lines."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import final

from motionbase.arrays import Array
from motionbase.errors import UsageError, unknown
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.table import Table
from motionbase.rig.border import Actuators, Machine, Witness
from motionbase.rig.files.values import check_tables, keys_by_table, lengths, made_of, needed, of_legs, start_lengths
from motionbase.rig.serial.setup import LEGS, Axis, Kind, Setup

AXES = {"scale": float, "offset": float, "sign": int}
PLACES: dict[str, Keys] = {
    "home": ("axes", "home"),
    **{key: ("limits", key) for key in ("lowest", "highest", "jump", "speed", "following")},
    **{key: ("times", key)
       for key in ("period", "baud", "silence", "following_time", "patience", "boot", "settling", "homing")},
}  # fmt: skip


@final
@dataclass(frozen=True, eq=False)
class SerialRig:
    """Six legs on serial lines.

    Attributes:
        setup: of the controllers
        ports: their devices, in the order of the legs; empty for the simulated machine
        start: (6,) lengths of the simulated machine at first [m]
    """

    setup: Setup
    ports: tuple[str, ...]
    start: Array

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return not self.ports

    @property
    def period(self) -> float:
        """Of a cycle [s]."""
        return self.setup.period

    def open(self, place: Path) -> Actuators:
        """The controllers' lines."""
        from motionbase.rig.serial.backend import serial_legs

        count = LEGS // self.setup.kind.legs
        return serial_legs(self.setup, self.ports or [str(place / f"tty{k}") for k in range(count)])

    def machine(self, place: Path) -> Machine:
        """Simulated controllers behind pseudo terminals."""
        from motionbase.rig.serial.machine import SerialMachine

        return SerialMachine(place, self.setup, self.start)

    def witness(self, place: Path) -> Witness | None:
        """A serial line has one listener, so there is none."""
        return None


def read_serial(top: Table, platform: Hexapod, ports: tuple[str, ...]) -> SerialRig:
    """Controllers of a file; `ports` is empty for simulated ones."""
    found = keys_by_table(PLACES)
    keys = {**found, "axes": (*AXES, *found["axes"]), "limits": ("least", "most", *found["limits"])}
    check_tables(top, {**keys, "simulated": ("start",)})
    needed(top, "controller", "axes")
    kind = _controller(top)
    if ports and len(ports) * kind.legs != LEGS:
        top.complain("ports", f"{len(ports)} ports are given; {kind.value} needs {LEGS // kind.legs}")
    table = top.table("axes")
    table.check_keys(keys["axes"], ("scale", "offset") if kind.measures else ("scale", "offset", "home"))
    least, most = lengths(top, platform)
    axes = of_legs(table, Axis, AXES)
    setup = made_of(top, Setup, PLACES, kind=kind, axes=axes, least=least, most=most)
    return SerialRig(setup, ports, start_lengths(top, platform, least, most))


def _controller(top: Table) -> Kind:
    name = top.text("controller")
    try:
        return Kind(name)
    except ValueError:
        error: UsageError = unknown("controller", name, [kind.value for kind in Kind])
        top.complain("controller", str(error))
