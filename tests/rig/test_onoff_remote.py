"""A simulated on/off rig behind its socket: the border's rules, killed and hung processes, the relay, the witness."""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.errors import UsageError
from motionbase.record.rig import RigFault
from motionbase.rig.onoff import messages
from motionbase.rig.onoff.acquisition import SHUT, AcquisitionError, Wiring
from motionbase.rig.onoff.messages import Code, Relay
from motionbase.rig.onoff.potentiometer import Potentiometer
from motionbase.rig.onoff.remote import CUT_HELD, MOST_CLIENTS, RELAY, OnOffMachine, RemoteAcquisition
from motionbase.rig.onoff.simulated import SimulatedRig
from motionbase.rig.onoff.witness import OnOffWitness
from tests.rig.conformance import Conformance, Machine, Operator, operator
from tests.rig.onoff_bench import SHORTEST, Bench, Serving
from tests.tier import often

__all__ = ["operator"]
EXTEND = Wiring().lines(np.ones(6))
SPEED = SimulatedRig().pace[:, 0]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a short path, for its owner alone."""
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.fixture
def benches(place: Path) -> Iterator[Callable[..., Bench]]:
    """Makes them, and unplugs them in the end."""
    made: list[Bench] = []

    def make(*args: Any, **options: Any) -> Bench:
        made.append(Bench(place, *args, **options))
        return made[-1]

    yield make
    for b in made:
        b.leave()


@pytest.fixture
def bench(benches: Callable[..., Bench]) -> Bench:
    return benches()


class TestRemote(Conformance):
    @pytest.fixture(params=["predictive", "throttled"])
    def machine(self, request: pytest.FixtureRequest, benches: Callable[..., Bench]) -> Machine:
        b = benches(request.param, rig={"noise": 2e-3})
        b.now = 0.0
        return Machine(
            b,
            lambda: SHORTEST + b.rig.extensions,
            b.advance,
            b.rig.broken.add,
            b.rig.broken.discard,
            slow=0.05,
            error=0.006,
            measured=5e-4,
            stopping=0.1,
            noticing=0.05,
        )


def code_of(act: Callable[[], object]) -> int:
    with pytest.raises(AcquisitionError) as caught:
        act()
    return caught.value.code


def test_readings_are_those_of_now(bench: Bench) -> None:
    bench.device.write(SHUT)
    bench.device.write(EXTEND)
    for seconds in (1, 1.5, 0.7):
        bench.device.write(EXTEND)
        bench.run(0.1 * seconds)
        bench.now += 0.0437
        volts = bench.device.read(bench.now)
        exact = [Potentiometer().volts(s) for s in bench.rig.extensions]
        np.testing.assert_allclose(volts, exact, atol=2e-4)  # 16 bits over 20 V
    assert (bench.rig.extensions > 0.2).all()


def test_an_answer_that_comes_too_late_is_not_taken_for_the_next(bench: Bench) -> None:
    bench.device.read(bench.now)
    bench.device.write(SHUT)
    bench.device.write(EXTEND)
    bench.machine, machine = None, bench.machine
    assert code_of(lambda: bench.device.read(bench.now)) == Code.SILENT
    bench.machine = machine
    bench.run(0.1)  # it answers now
    before = bench.extensions()
    bench.now += 0.1
    volts = bench.device.read(bench.now)
    assert (bench.rig.extensions > before + 0.01).all()
    np.testing.assert_allclose(volts, [Potentiometer().volts(s) for s in bench.rig.extensions], atol=2e-4)


def test_a_machine_that_is_late_is_asked_again_and_then_given_up(bench: Bench) -> None:
    """It answers, but from the past."""
    bench.device.read(bench.now)
    assert code_of(lambda: bench.device.read(bench.now + 0.01)) == Code.OLD
    assert bench.device.read(bench.now + 0.002).shape == (6,)


def test_a_hung_machine_never_blocks_its_clients(bench: Bench) -> None:
    """Also when its queue is full; afterwards it goes on."""
    bench.device.read(bench.now)
    bench.machine, machine = None, bench.machine
    codes = set[int]()
    for _ in range(300):
        codes.add(code_of(lambda: bench.device.read(bench.now)))
        with suppress(AcquisitionError):
            bench.device.write(EXTEND)
    assert codes == {Code.SILENT}
    bench.machine = machine
    bench.serve()
    bench.serve()
    assert bench.device.read(bench.now).shape == (6,)


def test_no_machine_at_first_and_none_later(place: Path) -> None:
    device = RemoteAcquisition(place)
    assert code_of(lambda: device.read(0.0)) == Code.GONE
    assert code_of(lambda: device.write(SHUT)) == Code.GONE
    assert code_of(device.cut) == Code.GONE
    device.close()
    device.close()
    assert code_of(lambda: device.read(0.0)) == Code.CLOSED


def test_a_restarted_machine_is_connected_again_and_the_fault_is_latched(bench: Bench) -> None:
    person = Operator(
        Machine(bench, lambda: SHORTEST + bench.rig.extensions, bench.advance, lambda leg: None, lambda leg: None)
    )
    person.now = bench.now
    person.ready()
    person.travelled(0.1)
    assert bench.machine
    bench.machine.close()
    bench.machine = None
    answer = person.cycle(go=True)
    assert set(answer.faults) == {RigFault.DEVICE} and answer.codes == (Code.GONE,) * 6
    person.hold(0.1, go=True)
    bench.rig = SimulatedRig(s=bench.rig.extensions + 0.002)
    bench.machine = OnOffMachine(bench.place, bench.rig)
    person.hold(0.1, go=True)
    person.l = SHORTEST + bench.rig.extensions
    person.stands(go=True)
    assert person.cycle().fault is RigFault.DEVICE
    person.recovers()


def test_the_devices_own_code_comes_through(bench: Bench) -> None:
    bench.rig.unplugged = True
    assert code_of(lambda: bench.device.read(bench.now)) == -1
    bench.device.write(EXTEND)
    bench.serve()
    bench.rig.unplugged = False
    assert code_of(lambda: bench.device.read(bench.now)) == -1  # the write that failed
    assert bench.device.read(bench.now).shape == (6,)


def test_only_the_newest_writer_counts_and_everybody_reads(bench: Bench) -> None:
    old, reader, new = bench.device, bench.client(), bench.client()
    for client in (old, reader, new):
        client.read(bench.now)
    old.write(SHUT)
    old.write(EXTEND)
    bench.run(0.1)
    moving = bench.extensions()
    new.write(SHUT)
    bench.run(0.1)
    standing = bench.extensions()
    assert (standing > moving).all()  # coasting
    old.write(EXTEND)
    old.throttle(np.zeros(6))
    bench.run(0.1)
    np.testing.assert_array_equal(bench.extensions(), standing)
    assert code_of(lambda: old.read(bench.now)) == Code.SUPERSEDED
    assert (reader.read(bench.now) == new.read(bench.now)).all()
    reader.close()  # has written nothing, so it shuts nothing
    new.write(SHUT)
    new.write(EXTEND)
    bench.run(0.1)
    assert (bench.extensions() > standing).all()


def test_a_closed_client_leaves_the_valves_shut(bench: Bench) -> None:
    bench.machine.relay_s = None  # type: ignore[union-attr]
    bench.rig.powered = True
    bench.device.write(EXTEND)
    bench.device.close()
    bench.run(0.1)
    before = bench.extensions()
    bench.run(0.5)
    np.testing.assert_array_equal(bench.extensions(), before)


@pytest.mark.parametrize("count", [0.0, 5.0, 500.0])
def test_the_relay_opens_on_time_however_long_a_step_is(benches: Callable[..., Bench], count: float) -> None:
    """Legs move on for the relay's time, and what the valves need to shut, and no further."""
    b = benches()
    b.device.write(SHUT)
    b.serve()
    b.device.write(EXTEND)
    b.serve()
    begin = b.extensions()
    if count:
        b.now += 0.7 / count
    for _ in range(round(count) or 0):
        b.serve()
        b.now += 0.7 / count
    b.now = 100.0 + 0.9
    b.serve()
    valves = b.rig.actuator
    np.testing.assert_allclose(b.extensions() - begin, SPEED * RELAY, atol=2e-3 * SPEED[0])
    assert b.machine and b.machine.relay == Relay.FITTED | Relay.OPEN and valves.delay < RELAY


