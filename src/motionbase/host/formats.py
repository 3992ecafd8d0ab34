"""All wire formats by name; the module of a format is imported when the format is first used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import final

from motionbase.errors import unknown
from motionbase.host.format import Format

HOMES = {  # module below motionbase.host -> names of the formats in its FORMATS
    "protocol.own": ("motionbase", "motionbase-vehicle"),
    "protocol.text": ("text", "text-legs"),
    "protocol.moog": ("moog",),
    "protocol.emotion": ("emotion",),
    "protocol.flypt": ("flypt",),
    "telemetry.xplane": ("xplane", "xplane11"),
    "telemetry.flightgear": ("flightgear", "flightgear-generic"),
    "telemetry.forza": ("forza",),
    "telemetry.beamng": ("beamng",),
    "telemetry.bridged": ("msfs", "iracing", "acc"),
    "telemetry.codemasters": ("codemasters",),
    "telemetry.custom_udp": ("custom-udp",),
    "telemetry.dcs": ("dcs",),
    "telemetry.eawrc": ("eawrc",),
    "telemetry.f1": ("f1",),
    "telemetry.lfs": ("lfs",),
}


@final
class Formats(Mapping[str, Format]):
    """Formats by name, each imported on first use."""

    def __init__(self, homes: Mapping[str, tuple[str, ...]]) -> None:
        self._home = {name: home for home, names in homes.items() for name in names}
        self._found: dict[str, Format] = {}

    def __getitem__(self, name: str) -> Format:
        if name not in self._found:
            formats: tuple[Format, ...] = import_module(f"motionbase.host.{self._home[name]}").FORMATS
            self._found |= {form.name: form for form in formats}
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._home)

    def __len__(self) -> int:
        return len(self._home)

    def __contains__(self, name: object) -> bool:
        return name in self._home


FORMATS = Formats(HOMES)


def format_of(name: str) -> Format:
    """The format of that name; raises `UsageError` if there is none."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return FORMATS[name]
