"""Rig files: what a person states of the machine that moves a platform's legs, as TOML; docs/rigs.md has the keys."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, final

from motionbase.errors import ModelError, UsageError, unknown
from motionbase.multibody.loaders.toml_source import TomlSource, read_text
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import illustrative_keys
from motionbase.platform.table import Table
from motionbase.rig.border import Actuators, Machine, PowerUnit, Witness
from motionbase.rig.files.drives import read_drives, read_ethercat
from motionbase.rig.files.onoff import device_name, read_onoff
from motionbase.rig.files.serial import read_serial
from motionbase.rig.power.setup import PowerSetup, SimulatedLine, setup_from

FOLDER = Path(__file__).parents[1] / "presets"
PRESETS = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))
SIMULATED = "simulated"
COMMON = (
    "kind",
    "name",
    "summary",
    "platform",
    "illustrative",
    "machine",
    "axes",
    "limits",
    "times",
    "simulated",
    "power",
)


class Legs(Protocol):
    """What the kinds of rig files have in common."""

    @property
    def simulated(self) -> bool: ...

    @property
    def period(self) -> float: ...

    def open(self, place: Path) -> Actuators: ...

    def machine(self, place: Path) -> Machine: ...

    def witness(self, place: Path) -> Witness | None: ...


@final
@dataclass(frozen=True)
class Kind:
    """A kind of rig file.

    Attributes:
        device: the key that names a real device
        example: a value of it
        keys: that only this kind has
        read: makes the legs of a file, for the value of `device`, which is empty for a simulated machine
    """

    device: str
    example: str
    keys: tuple[str, ...]
    read: Callable[[Table, Hexapod], Legs]


KINDS: Mapping[str, Kind] = {
    "onoff": Kind("device", '"ni:Dev1"', ("law", "valves", "witness"), lambda t, p: read_onoff(t, p, _daq(t))),
    "drives": Kind("bus", '"socketcan:can0"', ("homing",), lambda t, p: read_drives(t, p, _bus(t))),
    "ethercat": Kind("interface", '"eth1"', ("homing",), lambda t, p: read_ethercat(t, p, _interface(t))),
    "serial": Kind("ports", '["/dev/ttyUSB0"]', ("controller",), lambda t, p: read_serial(t, p, _ports(t))),
}


@final
@dataclass(frozen=True, eq=False)
class RigFile:
    """A rig as a file states it.

    Methods take a folder in which simulated machines and those that use them meet.

    Attributes:
        path: of the file
        name: for people
        kind: one of KINDS
        summary: one line for people
        platform: whose legs it moves
        ends: shortest and longest of those legs, by the platform [m]
        illustrative: keys of numbers that nobody published
        text: of the file
        legs: what its kind makes of it
        devices: that move the legs of a real machine
        unit: hydraulic power unit, if the file has one
        pressure: of the supply that the platform is made for [Pa]
    """

    path: Path
    name: str
    kind: str
    summary: str
    platform: str
    ends: tuple[float, float]
    illustrative: tuple[str, ...]
    text: str
    legs: Legs
    devices: tuple[str, ...]
    unit: PowerSetup | None = None
    pressure: float = 0.0

    @property
    def digest(self) -> str:
        """SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def simulated(self) -> bool:
        """Whether the machine is a simulated one."""
        return self.legs.simulated

    @property
    def period(self) -> float:
        """Of a cycle [s]."""
        return self.legs.period

    def open(self, place: Path) -> Actuators:
        """The legs, ready for cycles."""
        return self.legs.open(place)

    def machine(self, place: Path) -> Machine:
        """The simulated machine, with its power unit; a real one has none."""
        if not self.simulated:
            raise UsageError(f"rig {self.name!r} is a real machine, which nothing here simulates")
        if self.unit is None:
            return self.legs.machine(place)
        from motionbase.rig.power.machine import LegsAndPower, PowerMachine, simulated_unit

        power = PowerMachine(place, self.unit, simulated_unit(self.unit, self.pressure))
        try:
            return LegsAndPower(self.legs.machine(place), power)
        except BaseException:
            power.close()
            raise

    def witness(self, place: Path) -> Witness | None:
        """A second reading of the legs, if there is one."""
        return self.legs.witness(place)

    def power(self, place: Path) -> PowerUnit | None:
        """The hydraulic power unit, if the file has one."""
        if self.unit is None:
            return None
        from motionbase.rig.power.unit import ModbusPowerUnit

        return ModbusPowerUnit(self.unit, place)


@final
@dataclass(frozen=True)
class Heading:
    """What a rig file says of itself, read without its platform; texts that are missing are empty."""

    name: str
    kind: str
    platform: str
    summary: str
    machine: str


def load_rig(reference: Path | str, platform: Hexapod) -> RigFile:
    """The preset of that name, or the rig in a TOML file, for the legs of a platform.

    Errors name the file, the line, the key and what is expected.
    """
    path = rig_path(reference)
    try:
        text = read_text(path)
        source = TomlSource.of(str(path), text)
        return _rig(Table(source, (), source.data), path, text, platform)
    except ModelError as e:
        raise UsageError(str(e)) from None


