"""The exchange with a controller through shared memory: only good answers are used, others are counted."""

import os
import struct
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from motionbase.compile import compile
from motionbase.errors import UsageError
from motionbase.executive.exchange import Exchange, exchange_path, judge
from motionbase.executive.model.controller import ring_command
from motionbase.executive.model.frames import answer_bytes, of_joints
from motionbase.executive.model.link import Answers
from motionbase.record.faults import ModelFault
from motionbase.record.states import State
from motionbase.ring.backend import find
from motionbase.ring.catalogue import clean
from tests.executive.model.rig import DT, Rig, robot, stepped
from tests.ring.ring_processes import PATIENCE_S, environment, until

N, HOLD = 3, 100
A = 320  # where the answer of three joints begins: 128 + 8 * 17 = 264, up to a multiple of 64
NUMBERS = st.one_of(st.integers(-2, 14).map(float), st.floats(width=64))


@pytest.fixture
def exchange(ring_folder: Path) -> Iterator[Exchange]:
    with Exchange.made(find("rig"), of_joints(N).blocks) as made:
        yield made


def put(path: Path, answered: float, torques: list[float], at: int = A) -> None:
    """As a foreign program does, by the page alone."""
    with path.open("r+b") as file:
        file.seek(at)
        (sequence,) = struct.unpack("<Q", file.read(8))
        for place, data in (
            (at, struct.pack("<Q", sequence | 1)),
            (at + 64, struct.pack(f"<{1 + len(torques)}d", answered, *torques)),
            (at, struct.pack("<Q", (sequence | 1) + 1)),
        ):
            file.seek(place)
            file.write(data)
            file.flush()


def test_the_file_is_what_the_page_says(exchange: Exchange) -> None:
    data = exchange.path.read_bytes()
    assert data[:8] == struct.pack("<4sHH", b"MBCX", 1, N) and len(data) == A + 64 + 64
    assert exchange.path.stat().st_mode & 0o777 == 0o600
    exchange.states.row[:] = np.arange(17.0)
    exchange.states.sending()()
    data = exchange.path.read_bytes()
    assert struct.unpack_from("<Q", data, 64) == (2,)
    assert struct.unpack_from("<17d", data, 128) == tuple(range(17))
    take = exchange.answers.taking()
    take()
    assert exchange.answers.taken[0] == 0
    put(exchange.path, 7.0, [1.0, 2.0, 3.0])
    take()
    take()
    assert exchange.answers.taken[0] == 1 and exchange.answers.row.tolist() == [7.0, 1.0, 2.0, 3.0]


def test_an_answer_half_written_is_not_taken_and_the_next_one_is(exchange: Exchange) -> None:
    """As a controller leaves it that is killed at that moment."""
    with exchange.path.open("r+b") as file:
        file.seek(A)
        file.write(struct.pack("<Q", 3))
    take = exchange.answers.taking()
    take()
    assert exchange.answers.taken[0] == 0
    with Exchange.attached(find("rig")) or pytest.fail("it is there") as controller:
        controller.answers.put(np.arange(4.0))
    take()
    assert exchange.answers.taken[0] == 1 and exchange.answers.row.tolist() == [0.0, 1.0, 2.0, 3.0]


JUDGE = compile(judge(N, HOLD + 1))  # counts from the tick that runs, the link's from the last that was sent


@given(st.lists(st.tuples(st.integers(0, 80), NUMBERS, st.lists(NUMBERS, min_size=N, max_size=N)), max_size=30))
def test_the_loop_judges_as_the_link_does(rows: list[tuple[int, float, list[float]]]) -> None:
    """Any numbers: each row is counted once, as the same one, and what is used is the same."""
    link, tick = Answers(of_joints(N), 1, HOLD), 0
    kept, seen = np.zeros(6 + N), 0.0
    kept[0] = link.row[0]
    for count, (ahead, back, torques) in enumerate(rows, 1):
        for _ in range(ahead):
            link.sending(tick)
            tick += 1
        answered = tick - back  # near the present tick, mostly
        good = answered == np.floor(answered) and 0 <= answered < 2**63
        link.take(answer_bytes(1, int(answered) + 1, np.array(torques)) if good else b"", True)
        for _ in range(2):  # a row is judged once, though the loop sees it in every tick
            seen, kept = JUDGE(count=float(count), seen=seen, row=np.array([answered, *torques]), kept=kept, tick=tick)
        np.testing.assert_array_equal(kept, link.row)


def answered(rig: Rig, tick: float | None = None, torque: float | None = None) -> None:
    """The joints' law, or what a test has instead."""
    exchange = rig.run.exchange
    assert exchange is not None
    state = exchange.states.get()
    assert state is not None
    q, v, ref, kp, kd = state[2:].reshape(5, 6)
    torques = kp * (ref - q) - kd * v if torque is None else np.full(6, torque)
    exchange.answers.put(np.concatenate([[state[0] if tick is None else tick], torques]))


