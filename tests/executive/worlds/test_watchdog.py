"""A world that hangs is noticed, and its process ends; one that is slow goes on."""

from __future__ import annotations

import subprocess

import pytest

from motionbase.executive.worlds.watchdog import MOST, Watchdog
from motionbase.interpreter import python
from tests.ring.ring_processes import PATIENCE_S

HANGS = """
import time
from motionbase.executive.worlds.watchdog import Watchdog
with Watchdog("world 'stuck'", look_s=0.01) as watchdog:
    watchdog.steps += 1
    time.sleep(1e6)
"""


def test_a_hanging_process_ends_with_one_sentence() -> None:
    found = subprocess.run(python("-c", HANGS), capture_output=True, text=True, timeout=PATIENCE_S)
    assert (found.returncode, found.stderr) == (1, "world 'stuck' hangs: no step has ended for 10 s\n")


def test_a_slow_world_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    codes: list[int] = []
    watchdog = Watchdog("world", end=codes.append)
    for _ in range(5):
        watchdog.steps += 1
        for _ in range(MOST):
            watchdog.look()
    assert codes == []
    watchdog.look()
    assert codes == [1] and "world hangs" in capsys.readouterr().err
