"""Drives on CAN pass the rules of the border."""

from collections.abc import Iterator

import pytest

from tests.rig.conformance import Conformance, Machine, operator
from tests.rig.drives.bench import Bench

__all__ = ["operator"]


class TestDrives(Conformance):
    @pytest.fixture
    def machine(self) -> Iterator[Machine]:
        bench = Bench(period=0.005)
        yield Machine(
            bench, lambda: bench.simulated.lengths, bench.advance,
            lose=lambda leg: bench.plug(leg, False), mend=lambda leg: bench.plug(leg, True),
            error=2e-3, measured=2e-5, noticing=0.1, stopping=0.3, starting=3.0, homing=10.0,
        )  # fmt: skip
        bench.leave()