def test_without_a_relay_valves_stay_open(benches: Callable[..., Bench]) -> None:
    b = benches(relay_s=None)
    b.device.write(EXTEND)
    b.serve()
    b.run(2.0)
    np.testing.assert_allclose(b.extensions(), b.rig.actuator.stroke, atol=1e-6)
    assert b.device.read(b.now).shape == (6,) and b.device.relay == Relay(0)
    b.device.cut()
    b.serve()
    assert b.rig.powered


def test_the_relay_closes_only_while_all_outputs_are_off(bench: Bench) -> None:
    bench.device.write(EXTEND)
    bench.run(0.1)
    begin = bench.extensions()
    assert (begin == 0.15).all()  # it is open at first, too
    bench.device.read(bench.now)
    assert bench.device.relay == Relay.FITTED | Relay.OPEN
    bench.device.write(SHUT)
    bench.run(0.01)
    bench.device.write(EXTEND)
    bench.run(0.1)
    assert (bench.extensions() > begin).all()
    bench.run(0.5)
    begin = bench.extensions()
    bench.device.write(EXTEND)  # a program that was stopped and goes on
    bench.run(0.1)
    np.testing.assert_array_equal(bench.extensions(), begin)


def test_the_relay_cuts_a_device_that_does_not_obey_any_more(bench: Bench) -> None:
    bench.device.write(SHUT)
    bench.device.write(EXTEND)
    bench.run(0.1)
    bench.rig.unplugged = True
    for _ in range(50):
        bench.device.write(SHUT)
        bench.run(0.01)
    before = bench.extensions()
    bench.run(0.5)
    np.testing.assert_array_equal(bench.extensions(), before)


