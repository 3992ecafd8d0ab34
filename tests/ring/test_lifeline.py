"""Lifelines show the processes of a ring without files; hostile packets, planted sockets, forked children."""

from __future__ import annotations

import errno
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from motionbase.console.stop.keeper import _taken_over
from motionbase.errors import RingError
from motionbase.ring.backend import find
from motionbase.ring.catalogue import Life, clean, entry
from motionbase.ring.claim import Claim, Waiting
from motionbase.ring.emergency import LATCHED, Stopper
from motionbase.ring.lifeline import (
    LARGEST,
    MOST_WAITING,
    PAUSE_S,
    PLACES,
    Lifeline,
    Reply,
    Role,
    address,
    asked,
    living,
)
from motionbase.ring.living import has_writer, unnamed
from motionbase.ring.lock import OWNERS_VARIABLE
from motionbase.ring.reader import Reader
from tests.ring.ring_processes import environment, until, writer
from tests.ring.rings import small_writer

NOBODY = 65534
IS_ROOT = os.geteuid() == 0
WHO = {"ask": "who"}


@contextmanager
def user(number: int) -> Iterator[None]:
    """As another user, for a while."""
    os.seteuid(number)
    try:
        yield
    finally:
        os.seteuid(0)


def connected(role: Role = Role.WRITER, place: int = 0) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    made.connect(address(find(), role, place))
    return made


# ---- one writer ----------------------------------------------------------------------------------------------------


def test_removing_the_lock_file_lets_nobody_in(ring_folder: Path) -> None:
    with writer(ring_folder, "motionbase", 10) as first:
        (ring_folder / "motionbase-motionbase.lock").unlink()
        with pytest.raises(RingError, match=f"has a writer already, process {first.pid}; stop it"):
            small_writer()
        assert entry("motionbase").life is Life.ALIVE
        assert [o.why for o in clean(("motionbase",), force=True)] == [f"its writer is alive, process {first.pid}"]
        assert len(Reader(start="oldest").read().rows) == 10


def test_removing_the_rings_name_as_well_lets_nobody_in(ring_folder: Path) -> None:
    with writer(ring_folder, "motionbase", 10) as first:
        for path in ring_folder.glob("motionbase-*"):
            path.unlink()
        with pytest.raises(RingError, match=f"process {first.pid} whose ring's name was removed"):
            small_writer()
        with pytest.raises(RingError, match=rf"its name was removed, but its writer \(process {first.pid}\) is alive"):
            entry("motionbase")
        first.kill()
        first.wait()
        with small_writer():
            pass


def test_the_rings_own_file_says_that_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no lifelines, on another system say, and the lock file was removed."""
    monkeypatch.setattr("motionbase.ring.lifeline.HERE", False)
    with small_writer() as ring:
        ring.backend.lock_path.unlink()
        with pytest.raises(RingError, match=f"has a writer already, process {os.getpid()}"):
            small_writer()
    with small_writer():
        pass


def test_a_device_has_one_writer_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "card"
    device.write_bytes(bytes(1 << 20))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(device))
    with small_writer() as ring:
        for here in (True, False):
            monkeypatch.setattr("motionbase.ring.lifeline.HERE", here)
            ring.backend.lock_path.unlink(missing_ok=True)
            with pytest.raises(RingError, match="has a writer already"):
                small_writer()
        monkeypatch.setattr("motionbase.ring.lifeline.HERE", True)
    with small_writer():
        pass


FORKED = """
import os, signal, sys
from tests.ring.rings import small_writer
ring = small_writer()
if os.fork() == 0:
    print("ready", flush=True)  # the child: from here on it has forgotten
