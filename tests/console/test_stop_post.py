"""The emergency stop when the console is killed or hangs: a process of its own takes it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from motionbase.console.console import Console, Settings
from motionbase.console.stop.door import MOST_WAITING
from motionbase.console.stop.keeper import StopPost
from motionbase.ring.backend import find
from motionbase.ring.blocks.commands import CommandReceiver
from motionbase.ring.lifeline import Role, asked
from tests.console.live_rig import PATIENCE_S, RING, TOKEN, VIEWER, own_rings, rows, wait_for, writer

ACTS = {"accepted": True, "text": "the emergency stop acts"}
OPERATOR = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@contextmanager
def base() -> Iterator[CommandReceiver]:
    """Writes a record every 5 ms, and shows a stop once it was asked for one."""
    over = threading.Event()
    with writer() as made:
        receiver = CommandReceiver(made.segment, made.header.layout)

        def write() -> None:
            while not over.wait(0.005):
                receiver.poll()
                made.write(rows(made.head, 1, estop=float(receiver.estop)))

        thread = threading.Thread(target=write)
        thread.start()
        try:
            yield receiver
        finally:
            over.set()
            thread.join()


def ask(method: str, address: str, headers: dict[str, str] | None = None, body: object = None) -> httpx.Response:
    return httpx.request(method, address, headers=headers, json=body, timeout=PATIENCE_S, trust_env=False)


@dataclass(frozen=True)
class Running:
    """A console in a process of its own, and where its post listens."""

    process: subprocess.Popen[str]
    port: int
    stop_port: int

    def stop(self, **headers: str) -> httpx.Response:
        """As a page asks the post."""
        given = {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-site", **OPERATOR, **headers}
        return ask("POST", f"http://127.0.0.1:{self.stop_port}/api/estop", given)


@contextmanager
def console(folder: Path, port: int = 0) -> Iterator[Running]:
    (folder / "token").write_text(f"{TOKEN}\n")
    command = [sys.executable, "-m", "motionbase", "console", "--ring", RING, "--port", str(port), "--no-browser"]
    with subprocess.Popen(
        [*command, "--token-file", str(folder / "token")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        found = int(process.stdout.readline().partition("http://127.0.0.1:")[2].partition("/")[0])
        me = ask("GET", f"http://127.0.0.1:{found}/api/me", {"Authorization": f"Bearer {TOKEN}"}).json()
        assert ask("GET", f"http://127.0.0.1:{me['stop_port']}/api/estop").status_code == 405, "the post is up"
        try:
            yield Running(process, found, me["stop_port"])
        finally:
            with suppress(OSError):
                process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(20)


def posts() -> list[int]:
    """Processes that are posts of the ring."""
    return [found.pid for found in asked(find(RING), Role.POST, {"ask": "who"})]


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def tidy(folder: Path) -> Iterator[None]:
    """A post that outlives its console by design does not outlive its test."""
    yield
    for pid in posts():
        with suppress(OSError):
            os.kill(pid, signal.SIGTERM)


@pytest.mark.parametrize("what", [signal.SIGKILL, signal.SIGSTOP])
def test_a_console_that_is_killed_or_hangs_leaves_the_stop(folder: Path, tidy: None, what: signal.Signals) -> None:
    with base() as receiver, console(folder) as running:
        running.process.send_signal(what)
        if what is signal.SIGKILL:
            running.process.wait(10)
        with pytest.raises(httpx.TransportError):
            httpx.post(f"http://127.0.0.1:{running.port}/api/estop", headers=OPERATOR, timeout=0.5, trust_env=False)
        asked_before = receiver.estop
        assert running.stop().json() == ACTS and receiver.estop and not asked_before
        assert receiver.estop_by[0] == "console: tab1"


def test_both_name_the_stop_after_who_operates(folder: Path, tidy: None) -> None:
    with base() as receiver, console(folder) as running:
        address = f"http://127.0.0.1:{running.port}/api/seat"
        assert ask("POST", address, OPERATOR, {"name": "Ann"}).json()["seated"]
        running.process.kill()
        assert running.stop().json() == ACTS and receiver.estop_by[0] == "console: Ann"


def test_a_console_that_ends_in_order_takes_its_post_with_it(folder: Path) -> None:
    with base(), console(folder) as running:
        assert running.stop().json() == ACTS
        (post,) = posts()
        running.process.terminate()
        assert running.process.wait(20) == 0
        assert not lives(post) and posts() == []
        with pytest.raises(httpx.ConnectError):
            running.stop()


def test_a_console_that_is_started_again_replaces_the_post_and_keeps_its_port(folder: Path, tidy: None) -> None:
    with base() as receiver, console(folder) as first:
        assert first.stop().json() == ACTS
        (old,) = posts()
        first.process.kill()
        first.process.wait(10)
        assert lives(old)
        with console(folder, first.port) as second:
            assert second.stop_port == first.stop_port and second.stop().json() == ACTS
            wait_for(lambda: not lives(old))
            assert len(posts()) == 1 and receiver.estop


# ---- the post without a console's server ----


@dataclass
class Alone:
    """A console's state in this process, with a post whose patience is short."""

    console: Console
    post: StopPost
    address: str

    def ask(self, method: str = "POST", path: str = "/api/estop", **headers: str) -> httpx.Response:
        return ask(method, f"{self.address}{path}", headers)