# The witness


def test_a_witness_sees_for_itself_and_stops_by_the_relay(bench: Bench) -> None:
    eyes = bench.client()
    witness = OnOffWitness(eyes, np.full(6, SHORTEST), interval=None)
    assert witness.look(bench.now).measured_at == -np.inf and np.isnan(witness.look(bench.now).l).all()
    bench.device.write(SHUT)
    bench.device.write(EXTEND)
    for _ in range(20):
        bench.run(0.01)
        bench.device.write(EXTEND)
        witness.take(bench.now)
        sight = witness.look(bench.now)
        assert sight.measured_at == bench.now
        np.testing.assert_allclose(sight.l, SHORTEST + bench.rig.extensions, atol=1e-4)
    assert (bench.rig.extensions > 0.16).all() and not witness.why
    for k in range(60):
        bench.device.write(EXTEND)  # a backend that does not notice
        witness.stop()
        bench.run(0.01)
        if k == 10:
            before = bench.extensions()
    np.testing.assert_array_equal(bench.extensions(), before)
    bench.device.write(SHUT)
    bench.run(0.01)
    bench.device.write(EXTEND)
    bench.run(0.1)
    np.testing.assert_array_equal(bench.extensions(), before)  # still held open
    bench.run(CUT_HELD)
    bench.device.write(SHUT)
    bench.run(0.01)
    bench.device.write(EXTEND)
    bench.run(0.1)
    assert (bench.extensions() > before).all()
    witness.close()
    witness.close()


