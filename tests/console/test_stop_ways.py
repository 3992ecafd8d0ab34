"""The emergency stop where the ring is not there yet or has lost its name, and posts that take over from each other."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from motionbase.console.live.ring_status import ring_status
from motionbase.console.stop import keeper
from motionbase.console.stop.orders import Orders, Place
from motionbase.ring.backend import AbstractBackend, find
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.claim import Claim, Waiting
from motionbase.ring.emergency import LATCHED
from motionbase.ring.lifeline import LARGEST, Lifeline, Reply, Role, address, asked, message
from tests.console.live_rig import PATIENCE_S, RING, TOKEN, own_rings, wait_for, writer
from tests.console.test_stop_post import ACTS, OPERATOR, alone, ask, base, console, lives, posts
from tests.ports import reserved_port

Starting = Callable[[AbstractBackend], Claim | Waiting]
IS_LATCHED = {"accepted": True, "text": LATCHED}
GONE = re.compile(
    r"the ring's name is gone, its writer \(process (\d+)\) lives; the stop reached it by its socket, and acts"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    yield own_rings(tmp_path, monkeypatch)
    for pid in posts():
        os.kill(pid, signal.SIGKILL)


def stopped(receiver: CommandReceiver) -> bool:
    receiver.poll()
    return receiver.estop


@pytest.mark.parametrize("starting", [Waiting, Claim])
def test_console_and_post_latch_a_stop_before_the_ring_is_there(folder: Path, starting: Starting) -> None:
    with console(folder) as running:
        address = f"http://127.0.0.1:{running.port}/api/estop"
        assert running.stop().status_code == 409 and ask("POST", address, OPERATOR).status_code == 409
        begun = starting(find(RING))
        assert running.stop().json() == IS_LATCHED and ask("POST", address, OPERATOR).json() == IS_LATCHED
        with writer(claim=begun if isinstance(begun, Claim) else None) as made:
            receiver = CommandReceiver(made.segment, made.header.layout)
            assert stopped(receiver), "it is met before anything moves"
            assert running.stop().json() == IS_LATCHED, "no record yet"
            assert stopped(receiver)
            receiver.release_estop()
            assert not stopped(receiver), "a reset ends it"
        if isinstance(begun, Waiting):
            begun.close()


def test_a_ring_that_lost_its_name_is_stopped_and_nobody_says_otherwise(folder: Path) -> None:
    with base() as receiver:
        find(RING).path.unlink()
        with alone(folder) as rig:  # a console that comes now has never seen the ring
            told = rig.ask(**OPERATOR).json()
            found = GONE.fullmatch(told["text"])
            assert told["accepted"] and found and int(found[1]) == os.getpid() and receiver.estop
            text = ring_status(rig.console.source("live")).state_text
            assert text == f"no segment: its name was removed, but its writer (process {os.getpid()}) is alive"


def test_a_ring_that_lost_its_name_and_its_locks_under_a_console(folder: Path) -> None:
    with base() as receiver, console(folder) as running:
        for path in folder.glob("motionbase-*"):
            path.unlink()
        assert GONE.fullmatch(running.stop().json()["text"]) and receiver.estop
        address = f"http://127.0.0.1:{running.port}/api/estop"
        assert GONE.fullmatch(ask("POST", address, OPERATOR).json()["text"])


# ---- one post for a ring -------------------------------------------------------------------------------------------


@contextmanager
def console_port() -> Iterator[int]:
    """Of a console: the next one is kept for its post."""
    with reserved_port() as post:
        yield post - 1


def killed(folder: Path, token: str, port: int) -> int:
    """A console with a token of its own, killed; returns its post."""
    settings = f"Path({str(folder)!r}), Path({str(folder / 'data')!r}), {token!r}, ring={RING!r}"
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom motionbase.console.console import Console, Settings\n"
        f"from motionbase.console.stop.keeper import StopPost\nmade = Console(Settings({settings}))\n"
        f"print(StopPost(made, {port}).pid, flush=True)\n"
        "sys.stdin.read()\nos._exit(1)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        wait_for(lambda: pid in posts())
        process.kill()
    wait_for(lambda: all(f.said.get("orphan") for f in asked(find(RING), Role.POST, {"ask": "who"}) if f.pid == pid))
    return pid


def ports_here() -> list[int]:
    """Ports on which this process can listen, one for each open file."""
    found = []
    for file in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the listing itself
            if not stat.S_ISSOCK(os.fstat(int(file)).st_mode):
                continue  # before it is copied: what is no socket is refused, and the copy would stay open
            with socket.socket(fileno=os.dup(int(file))) as one:
                if one.family == socket.AF_INET and one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found.append(int(one.getsockname()[1]))
    return found


def test_posts_of_killed_consoles_do_not_pile_up(folder: Path) -> None:
    """Each console has a new token; the one post that is left takes the stop of all their pages, on the same port."""
    tokens = [f"token-of-console-{k}" for k in range(3)]
    with console_port() as port, base() as receiver:
        pids = []
        for token in tokens:
            pids.append(killed(folder, token, port))
            wait_for(lambda: posts() == pids[-1:])
            # a post that is replaced answers what it has accepted before it ends
            wait_for(lambda: [lives(pid) for pid in pids] == [*[False] * (len(pids) - 1), True])
        address = f"http://127.0.0.1:{port + 1}"
        for token in tokens:
            headers = {"Authorization": f"Bearer {token}", "Origin": f"http://127.0.0.1:{port}",
                       "Sec-Fetch-Site": "same-site"}  # fmt: skip
            assert ask("POST", f"{address}/api/estop", headers).json() == ACTS
        assert ask("POST", f"{address}/api/estop", {"Authorization": "Bearer token-of-console-9"}).status_code == 401
        assert receiver.estop
        with alone(folder, port=port):
            assert ports_here() == [port + 1], "one open file, however many consoles before had it"


def test_a_restarted_console_keeps_the_address_of_its_post_wherever_that_is(folder: Path) -> None:
    """The next port was taken when the first console came; pages know the other one."""
    with socket.create_server(("127.0.0.1", 0)) as taken, base():
        port = int(taken.getsockname()[1]) - 1
        killed(folder, "token-of-console-0", port)
        (place,) = keeper._taken_over(RING)
        os.close(place.socket)
        assert place.port != port + 1
        taken.close()
        with alone(folder, port=port) as rig:
            assert rig.console.access.stop_port == place.port


def test_two_posts_that_have_the_same_socket_hand_on_one(folder: Path) -> None:
    """The second had no time yet to tell the first to leave."""
    with socket.create_server(("127.0.0.1", 0)) as made:
        place = Place(made.fileno(), made.getsockname()[1], 8700, "127.0.0.1", (), "token-of-console-0", None)
        places = (place, replace(place, operator_token="token-of-console-1"))
        reply = Reply({"places": [asdict(p) for p in places]}, tuple(p.socket for p in places))
        lines = [Lifeline(find(RING), Role.POST, lambda _: reply) for _ in range(2)]
        try:
            taken = keeper._taken_over(RING)
            (file,) = {p.socket for p in taken}
            assert taken == [replace(p, socket=file) for p in places] and file != made.fileno()
            assert ports_here() == [place.port] * 2
            os.close(file)
        finally:
            for line in lines:
                line.close()


def test_a_place_that_an_older_post_has_to_keep_is_not_held_open(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A console that listened there for nobody would keep pages waiting once that post is gone."""
    monkeypatch.setattr(keeper, "MOST_PLACES", 1)
    with console_port() as port, console_port() as other, base():
        older = killed(folder, "token-of-console-0", port)
        with alone(folder, port=other) as rig:
            assert ports_here() == [rig.console.access.stop_port]
            assert rig.ask("GET").status_code == 405 and lives(older)
            headers = {"Authorization": "Bearer token-of-console-0"}
            assert ask("POST", f"http://127.0.0.1:{port + 1}/api/estop", headers).json() == ACTS


