"""`motionbase rig power`: readings of the hydraulic power unit of a rig file."""

import json
import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from motionbase.cli import terminal
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from rich.table import Table

    from motionbase.rig.border import PowerState
    from motionbase.rig.files import RigFile
    from motionbase.rig.power.machine import PowerMachine
    from motionbase.rig.power.setup import PowerSetup
    from motionbase.rig.power.unit import ModbusPowerUnit

LOOK_S, SAY_S = 0.1, 1.0  # between looks, and between lines where there is no terminal
SHOWN = {  # register: in words, factor, offset, unit
    "supply": ("supply pressure", 1e-5, 0.0, "bar"), "return": ("return pressure", 1e-5, 0.0, "bar"),
    "temperature": ("oil", 1.0, -273.15, "degC"), "level": ("oil level", 100.0, 0.0, "% of full"),
}  # fmt: skip


def show_power(rig: "RigFile", run: bool, yes: bool, duration: float | None, as_json: bool) -> None:
    """Show the unit of a rig until Ctrl-C, or once; exit with 1 if something is wrong with it in the end."""
    from motionbase.ring.gentle import stop_requested

    setup = rig.unit
    if setup is None:
        raise UsageError(f"rig {rig.name!r} has no hydraulic power unit; its file has no table [power]")
    if duration is not None and not 0 < duration < 1e7:
        raise UsageError(f"--duration is {duration:g} s, it must be above 0")
    if run and not rig.simulated and not yes:
        _ask(setup)
    if duration is None and as_json:
        duration = setup.limits.start_time + setup.patience if run else setup.patience + 2 * setup.timeout
    with stop_requested() as stop, _played(rig, setup) as (unit, machine):
        if run:
            unit.run(True)
        state = _watched(unit, machine, stop, duration, as_json, ends_early=as_json and not run)
    if as_json:
        print(json.dumps(_data(setup, unit, state), indent=2))
    if state.fault:
        raise typer.Exit(1)


def _ask(setup: "PowerSetup") -> None:
    screen = terminal.stderr()
    if not screen.is_terminal:
        raise UsageError(f"--run starts the pump of {setup.name} at {setup.line}; without a terminal it needs --yes")
    screen.print(f"The pump of {setup.name} at {setup.line} will start, and stop when this command ends.")
    if not typer.confirm("Nobody is near the machine, and somebody has the emergency stop in hand?", err=True):
        raise typer.Exit(1)


@contextmanager
def _played(rig: "RigFile", setup: "PowerSetup") -> "Iterator[tuple[ModbusPowerUnit, PowerMachine | None]]":
    """The unit, and the simulation of it if the rig is simulated."""
    from motionbase.rig.power.machine import PowerMachine, simulated_unit
    from motionbase.rig.power.unit import ModbusPowerUnit

    if not rig.simulated:
        with closing(ModbusPowerUnit(setup)) as unit:
            yield unit, None
        return
    physics = simulated_unit(setup, rig.pressure)
    with tempfile.TemporaryDirectory() as folder, closing(PowerMachine(Path(folder), setup, physics)) as machine:
        with closing(ModbusPowerUnit(setup, Path(folder))) as unit:
            yield unit, machine


def _watched(
    unit: "ModbusPowerUnit", machine: "PowerMachine | None", stop: Any, duration: float | None, quiet: bool,
    ends_early: bool,
) -> "PowerState":  # fmt: skip
    """Show readings until a signal or the end of the time; the newest state."""
    from rich.live import Live

    began = said = time.monotonic()
    screen = terminal.console()
    is_live = screen.is_terminal and not quiet
    with Live(console=screen, auto_refresh=False) if is_live else nullcontext() as live:
        while True:
            now = time.monotonic()
            if machine is not None:
                machine.advance(now)
            state = unit.look(now)
            if live is not None:
                live.update(table(unit, state, now), refresh=True)
            elif not quiet and now >= said and (math.isfinite(state.measured_at) or now - began > SAY_S):
                said = now + SAY_S
                print(line(unit, state), flush=True)
            is_seen = ends_early and math.isfinite(state.measured_at)
            if is_seen or (duration is not None and now - began >= duration) or stop.wait(LOOK_S):
                return state


def table(unit: "ModbusPowerUnit", state: "PowerState", now: float) -> "Table":
    """Readings, for a terminal."""
    shown = terminal.table(f"{unit.setup.name}, {unit.setup.line}", "what", "reads", "", right=("reads",))
    for name, (words, factor, offset, unit_text) in SHOWN.items():
        if name in unit.setup.registers:
            shown.add_row(words, _number(unit.values.get(name), factor, offset), unit_text)
    shown.add_row("pump", "runs" if state.running else "stands", "")
    age = now - state.measured_at
    shown.add_row("age of the reading", f"{age:.1f}" if math.isfinite(age) else "-", "s")
    shown.add_row("fault", state.fault.name if state.fault else "none", unit.why)
    for text in unit.warnings:
        shown.add_row("warning", "", text)
    return shown


def line(unit: "ModbusPowerUnit", state: "PowerState") -> str:
    """Readings on one line."""
    parts = [
        f"{words} {_number(unit.values.get(name), factor, offset)} {unit_text}"
        for name, (words, factor, offset, unit_text) in SHOWN.items()
        if name in unit.values
    ]
    fault = [f"{state.fault.name}: {unit.why}"] if state.fault else []
    return ", ".join([*parts, f"pump {'runs' if state.running else 'stands'}", *fault, *unit.warnings])


def _number(value: float | None, factor: float, offset: float) -> str:
    return "-" if value is None or not math.isfinite(value) else f"{factor * value + offset:.1f}"


def _data(setup: "PowerSetup", unit: "ModbusPowerUnit", state: "PowerState") -> dict[str, Any]:
    values = {name: value if math.isfinite(value) else None for name, value in unit.values.items()}
    return {
        "name": setup.name, "line": str(setup.line), "answers": math.isfinite(state.measured_at), "values": values,
        "running": state.running, "fault": state.fault.name, "code": state.code, "why": unit.why,
        "warnings": list(unit.warnings),
    }  # fmt: skip
