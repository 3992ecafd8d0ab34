"""What the slow job of a hexapod makes of stops and resets: after a stop nobody but a person leads on."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from motionbase.control.faults import Fault
from motionbase.control.states import Request
from motionbase.executive.hexapod import HexapodRun, LoopCode
from motionbase.executive.tuning import parameter_table
from motionbase.platform.load import load_platform
from motionbase.ring import Writer, hexapod_schema
from motionbase.ring.blocks.command import Command, Kind
from motionbase.ring.blocks.commands import CommandSender
from motionbase.system.closed_loop import ClosedLoop


@cache
def code() -> LoopCode:
    return LoopCode.of(ClosedLoop.of(load_platform("simona"), tuple(c.name for c in hexapod_schema().channels)))


@pytest.fixture
def job(ring_folder: Path) -> Iterator[HexapodRun]:
    table = parameter_table(code().loop).json
    with Writer(hexapod_schema(), dt=5e-4, every=20, capacity=16, parameters=table) as writer:
        run = HexapodRun(code(), writer, print)
        run.arrays["automatic"][...] = 1.0
        yield run


def test_a_reset_after_an_emergency_stop_starts_nothing(job: HexapodRun) -> None:
    job.listen(0)
    assert job.arrays["automatic"] == 1.0
    sender = CommandSender(sender="test")
    sender.estop()
    job.listen(20)
    assert job.arrays["estop"] == 1.0 and job.arrays["automatic"] == 0.0
    sender.send(Command(Kind.RESET_FAULT))
    job.listen(40)
    job.listen(60)
    assert job.arrays["estop"] == 0.0 and job.arrays["automatic"] == 0.0


def test_a_fault_ends_the_automatic_operator(job: HexapodRun) -> None:
    job.arrays["fault"][...] = float(Fault.TRACKING)
    job.listen(0)
    job.arrays["fault"][...] = 0.0
    job.listen(20)
    np.testing.assert_array_equal(job.arrays["automatic"], 0.0)


def test_a_request_before_the_first_tick_waits_for_a_law_that_can_hear_it(job: HexapodRun) -> None:
    assert not job.commands.estop  # who takes commands is there
    CommandSender(sender="test").send(Command(Kind.DOWN))
    job.listen(0)
    assert job.arrays["asked"] == 0.0
    job.listen(20)
    assert job.arrays["asked"] == float(Request.DOWN)
