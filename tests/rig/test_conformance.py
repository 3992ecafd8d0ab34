"""The suite itself: an ideal machine passes it, and machines with one thing wrong do not."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault, Silence
from motionbase.rig.border import Answer, Demand, Promise
from motionbase.rig.gate import Gate
from tests.rig.conformance import Conformance, Machine, Operator, operator

__all__ = ["operator"]
LEAST, MOST = np.full(6, 1.0), np.full(6, 1.4)


class Ideal:
    """Legs that are where they are wanted at once; with a flaw for tests of the tests."""

    def __init__(self, flaw: str = "") -> None:
        self.promise = Promise("ideal", 0.01, LEAST, MOST, 0.02, 0.1, Silence.HOLDS, homes=False)
        self.l, self.lost, self.on, self.flaw = np.linspace(1.05, 1.1, 6), set[int](), False, flaw
        self.gate = Gate(self.promise)

    def cycle(self, now: float, demand: Demand) -> Answer:
        found = [RigFault.SILENT_LEG if leg in self.lost else RigFault.NONE for leg in range(6)]
        if demand.order in (Order.ENABLE, Order.DISABLE):
            self.on = demand.order is Order.ENABLE and not self.gate.closed
        follows = self.gate.decide(now, demand, self.l, found, self.on)
        if follows or (self.flaw == "no go" and self.on and np.isfinite(demand.l).all()):
            self.l = demand.l[::-1].copy() if self.flaw == "order" else demand.l.copy()
        if self.flaw == "unlatched" and not any(found) and not demand.stop:
            self.gate.faults = (RigFault.NONE,) * 6
        rest = LegState.FOLLOWING if follows else LegState.READY if self.on else LegState.OFF
        states = tuple(LegState.FAULT if fault else rest for fault in self.gate.faults)
        return Answer(-now if self.flaw == "clock" else now, self.l.copy(), states, self.gate.faults)

    def close(self) -> None:
        self.on = False


def made(flaw: str = "") -> Machine:
    ideal = Ideal(flaw)

    def lengths() -> Array:
        return ideal.l.copy()

    return Machine(ideal, lengths, lambda until: None, ideal.lost.add, ideal.lost.discard)


class TestIdeal(Conformance):
    @pytest.fixture
    def machine(self) -> Iterator[Machine]:
        yield made()


@pytest.mark.parametrize(
    ("flaw", "test"),
    [
        ("no go", Conformance.test_nothing_moves_before_go),
        ("order", Conformance.test_legs_follow_in_their_order_and_unit),
        ("unlatched", Conformance.test_stop),
        ("clock", Conformance.test_disable),
    ],
)
def test_a_flaw_is_found(flaw: str, test: Callable[[Conformance, Operator], None]) -> None:
    with pytest.raises(AssertionError):
        test(Conformance(), Operator(made(flaw)))
