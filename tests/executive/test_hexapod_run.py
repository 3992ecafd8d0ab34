"""What the slow job of a hexapod makes of stops and resets: after a stop nobody but a person leads on."""

import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from motionbase.executive import Executive, Job, Mode, Schedule
from motionbase.executive.hexapod import HexapodRun, LoopCode
from motionbase.executive.tuning import parameter_table
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.requests import Command, Kind, Reason
from motionbase.record.rig import Order as RigOrder
from motionbase.record.rig import RigFault
from motionbase.record.states import Request
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.writer import Writer
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


def test_a_base_without_a_rig_refuses_orders_to_its_legs(job: HexapodRun) -> None:
    sender = CommandSender(sender="test")
    job.listen(0)
    for tick, kind in enumerate((Kind.ENABLE, Kind.HOME, Kind.DISABLE), start=1):
        number = sender.send(Command(kind))
        job.listen(20 * tick)
        ack = sender.wait(number, 0.0)
        assert ack is not None and not ack.accepted and ack.reason is Reason.NO_RIG
    assert job.arrays["automatic"] == 1.0, "nobody has taken over"


def test_a_fault_of_legs_at_rest_ends_the_automatic_operator(job: HexapodRun) -> None:
    """The law sees no fault while it is off; a reset must not switch legs on, home them and rise all the same."""
    led = list[int]()
    rig: Any = SimpleNamespace(inputs={}, is_faulty=False, give=lambda order: None, lead=lambda arrays: led.append(1))
    run = replace(job, rig=rig)
    run.arrays["automatic"][...] = 1.0
    run.listen(0)
    assert len(led) == 1
    rig.is_faulty = True
    run.listen(20)
    rig.is_faulty = False  # by a reset
    run.listen(40)
    assert len(led) == 1 and run.arrays["automatic"] == 0.0


@pytest.mark.parametrize("fault", [RigFault.NONE, RigFault.OVERLOAD])
def test_a_reset_reaches_a_rig_only_if_it_has_a_fault(job: HexapodRun, fault: RigFault) -> None:
    """Every backend ends a movement at a reset: one that is pressed without need must not stop the platform."""
    orders = list[RigOrder]()
    rig: Any = SimpleNamespace(inputs={}, is_faulty=bool(fault), give=orders.append, lead=lambda arrays: None)
    run = replace(job, rig=rig)
    run.listen(0)
    CommandSender(sender="test").send(Command(Kind.RESET_FAULT))
    run.listen(20)
    assert run.arrays["reset"] == 1.0
    assert orders == ([RigOrder.RESET] if fault else [])


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


def test_a_tick_that_hangs_is_a_fault_that_the_guard_finds(job: HexapodRun) -> None:
    """The next one begins more than a second behind its due time; what is asked for then is refused."""
    hang = Job("hang", 10_000, lambda tick: time.sleep(1.2), phase=100)
    schedule = Schedule(job.schedule.dt, (*job.schedule.jobs, hang))
    report = Executive(schedule, job.writer, Mode.REAL_TIME, clock=job.clock).run(ticks=300)
    assert report.exit_code == 0 and job.arrays["fault"] == Fault.GUARD_LATE and job.arrays["abort"] > 0
    assert job.writer.record[hexapod_schema().index["fault"]] == Fault.GUARD_LATE
    assert job._refusal(Request.STANDBY) is Reason.FAULT_ACTIVE and job._refusal(Request.ABORT) is Reason.NONE
