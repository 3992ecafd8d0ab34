"""The console's report of a base that is starting or has ended, and the restart of a base."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from motionbase.console.live.life import base_life, started_again
from motionbase.errors import RingError
from motionbase.executive.again import StartAgain
from motionbase.executive.process import Process, Role
from motionbase.ring.backend import find
from motionbase.ring.claim import Claim, Waiting
from tests.console.api_rig import page
from tests.console.live_rig import RING, own_rings, rows, writer

BASE = Process("base", ("base",), Role.WRITER, again=("base", "--manual"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@pytest.fixture
def supervisor(folder: Path) -> Iterator[StartAgain]:
    """As `motionbase run` is to its ring."""
    with Waiting(find(RING)) as waiting:
        made = StartAgain(None, lambda _: None)
        waiting.also = made.answer
        yield made


def test_a_base_that_compiles_says_so_with_its_platform(folder: Path) -> None:
    assert base_life(find(RING)) is None, "nobody is there"
    claim = Claim(find(RING))
    try:
        life = base_life(find(RING))
        assert life is not None and (life.doing, life.text) == ("starting", "the base is being started")
        claim.tell(platform="hexapod of the north", since=1700.5)
        life = base_life(find(RING))
        assert life is not None and life.text == "the base hexapod of the north is being compiled"
        assert (life.platform, life.utc, life.may_start) == ("hexapod of the north", 1700.5, False)
    finally:
        claim.release()
    with writer() as made:
        made.write(rows(0, 10))
        assert base_life(find(RING)) is None, "records say more"


def test_a_base_that_ended_says_why_and_is_started_again_once(supervisor: StartAgain) -> None:
    backend = find(RING)
    life = base_life(backend)
    assert life is not None and life.doing == "starting", "its supervisor has not started it yet"
    assert base_life(backend, time.time()) is None, "its ring is there, and its end not noticed"
    assert started_again(RING, backend, "Ann").text == "the base was not started again: the base has not ended"
    supervisor.left(BASE, "was ended by SIGKILL")
    life = base_life(backend)
    assert life is not None and life.text == "the base was ended by SIGKILL"
    assert life.doing == "ended" and life.may_start and life.utc is not None
    assert supervisor.due() is None, "nobody has asked"
    assert started_again(RING, backend, "Ann").accepted and started_again(RING, backend, "Bob").accepted
    starting = base_life(backend, time.time())
    assert starting is not None and starting.doing == "starting"
    assert supervisor.due() == replace(BASE, command=("base", "--manual")) and supervisor.due() is None


def test_nobody_starts_a_base_that_nobody_supervises(folder: Path) -> None:
    with pytest.raises(RingError, match="no `motionbase run` waits to start the base of ring"):
        started_again(RING, find(RING), "Ann")


def test_the_seated_operator_alone_starts_it_and_all_are_told_why_it_ended(
    folder: Path, supervisor: StartAgain
) -> None:
    with page(folder, RING) as operator:
        supervisor.left(BASE, "was ended by SIGKILL; its last words: oh")
        for _ in range(2):
            ring = operator.console.status().sources[0]
            assert ring.life is not None and ring.life.may_start and "its last words: oh" in ring.life.text
        told = [e for e in operator.console.events.last("live") if e.what == "writer"]
        (end,) = told  # once
        assert end.text == "the base was ended by SIGKILL; its last words: oh" and end.is_bad
        assert "token" in operator.anybody().refusal(401, "POST", "/api/base/start")
        assert "seat" in operator.standing().refusal(409, "POST", "/api/base/start")
        assert supervisor.due() is None
        answer = operator.call("POST", "/api/base/start").json()
        assert answer == {"accepted": True, "text": "the base is started again; it comes up at rest, switched off"}
        assert supervisor.due() is not None
