"""No emergency stop is lost while one stop post takes over from another, or when a post ends."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from motionbase.console.console import Console, Settings
from motionbase.console.listening import listening
from motionbase.console.stop import door, keeper
from motionbase.console.stop.door import Asked, Door, Reply
from motionbase.console.stop.keeper import StopPost
from motionbase.interpreter import python
from motionbase.ring.backend import find
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.emergency import NO_ANSWER
from motionbase.ring.lifeline import Role, asked
from tests.console.live_rig import PATIENCE_S, RING, TOKEN, own_rings, rows, wait_for, writer
from tests.console.test_stop_post import ACTS, OPERATOR, alone, ask, base, orphaned, posts

NOT_ACTING = {"accepted": True, "text": NO_ANSWER}
AT_ONCE, REPLACED = 8, 5  # threads that ask, and consoles, of the flood


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@contextmanager
def deaf_base() -> Iterator[CommandReceiver]:
    """Has records, and never shows a stop: each one is waited for half a second, which is time to end a post in."""
    with writer() as made:
        made.write(rows(0, 10))
        yield CommandReceiver(made.segment, made.header.layout)


def pressed(receiver: CommandReceiver) -> bool:
    receiver.poll()
    return bool(receiver.estop)


def port_of_orphan() -> int:
    """Of the one post there is, once it knows that its console is gone."""
    ports: list[int] = []

    def found() -> list[int]:
        (post,) = asked(find(RING), Role.POST, {"ask": "who"})
        ports[:] = post.said["ports"] if post.said.get("orphan") else []
        return ports

    wait_for(found, PATIENCE_S)
    return ports[0]


def leave(port: int) -> None:
    """As the post of the next console says it."""
    (found,) = asked(find(RING), Role.POST, {"ask": "leave", "ports": [port]})
    assert found.said == {"leaves": True}


def terminate(_: int) -> None:
    (pid,) = posts()
    os.kill(pid, signal.SIGTERM)


def asking(pool: ThreadPoolExecutor, port: int, receiver: CommandReceiver) -> Future[httpx.Response]:
    """A stop that a post has accepted, and has not answered yet."""
    answer = pool.submit(ask, "POST", f"http://127.0.0.1:{port}/api/estop", OPERATOR)
    wait_for(lambda: pressed(receiver) or answer.done(), PATIENCE_S)
    return answer


@pytest.mark.parametrize("end", [leave, terminate])
def test_a_post_that_leaves_answers_the_stop_that_it_has_taken(folder: Path, end: Callable[[int], None]) -> None:
    with deaf_base() as receiver, orphaned(folder, 60.0) as lives, ThreadPoolExecutor() as pool:
        port = port_of_orphan()
        answer = asking(pool, port, receiver)
        end(port)
        assert answer.result().json() == NOT_ACTING
        wait_for(lambda: not lives(), PATIENCE_S)


def test_a_post_whose_console_ends_in_order_answers_the_stop_that_it_has_taken(folder: Path) -> None:
    with deaf_base() as receiver, ThreadPoolExecutor() as pool:
        with alone(folder) as rig:
            answer = asking(pool, int(rig.address.rpartition(":")[2]), receiver)
        assert answer.result().json() == NOT_ACTING and posts() == []


def test_a_door_that_closes_answers_those_in_its_queue_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "ASK_S", PATIENCE_S)

    async def closed() -> list[bytes]:
        entered, released = asyncio.Event(), asyncio.Event()

        async def answer(_: Asked) -> Reply:
            entered.set()
            await released.wait()
            return Reply(200)

        made = listening("127.0.0.1", 0)
        at = made.getsockname()
        opened = Door(made, answer)
        with ExitStack() as stack:

            def sent(request: bytes) -> socket.socket:
                one = stack.enter_context(socket.create_connection(at, PATIENCE_S))
                one.sendall(request)
                return one

            head = b"POST /api/estop HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
            clients = [sent(head)]
            await entered.wait()  # it is being answered; this thread lets nobody accept the next ones
            clients += [*(sent(head) for _ in range(20)), sent(head[:20])]
            closing = asyncio.create_task(opened.close(PATIENCE_S))
            await asyncio.sleep(0)
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(at, PATIENCE_S)
            clients[-1].sendall(head[20:])
            released.set()
            await closing
            return [one.recv(12) for one in clients]

    assert asyncio.run(closed()) == [b"HTTP/1.1 200"] * 22


def test_the_old_post_takes_stops_of_the_next_consoles_pages_until_that_has_its_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper, "COMMAND", python("-c", "import sys; sys.stdin.read()"))  # is never up
    with base() as receiver, orphaned(folder, 60.0):
        port = port_of_orphan()
        made = Console(Settings(folder, folder, f"next-{TOKEN}", ring=RING))
        page = {"Origin": f"http://127.0.0.1:{port - 1}", "Authorization": f"Bearer next-{TOKEN}"}
        address = f"http://127.0.0.1:{port}/api/estop"
        assert ask("POST", address, page).status_code in (401, 403)  # by its token, or already by its port
        with StopPost(made, port - 1):
            assert made.access.stop_port == port
            assert ask("POST", address, page).json() == ACTS and receiver.estop
            assert ask("POST", address, OPERATOR).json() == ACTS, "a page of the console before"
        made.close()


@pytest.mark.long("a flood of minutes")
@pytest.mark.parametrize("acts", [True, False])
def test_a_flood_of_stops_loses_none_while_consoles_are_replaced(folder: Path, acts: bool) -> None:
    said, lost, over = Counter[str](), Counter[str](), threading.Event()

    def flood(address: str) -> None:
        while not over.is_set():
            try:
                said[str(ask("POST", address, OPERATOR).json())] += 1
            except httpx.TransportError as error:
                lost[f"{type(error).__name__}: {error}"] += 1

    with ExitStack() as stack:
        stack.enter_context(base() if acts else deaf_base())
        before = stack.enter_context(orphaned(folder, 60.0))
        port = port_of_orphan()
        threads = [threading.Thread(target=flood, args=(f"http://127.0.0.1:{port}/api/estop",)) for _ in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(REPLACED):
                old, before = before, stack.enter_context(orphaned(folder, 60.0, port - 1))
                while old():
                    over.wait(0.01)
        finally:
            over.set()
            for thread in threads:
                thread.join()
    print(dict(said), dict(lost))
    assert not lost and str(ACTS if acts else NOT_ACTING) in said
    assert said.keys() <= {str(ACTS), str(NOT_ACTING)}, "a busy machine shows some too late"
