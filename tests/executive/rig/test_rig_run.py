"""A base on simulated rigs, in processes as in a real run: it follows, and whatever dies or hangs, the legs stop."""

from __future__ import annotations

import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.executive.rig.process import processes
from motionbase.platform.load import load_platform
from motionbase.record.faults import Fault
from motionbase.record.rig import RigFault, StopCause
from motionbase.record.states import State
from motionbase.rig.border import Witness
from motionbase.rig.files import load_rig
from motionbase.ring.reader import Reader
from tests.ring.ring_processes import command, environment, until

AWAY = 0.004  # [m] of a leg from where it was: it is on its way
WINDOW = 0.33  # [s]
STILL = 1e-3  # [m] in this time: six times the noise of a difference; the legs rose by 3 mm and more
RESTING = (State.OFF, State.HELD)


@dataclass
class Rigged:
    """A base that runs on a rig, and somebody who looks at the legs independently."""

    reader: Reader
    base: subprocess.Popen[str]
    others: dict[str, subprocess.Popen[bytes]]
    eyes: Witness
    last: Array | None = None

    def channel(self, name: str) -> float:
        until(self._looked, "there are records")
        assert self.last is not None
        return float(self.last[self.reader.schema.index[name]])

    def _looked(self) -> bool:
        rows = self.reader.read().rows
        if len(rows):
            self.last = rows[-1].copy()
        return self.last is not None

    @property
    def state(self) -> State:
        return State(int(self.channel("state")))

    @property
    def faults(self) -> set[RigFault]:
        return {RigFault(int(self.channel(f"leg{leg}_rig_fault"))) for leg in range(1, 7)}

    def lengths(self) -> Array:
        found: list[Array] = []

        def seen() -> bool:
            sight = self.eyes.look(time.monotonic())
            found.append(sight.l)
            return bool(np.isfinite(sight.measured_at))

        until(seen, "the legs are seen")
        return found[-1]

    def is_at_rest(self) -> bool:
        before, end = self.lengths(), time.monotonic() + WINDOW
        while time.monotonic() < end:  # all the time: a bus keeps few frames for who does not listen
            after = self.lengths()
            time.sleep(0.005)
        return bool(np.abs(after - before).max() < STILL)

    def _rises(self) -> bool:
        assert self.base.poll() is None, "the base has ended"
        assert all(other.poll() is None for other in self.others.values()), "a process has ended"
        return self.state is State.RISING

    def await_motion(self) -> None:
        """Until the legs are well on their way up."""
        until(self._rises, "it rises")
        begin = self.lengths()
        until(lambda: bool((self.lengths() - begin).min() > AWAY), "the legs move")


@contextmanager
def rigged(folder: Path, preset: str, platform: str) -> Iterator[Rigged]:
    """The base alone, and the processes that a supervisor would start beside it."""
    rig = load_rig(preset, load_platform(platform))
    with ExitStack() as beside:
        place = Path(beside.enter_context(tempfile.TemporaryDirectory(prefix="mb")))
        others = {}
        for process in processes(rig, "rigged", platform, place):
            others[process.name] = beside.enter_context(
                subprocess.Popen(process.command, env=environment(folder), stdout=subprocess.DEVNULL)
            )
        for other in others.values():
            beside.callback(other.kill)
        base = beside.enter_context(command(folder, "run", platform, "--alone", "--rig", preset, "--ring", "rigged"))
        beside.callback(lambda: base.send_signal(signal.SIGCONT))
        reader = beside.enter_context(closing(Reader("rigged")))
        eyes = rig.witness(place)
        assert eyes is not None
        yield Rigged(reader, base, others, beside.enter_context(closing(eyes)))


Harm = Callable[[Rigged], None]
HARMS: dict[str, tuple[Harm, set[RigFault], set[StopCause]]] = {
    "overseer killed": (
        lambda run: run.others["overseer"].kill(), {RigFault.EMERGENCY_STOP}, {StopCause.OVERSEER_SILENT},
    ),
    "overseer hangs": (
        lambda run: run.others["overseer"].send_signal(signal.SIGSTOP), {RigFault.EMERGENCY_STOP},
        {StopCause.OVERSEER_SILENT},
    ),
    "law hangs": (
        lambda run: run.base.send_signal(signal.SIGSTOP), {RigFault.SILENT_LAW}, {StopCause.NONE, StopCause.GUARD},
    ),
    "law killed": (lambda run: run.base.kill(), set(), set()),
    "rig killed": (lambda run: run.others["rig"].kill(), set(), set()),
    "rig hangs": (lambda run: run.others["rig"].send_signal(signal.SIGSTOP), set(), set()),
    "machine killed": (lambda run: run.others["machine"].kill(), set(), set()),
}  # fmt: skip


USUAL = ("overseer killed", "law hangs", "rig killed")
SLOW = pytest.mark.long("each is a run of its own: the suite has the plainest of them")
CASES = [
    pytest.param(rig, platform, what, id=f"{rig} {what}", marks=() if rig == "odu-onoff" and what in USUAL else SLOW)
    for rig, platform in (("odu-onoff", "odu"), ("drives", "emotion-1500")) for what in HARMS
]  # fmt: skip


@pytest.mark.parametrize(("rig", "platform", "what"), CASES)
def test_whatever_dies_or_hangs_the_legs_stop(rig: str, platform: str, what: str, tmp_path: Path) -> None:
    do, faults, causes = HARMS[what]
    with rigged(tmp_path, rig, platform) as run:
        run.await_motion()
        do(run)
        if what != "machine killed":  # then nothing is left that could move
            until(run.is_at_rest, "the legs stop")
            assert run.is_at_rest()  # for good
        if what.startswith("law hangs"):
            run.base.send_signal(signal.SIGCONT)
        if run.base.poll() is None and what != "law killed":
            until(lambda: run.state in RESTING, "the law stops too")
            assert Fault(int(run.channel("fault"))) in (Fault.SUPPLY, Fault.ESTOP, Fault.GUARD_LATE)
        if faults:
            assert run.faults == faults
            assert StopCause(int(run.channel("rig_stop"))) in causes