@contextmanager
def alone(
    folder: Path, patience_s: float = 1.0, viewer_token: str | None = None, port: int = 8700, **options: bool
) -> Iterator[Alone]:
    data = folder / "data" / "console"
    settings = Settings(folder / "recordings", data, TOKEN, viewer_token, ring=RING, **options)  # type: ignore[arg-type]
    made = Console(settings)
    with StopPost(made, port, patience_s) as post:
        yield Alone(made, post, f"http://127.0.0.1:{made.access.stop_port}")
    made.close()


OURS = {"Origin": "http://127.0.0.1:8700", "Sec-Fetch-Site": "same-site"}


@pytest.mark.parametrize(
    ("headers", "status", "said"),
    [
        ({**OPERATOR, **OURS}, 200, ACTS["text"]),
        (OPERATOR, 200, ACTS["text"]),
        ({**OURS}, 401, "this needs the operator token"),
        ({**OURS, "Authorization": f"Bearer {TOKEN}x"}, 401, "not the console's"),
        ({**OURS, **OPERATOR, "X-Client": "no spaces"}, 400, "X-Client"),
        ({**OPERATOR, "Origin": "http://evil.example:8700"}, 403, "may not use"),
        ({**OPERATOR, "Origin": "http://127.0.0.1:8699"}, 403, "may not use"),
        ({**OPERATOR, "Origin": "http://localhost:8700"}, 403, "may not use"),
        ({**OPERATOR, "Origin": "http://127.0.0.1:8700/x"}, 403, "may not use"),
        ({**OPERATOR, "Origin": "http://127.0.0.1:99999"}, 403, "may not use"),
        ({**OPERATOR, "Origin": "null"}, 403, "may not use"),
        ({**OPERATOR, "Sec-Fetch-Site": "same-site"}, 403, "another site"),
        ({**OPERATOR, **OURS, "Sec-Fetch-Site": "cross-site"}, 403, "another site"),
        ({**OPERATOR, "Host": "evil.example"}, 403, "not a name of this console"),
    ],
)
def test_it_is_as_strict_as_the_console(folder: Path, headers: dict[str, str], status: int, said: str) -> None:
    with base() as receiver, alone(folder) as rig:
        answer = rig.ask(**headers)
        assert answer.status_code == status and said in str(answer.json())
        assert receiver.estop is (status == 200)
        readable = answer.headers.get("access-control-allow-origin")
        assert readable == (headers.get("Origin") if status in (200, 400, 401) else None)


