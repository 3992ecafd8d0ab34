"""Rig files of the kind `onoff`: on/off valves and potentiometers behind data acquisition."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, final

import numpy as np

from motionbase.actuators.onoff import OnOffActuator
from motionbase.arrays import Array
from motionbase.errors import unknown
from motionbase.multibody.loaders.toml_source import Keys
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.table import Table
from motionbase.rig.border import Actuators, Machine, Witness
from motionbase.rig.files.values import (
    IMPOSSIBLE,
    SLACK,
    check_tables,
    keys_by_table,
    made_of,
    number,
    of_legs,
    six,
    six_whole,
    start_lengths,
    within,
)  # fmt: skip
from motionbase.rig.onoff.acquisition import LEGS, Acquisition, Reader, Wiring
from motionbase.rig.onoff.laws import LAWS, NOMINAL, PAPERS, PERIOD
from motionbase.rig.onoff.potentiometer import Potentiometer
from motionbase.rig.onoff.watch import Bounds

if TYPE_CHECKING:
    from motionbase.rig.onoff.simulated import SimulatedRig

WIRES = ("input", "extend", "retract")
AXES = {"length": float, "supply": float, "offset": float, "scale": float}
PLACES: dict[str, Keys] = {
    key: ("valves", key) for key in ("speed", "stroke", "delay", "switching", "throttling", "dead_band")
}
BOUNDS: dict[str, Keys] = {
    "error": ("limits", "error"), "patience": ("times", "patience"),
    "hurry": ("limits", "hurry"), "step": ("limits", "step"),
}  # fmt: skip
SLOWEST = 0.5  # [s] delay or switching time of a valve that the laws can still predict
NI = "ni:"


@final
@dataclass(frozen=True, eq=False)
class OnOffLegs:
    """Six legs with on/off valves.

    Attributes:
        law: that controls the valves
        shortest: (6,) lengths of fully retracted legs [m]
        potentiometers: with their calibration, by leg
        wiring: which channels belong to which leg
        actuator: cylinders and valves, as they are believed to be
        bounds: what is taken for a fault
        daq: name of the data acquisition device; empty for the simulated machine
        start: (6,) lengths of the simulated machine at first [m]
        second: name of the device that reads the legs once more; empty for the simulated one, None if there is none
        relay: output of that device for the relay with which it stops them
    """

    law: str
    shortest: Array
    potentiometers: tuple[Potentiometer, ...]
    wiring: Wiring
    actuator: OnOffActuator
    bounds: Bounds
    daq: str
    start: Array
    second: str | None = None
    relay: str = ""

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return not self.daq

    @property
    def period(self) -> float:
        """Of a cycle [s]."""
        return PERIOD

    def open(self, place: Path) -> Actuators:
        """Legs behind their data acquisition."""
        return self.behind(self.acquisition(place))

    def behind(self, device: Acquisition) -> Actuators:
        """Legs behind some data acquisition."""
        from motionbase.rig.onoff.backend import OnOffRig

        return OnOffRig(
            device, LAWS[self.law](self.actuator), self.shortest, potentiometers=self.potentiometers,
            wiring=self.wiring, actuator=self.actuator, bounds=self.bounds,
        )  # fmt: skip

    def acquisition(self, place: Path) -> Acquisition:
        """The device alone, for a check-out."""
        return _acquisition(self.daq, place)

    def machine(self, place: Path) -> Machine:
        """A simulated rig."""
        from motionbase.rig.onoff.remote import OnOffMachine

        return OnOffMachine(place, self.simulation())

    def simulation(self) -> SimulatedRig:
        """A rig that this file describes; its valves are slower than they are believed to be."""
        from motionbase.rig.onoff.simulated import VALVES, SimulatedRig, spread_paces

        valves = replace(VALVES, stroke=self.actuator.stroke, speed=self.actuator.speed)
        start = self.start - self.shortest
        return SimulatedRig(valves, spread_paces(valves.speed), self.potentiometers, self.wiring, start)

    def witness(self, place: Path) -> Witness | None:
        """A second reading, if the file names a device for it."""
        if self.second is None:
            return None
        from motionbase.rig.onoff.witness import OnOffWitness

        return OnOffWitness(
            _reader(self.second, self.relay, place), shortest=self.shortest, potentiometers=self.potentiometers,
            wiring=self.wiring,
        )  # fmt: skip


def read_onoff(top: Table, platform: Hexapod, device: str) -> OnOffLegs:
    """Legs of a file; `device` is empty for simulated ones."""
    bounds, valves = keys_by_table(BOUNDS), keys_by_table(PLACES)
    own = {"axes": (*WIRES, *AXES, "shortest"), "simulated": ("start",), "witness": ("device", "relay")}
    check_tables(top, {**bounds, **valves, **own})
    law = top.text("law") if "law" in top.data else "predictive"
    if law not in LAWS:
        top.complain("law", str(unknown("law of on/off legs", law, LAWS, "laws")))
    if law == "throttled" and device:
        top.complain("law", "law 'throttled' needs flow-control valves, which no device of a file drives")
    stroke = platform.stroke.hard_length
    believed = NOMINAL if law != "paper" else PAPERS
    actuator = made_of(top, OnOffActuator, PLACES, **(asdict(believed) | {"stroke": stroke}))
    _check_valves(top, actuator, stroke)
    axes = within(top, "axes")
    shortest = six(axes, "shortest") if "shortest" in axes.data else np.full(LEGS, platform.stroke.hard_min)
    least, most = shortest - SLACK, shortest + actuator.stroke + SLACK
    return OnOffLegs(
        law, shortest, of_legs(axes, partial(Potentiometer, length=stroke), AXES), _wiring(axes), actuator,
        _bounds(top), device.removeprefix(NI), start_lengths(top, platform, least, most), _second(top, device),
        _relay(top),
    )  # fmt: skip


def _check_valves(top: Table, actuator: OnOffActuator, stroke: float) -> None:
    valves = within(top, "valves")
    for key in ("delay", "switching", "throttling"):
        if getattr(actuator, key) > SLOWEST:
            valves.refuse(key, f"a time of at most {SLOWEST} s")
    if actuator.stroke > stroke + SLACK:
        valves.complain(
            "stroke",
            f"valves.stroke is {actuator.stroke:g} m; legs of the platform have {stroke:g} m between their ends",
        )


def _bounds(top: Table) -> Bounds:
    for table, key in BOUNDS.values():
        found = within(top, table)
        if key in found.data and number(found, key) <= 0:
            found.refuse(key, "a number above 0")
    return made_of(top, Bounds, BOUNDS)


def _wiring(axes: Table) -> Wiring:
    given = {key: tuple(six_whole(axes, key)) for key in WIRES if key in axes.data}
    if "input" in given:
        given["inputs"] = given.pop("input")
    try:
        return Wiring(**given)
    except IMPOSSIBLE as e:
        keys = WIRES[:1] if "analogue" in str(e) else WIRES[1:]
        axes.complain(next(key for key in keys if key in axes.data), str(e))


def _second(top: Table, device: str) -> str | None:
    """The device of [witness]; that of a simulated machine needs no name."""
    if "witness" not in top.data:
        return None
    table = top.table("witness")
    if not device:
        for key in table.data:
            table.complain(key, f"witness.{key} is for a real machine; leave it out for a simulated one")
        return ""
    table.check_keys(("device", "relay"), ("device",))
    if (name := device_name(table, "device")) == device:
        table.complain("device", f"witness.device is {name!r}, which moves the legs; a second device is wanted")
    return name.removeprefix(NI)


def _relay(top: Table) -> str:
    """The output of the witness's relay."""
    from motionbase.rig.onoff.ni import RELAY

    table = within(top, "witness")
    return table.text("relay") if "relay" in table.data else RELAY


def device_name(table: Table, key: str) -> str:
    """A data acquisition device, such as ni:Dev1."""
    name = table.text(key)
    if not name.startswith(NI) or not name.removeprefix(NI).strip():
        table.refuse(key, f"a device such as '{NI}Dev1'")
    return name


def _acquisition(name: str, place: Path) -> Acquisition:
    if name:
        from motionbase.rig.onoff.ni import NiAcquisition

        return NiAcquisition(name)
    from motionbase.rig.onoff.remote import RemoteAcquisition

    return RemoteAcquisition(place)


def _reader(name: str, relay: str, place: Path) -> Reader:
    if name:
        from motionbase.rig.onoff.ni import NiReader

        return NiReader(name, relay=relay)
    return _acquisition(name, place)
