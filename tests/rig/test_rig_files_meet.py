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
from motionbase.rig.check.rehearsal import SimulatedPerson
from motionbase.rig.check.report import Verdict
from motionbase.rig.check.session import Options
from motionbase.rig.files import PRESETS, RigFile, heading, load_rig
from motionbase.rig.files.onoff import OnOffLegs

PATIENCE = 60.0  # [s]


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


@pytest.mark.long("some 15 s of real time")
@pytest.mark.parametrize("preset", ["smc3", "odu-onoff"])
def test_a_check_in_real_time_over_lines_and_sockets(preset: str, place: Path) -> None:
    """As of a real machine: the backend opens what the file names, and time passes by itself."""
    rig = load_rig(preset, load_platform(heading(preset).platform))
    with played(rig, place) as machine:
        person = SimulatedPerson(lambda: lengths(rig, machine))
        options = Options(legs=(2,), way=0.02, speed=0.03, rest=0.2)
        person.agrees = lambda question, idle: "sliders" not in question  # type: ignore[method-assign]
        report = check(rig, RealStand(rig, place), person, options)
    assert report.verdict is Verdict.PASSED, report.markdown()


def lengths(rig: RigFile, machine: Any) -> Array:
    """True ones."""
    found: Array = rig.legs.shortest + machine.rig.extensions if isinstance(rig.legs, OnOffLegs) else machine.lengths
    return found