def rig_path(reference: Path | str) -> Path:
    """The file of a preset, or the file itself."""
    if str(reference) in PRESETS:
        return FOLDER / f"{reference}.toml"
    if Path(reference).suffix.lower() != ".toml":
        raise UsageError(f"{unknown('rig', str(reference), PRESETS)}, or a .toml file")
    return Path(reference)


def heading(reference: Path | str) -> Heading:
    """What a rig file says of itself."""
    path = rig_path(reference)
    try:
        data = TomlSource.read(path).data
    except ModelError as e:
        raise UsageError(str(e)) from None
    texts = {key: value for key in ("name", "kind", "platform", "summary") if isinstance(value := data.get(key), str)}
    kind = KINDS.get(texts.get("kind", ""))
    machine = data.get(kind.device, SIMULATED) if kind else ""
    return Heading(
        texts.get("name", path.stem), texts.get("kind", ""), texts.get("platform", ""), texts.get("summary", ""),
        ", ".join(machine) if isinstance(machine, list) and all(isinstance(x, str) for x in machine) else str(machine),
    )  # fmt: skip


def _rig(top: Table, path: Path, text: str, platform: Hexapod) -> RigFile:
    if "kind" not in top.data:
        top.complain("kind", f"the file needs the key 'kind', one of {', '.join(KINDS)}")
    name = top.text("kind")
    if name not in KINDS:
        top.complain("kind", str(unknown("kind of rig", name, KINDS, "kinds")))
    kind = KINDS[name]
    top.check_keys((*COMMON, kind.device, *kind.keys), ())
    _check_machine(top, kind)
    texts = {key: top.text(key) if key in top.data else "" for key in ("name", "summary", "platform")}
    if texts["platform"] not in ("", platform.name):
        top.complain(
            "platform", f"the rig is of platform {texts['platform']!r}, it cannot move the legs of {platform.name!r}"
        )
    return RigFile(
        path=path,
        name=texts["name"] or path.stem,
        kind=name,
        summary=texts["summary"],
        platform=platform.name,
        ends=(platform.stroke.hard_min, platform.stroke.hard_max),
        illustrative=illustrative_keys(top) if "illustrative" in top.data else (),
        text=text,
        legs=kind.read(top, platform),
        devices=_devices(top, kind),
        unit=_power(top, platform),
        pressure=platform.actuator.p_supply,
    )


def _devices(top: Table, kind: Kind) -> tuple[str, ...]:
    """Names of real devices, which were checked when the legs were read."""
    found = top.data.get(kind.device, ())
    return (found,) if isinstance(found, str) else tuple(found)


def _power(top: Table, platform: Hexapod) -> PowerSetup | None:
    """The power unit, simulated if the legs are."""
    if "power" not in top.data:
        return None
    unit, pressure = setup_from(top.table("power")), platform.actuator.p_supply
    if unit.limits.least_pressure >= pressure:
        top.table("power").table("limits").complain(
            "least_pressure",
            f"power.limits.least_pressure is {unit.limits.least_pressure:g} Pa; the supply of platform "
            f"{platform.name!r} has {pressure:g} Pa",
        )
    if isinstance(unit.line, SimulatedLine) is not ("machine" in top.data):
        legs, wanted = ("simulated", f"'{SIMULATED}'") if "machine" in top.data else ("real", "that of a real unit")
        top.table("power").complain("line", f"power.line is '{unit.line}'; the legs are {legs}, so {wanted} is wanted")
    return unit


def _check_machine(top: Table, kind: Kind) -> None:
    """Either a simulated machine, or a device that is named."""
    ways = f'machine = "{SIMULATED}", or a device such as {kind.device} = {kind.example}'
    if "machine" in top.data and top.text("machine") != SIMULATED:
        top.complain("machine", f"machine is {top.text('machine')!r}; what is wanted is {ways}")
    if ("machine" in top.data) is (kind.device in top.data):
        which = "both a simulated machine and a device" if "machine" in top.data else "no machine"
        top.complain("machine", f"the file names {which}; what is wanted is {ways}")


def _daq(top: Table) -> str:
    return device_name(top, "device") if "device" in top.data else ""


def _bus(top: Table) -> str:
    bus = top.text("bus") if "bus" in top.data else None
    interface, colon, channel = (bus or "").partition(":")
    if bus is not None and not (interface and colon and channel):
        top.refuse("bus", "an interface and a channel such as 'socketcan:can0'")
    return bus or ""


def _interface(top: Table) -> str:
    name = top.text("interface") if "interface" in top.data else None
    if name is not None and not name.strip():
        top.refuse("interface", "a network interface such as 'eth1'")
    return name or ""


def _ports(top: Table) -> tuple[str, ...]:
    if "ports" not in top.data:
        return ()
    ports = top.texts("ports")
    if not ports or not all(ports) or len(set(ports)) < len(ports):
        top.refuse("ports", "a list of different devices")
    return ports
