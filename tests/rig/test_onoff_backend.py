"""On/off rig as a backend: the border's rules with each law, and faults of wires, solenoids and the device."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.platform.load import load_platform
from motionbase.record.rig import LegState, Order, RigFault
from motionbase.rig.onoff.acquisition import SHUT
from motionbase.rig.onoff.backend import onoff_rig
from motionbase.rig.onoff.simulated import SimulatedRig
from tests.rig.conformance import Conformance, Machine, Operator, operator
from tests.tier import often

__all__ = ["operator"]
ODU = load_platform("odu")
SHORTEST = ODU.stroke.hard_min


def machine_of(device: SimulatedRig, law: str = "predictive") -> Machine:
    return Machine(
        onoff_rig(ODU, device, law),
        lambda: SHORTEST + device.extensions,
        device.advance,
        device.broken.add,
        device.broken.discard,
        slow=0.05,
        error=0.006,
        measured=5e-4,
        stopping=0.1,
        noticing=0.05,
    )


class TestOnOff(Conformance):
    @pytest.fixture(params=["paper", "predictive", "throttled"])
    def machine(self, request: pytest.FixtureRequest) -> Iterator[Machine]:
        yield machine_of(SimulatedRig(), request.param)


@pytest.fixture
def device() -> SimulatedRig:
    return SimulatedRig()


@pytest.fixture
def person(device: SimulatedRig) -> Operator:
    return Operator(machine_of(device))


@pytest.mark.parametrize("line", [2, 3])
def test_solenoid_that_never_pulls_is_a_following_error(device: SimulatedRig, person: Operator, line: int) -> None:
    device.stuck[line] = False
    person.ready()
    way = 0.04 if line == 2 else -0.04
    begin = person.l.copy()
    for k in range(200):
        answer = person.cycle(begin + way * min(k / 100, 1), go=True)
    assert answer.faults[1] is RigFault.FOLLOWING_ERROR and not any(np.delete(answer.faults, 1))
    assert answer.all_are(LegState.OFF, LegState.FAULT)


def test_solenoid_that_is_always_on_is_found_while_the_legs_should_stand(
    device: SimulatedRig, person: Operator
) -> None:
    person.ready()
    person.hold(0.5)
    device.stuck[4] = True
    answer = person.hold(0.6)
    assert answer.faults[2] is RigFault.FOLLOWING_ERROR and person.cycle(order=Order.ENABLE).fault


def test_open_wire_without_bias_is_found_by_its_jump(device: SimulatedRig, person: Operator) -> None:
    """An input that reads 0 V looks like a retracted leg, but no leg gets there that fast."""
    person.ready()
    person.travelled(0.2)
    pots = list(device.potentiometers)
    pots[3] = replace(pots[3], offset=float(device.extensions[3]))  # reads 0 V here
    device.potentiometers = tuple(pots)
    answer = person.cycle(go=True)
    assert answer.faults[3] is RigFault.SENSOR


def test_device_that_fails_stops_all_legs_and_gives_its_code(device: SimulatedRig, person: Operator) -> None:
    person.ready()
    person.travelled(0.2)
    device.unplugged = True
    answer = person.cycle(go=True)
    assert set(answer.faults) == {RigFault.DEVICE} and answer.codes == (-1,) * 6
    measured_at = answer.measured_at
    assert person.cycle(go=True, order=Order.RESET).fault is RigFault.DEVICE
    assert person.cycle().measured_at == measured_at < person.now
    device.unplugged = False
    person.hold(0.5)
    person.recovers()


def test_device_that_fails_from_the_start() -> None:
    device = SimulatedRig(unplugged=True)
    rig = onoff_rig(ODU, device)
    person = Operator(Machine(rig, lambda: np.zeros(6), device.advance, device.broken.add, device.broken.discard))
    answer = person.cycle(np.ones(6), order=Order.ENABLE)
    assert answer.fault is RigFault.DEVICE and answer.measured_at == -np.inf and np.isfinite(answer.l).all()


def test_whatever_fails_at_random_all_valves_end_shut_and_the_legs_stand() -> None:
    """A thousand times: device unplugged, wire broken, demands that cease or jump, an emergency stop."""
    random, device = np.random.default_rng(7), SimulatedRig()
    person = Operator(machine_of(device))
    for _ in range(often(1000)):
        person.ready()
        for _ in range(int(random.integers(1, 12))):
            person.l = np.clip(person.l + random.uniform(-0.002, 0.002, 6), SHORTEST, SHORTEST + 0.3)
            assert person.cycle(go=True).all_are(LegState.FOLLOWING)
        match random.integers(5):
            case 0:
                device.unplugged = True
            case 1:
                device.broken.add(int(random.integers(6)))
            case 2:
                person.cycle(go=True, stop=True)
            case 3:
                person.cycle(np.full(6, random.choice([np.nan, 0.0, np.inf])), go=True)
            case _:
                person.cycle(go=True, fresh=False, after=0.11)
        assert person.cycle(go=True).fault is not RigFault.NONE
        device.unplugged = False  # its outputs stay as they were while it was unplugged
        assert person.cycle(go=True).fault is not RigFault.NONE
        person.l = SHORTEST + device.extensions
        person.hold(0.06, go=True)
        person.stands(0.02, go=True)
        device.broken.clear()
        person.cycle()
        assert person.cycle(order=Order.RESET).fault is RigFault.NONE


def test_all_valves_are_written_in_one_operation(
    device: SimulatedRig, person: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[tuple[bool, ...]] = []
    monkeypatch.setattr(device, "write", lambda lines: written.append(tuple(lines)))
    person.ready()
    written.clear()
    far = person.l + np.array([1, -1, 1, -1, 1, -1]) * 0.01
    person.cycle(far, go=True)
    up, down = (True, False), (False, True)
    assert written == [(*up, *down, *up, *down, *up, *down)]
    person.cycle(far, go=True, stop=True)
    assert written[-1] == SHUT


def test_a_law_with_throttles_needs_a_device_that_has_them() -> None:
    class Plain:
        name = "plain device"

        def read(self, now: float) -> np.ndarray:
            return np.zeros(6)

        def write(self, lines: object) -> None: ...

        def close(self) -> None: ...

    with pytest.raises(UsageError, match="plain device drives none; laws without them: paper, predictive"):
        onoff_rig(ODU, Plain(), "throttled")


def test_unknown_law(device: SimulatedRig) -> None:
    with pytest.raises(UsageError, match="predictive"):
        onoff_rig(ODU, device, "predicted")