def driven_for(rig: Rig, seconds: float) -> np.ndarray:
    rows = []
    for _ in range(round(seconds / DT / 20)):
        rows.append(rig.step(20 * DT))
        answered(rig)
    return np.concatenate(rows)


def test_nonsense_is_survived_and_silence_closes_the_brakes() -> None:
    with stepped(robot(internal=False), shared=True) as rig:
        rows = driven_for(rig, 1.0)
        assert rig.of(rows, "state")[-1] == State.DRIVE and rig.of(rows, "controller_age")[-1] < 0.03
        for tick, torque in ((None, np.nan), (None, np.inf), (1e9, 1.0), (-1.0, 1.0), (0.5, 1.0), (np.nan, 1.0)):
            answered(rig, tick, torque)
            rows = rig.step(2 * DT, every=2)
        assert rig.of(rows, "controller_malformed")[-1] == 6 and np.isfinite(rows).all()
        assert rig.of(rows, "state")[-1] == State.DRIVE and rig.of(rows, "unsolved")[-1] == 0
        rows = rig.step(0.6)
        assert rig.of(rows, "fault")[-1] == ModelFault.CONTROLLER_SILENT and rig.of(rows, "state")[-1] == State.HELD
        assert not rig.joints(rows, "_torque")[-1].any() and rig.of(rows, "brake")[-1] == 1.0
        rows = driven_for(rig, 1.0)
        assert rig.of(rows, "state")[-1] == State.DRIVE and rig.of(rows, "fault")[-1] == 0


def test_a_file_that_is_cut_short_is_silence() -> None:
    with stepped(robot(internal=False), shared=True) as rig:
        driven_for(rig, 1.0)
        os.truncate(exchange_path(find("rig")), 0)
        rows = rig.step(0.6)
        assert rig.of(rows, "fault")[-1] == ModelFault.CONTROLLER_SILENT and np.isfinite(rows).all()


def answers_tick(exchange: Exchange, tick: int) -> bool:
    """Whether the loop would see an answer to it."""
    exchange.answers.taking()()
    return bool(exchange.answers.row[0] == tick)


def test_the_controllers_process_answers_one_model_after_another(ring_folder: Path) -> None:
    """It waits for a model, and finds the next one when that has taken the name."""
    pipe = subprocess.PIPE
    command = ring_command("rig", 1000.0)
    with subprocess.Popen(command, env=environment(ring_folder), text=True, stdout=pipe, stderr=pipe) as process:
        try:
            for run in range(2):
                with Exchange.made(find("rig"), of_joints(N).blocks) as exchange:
                    box, send = exchange.answers, exchange.states.sending()
                    for tick in range(1, 4):
                        exchange.states.row[:] = [tick, tick * DT, *np.repeat([1.0, 2.0, 4.0 + run, 10.0, 3.0], N)]
                        send()
                        until(partial(answers_tick, exchange, tick), "the answer")
                        np.testing.assert_array_equal(box.row[1:], 10.0 * (3.0 + run) - 3.0 * 2.0)
                    if run == 0:
                        said = subprocess.run(command, env=environment(ring_folder), text=True, capture_output=True)
                        assert said.returncode == 2 and said.stderr.endswith("another process answers already\n")
            process.terminate()
            out, err = process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0 and err == "" and out.startswith("answers states of ring 'rig'")
        finally:
            process.kill()


def test_other_files_are_refused(ring_folder: Path) -> None:
    backend = find("rig")
    path = exchange_path(backend)
    assert Exchange.attached(backend) is None
    for content in (b"", b"MBCX", b"MBCX\2\0\3\0" + bytes(440), b"MBCX\1\0\3\0" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(UsageError, match="is no exchange with a controller, version 1"):
            Exchange.attached(backend)
    path.unlink()
    path.symlink_to(ring_folder / "elsewhere")
    with pytest.raises(UsageError, match="cannot be opened"):
        Exchange.attached(backend)
    with Exchange.made(backend, of_joints(N).blocks):  # takes the place of whatever has the name
        assert not path.is_symlink()
    assert not path.exists()


def test_what_a_killed_model_left_is_replaced_and_cleaned(ring_folder: Path) -> None:
    left = Exchange.made(find("rig"), of_joints(N).blocks)  # never closed
    with Exchange.made(find("rig"), of_joints(N).blocks) as made:
        assert left.is_replaced() and not made.is_replaced()
        left.close()
        assert made.path.exists()  # it is not its own any more
    Exchange.made(find("rig"), of_joints(N).blocks)
    assert "motionbase-rig.control" in [outcome.path.name for outcome in clean(("rig",)) if outcome.removed]
    assert not list(ring_folder.glob("*.control*"))