def test_what_it_answers_besides(folder: Path) -> None:
    with alone(folder, viewer_token=VIEWER) as rig:
        assert rig.ask(**OPERATOR).status_code == 409 and "there is no ring" in rig.ask(**OPERATOR).json()["detail"]
        assert rig.ask().status_code == 401 and "without a token" in rig.ask().json()["detail"]
        assert rig.ask(Authorization=f"Bearer {VIEWER}").status_code == 401
        asked = {**OURS, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
        before = rig.ask("OPTIONS", **asked)
        assert before.status_code == 204 and before.headers["access-control-allow-methods"] == "GET, POST"
        assert before.headers["access-control-allow-headers"] == "authorization, x-client"
        assert before.headers["access-control-allow-origin"] == OURS["Origin"]
        assert rig.ask("OPTIONS", Origin="http://evil.example").status_code == 403
        assert rig.ask("GET").status_code == 405 and rig.ask("GET", "/api/status").status_code == 404
        with socket.create_connection(("127.0.0.1", int(rig.address.rpartition(":")[2]))) as raw:
            raw.sendall(b"\x16\x03\x01 nonsense\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 400 ")


def test_it_says_what_a_stop_would_do_without_asking_for_one(folder: Path) -> None:
    ready, viewer = "/api/estop/ready", {"Authorization": f"Bearer {VIEWER}"}
    with alone(folder, viewer_token=VIEWER) as rig:
        nobody = rig.ask("GET", ready, **OPERATOR).json()
        assert nobody == {"accepted": False, "text": "nobody writes the ring: there is no base to stop"}
        assert rig.ask("GET", ready, **viewer).status_code == 401 and rig.ask("POST", ready).status_code == 405
        with base() as receiver:
            assert rig.ask("GET", ready, **OPERATOR, **OURS).json() == {
                "accepted": True,
                "text": "a stop would be taken",
            }
            assert not receiver.estop


def test_where_anyone_may_stop_a_viewer_does(folder: Path) -> None:
    with base() as receiver, alone(folder, viewer_token=VIEWER, anyone_may_stop=True) as rig:
        refused = rig.ask(Authorization="Bearer of-some-other-console").status_code, receiver.estop
        acted = rig.ask(Authorization=f"Bearer {VIEWER}", **OURS).json(), receiver.estop
        assert refused == (401, False) and acted == (ACTS, True)
        assert receiver.estop_by[0] == "console: a viewer"


def test_slow_ones_and_crowds_do_not_keep_the_stop_out(folder: Path) -> None:
    with base() as receiver, alone(folder) as rig:
        port = int(rig.address.rpartition(":")[2])
        rig.ask("GET")  # it is up
        crowd = [socket.create_connection(("127.0.0.1", port)) for _ in range(3 * MOST_WAITING)]
        try:
            for one in crowd:
                with suppress(OSError):
                    one.sendall(b"POST /api/estop HTTP/1.1\r\nHost: 127.0")
            assert rig.ask(**OPERATOR, **OURS).json() == ACTS and receiver.estop
            crowd[-1].settimeout(PATIENCE_S)
            assert crowd[-1].recv(1) == b"", "who has not asked after two seconds goes"
        finally:
            for one in crowd:
                one.close()


def test_killed_it_is_started_again_on_the_same_port(folder: Path) -> None:
    with base() as receiver, alone(folder) as rig:
        assert rig.ask("GET").status_code == 405
        before = rig.post.pid
        os.kill(before, signal.SIGKILL)
        assert rig.ask(**OPERATOR).json() == ACTS and receiver.estop, "the socket has waited for it"
        assert rig.post.pid != before
        assert "stop post ended by itself (-9)" in [e for e in rig.console.events.last("live")][-1].text


ORPHAN = """
import os, sys
from pathlib import Path
from motionbase.console.console import Console, Settings
from motionbase.console.stop.keeper import StopPost
made = Console(Settings(Path(sys.argv[1]), Path(sys.argv[1]), "operator-token-of-a-test", ring="rig"))
post = StopPost(made, int(sys.argv[3]), float(sys.argv[2]))
print(post.pid, flush=True)
sys.stdin.read()
os._exit(1)
"""


@contextmanager
def orphaned(folder: Path, patience_s: float, console_port: int = 8700) -> Iterator[Callable[[], bool]]:
    """Whether the post of a console that has just been killed lives."""
    command = (sys.executable, "-c", ORPHAN, str(folder / "data"), str(patience_s), str(console_port))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        wait_for(lambda: pid in posts())
        process.kill()
        process.wait(10)
        try:
            yield lambda: lives(pid)
        finally:
            if pid in posts():
                os.kill(pid, signal.SIGKILL)


def test_without_a_console_it_stays_for_as_long_as_somebody_writes_the_ring(folder: Path) -> None:
    with ExitStack() as writing:
        writing.enter_context(base())
        with orphaned(folder, 0.5) as post:
            time.sleep(2.0)
            assert post(), "the ring has a writer"
            writing.close()
            wait_for(lambda: not post())
    assert posts() == []


def test_a_post_has_the_ring_and_neither_numbers_nor_machine_code() -> None:
    """They would be three quarters of its memory."""
    heavy = {"numpy", "llvmlite", "casadi", "pydantic", "fastapi", "motionbase.compile", "motionbase.native"}
    code = f"import sys, motionbase.console.stop.post as p; print(hasattr(p, 'serve'), {heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "True set()\n", done.stderr