def test_a_post_with_a_console_is_left_alone(folder: Path) -> None:
    with base(), alone(folder) as first, alone(folder) as second:
        assert first.ask("GET").status_code == 405 and second.ask("GET").status_code == 405
        assert len(posts()) == 2 and first.address != second.address
        for place in range(2):
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
                line.connect(address(find(RING), Role.POST, place))
                line.send(b'{"ask": "leave", "ports": [8701]}')
                answer = message(line.recv(LARGEST))
                assert answer is not None and "whose console is gone" in answer["error"]
        assert first.ask(**OPERATOR).json() == ACTS and second.ask(**OPERATOR).json() == ACTS


def test_a_post_leaves_only_for_one_that_has_its_ports(folder: Path) -> None:
    with console_port() as port, base():
        pid = killed(folder, TOKEN, port)
        (who,) = asked(find(RING), Role.POST, {"ask": "who"}, PATIENCE_S)
        wrong: tuple[object, ...] = ([], [1], "all", None, [who.said["ports"]], [str(p) for p in who.said["ports"]])
        for ports in wrong:
            (found,) = asked(find(RING), Role.POST, {"ask": "leave", "ports": ports}, PATIENCE_S)
            assert "error" in found.said
        assert lives(pid)
        (found,) = asked(find(RING), Role.POST, {"ask": "leave", "ports": who.said["ports"]}, PATIENCE_S)
        assert found.said == {"leaves": True}
        wait_for(lambda: not lives(pid))


def test_orders_come_back_as_they_were() -> None:
    place = Place(3, 8701, 8700, "127.0.0.1", ("rig", "lab"), "t" * 20, None)
    orders = Orders("rig", (place, place), 5.0)
    assert Orders.of(orders.line) == orders
