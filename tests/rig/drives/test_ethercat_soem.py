"""Drives on EtherCAT through the real pysoem: its SOEM talks to slave controllers in software over a virtual cable."""

import os
import shutil
import subprocess
import sys

import pytest

CABLE = """
ip link set lo up && ip link add va type veth peer name vb && ip link set va up && ip link set vb up &&
exec "$0" -m tests.rig.drives.soem_session va vb
"""


@pytest.mark.long("a session of a minute in real time")
def test_session_over_a_virtual_cable() -> None:
    """The cable is in a network namespace of its own, which nothing can leave."""
    pytest.importorskip("pysoem")
    if not (shutil.which("ip") and shutil.which("unshare")) or os.geteuid() != 0:
        pytest.skip("needs root, ip and unshare")
    command = ["unshare", "--net", "bash", "-c", CABLE, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout == "done\n", done.stdout + done.stderr
