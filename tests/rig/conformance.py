"""The rules of `motionbase.rig.border`, as tests that every backend passes on a simulated machine.

A backend's own test module imports nothing but this class and tells how its machine is made:

    class TestMyDrives(Conformance):
        @pytest.fixture
        def machine(self) -> Iterator[Machine]:
            drives = SimulatedDrives(...)
            yield Machine(MyBackend(drives), lengths=lambda: drives.l, ...)

Time is simulated: the suite passes it to `cycle`, and the machine moves on with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.border import Actuators, Answer, Demand

LEGS = 6
AT_REST = LegState.READY, LegState.OFF, LegState.FAULT


@dataclass
class Machine:
    """A backend, and what the suite must know of the simulated machine behind it.

    Attributes:
        actuators: the backend
        lengths: true lengths of the legs [m]
        advance: lets the machine run until a time without a cycle, as after a close [s]
        lose: breaks the wire or the drive of a leg, so that nothing is heard of it
        mend: repairs it
        slow: a speed that every leg can follow [m/s]
        error: largest distance between a leg and a demand of that speed [m]
        measured: largest error of a measured length [m]
        still: largest movement of a leg that stands [m]
        stopping: time after which a stopped leg stands [s]
        noticing: time after which a lost leg has stopped all others, while they move [s]
        starting: time after which legs are switched on [s]
        homing: time after which they know their lengths [s]
    """

    actuators: Actuators
    lengths: Callable[[], Array]
    advance: Callable[[float], None]
    lose: Callable[[int], None]
    mend: Callable[[int], None]
    slow: float = 0.03
    error: float = 0.01
    measured: float = 2e-3
    still: float = 1e-5
    stopping: float = 0.3
    noticing: float = 1.0
    starting: float = 2.0
    homing: float = 60.0


class Operator:
    """Calls `cycle` at the backend's period with a demand, and checks what holds in every answer."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.promise = machine, machine.actuators.promise
        self.now, self.count, self.measured_at = 0.0, 0, -np.inf
        self.l = machine.lengths()  # last demand

    def cycle(
        self, l: Array | None = None, l_dot: Array | None = None, *, go: bool = False, stop: bool = False,
        order: Order = Order.NONE, fresh: bool = True, after: float | None = None,
    ) -> Answer:  # fmt: skip
        """One cycle; without lengths the last demand is repeated, as a new one unless `fresh` is false."""
        self.now += self.promise.period if after is None else after
        self.count += fresh
        self.l = self.l if l is None else l
        rate = np.zeros(LEGS) if l_dot is None else l_dot
        answer = self.machine.actuators.cycle(self.now, Demand(self.count, self.l, rate, go, stop, order))
        assert self.measured_at <= answer.measured_at <= self.now
        assert answer.l.shape == (LEGS,) and len(answer.states) == len(answer.faults) == len(answer.codes) == LEGS
        for state, fault in zip(answer.states, answer.faults, strict=True):
            assert (state is LegState.FAULT) == (fault is not RigFault.NONE)
        self.measured_at = answer.measured_at
        return answer

    def hold(self, seconds: float, *, go: bool = False, fresh: bool = True) -> Answer:
        """Repeat the last demand for a time."""
        for _ in range(max(round(seconds / self.promise.period), 1)):
            answer = self.cycle(go=go, fresh=fresh)
        return answer

    def until(self, what: Callable[[Answer], bool], within: float, *, go: bool = False) -> Answer:
        """Repeat the last demand until an answer is as wanted."""
        for _ in range(max(round(within / self.promise.period), 1)):
            if what(answer := self.cycle(go=go)):
                return answer
        raise AssertionError(f"not reached within {within} s: {answer}")

    def ready(self) -> Answer:
        """Switch on, home if need be; the demand is where the legs are."""
        self.cycle(order=Order.ENABLE)
        on = LegState.READY, LegState.UNHOMED
        answer = self.until(lambda a: a.all_are(*on), self.machine.starting)
        if not answer.all_are(LegState.READY):
            self.cycle(order=Order.HOME)
            answer = self.until(lambda a: a.all_are(LegState.READY), self.machine.homing)
        return self.cycle(np.clip(answer.l, self.promise.least, self.promise.most))

    def travel(self) -> Array:
        """(6,) distances, a different one for each leg, towards the middle of its range [m]."""
        inwards = np.sign(0.5 * (self.promise.least + self.promise.most) - self.machine.lengths())
        return 0.2 * inwards * (self.promise.most - self.promise.least) * np.arange(2, LEGS + 2) / (LEGS + 1)

    def travelled(self, share: float = 1.0) -> Answer:
        """Ramp over a share of the travel, at a speed that the legs can follow."""
        begin, way = self.l, self.travel()
        n = int(np.ceil(np.abs(way).max() / self.machine.slow / self.promise.period))
        for k in range(1, max(round(share * n), 1) + 1):
            answer = self.cycle(begin + way * (k / n), way / (n * self.promise.period), go=True)
        return answer

    def stands(self, seconds: float = 0.4, *, go: bool = False) -> None:
        """Nothing moves for so long."""
        before = self.machine.lengths()
        answer = self.hold(seconds, go=go)
        assert LegState.FOLLOWING not in answer.states
        assert np.abs(self.machine.lengths() - before).max() <= self.machine.still

    def asks_to_move(self, seconds: float = 0.4, *, go: bool = False) -> None:
        """A moving demand moves nothing: ramp as `travelled`, but the legs stand."""
        before, begin, way = self.machine.lengths(), self.l, self.travel()
        n = max(round(seconds / self.promise.period), 1)
        for k in range(1, n + 1):
            answer = self.cycle(begin + 0.3 * self.promise.jump * np.sign(way) * k / n, go=go)
            assert LegState.FOLLOWING not in answer.states
        assert np.abs(self.machine.lengths() - before).max() <= self.machine.still
        self.cycle(begin)

    def stopped(self, fault: RigFault, legs: tuple[int, ...] = tuple(range(LEGS))) -> None:
        """These legs have latched a fault, all stand after the stopping time and follow nothing, also without cause."""
        answer = self.hold(self.machine.stopping, go=True)
        assert all(answer.faults[leg] is fault for leg in legs)
        assert answer.fault is fault and answer.all_are(*AT_REST)
        self.l = np.clip(answer.l, self.promise.least, self.promise.most)
        self.asks_to_move(go=True)
        assert self.cycle().fault is fault

    def recovers(self) -> None:
        """A reset clears the faults and moves nothing, even if go is still set; then the legs follow again."""
        before = self.machine.lengths()
        answer = self.cycle(go=True, order=Order.RESET)
        answer = self.until(lambda a: a.fault is RigFault.NONE, self.machine.starting, go=True)
        self.l = np.clip(answer.l, self.promise.least, self.promise.most)
        self.asks_to_move(go=True)
        assert np.abs(self.machine.lengths() - before).max() <= self.machine.still
        self.ready()
        assert self.travelled(0.2).all_are(LegState.FOLLOWING)


