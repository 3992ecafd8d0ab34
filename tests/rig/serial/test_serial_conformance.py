"""Legs on serial lines pass the rules of the border."""

from collections.abc import Iterator

import pytest

from motionbase.rig.serial.setup import Kind
from tests.rig.conformance import Conformance, Machine, operator
from tests.rig.serial.bench import Bench

__all__ = ["operator"]


def machine_of(bench: Bench) -> Machine:
    return Machine(
        bench, lambda: bench.lengths, bench.advance,
        lose=lambda leg: bench.plug(leg, False), mend=lambda leg: bench.plug(leg, True),
        noticing=0.2, stopping=0.5, starting=1.0, homing=3.0,
    )  # fmt: skip


class TestSerialLegs(Conformance):
    @pytest.fixture(params=Kind, ids=lambda kind: kind.value)
    def machine(self, request: pytest.FixtureRequest) -> Iterator[Machine]:
        yield machine_of(Bench(request.param))
