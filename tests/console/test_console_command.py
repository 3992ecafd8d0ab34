"""`motionbase console` and the console of a run: real processes, their tokens and their ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from motionbase.cli.main import main as call
from motionbase.console.addresses import TokenFiles
from motionbase.errors import UsageError
from tests.console.live_rig import PATIENCE_S, RING, TOKEN, own_rings, wait_for
from tests.ports import reserved_port

OPERATOR = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


def test_the_command_runs_to_a_good_end(folder: Path) -> None:
    token = folder / "token"
    token.write_text(TOKEN + "\n")
    command = [sys.executable, "-m", "motionbase", "console", "--ring", RING, "--port", "0", "--no-browser"]
    with subprocess.Popen(
        [*command, "--token-file", str(token)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        line, look = process.stdout.readline(), process.stdout.readline()
        base, _, file = line.partition(": ")[2].strip().removesuffix(")").partition(" (operator token in ")
        assert line.startswith(f"console of ring '{RING}': http://127.0.0.1:") and TOKEN not in line
        kept = [path.name for path in (folder / "data").rglob("*.token")]
        assert Path(file) == token and kept == [f"{RING}.viewer.token"], "what was given is not written again"
        said, _, other = look.strip().removesuffix(")").partition(" (viewer token in ")
        assert said == f"view only: {base}" and (viewer := Path(other).read_text().strip()) != TOKEN
        client = httpx.Client(base_url=base, timeout=PATIENCE_S, trust_env=False)
        assert client.get("api/status", headers={"Authorization": f"Bearer {viewer}"}).status_code == 200
        assert client.get("api/status").status_code == 401, "nobody looks without a token"
        assert (folder / "data" / "console").stat().st_mode & 0o777 == 0o700
        assert TOKEN not in Path(f"/proc/{process.pid}/cmdline").read_text()
        assert client.get("api/me", headers=OPERATOR).json()["role"] == "operator"
        port = base.rstrip("/").rpartition(":")[2]
        second = subprocess.run([*command[:-3], "--port", port, "--no-browser"], capture_output=True, text=True)
        assert second.returncode == 2 and second.stderr.count("\n") == 1 and "already in use" in second.stderr
        client.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
        assert process.stderr.read() == "" and token.read_text() == f"{TOKEN}\n"


@contextmanager
def said_by_a_console(*options: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A console whose output goes to no terminal, and the file that it names."""
    command = [sys.executable, "-m", "motionbase", "console", "--ring", RING, "--port", "0", "--no-browser", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip().removesuffix(")").partition(" (operator token in ")[2])
        process.terminate()
        process.wait(20)


def test_two_consoles_of_a_ring_keep_two_tokens_and_a_dead_one_s_name_is_used_again(folder: Path) -> None:
    with said_by_a_console() as (first, one), said_by_a_console() as (_, two):
        assert (one.name, two.name) == ("rig.token", "rig.2.token") and one.read_text() != two.read_text()
        assert one.stat().st_mode & 0o777 == two.stat().st_mode & 0o777 == 0o600
        before = one.read_text()
        first.kill()
        first.wait(20)
        assert one.read_text() == before, "nobody could take it away"
        with said_by_a_console() as (_, third):
            assert third == one and third.read_text() not in (before, two.read_text())
    assert [p.name for p in (folder / "data" / "console").iterdir() if "token" in p.name] == []
    for post in (folder / "data" / "console" / "stop_posts").glob("*.lock"):  # of the one that was killed
        os.kill(int(post.read_text()), signal.SIGTERM)


def test_a_token_file_is_its_owner_s_alone(folder: Path) -> None:
    (folder / "rig.token").write_text("of a console before")
    (folder / "rig.token").chmod(0o644)
    ours, other = TokenFiles(folder, "rig"), TokenFiles(folder, "rig")
    path = ours.write("token", "secret")
    assert path.read_text() == "secret\n" and path.stat().st_mode & 0o777 == 0o600
    assert ours.write("viewer.token", "look").name == "rig.viewer.token"
    assert other.write("token", "another").name == "rig.2.token"
    ours.remove()
    assert not path.exists() and (folder / "rig.2.token").read_text() == "another\n"
    other.remove()
    assert list(folder.glob("*rig*")) == []
    with pytest.raises(UsageError, match="start the console on a terminal"):
        TokenFiles(path / "no folder" if path.write_text("x") else path, "rig").write("token", "secret")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "99999"], "port 99999"),
        (["--token-file", "nowhere"], "nowhere"),
        (["--ring", "no/ring"], "ring name"),
        (["--recordings", "nowhere"], "no such folder"),
        (["--anyone-may-view", "--viewer-token-file", "x"], "leave out one"),
        (["--anyone-may-view", "--host", "0.0.0.0"], "give a viewer token"),
        (["--group", "no-such-group"], "group 'no-such-group' does not exist; yours are: "),
    ],
)
def test_the_command_refuses_in_one_sentence(
    folder: Path, options: list[str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    assert call(["console", "--no-browser", *options]) == 2
    out, err = capsys.readouterr()
    assert out == "" and said in err and err.count("\n") == 1


def test_a_run_has_its_console(folder: Path) -> None:
    """The address is printed, the token stands in no command line, and all ends together."""
    command = [sys.executable, "-m", "motionbase", "run", "simona", "--ring", RING, "--no-record"]
    command += ["--generators", "none"]  # what moves is tested elsewhere
    with (
        reserved_port() as port,
        subprocess.Popen(
            [*command, "--port", str(port)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as process,
        httpx.Client(base_url=f"http://127.0.0.1:{port}/api/", timeout=PATIENCE_S, trust_env=False) as client,
    ):
        assert process.stdout is not None
        try:
            line = next(text for text in process.stdout if "console | console of ring" in text)
            assert "#token=" not in line
            token = Path(line.strip().removesuffix(")").partition(" (operator token in ")[2]).read_text().strip()
            client.headers.update({"Authorization": f"Bearer {token}", "X-Client": "tab1"})
            assert client.get("me").json()["role"] == "operator"
            for name in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    assert token not in name.read_text(errors="replace")
                except OSError:
                    continue  # it has just ended
            wait_for(lambda: client.get("status").json()["sources"][0]["platform"] == "simona", 120.0)
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        assert process.wait(60) == 0, rest
