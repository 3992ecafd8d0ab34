"""`motionbase operate` against a ring whose writer takes requests: what it sends, waits for, and says."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.requests import ACTIONS, KINDS, Kind, Reason, Result
from motionbase.record.states import State
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.emergency import NO_ANSWER
from motionbase.ring.writer import Writer

Capture = pytest.CaptureFixture[str]
SLOW = 20  # looks, 2 ms each, from a request to the state it leads to


class Base:
    """Hears everything but `drive`, for which it is never ready; goes to standby and off by and by."""

    def __init__(self, ring: Writer) -> None:
        self.state, self.heard, self._over = State.DOWN, list[Kind](), threading.Event()
        self._ring, self._left, self._next = ring, 0, State.DOWN
        self._receiver = CommandReceiver(ring.segment, ring.header.layout)
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        row = self._ring.record
        while not self._over.wait(2e-3):
            if (order := self._receiver.poll()) is not None and order.command is not None:
                self.heard.append(order.command.kind)
                refused = order.command.kind is Kind.DRIVE
                answer = (Result.REFUSED, Reason.NOT_READY) if refused else (Result.ACCEPTED, Reason.NONE)
                self._receiver.answer(order, *answer)
                if order.command.kind is Kind.STANDBY:
                    self.state, self._next, self._left = State.RISING, State.STANDBY, SLOW
            if self._receiver.estop and self.state not in (State.ABORT, State.OFF):
                self.state, self._next, self._left = State.ABORT, State.OFF, SLOW
            self._left -= 1
            if self._left == 0:
                self.state = self._next
            row[self._ring.schema.index["state"]] = self.state.value
            self._ring.publish()

    def close(self) -> None:
        self._over.set()
        self._thread.join()


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Base]:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    with Writer(hexapod_schema(), capacity=64) as ring:
        running = Base(ring)
        yield running
        running.close()


def test_every_action_is_sent_as_its_command(base: Base) -> None:
    sent = [a for a in ACTIONS if a not in ("drive", "estop")]
    for action in sent:
        assert call(["operate", action]) == 0
    assert base.heard == [KINDS[a] for a in sent]


def test_the_help_lists_the_actions() -> None:
    assert set(ACTIONS) == {*KINDS, "estop"}


def test_waits_until_the_base_is_there(base: Base, capsys: Capture) -> None:
    assert call(["operate", "standby", "--wait", "60"]) == 0
    assert capsys.readouterr().out == "standby: done, now standby\n"
    assert base.state is State.STANDBY


def test_emergency_stop_needs_no_answer(base: Base, capsys: Capture) -> None:
    assert call(["operate", "estop", "--wait", "60"]) == 0
    assert capsys.readouterr().out == "estop: done, now off\n"
    assert base.heard == []


@pytest.mark.parametrize("arguments", [[], ["--wait", "0.2"]])
def test_a_base_that_does_not_act_is_a_failure(base: Base, capsys: Capture, arguments: list[str]) -> None:
    while base._ring.head == 0:
        time.sleep(1e-3)
    base.close()  # as one that hangs: the ring is there, its locks are held, no record comes
    assert call(["operate", "estop", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err == f"motionbase: estop: {NO_ANSWER}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["drive"], "drive was refused: the ring's writer is not ready (now down)"),
        (["settle", "--wait", "0.2"], "settle was accepted, but after 0.2 s the base is in down"),
        (["stanby"], "did you mean 'standby'"),
        (["reset", "--wait", "3"], "--wait: reset leads to no state; leave it out"),
        (["standby", "--wait", "-1"], "--wait is -1 s, it must be above 0 and at most 3600"),
        (["standby", "--ring", "nobody"], "there is no ring 'nobody'"),
    ],
)
def test_one_sentence_when_it_cannot(base: Base, capsys: Capture, arguments: list[str], sentence: str) -> None:
    assert call(["operate", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == "" and sentence in err and err.count("\n") == 1
