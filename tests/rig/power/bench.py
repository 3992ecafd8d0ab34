"""A set-up of a power unit as a file states it, and the real client and server of pymodbus around a simulated unit."""

from __future__ import annotations

import select
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any, final

from motionbase.multibody.loaders.toml_source import TomlSource
from motionbase.platform.table import Table
from motionbase.rig.border import PowerState
from motionbase.rig.power.machine import PowerMachine
from motionbase.rig.power.setup import Line, PowerSetup, setup_from
from motionbase.rig.power.simulated import SimulatedPowerUnit
from motionbase.rig.power.unit import ModbusPowerUnit

TEXT = """
[power]
line = "simulated"
period = 0.02
timeout = 2.0
patience = 5.0

[power.registers]
supply      = { address = 0, kind = "input", scale = 0.1, unit = "bar" }
return      = { address = 1, kind = "input", type = "f32", words = "little", unit = "kPa" }
temperature = { address = 3, kind = "input", type = "i16", scale = 0.1, unit = "degC" }
level       = { address = 10, kind = "holding", unit = "%" }
alarms      = { address = 11, kind = "holding", type = "u32" }
running     = { address = 5, kind = "discrete" }
run         = { address = 2, kind = "coil" }
heartbeat   = { address = 20, kind = "holding" }

[power.alarms]
0 = "motor overload"
3 = { text = "filter is dirty", stops = false }

[power.limits]
least_pressure = 120e5
start_time = 6.0
warm = 328.15
hot = 338.15
least_level = 0.3
"""
PATIENT = 30.0  # [s] of real time for what takes milliseconds


def setup_of(text: str = TEXT) -> PowerSetup:
    """The set-up in a text."""
    source = TomlSource.of("rig.toml", text)
    return setup_from(Table(source, (), source.data).table("power"))


@final
class Bench:
    """A unit that is played, and the client that polls it; times of ages are simulated."""

    def __init__(self, place: Path, setup: PowerSetup | None = None, line: Line | None = None) -> None:
        self.setup, self.place = setup or setup_of(), place
        self.physics = SimulatedPowerUnit(watchdog=2.0)
        self.machine = PowerMachine(place, self.setup, self.physics, line=line)
        self.now = 1000.0
        self.unit = ModbusPowerUnit(self.setup, place, clock=lambda: self.now)

    def state(self) -> PowerState:
        """The newest."""
        return self.unit.look(self.now)

    def run(self, seconds: float) -> None:
        """Time goes on for both; what the unit is told between is told."""
        steps = max(round(seconds / 0.5), 1)
        for _ in range(steps):
            self.now += seconds / steps
            self.machine.advance(self.now)
            if not (self.machine.mute or self.machine.garbage or self.machine.refusal):
                self.until(lambda s: s.measured_at == self.now)

    def until(self, what: Callable[[PowerState], bool]) -> PowerState:
        """Wait for a state."""
        wait_for(lambda: what(self.state()), lambda: (self.state(), self.unit.why))
        return self.state()

    def close(self) -> None:
        self.unit.close()
        self.machine.close()


def wait_for(what: Callable[[], bool], told: Callable[[], Any] = lambda: "") -> None:
    """Wait for something true of threads."""
    end = monotonic() + PATIENT
    while monotonic() < end:
        if what():
            return
        select.select([], [], [], 1e-3)
    raise AssertionError(f"not reached: {told()}")


def changed(**changes: Any) -> PowerSetup:
    """The set-up with other values."""
    return replace(setup_of(), **changes)