@pytest.fixture
def operator(machine: Machine) -> Iterator[Operator]:
    """Who works on the machine of the test."""
    yield Operator(machine)
    machine.actuators.close()


class Conformance:
    """Derive a class whose fixture `machine` makes a `Machine`, and import `operator` beside it."""

    def test_promise_is_possible(self, operator: Operator) -> None:
        p = operator.promise
        assert p.name and p.period > 0 and p.jump > 0 and p.silence >= p.period
        assert p.least.shape == p.most.shape == (LEGS,) and (p.least < p.most).all()

    def test_nothing_moves_before_enable(self, operator: Operator) -> None:
        operator.asks_to_move()
        operator.asks_to_move(go=True)
        assert operator.cycle().all_are(LegState.OFF)

    def test_nothing_moves_before_home(self, operator: Operator) -> None:
        if not operator.promise.homes:
            pytest.skip("its lengths are known when it is switched on")
        operator.cycle(order=Order.ENABLE)
        operator.until(lambda a: a.all_are(LegState.UNHOMED), operator.machine.starting)
        operator.asks_to_move(go=True)

    def test_nothing_moves_before_go(self, operator: Operator) -> None:
        operator.ready()
        operator.asks_to_move()

    def test_go_given_too_early_does_not_count(self, operator: Operator) -> None:
        """A switch left on moves nothing when the legs become ready."""
        operator.cycle(go=True)
        operator.cycle(go=True, order=Order.ENABLE)
        if operator.promise.homes:
            operator.hold(operator.machine.starting, go=True)
            operator.cycle(go=True, order=Order.HOME)
        operator.until(lambda a: a.all_are(LegState.READY), operator.machine.homing, go=True)
        operator.l = np.clip(operator.machine.lengths(), operator.promise.least, operator.promise.most)
        operator.asks_to_move(go=True)

    def test_legs_follow_in_their_order_and_unit(self, operator: Operator) -> None:
        operator.ready()
        begin, way = operator.machine.lengths(), operator.travel()
        assert operator.travelled().all_are(LegState.FOLLOWING)
        answer = operator.hold(1.0, go=True)
        m = operator.machine
        np.testing.assert_allclose(m.lengths() - begin, way, atol=m.error + m.measured)
        np.testing.assert_allclose(answer.l, m.lengths(), atol=m.measured)

    def test_legs_stand_while_go_is_cleared(self, operator: Operator) -> None:
        operator.ready()
        operator.travelled(0.3)
        answer = operator.hold(operator.machine.stopping)
        assert answer.all_are(LegState.READY) and answer.fault is RigFault.NONE
        operator.l = np.clip(answer.l, operator.promise.least, operator.promise.most)
        operator.stands()
        assert operator.travelled(0.1).all_are(LegState.FOLLOWING)

    def test_stop(self, operator: Operator) -> None:
        operator.ready()
        operator.travelled(0.4)
        assert LegState.FOLLOWING not in operator.cycle(go=True, stop=True).states
        operator.stopped(RigFault.EMERGENCY_STOP)
        assert operator.cycle(stop=True, order=Order.RESET).fault is RigFault.EMERGENCY_STOP
        operator.recovers()

    def test_stop_wins_over_orders_before_anything_is_on(self, operator: Operator) -> None:
        operator.cycle(stop=True, order=Order.ENABLE)
        operator.stands(go=True)
        assert operator.cycle().fault is RigFault.EMERGENCY_STOP

    def test_silence_of_the_law(self, operator: Operator) -> None:
        operator.ready()
        operator.travelled(0.4)
        period, silence = operator.promise.period, operator.promise.silence
        for _ in range(int(0.8 * silence / period)):
            assert operator.cycle(go=True, fresh=False).all_are(LegState.FOLLOWING)
        assert operator.cycle(go=True).all_are(LegState.FOLLOWING)
        operator.hold(silence + 2 * period, go=True, fresh=False)
        operator.stopped(RigFault.SILENT_LAW)
        operator.recovers()

    def test_a_gap_between_cycles_is_silence(self, operator: Operator) -> None:
        """A law that hung and comes back with a new demand does not go on as if nothing had happened."""
        operator.ready()
        operator.travelled(0.4)
        operator.cycle(go=True, after=operator.promise.silence + 2 * operator.promise.period)
        operator.stopped(RigFault.SILENT_LAW)
        operator.recovers()

    @pytest.mark.parametrize("wrong", ["nan", "infinite", "rate", "short", "long", "jump"])
    def test_impossible_demand(self, operator: Operator, wrong: str) -> None:
        operator.ready()
        operator.travelled(0.4)
        leg, l, l_dot = 2, operator.l.copy(), np.zeros(LEGS)
        p = operator.promise
        match wrong:
            case "nan":
                l[leg] = np.nan
            case "infinite":
                l[leg] = np.inf
            case "rate":
                l_dot[leg] = np.nan
            case "short":
                l[leg] = p.least[leg] - 1e-3
            case "long":
                l[leg] = p.most[leg] + 1e-3
            case "jump":
                l[leg] += np.sign(operator.travel()[leg]) * (
                    p.jump + operator.machine.error + operator.machine.measured
                )
        assert LegState.FOLLOWING not in operator.cycle(l, l_dot, go=True).states
        operator.l = operator.machine.lengths()
        operator.stopped(RigFault.DEMAND, legs=(leg,))
        operator.recovers()

    def test_first_demand_must_be_near(self, operator: Operator) -> None:
        operator.ready()
        before = operator.machine.lengths()
        far = operator.l + np.sign(operator.travel()) * (operator.promise.jump + 2 * operator.machine.measured)
        assert LegState.FOLLOWING not in operator.cycle(far, go=True).states
        assert np.abs(operator.machine.lengths() - before).max() <= operator.machine.still
        operator.l = np.clip(before, operator.promise.least, operator.promise.most)
        operator.stopped(RigFault.DEMAND)

    def test_impossible_demand_without_go_is_no_fault(self, operator: Operator) -> None:
        here = operator.ready().l
        answer = operator.cycle(np.full(LEGS, np.nan), np.full(LEGS, np.inf))
        assert answer.fault is RigFault.NONE and answer.all_are(LegState.READY)
        operator.l = here
        operator.stands()

    @pytest.mark.parametrize("leg", [0, 3, 5])
    def test_lost_leg_stops_all_and_is_named(self, operator: Operator, leg: int) -> None:
        m = operator.machine
        operator.ready()
        operator.travelled(0.2)
        m.lose(leg)
        begin, way, p = operator.l, operator.travel(), operator.promise
        for k in range(round(m.noticing / p.period)):  # moving on
            ahead = begin + np.sign(way) * m.slow * p.period * (k + 1)
            answer = operator.cycle(ahead, np.sign(way) * m.slow, go=True)
        assert answer.states[leg] is LegState.FAULT and answer.faults[leg] is not RigFault.NONE
        assert LegState.FOLLOWING not in answer.states
        fault = answer.faults[leg]
        operator.hold(m.stopping, go=True)
        operator.stands(go=True)
        operator.hold(0.5, go=False)
        assert operator.cycle(order=Order.RESET).faults[leg] is not RigFault.NONE  # the cause is still there
        m.mend(leg)
        operator.hold(0.5)
        assert operator.cycle().faults[leg] is fault  # latched
        operator.recovers()

    def test_disable(self, operator: Operator) -> None:
        operator.ready()
        operator.travelled(0.4)
        operator.cycle(go=True, order=Order.DISABLE)
        answer = operator.until(lambda a: a.all_are(LegState.OFF), operator.machine.stopping + 1.0, go=True)
        operator.l = np.clip(answer.l, operator.promise.least, operator.promise.most)
        operator.asks_to_move(go=True)

    def test_close_stops(self, operator: Operator) -> None:
        m = operator.machine
        operator.ready()
        operator.travelled(0.4)
        m.actuators.close()
        m.advance(operator.now + m.stopping)
        before = m.lengths()
        m.advance(operator.now + m.stopping + 5.0)
        assert np.abs(m.lengths() - before).max() <= m.still
        m.actuators.close()  # twice does no harm

    @pytest.mark.parametrize("seed", range(4))
    def test_cycle_never_raises(self, operator: Operator, seed: int) -> None:
        """Random demands, orders, losses and pauses: only answers come back, and legs with a fault stand."""
        random, m = np.random.default_rng(seed), operator.machine
        operator.ready()
        lost: set[int] = set()
        for _ in range(150):
            l = np.clip(m.lengths(), operator.promise.least, operator.promise.most)
            if random.random() < 0.1:
                l[random.integers(LEGS)] = random.choice([np.nan, np.inf, -1.0, 100.0])
            if random.random() < 0.05:
                leg = int(random.integers(LEGS))
                (m.mend if leg in lost else m.lose)(leg)
                lost ^= {leg}
            order = Order(int(random.integers(len(Order)))) if random.random() < 0.3 else Order.NONE
            pause = float(random.exponential(0.05)) if random.random() < 0.1 else None
            for _ in range(int(random.integers(1, 8))):
                operator.cycle(l, go=random.random() < 0.7, stop=random.random() < 0.02, order=order, after=pause)
        for leg in lost:
            m.mend(leg)
        operator.l = np.clip(m.lengths(), operator.promise.least, operator.promise.most)
        operator.cycle(stop=True)
        operator.hold(m.stopping)
        operator.stands(go=True)
