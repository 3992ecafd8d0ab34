"""How a rig's process ends, and how it notices that its overseer has ended."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from motionbase.executive.rig import oversight, process
from motionbase.executive.rig.oversight import MISSED_S, Heartbeat
from motionbase.record.rig import StopCause
from motionbase.rig.oversight import Reason


class Over(Exception):
    """Ends the process of a test."""


def test_legs_are_stopped_before_the_pump(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The end of a power unit waits for its line; legs would be without cycles meanwhile."""
    closed = list[str]()

    def opened(name: str) -> Any:
        return SimpleNamespace(close=lambda: closed.append(name), promise=SimpleNamespace(name=name, period=0.01))

    def ends(*_: object) -> None:
        raise Over

    rig = SimpleNamespace(
        simulated=False, devices=(), open=lambda place: opened("legs"), power=lambda place: opened("pump")
    )
    monkeypatch.setattr(process, "load_rig", lambda *_: rig)
    monkeypatch.setattr(process, "awaited", lambda *_: nullcontext())
    monkeypatch.setattr(process, "cycle_on", ends)
    for name in ("find", "be_urgent", "Driver"):
        monkeypatch.setattr(process, name, lambda *_: None)
    monkeypatch.setattr(process, "Exchange", SimpleNamespace(made=lambda *_: nullcontext()))
    with pytest.raises(Over):
        process.drive("mine.toml", "ring", "simona", str(tmp_path))
    assert closed == ["legs", "pump"]


def test_the_overseer_tells_what_is_wrong_with_its_witness(capsys: pytest.CaptureFixture[str]) -> None:
    done = list[str]()
    witness: Any = SimpleNamespace(
        stop=lambda: done.append("stop"), why="the CAN bus does not receive: network is down"
    )
    stopper: Any = SimpleNamespace(press=done.append)
    oversight._stop(Reason(StopCause.BLIND, -1, 0.3, 0.25), witness, stopper, None)
    assert done == ["stop", "the overseer"]
    said = capsys.readouterr().err
    assert "no new reading" in said and "network is down" in said


class Answers:
    """An overseer that counts until it dies."""

    def __init__(self) -> None:
        self.row = np.zeros(4)

    def get(self) -> Any:
        return self.row.copy()


@pytest.mark.parametrize("period", [0.002, 0.01, 0.06, 0.2])
def test_a_dead_overseer_is_noticed_at_any_period(period: float) -> None:
    """Also where a cycle takes longer than what is a pause of the process elsewhere."""
    answers, now = Answers(), time.monotonic()
    heartbeat = Heartbeat(SimpleNamespace(answers=answers), now, period)  # type: ignore[arg-type]
    for _ in range(round(1.0 / period)):
        now += period
        answers.row[0] += 1
        assert heartbeat.listen(now) is StopCause.NONE
    died = now
    while heartbeat.listen(now) is StopCause.NONE:
        now += period
        assert now < died + MISSED_S + 3 * period
    assert heartbeat.cause is StopCause.OVERSEER_SILENT


def test_a_pause_of_the_own_process_is_no_silence_of_the_overseer() -> None:
    answers = Answers()
    heartbeat = Heartbeat(SimpleNamespace(answers=answers), 0.0, 0.01)  # type: ignore[arg-type]
    answers.row[0] = 1.0
    assert heartbeat.listen(0.01) is StopCause.NONE
    assert heartbeat.listen(2.0) is StopCause.NONE