def test_a_witness_says_what_it_does_not_see(bench: Bench) -> None:
    witness = OnOffWitness(bench.client(), np.full(6, SHORTEST), interval=None)
    bench.rig.broken.add(3)
    witness.take(bench.now)
    seen = witness.look(bench.now)
    assert np.flatnonzero(np.isnan(seen.l)).tolist() == [3]
    then = bench.now
    machine, bench.machine = bench.machine, None
    bench.now += 1.0
    witness.take(bench.now)
    assert witness.look(bench.now).measured_at == then and "does not answer" in witness.why
    machine.close()  # type: ignore[union-attr]
    witness.take(bench.now)
    witness.stop()
    assert "reset by peer" in witness.why and "no such file" in witness.why
    witness.close()


def test_a_witness_reads_in_its_own_thread(place: Path) -> None:
    """On any clock; it must not matter to `look` whether there is an answer."""
    machine = OnOffMachine(place, SimulatedRig())
    witness = OnOffWitness(RemoteAcquisition(place, wait=10.0), np.full(6, SHORTEST), clock=lambda: 7.0)
    while witness.look(7.0).measured_at < 7.0:
        select.select([], [], [], 1e-3)
        machine.advance(7.0)
    np.testing.assert_allclose(witness.look(7.0).l, SHORTEST + 0.15, atol=1e-3)
    machine.close()
    witness.close()


def test_a_witness_needs_a_relay() -> None:
    with pytest.raises(UsageError, match="simulated rig has no relay"):
        OnOffWitness(SimulatedRig(), np.full(6, SHORTEST))


# Nonsense


def test_nonsense_opens_no_valve_and_harms_no_other_client(bench: Bench) -> None:
    random, before = np.random.default_rng(3), bench.extensions()
    good = [messages.reading(1), messages.writing(SHUT), messages.throttling(np.ones(6)), messages.cutting()]
    bench.device.write(SHUT)
    bench.run(0.01)
    for _ in range(often(300)):
        data = bytearray(good[random.integers(len(good))])
        match random.integers(4):
            case 0:
                data = bytearray(random.bytes(int(random.integers(0, 600))))
            case 1:
                data[int(random.integers(13))] ^= 1 << int(random.integers(8))
            case 2:
                data = data[: int(random.integers(len(data)))]
            case _:
                data += random.bytes(int(random.integers(1, 400)))
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(str(bench.place / messages.SOCKET))
            with suppress(BrokenPipeError, ConnectionResetError):
                client.send(data)
            if random.random() < 0.5:
                bench.run(0.001)
    bench.run(0.01)
    bench.device.close()
    other = bench.client()
    other.write(SHUT)
    bench.run(0.01)
    np.testing.assert_array_equal(bench.extensions(), before)
    assert other.read(bench.now).shape == (6,)
    other.close()


@pytest.mark.parametrize(
    "data",
    [messages.writing(SHUT)[:-2] + b"\x00\x10", messages.throttling(np.full(6, np.nan)), messages.reading(1) + b"x"],
)
def test_a_request_that_means_nothing(data: bytes) -> None:
    assert messages.request(data) is None


def test_requests_come_back_as_they_were() -> None:
    lines = tuple(k % 3 == 0 for k in range(12))
    asked = messages.request(messages.writing(lines))
    assert asked and asked.lines == lines
    asked = messages.request(messages.throttling(np.arange(6) / 10))
    assert asked and asked.openings.tolist() == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]


def test_a_machine_that_talks_nonsense_is_an_error(place: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(place / messages.SOCKET))
        listener.listen()
        device = RemoteAcquisition(place, wait=5.0)
        device.write(SHUT)
        other, _ = listener.accept()
        with other:
            other.send(b"hello")
            assert code_of(lambda: device.read(0.0)) == Code.NONSENSE
        device.write(SHUT)  # connects again
        listener.accept()[0].close()
        assert code_of(lambda: device.read(0.0)) == Code.GONE


