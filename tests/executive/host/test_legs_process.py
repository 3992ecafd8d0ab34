"""The host's process with displacements of legs: it makes poses of them, with the platform's kinematics."""

import time
from pathlib import Path

import pytest

from motionbase.executive.exchange import Exchange
from motionbase.executive.host.rows import blocks_of
from motionbase.host.format import Kind
from motionbase.ring import names
from motionbase.ring.backend import find
from tests.executive.host.test_process import Loop, listening
from tests.ports import free_udp_port
from tests.ring.ring_processes import until


@pytest.mark.long("a process that compiles")
def test_legs_that_all_grow_lift_the_platform(ring_folder: Path) -> None:
    with Exchange.made(find("rig"), blocks_of(Kind.POSE), names.HOST) as exchange:
        loop = Loop(exchange, free_udp_port())
        url = f"udp://127.0.0.1:{loop.port}?format=text-legs&units=mm,deg&zero=neutral"
        with listening(ring_folder, url):

            def lifted() -> bool:
                loop.host.sendto(b"30 30 30 30 30 30", ("127.0.0.1", loop.port))
                loop.host.sendto(b"9000 0 0 0 0 0", ("127.0.0.1", loop.port))  # no pose has these
                time.sleep(0.01)
                return bool(loop.row[0] > 0)

            until(lifted, "a pose")
            pose = loop.row[7:13]
            assert 0.03 < pose[2] < 0.04 and abs(pose[[0, 1, 3, 4, 5]]).max() < 1e-9
            until(lambda: lifted() and loop.row[5] > 0, "that the impossible one is counted")
        loop.host.close()
