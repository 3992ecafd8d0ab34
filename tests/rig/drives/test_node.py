"""A drive as its master sees it: what is heard while a script leads it is not forgotten when the script goes on."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from motionbase.rig.drives.node import Node
from motionbase.rig.drives.profile import Object
from motionbase.rig.drives.reach import Script
from tests.rig.drives.bench import setup

OFF = 0x40  # a statusword: switch on disabled
CYCLES = 3  # that a connection takes


class Reach:
    """A drive that kept its settings."""

    now = 0.0

    def connect(self) -> Generator[None, None, bool]:
        for _ in range(CYCLES):
            yield
        return True

    def write(self, entry: Object, value: int) -> Script:
        yield

    def read(self, entry: Object) -> Generator[None, None, int]:
        yield
        return 0

    def ask(self) -> None: ...


@pytest.mark.parametrize("jump", [0, 1_000_000])
def test_a_jump_while_a_drive_is_connected_again_costs_its_reference(jump: int) -> None:
    """On EtherCAT positions come also then; a drive that kept its settings may still have lost its encoder."""
    some = setup()
    node = Node(some.axes[0], some, Reach())
    node.homed, node.measured_at = True, 0.0
    for cycle in range(3 * CYCLES):
        node.begin_cycle(cycle * some.period)
        node.take(OFF, jump if cycle >= 2 else 0, node.now)
        if cycle == 0:
            node.begin(node.connect())
        node.advance()
    assert node.connected and not node.busy
    assert node.homed is (jump == 0)