def test_more_clients_than_it_serves_do_not_cost_the_writer_its_place(bench: Bench) -> None:
    bench.device.write(SHUT)
    bench.serve()
    others = [bench.client() for _ in range(2 * MOST_CLIENTS)]
    for other in others:
        other.read(bench.now)
    assert bench.machine and len(bench.machine._clients) == MOST_CLIENTS
    bench.device.write(EXTEND)
    bench.run(0.1)
    assert (bench.extensions() > 0.15).all()
    for other in others:
        other.close()


def test_a_pause_of_the_machine_is_not_caught_up(bench: Bench) -> None:
    bench.run(0.01)
    time = bench.rig.time
    bench.now += 3600.0
    bench.serve()
    assert bench.rig.time - time == pytest.approx(1.0)


# Processes

CLIENT = """
import sys, time
from pathlib import Path
from motionbase.rig.onoff.acquisition import SHUT
from motionbase.rig.onoff.remote import RemoteAcquisition
device = RemoteAcquisition(Path(sys.argv[1]), wait=30.0)
device.write(SHUT)
device.read(0.0)
device.write((True, False) * 6)
device.read(0.0)
print("open", flush=True)
time.sleep(600)
"""
MACHINE = """
import sys
from pathlib import Path
from motionbase.rig.onoff.remote import OnOffMachine
from motionbase.rig.onoff.simulated import SimulatedRig
machine, time = OnOffMachine(Path(sys.argv[1]), SimulatedRig()), 0.0
print("listening", flush=True)
while True:
    machine.advance(time := time + 1e-3)
"""


def started(code: str, place: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code, str(place)], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("relay_s", [None, RELAY])
def test_outputs_stay_when_the_client_is_killed_until_the_relay_opens(
    benches: Callable[..., Bench], relay_s: float | None
) -> None:
    b = benches(relay_s=relay_s)
    with started(CLIENT, b.place) as client:
        assert client.stdout
        while not select.select([client.stdout], [], [], 1e-3)[0]:
            b.serve()
        assert client.stdout.readline() == "open\n"
        client.kill()
    b.run(0.15)
    moving = b.extensions()
    assert (moving > 0.15).all()
    b.run(0.2)
    before = b.extensions()
    assert (before > moving).all()
    b.run(0.2)
    if relay_s is None:
        assert (b.extensions() > before + 0.02).all()
    else:
        np.testing.assert_array_equal(b.extensions(), before)
    assert b.device.read(b.now).shape == (6,)


def test_a_killed_machine_is_gone_and_another_takes_its_place(place: Path) -> None:
    device = RemoteAcquisition(place, wait=30.0)
    with started(MACHINE, place) as process:
        assert process.stdout and process.stdout.readline() == "listening\n"
        assert device.read(0.0).shape == (6,)
        with pytest.raises(UsageError, match="another process plays it already"):
            OnOffMachine(place, SimulatedRig())
        process.kill()
    assert code_of(lambda: device.read(0.0)) == Code.GONE
    assert code_of(lambda: device.read(0.0)) == Code.GONE
    assert (place / messages.SOCKET).exists()
    machine = OnOffMachine(place, SimulatedRig())
    device._poll = Serving(lambda: machine.advance(5.0))  # type: ignore[assignment]
    assert device.read(5.0).shape == (6,)
    device.close()
    machine.close()
    machine.close()
    assert not (place / messages.SOCKET).exists()


# The place


def test_places_that_do_not_serve(place: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        RemoteAcquisition(place / "none")
    (place / "file").touch()
    with pytest.raises(UsageError, match="is not a folder"):
        RemoteAcquisition(place / "file")
    long = place / ("x" * 100)
    long.mkdir(mode=0o700)
    with pytest.raises(UsageError, match="bytes, at most 107 are possible"):
        OnOffMachine(long, SimulatedRig())
    os.chmod(place, 0o750)
    with pytest.raises(UsageError, match="mode 0700"):
        OnOffMachine(place, SimulatedRig())
