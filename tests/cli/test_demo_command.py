"""`motionbase demo`: what it refuses, and which parts it plays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from motionbase.cli import demo
from motionbase.cli.main import main as call
from motionbase.cli.run_beside import Extras
from motionbase.errors import UsageError
from motionbase.executive import base
from motionbase.executive.base_setup import BaseOptions
from motionbase.executive.supervisor import Ending
from motionbase.interpreter import python
from motionbase.recording.open import open_recording
from tests.ports import reserved_port
from tests.quick_platform import quick_platform
from tests.ring.ring_processes import PATIENCE_S, environment, until

VIEWER = "viewer-token-of-a-test"
Capture = pytest.CaptureFixture[str]
QUIET = Extras(None, True, True, None, False, False, False, False)
SHORT = """
import sys
from motionbase.cli import demo, main
from motionbase.interpreter import python
scripts = {"boat": "circle", "drive": "drift"}
demo.TOUR = {name: demo.Part(f"boat://seed?script={script}", script) for name, script in scripts.items()}
demo.RISING_S = 4.0
demo.motionbase_command = lambda *words: python("-c", sys.argv[1], sys.argv[1], *words)
sys.exit(main.main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--seconds", "0"], "--seconds is 0 s, it must be above 0 and at most 3600 s"),
        (["--seconds", "nan"], "--seconds is nan s, it must be above 0"),
        (["--only", "boot"], "--only: no part 'boot'; did you mean 'boat'?"),
        (["--record", "/nonexistent"], "--record /nonexistent is no folder"),
        (["sinoma"], "no platform 'sinoma'; presets: "),
        (["atlas"], "a sphere follows poses only"),
        (["--ring", "a/b"], "ring name 'a/b'"),
        (["--port", "8790", "--no-console"], "--port is for the console, and --no-console leaves it out"),
    ],
)
def test_bad_calls_are_refused_in_a_sentence(capsys: Capture, given: list[str], sentence: str) -> None:
    assert call(["demo", *given]) == 2
    assert sentence in capsys.readouterr().err


def test_parts_that_cannot_be_simulated_are_left_out_unless_they_are_asked_for(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seed, gone = demo.Part("boat://seed", "a boat"), demo.Part(f"world://{tmp_path}/gone.py:Gone", "nothing")
    monkeypatch.setattr(demo, "TOUR", {"boat": seed, "flight": gone})
    assert demo.chosen(None) == ["boat"]
    assert "flight is left out: " in capsys.readouterr().out
    with pytest.raises(UsageError, match="gone"):
        demo.chosen("flight,boat")
    monkeypatch.setattr(demo, "TOUR", {"flight": gone})
    with pytest.raises(UsageError, match="no part of the tour"):
        demo.chosen(None)


def test_parts_follow_each_other_until_the_end_or_a_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []
    endings = [Ending(0, "44 s have passed")] * 3 + [Ending(0, "SIGINT came", asked=True)]

    def run(options: BaseOptions, readers: object, *, stays: bool) -> Ending:
        asked.append((options.host, options.duration, stays))
        return endings[len(asked) - 1]

    monkeypatch.setattr(base, "run_supervised", run)
    boat, drive = (demo.TOUR[name].host for name in ("boat", "drive"))
    assert demo._toured("simona", ["boat", "drive"], 32.0, True, "demo", QUIET) == 0
    assert asked == [(host, 32.0 + demo.RISING_S, False) for host in (boat, drive, boat, drive)]
    asked.clear()
    endings[:] = [Ending(1, "writer 'base' ended with exit code 1")]
    assert demo._toured("simona", ["boat", "drive"], None, False, "demo", QUIET) == 1
    assert asked == [(boat, demo.TOUR["boat"].seconds + demo.RISING_S, False)]


@contextmanager
def touring(folder: Path, port: int, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A short tour of its own, with console and recordings."""
    (folder / "recordings").mkdir()
    words = ("demo", quick_platform(folder), "--seconds", "3", "--record", str(folder / "recordings"), *more)
    env = {**environment(folder), "MOTIONBASE_DATA": str(folder / "data"), "MOTIONBASE_CONSOLE_VIEWER_TOKEN": VIEWER}
    whole = python("-c", SHORT, SHORT, *words, "--port", str(port), "--no-browser")
    pipe = subprocess.PIPE
    with subprocess.Popen(whole, env=env, text=True, stdout=pipe, stderr=pipe, start_new_session=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def script_shown(port: int) -> str | None:
    """Of the world, as the console has it; None while there is none."""
    head = {"Authorization": f"Bearer {VIEWER}"}
    try:
        answer = httpx.get(f"http://127.0.0.1:{port}/api/world", headers=head, trust_env=False, timeout=30.0)
    except httpx.TransportError:
        return None
    return str(answer.json()["script"]) if answer.status_code == 200 else None


@pytest.mark.long("runs in real time: half a minute")
def test_one_console_shows_part_after_part_and_ctrl_c_ends_everything(tmp_path: Path) -> None:
    with reserved_port() as port, touring(tmp_path, port, "--repeat") as process:
        for script in ("circle", "drift", "circle"):
            until(lambda script=script: script_shown(port) == script, script, 3 * PATIENCE_S)  # type: ignore[misc]
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, out + err
    assert "Traceback" not in err and "ended: SIGINT came" in out and out.count("console of ring 'demo'") == 1
    assert not list(tmp_path.glob("motionbase-demo*"))
    found = []
    for file in sorted((tmp_path / "recordings").glob("*.mcap")):
        with open_recording(file) as recording:
            world_t = recording.columns(["world_t"])["world_t"]
            found.append((json.loads(str(recording.source.about["world"]))["script"], world_t[-1] > 1.0))
    assert found[:2] == [("circle", True), ("drift", True)]
