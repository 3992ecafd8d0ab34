"""Drives on EtherCAT pass the rules of the border."""

import sys
from collections.abc import Iterator

import pytest

from tests.rig.conformance import Conformance, Machine, operator
from tests.rig.drives.ethercat_bench import EtherBench, Slow

__all__ = ["operator"]


class TestEtherCat(Conformance):
    @pytest.fixture
    def machine(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
        monkeypatch.setitem(sys.modules, "pysoem", None)
        bench = EtherBench(jobs=Slow(), period=0.005)
        yield Machine(
            bench, lambda: bench.lengths, bench.advance,
            lose=bench.wires.cuts.add, mend=bench.wires.cuts.discard,
            error=2e-3, measured=4e-4, noticing=0.1, stopping=0.3, starting=3.0, homing=10.0,
        )  # fmt: skip
        bench.close()
        assert bench.wires.opened == 0
