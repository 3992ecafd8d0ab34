"""The processes of a rig: one that moves the legs, one that oversees it, and one that plays a simulated machine.

python -m motionbase.executive.rig drive|oversee|machine FILE RING PLATFORM FOLDER

Each can be killed. Without the one that moves the legs, the machine stops them by itself, as the backend promises, and
the law has no power. Without the overseer, the one that moves the legs stops them.
"""

from __future__ import annotations

import gc
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Never

from motionbase.executive.exchange import RIG, Exchange
from motionbase.executive.host.process import be_urgent
from motionbase.executive.process import Process, Restart
from motionbase.executive.rig import oversight
from motionbase.executive.rig.driver import Driver
from motionbase.executive.rig.oversight import Heartbeat, claim_row
from motionbase.executive.rig.sentences import Sentences
from motionbase.executive.rig.sole import sole_user
from motionbase.executive.serving import LOOK_S, awaited, next_due, until_told
from motionbase.interpreter import python
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState
from motionbase.rig.border import Actuators
from motionbase.rig.files import RigFile, load_rig
from motionbase.ring import names
from motionbase.ring.backend import find

STOP_S = 10.0  # to bring legs to rest and switch them off
MACHINE_BUSY_US = 1_000_000  # a simulated machine may take a while to begin
PLAYED = "played"  # in the folder as soon as the machine is there: drives that come later than their master are lost
NAMES = {"machine": "machine", "drive": "rig", "oversee": "overseer"}


def processes(rig: RigFile, ring: str, platform: str, place: Path) -> list[Process]:
    """What a supervisor starts; only simulated machines are started again, as opening a real one may move it."""

    def process(what: str, restart: Restart, stop_s: float) -> Process:
        command = python("-m", "motionbase.executive.rig", what, str(rig.path), ring, platform, str(place))
        return Process(NAMES[what], command, restart=restart, stop_s=stop_s, prompt=True)

    again = Restart() if rig.simulated else Restart(limit=0)
    found = [process("drive", again, STOP_S), process("oversee", Restart(), 5.0)]
    return [process("machine", Restart(), 5.0), *found] if rig.simulated else found


def drive(file: str, ring: str, platform: str, place: str) -> Never:
    """Move the legs for the base that writes a ring, and for the next one, until the process is told to end."""
    hexapod = load_platform(platform)
    rig, backend, folder = load_rig(file, hexapod), find(ring), Path(place)
    nominal = hexapod.actuator.p_supply, hexapod.actuator.p_return
    with sole_user(rig):
        while True:
            while rig.simulated and not (folder / PLAYED).exists():
                time.sleep(LOOK_S)
            with awaited(backend, names.RIG, (RIG,)) as exchange, ExitStack() as beside:
                power = rig.power(folder)
                if power is not None:  # opened first, so closed last: that may wait for the unit, and legs must not
                    beside.enter_context(closing(power))
                legs = beside.enter_context(closing(rig.open(folder)))
                overseer = beside.enter_context(Exchange.made(backend, oversight.BLOCKS, names.OVERSEER))
                print(f"{legs.promise.name}: a cycle every {1e3 * legs.promise.period:g} ms", flush=True)
                gc.collect()
                gc.freeze()
                be_urgent()
                cycle_on(exchange, legs, Driver(legs, power, nominal), overseer)


def cycle_on(exchange: Exchange, legs: Actuators, driver: Driver, overseer: Exchange) -> None:
    """Cycle until the base ends."""
    period, say = legs.promise.period, Sentences()
    due = looked = time.monotonic()
    heartbeat = Heartbeat(overseer, due, period)
    while True:
        now = time.monotonic()
        told = exchange.states.get()
        stop = heartbeat.listen(now)
        row = driver.cycle(now, due, told if not heartbeat.is_waited_for else None, stop)
        if stop or not heartbeat.is_waited_for:  # until its overseer is there, a rig is not there for its base either
            exchange.answers.put(row)
        answer, demand = driver.answer, driver.demand
        assert answer is not None
        wanted = demand.l if answer.all_are(LegState.FOLLOWING) else answer.l
        overseer.states.put(claim_row(int(row[0]), now, answer.measured_at, answer.l, wanted, answer.states))
        if (text := say.news(driver, None if told is None else int(told[0]), legs)) is not None:
            print(text, file=sys.stderr, flush=True)
        if now - looked > LOOK_S:
            looked = now
            if exchange.is_replaced():
                return
        due = next_due(due, period + getattr(legs, "shift", 0.0))  # drives on EtherCAT say how to stay off their SYNC0


def machine(file: str, ring: str, platform: str, place: str) -> Never:
    """Play a simulated machine until the process is told to end."""
    rig, folder = load_rig(file, load_platform(platform)), Path(place)
    with closing(rig.machine(folder)) as played:
        (folder / PLAYED).touch()
        print(f"{rig.name}: simulated", flush=True)
        gc.collect()
        gc.freeze()
        be_urgent(MACHINE_BUSY_US)
        due = time.monotonic()
        while True:
            played.advance(time.monotonic())
            due = next_due(due, played.period)


WHAT = {"drive": drive, "oversee": oversight.serve, "machine": machine}


def main(arguments: list[str]) -> None:
    """Serve until a signal."""
    until_told(NAMES[arguments[0]], WHAT[arguments[0]], *arguments[1:])
