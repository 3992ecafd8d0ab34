"""What a rig file opens finds the simulated machine of the same file in the folder where they meet, in real time."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, Order
from motionbase.rig.border import Actuators, Answer, Demand
from motionbase.rig.check.check import RealStand, check
from motionbase.rig.check.report import Report, Verdict
from motionbase.rig.check.session import Options
from motionbase.rig.check.simulated import SimulatedPerson
from motionbase.rig.files import FOLDER, PRESETS, RigFile, heading, load_rig
from motionbase.rig.files.onoff import OnOffLegs
from motionbase.rig.power.machine import LegsAndPower

PATIENCE = 60.0  # [s]
ATTEMPTS = 5


@contextmanager
def played(rig: RigFile, place: Path) -> Iterator[object]:
    """The machine, in a thread."""
    over = threading.Event()
    with closing(rig.machine(place)) as machine:

        def play() -> None:
            while not over.is_set():
                machine.advance(time.monotonic())
                time.sleep(machine.period / 2)

        thread = threading.Thread(target=play)
        thread.start()
        try:
            yield machine
        finally:
            over.set()
            thread.join()


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder with a short name, as paths of sockets are short."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def cycle(legs: Actuators, order: Order = Order.NONE) -> Answer:
    time.sleep(legs.promise.period)
    return legs.cycle(time.monotonic(), Demand(int(time.monotonic() * 1e6), np.zeros(6), np.zeros(6), order=order))


@pytest.mark.parametrize("preset", PRESETS)
def test_legs_and_machine_meet(preset: str, place: Path) -> None:
    rig = load_rig(preset, load_platform(heading(preset).platform))
    start = rig.legs.start  # type: ignore[attr-defined]
    wanted = (LegState.UNHOMED,) if preset in ("drives", "esp32") else (LegState.READY,)
    with played(rig, place), closing(rig.open(place)) as legs:
        until = time.monotonic() + PATIENCE
        answer = cycle(legs)
        while not (np.isfinite(answer.measured_at) and not answer.fault) and time.monotonic() < until:
            answer = cycle(legs)
        answer = cycle(legs, Order.ENABLE)
        while not answer.all_are(*wanted) and time.monotonic() < until:
            answer = cycle(legs)
        assert answer.all_are(*wanted), answer
        if preset in ("odu-onoff", "smc3"):
            np.testing.assert_allclose(answer.l, start, atol=3e-3)
        witness = rig.witness(place)
        assert (witness is not None) == (preset in ("drives", "odu-onoff"))
        if witness is not None:
            with closing(witness):
                sight = witness.look(time.monotonic())
                while not np.isfinite(sight.l).all() and time.monotonic() < until:
                    cycle(legs)
                    sight = witness.look(time.monotonic())
                assert np.isfinite(sight.l).all()


def checked(rig: RigFile, place: Path, leg: int) -> tuple[Report, object]:
    """A check in real time, as of a real machine: the backend opens what the file names, and time passes by itself.

    On a busy machine a cycle may come so late that the legs stop; then it is done again.
    """
    for _ in range(ATTEMPTS):
        with played(rig, place) as machine:
            person = SimulatedPerson(lambda: lengths(rig, machine))
            options = Options(legs=(leg,), way=0.02, speed=0.03, rest=0.2)
            person.agrees = lambda question, idle: "sliders" not in question  # type: ignore[method-assign]
            report = check(rig, RealStand(rig, place), person, options)
        if report.verdict is Verdict.PASSED:
            break
    return report, machine


@pytest.mark.long("some 15 s of real time")
@pytest.mark.parametrize("preset", ["smc3", "odu-onoff"])
def test_a_check_in_real_time_over_lines_and_sockets(preset: str, place: Path) -> None:
    report, _ = checked(load_rig(preset, load_platform(heading(preset).platform)), place, 2)
    assert report.verdict is Verdict.PASSED, report.markdown()


POWER = """
[power]
line = "simulated"
[power.registers]
supply = { address = 0, kind = "input", scale = 0.1, unit = "bar" }
return = { address = 1, kind = "input", scale = 0.1, unit = "bar" }
running = { address = 5, kind = "input", bit = 2 }
run = { address = 0, kind = "coil" }
heartbeat = { address = 10, kind = "holding" }
[power.limits]
least_pressure = 50e5
"""


@pytest.mark.long("some 20 s of real time")
def test_a_check_starts_and_stops_the_pump_of_the_file(place: Path, tmp_path: Path) -> None:
    """Without pressure the simulated cylinders would not move, so the valves pass only after the pump was started."""
    pytest.importorskip("pymodbus")
    file = tmp_path / "mine.toml"
    file.write_text((FOLDER / "odu-onoff.toml").read_text() + POWER)
    rig = load_rig(file, load_platform("odu"))
    report, machine = checked(rig, place, 5)
    assert report.verdict is Verdict.PASSED, report.markdown()
    assert isinstance(machine, LegsAndPower)
    assert "bar supply" in report.markdown() and not machine.power.unit.commanded


def lengths(rig: RigFile, machine: Any) -> Array:
    """True ones."""
    legs: Any = machine.legs if isinstance(machine, LegsAndPower) else machine
    found: Array = rig.legs.shortest + legs.rig.extensions if isinstance(rig.legs, OnOffLegs) else legs.lengths
    return found
