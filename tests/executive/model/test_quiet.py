"""The loop of a model makes no system call but its sleep, and needs no memory that it did not have."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.executive.model.quiet_loop import TICKS, WARM
from tests.ring.ring_processes import environment

FEW = 8  # pages: of Python, which asks; one page for every 500 ticks would be a leak

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="numbers of system calls are those of x86-64"
)


@pytest.mark.parametrize(
    ("controller", "model"),
    [
        ("ring", "robot"),
        pytest.param("udp", "robot", marks=pytest.mark.long("the same loop with another controller")),
        pytest.param("udp", "rotor", marks=pytest.mark.long("compiles a rotor")),
    ],
)
def test_no_system_calls_and_no_new_memory(tmp_path: Path, controller: str, model: str) -> None:
    """The process makes all its ticks under the filter, and dies at the first call after them."""
    path = os.pathsep.join([os.getcwd(), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**environment(tmp_path), "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": path}
    command = [sys.executable, "-m", "tests.executive.model.quiet_loop", controller, model]
    done = subprocess.run(command, env=env, text=True, capture_output=True)
    assert done.returncode == -signal.SIGSYS, done.stderr
    grown, ticks = done.stdout.splitlines()
    faults, pages = map(int, grown.split())
    assert ticks == str(WARM + 2 * TICKS)
    assert faults <= FEW and pages <= FEW