signal.pause()
"""


def test_a_forked_child_keeps_nothing_of_its_parent(ring_folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FORKED], env=environment(ring_folder), stdout=subprocess.PIPE, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "ready\n"
            assert has_writer(find()) == process.pid
            process.kill()
            process.wait()
            assert has_writer(find()) is None
            with small_writer():
                pass
        finally:
            os.killpg(process.pid, 9)


# ---- whose it is ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_a_ring_of_another_user_is_not_read_without_a_word(ring_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = small_writer(mode=0o666)
    os.chown(ring.backend.path, NOBODY, NOBODY)
    refused = rf"belongs to nobody \(user {NOBODY}\), not to you \(user 0\) nor to root; .*{OWNERS_VARIABLE}=nobody"
    with pytest.raises(RingError, match=refused):
        Reader()
    with pytest.raises(RingError, match=refused):
        Stopper("motionbase").press("me").refusal or pytest.fail("it was told")
        raise Stopper("motionbase").press("me").refusal or RingError("")
    assert "belongs to nobody" in entry("motionbase").trouble
    for allowed in ("nobody", str(NOBODY), "somebody, nobody", "any"):
        monkeypatch.setenv(OWNERS_VARIABLE, allowed)
        assert Reader().schema
    ring.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_roots_ring_is_read_by_others(open_folder: Path) -> None:
    with small_writer(mode=0o644), user(NOBODY):
        assert Reader().schema


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_a_lock_that_another_user_planted_is_named(ring_folder: Path) -> None:
    path = find().lock_path
    path.touch()
    os.chown(path, NOBODY, NOBODY)
    with pytest.raises(RingError, match=rf"lock {path} belongs to nobody"):
        small_writer()


def test_new_rings_are_their_owners_alone() -> None:
    with small_writer() as ring:
        assert ring.backend.path.stat().st_mode & 0o777 == 0o600
        assert ring.backend.lock_path.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_sockets_of_other_users_are_passed_over(open_folder: Path) -> None:
    """They neither block the writer's name nor a stop to the writer, and their answers are ignored."""
    with user(NOBODY):
        planted = Lifeline(find(), Role.WRITER, lambda _: Reply({"stopped": True, "head": 1, "takes": True}))
    try:
        assert living(find(), Role.WRITER) is None and has_writer(find()) is None
        with pytest.raises(RingError, match="there is no ring"):
            Stopper("motionbase").stop("me")
        claim = Claim(find())
        assert [f.place for f in asked(find(), Role.WRITER, WHO)] == [1]
        with pytest.raises(RingError, match="has a writer already"):
            Claim(find())
        with user(NOBODY), connected(place=1) as foreign:
            assert foreign.recv(LARGEST) == b"", "who is nobody to the writer is not heard"
        assert Stopper("motionbase").stop("me") == LATCHED
        claim.release()
    finally:
        planted.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_all_places_taken_by_others_keep_nobody_from_starting(
    open_folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with user(NOBODY):
        planted = [Lifeline(find(), role, lambda _: Reply({})) for role in Role for _ in range(PLACES)]
    try:
        with Waiting(find()), small_writer() as ring:
            said = capfd.readouterr().err.splitlines()
            for who, sentence in zip(("supervisor", "writer"), said, strict=True):
                assert f"all {PLACES} socket names of its {who} are taken by other users" in sentence
            assert has_writer(find()) == 0
            with pytest.raises(RingError, match=f"has a writer already, process {os.getpid()}"):
                small_writer()
            assert Stopper("motionbase").stop("me") == LATCHED and stops(ring)
    finally:
        for line in planted:
            line.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_who_may_write_the_ring_may_stop_its_writer(open_folder: Path) -> None:
    with small_writer(mode=0o666), user(NOBODY), connected() as other:
        other.send(json.dumps({"ask": "stop", "by": "other"}).encode())
        assert json.loads(other.recv(LARGEST))["stopped"]


@pytest.mark.parametrize("role", list(Role))
def test_who_is_trusted_to_be_read_is_not_answered(role: Role, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a stop nor the tokens of a console: all connections are those of such a user here."""
    monkeypatch.setenv(OWNERS_VARIABLE, "any")
    monkeypatch.setattr("motionbase.ring.lifeline.peer", lambda _: (1, NOBODY, NOBODY))
    ask, heard = {Role.POST: "places"}.get(role, "stop"), list[object]()

    def answer(request: object) -> Reply:
        heard.append(request)
        return Reply({"stopped": True})

    line = Lifeline(find(), role, answer)
    try:
        assert [f.said for f in asked(find(), role, {"ask": ask})] == [{}] and not heard
    finally:
        line.close()


@pytest.mark.skipif(not IS_ROOT, reason="only root can act as another user")
def test_what_is_acted_on_is_taken_from_no_other_user(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OWNERS_VARIABLE, "any")
    place = {"port": 1, "console_port": 2, "host": "", "allow_hosts": [], "operator_token": "a", "viewer_token": "b"}
    null = os.open(os.devnull, os.O_RDONLY)
    with user(NOBODY):
        planted = [
            Lifeline(find(), role, lambda _: Reply({"stops": ["other"], "places": [place]}, (null,)))
            for role in (Role.SUPERVISOR, Role.POST)
        ]
    try:
        assert living(find(), Role.POST) == os.getpid(), "whoever only looks sees it"
        assert _taken_over("motionbase") == []
        with small_writer() as ring:
            assert not stops(ring)
    finally:
        os.close(null)
        for line in planted:
            line.close()


# ---- hostile packets -----------------------------------------------------------------------------------------------


def packets() -> Iterator[bytes]:
    rng = random.Random(1)
    yield from (b"{", b"[]", b"null", b"\xff\xfe", b"[" * LARGEST, b'{"ask": ["stop"]}', b'{"ask": null}', b"7" * 4000)
    yield b'{"ask": "stop", "by": ' + b'"' + b"x" * (LARGEST - 40) + b'"}'
    yield b"x" * (2 * LARGEST)
    yield from (rng.randbytes(rng.randrange(1, 2 * LARGEST)) for _ in range(200))


def test_whatever_is_sent_the_line_answers_on() -> None:
    with small_writer():
        for raw in packets():
            with connected() as one:
                one.send(raw)
                answer = one.recv(LARGEST)
                assert answer == b"" or isinstance(json.loads(answer), dict)
        with connected() as one:
            socket.send_fds(one, [b'{"ask": "who"}'], [0, 1, 2])
            assert json.loads(one.recv(LARGEST))["pid"] == os.getpid()
        assert [f.said["pid"] for f in asked(find(), Role.WRITER, WHO)] == [os.getpid()]


def test_silent_ones_and_crowds_keep_nobody_out() -> None:
    with small_writer():
        crowd = [connected() for _ in range(3 * MOST_WAITING)]
        assert [f.said["pid"] for f in asked(find(), Role.WRITER, WHO)] == [os.getpid()]
        assert crowd[-1].recv(1) == b"", "who asks nothing is let go"
        for one in crowd:
            one.close()


def test_answers_may_be_anything() -> None:
    answers: Iterator[dict[str, object]] = iter(
        [{"stopped": "yes", "head": "many", "takes": []}, {"epoch": "x"}, {"stops": 7}, {"stops": [{}, 3]}]
    )
    line = Lifeline(find(), Role.SUPERVISOR, lambda _: Reply(next(answers, {})))
    try:
        assert "latched" in Stopper("motionbase").stop("me")
        assert "about to start its writer" in unnamed(find())
        for _ in range(3):
            with small_writer() as ring:
                assert ring.head == 0
    finally:
        line.close()


# ---- stops before the base begins ----------------------------------------------------------------------------------


def stops(ring: object) -> bool:
    from motionbase.ring.blocks.commands import CommandReceiver

    receiver = CommandReceiver(ring.segment, ring.header.layout)  # type: ignore[attr-defined]
    receiver.poll()
    return receiver.estop


@pytest.mark.parametrize("begun", ["supervisor", "compiling", "ring", "receiver"])
def test_a_stop_before_the_first_tick_is_kept_and_met(begun: str) -> None:
    backend = find()
    waiting = Waiting(backend) if begun == "supervisor" else None
    claim = Claim(backend) if begun == "compiling" else None
    if begun in ("supervisor", "compiling"):
        assert Stopper("motionbase").stop("me") == LATCHED
        with small_writer(claim=claim) as ring:
            assert stops(ring)
    else:
        with small_writer() as ring:
            if begun == "receiver":
                assert not stops(ring)
            assert Stopper("motionbase").stop("me") == LATCHED
            assert stops(ring)
    if waiting is not None:
        waiting.close()
    with small_writer() as ring:
        assert not stops(ring), "it was that one's"


def test_where_nobody_is_there_a_stop_says_so() -> None:
    with pytest.raises(RingError, match="there is no ring 'motionbase'"):
        Stopper("motionbase").stop("me")


def test_a_press_asks_nobody(ring_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Event loops call it: locks show that the writer died, even if another process is silent on its socket names."""
    with writer(ring_folder, "motionbase", 10) as first:
        first.kill()
        first.wait()
    for module in ("living", "emergency"):
        monkeypatch.setattr(f"motionbase.ring.{module}.asked", lambda *_, **__: pytest.fail("it waits for somebody"))
    refusal = Stopper("motionbase").press("me").refusal
    assert "its writer has died" in str(refusal)


def test_without_descriptors_the_line_waits_instead_of_spinning(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses, full, accept = list[float](), [True], socket.socket.accept

    def refused(listening: socket.socket) -> tuple[socket.socket, object]:
        if full:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return accept(listening)

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        full.clear()

    with small_writer(), monkeypatch.context() as patch:
        patch.setattr(socket.socket, "accept", refused)
        patch.setattr("motionbase.ring.lifeline.time.sleep", pause)
        assert [f.said["pid"] for f in asked(find(), Role.WRITER, WHO)] == [os.getpid()]
    assert pauses == [PAUSE_S]


def test_a_writer_that_cannot_begin_lets_go_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("motionbase.ring.claim.asked", interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            small_writer()
    assert has_writer(find()) is None and caught.tb, "though the traceback still has its frames"


def test_whoever_is_closed_is_gone() -> None:
    claim = Claim(find())
    assert living(find(), Role.WRITER) == os.getpid()
    claim.release()
    claim.release()
    assert living(find(), Role.WRITER) is None
    begin = time.monotonic()
    until(lambda: has_writer(find()) is None, "nobody")
    assert begin <= time.monotonic()
