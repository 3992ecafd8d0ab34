"""Files, rings and manoeuvres as hosts, and hosts that tell displacements of legs."""

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.errors import MotionBaseError
from motionbase.executive.exchange import Exchange
from motionbase.executive.host.motions import kind_of_played, motion_of
from motionbase.executive.host.playing import Playing
from motionbase.executive.host.rows import blocks_of
from motionbase.executive.host.source import told_by
from motionbase.host.format import AT_REST, Kind
from motionbase.host.url import Played, source_of
from motionbase.record.axes import DOFS
from motionbase.record.cueing import linked_schema
from motionbase.record.hexapod import hexapod_schema
from motionbase.record.states import State
from motionbase.record.vehicle import VEHICLE, vehicle_schema
from motionbase.ring import names
from motionbase.ring.backend import find
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import until

VEHICLE_NAMES = [channel.name for channel in VEHICLE]
T = np.arange(0, 2.001, 0.01)


def played(text: str) -> Played:
    found = source_of(text)
    assert isinstance(found, Played)
    return found


def written(path: Path, names: list[str], columns: np.ndarray) -> Path:
    np.savetxt(path, np.column_stack([T, columns]), delimiter=",", header=",".join(["t", *names]), comments="")
    return path


def swaying(w: float = 3.0) -> np.ndarray:
    return np.column_stack([0.1 * (k + 1) * np.sin(w * T) for k in range(6)])


def test_a_csv_of_poses_gets_derivatives(tmp_path: Path) -> None:
    for prefix in ("", "host_"):
        path = written(tmp_path / "a.csv", [prefix + dof for dof in DOFS], swaying())
        url = played(f"file://{path}?start=0.5")
        assert kind_of_played(url) is Kind.POSE is told_by(url)
        motion = motion_of(url)
        assert motion.duration == pytest.approx(1.5)
        row = motion.row(0.333)
        assert row is not None
        angle = 3 * 0.833
        for k in range(6):  # the fit of a cubic to five samples
            wanted = 0.1 * (k + 1) * np.array([np.sin(angle), 3 * np.cos(angle), -9 * np.sin(angle)])
            assert row[k::6] == pytest.approx(wanted.tolist(), abs=2e-3 * (k + 1))


def test_a_csv_of_a_vehicle_may_leave_out_what_can_be_known(tmp_path: Path) -> None:
    columns = np.tile(AT_REST, (len(T), 1))[:, :12]
    columns[:, 4] = 0.3 * T
    kept = [k for k in range(12) if not 6 <= k < 9]
    path = written(tmp_path / "a.csv", [VEHICLE_NAMES[k] for k in kept], columns[:, kept])
    motion = motion_of(played(f"file://{path}?rate=80&loop=yes"))
    assert motion.kind is Kind.VEHICLE and motion.duration == np.inf
    row = motion.row(1.234)
    assert row == pytest.approx((0, 0, AT_REST[2], 0, 0.3 * 1.234, 0, 0, 0.3, 0, 0, 0, 0, 0), abs=1e-9)


def test_both_kinds_in_a_file(tmp_path: Path) -> None:
    names = [*VEHICLE_NAMES, *(f"host_{dof}" for dof in DOFS)]
    path = written(tmp_path / "a.csv", names, np.column_stack([np.tile(AT_REST, (len(T), 1)), swaying()]))
    assert kind_of_played(played(f"file://{path}")) is Kind.VEHICLE
    assert motion_of(played(f"file://{path}?kind=pose")).kind is Kind.POSE


def test_manoeuvres() -> None:
    url = played("manoeuvre://landing?rate=60&sink=2")
    assert told_by(url) is Kind.VEHICLE
    motion = motion_of(url)
    row = motion.row(0.0)
    assert row is not None and len(row) == 13 and 5 < motion.duration < 1000


def test_files_and_rings_that_cannot_be_played(tmp_path: Path, ring_folder: Path) -> None:
    path = written(tmp_path / "a.csv", [f"x{k}" for k in range(6)], swaying())
    for text, sentence in (
        (f"file://{path}", "has no channels f_x to omega_z of a vehicle .*, and none host_surge to host_yaw"),
        (f"file://{path}?kind=pose", "has no channels host_surge to host_yaw, or surge to yaw"),
        (f"file://{tmp_path}/b.csv", "does not exist"),
        (f"file://{tmp_path}", "is a folder"),
        ("ring://nobody", "there is no ring 'nobody' yet; say kind=pose or kind=vehicle"),
        ("manoeuvre://nothing", "no manoeuvre 'nothing'"),
    ):
        with pytest.raises(MotionBaseError, match=sentence):
            kind_of_played(played(text))
            motion_of(played(text))
    bad = swaying()
    bad[50, 2] = np.nan
    path = written(tmp_path / "c.csv", list(DOFS), bad)
    with pytest.raises(MotionBaseError, match=r"at 0.5 s: heave is nan, a finite number is wanted"):
        motion_of(played(f"file://{path}"))
    with pytest.raises(MotionBaseError, match="fewer than two samples in the chosen time; it goes from 0 to 2 s"):
        motion_of(played(f"file://{path}?start=100"))


def test_a_ring_is_followed_while_it_is_written(ring_folder: Path) -> None:
    base = linked_schema(hexapod_schema())
    row = np.zeros(len(base.channels))
    for order, suffix in enumerate(("", "_dot", "_ddot")):
        for k, dof in enumerate(DOFS):
            row[base.place(f"host_{dof}{suffix}")] = 10 * order + k
            row[base.place(f"cmd_{dof}{suffix}")] = 100 + 10 * order + k
    waiting = motion_of(played("ring://rig?kind=pose"))
    assert waiting.row(0.0) is None
    with Writer(base, name="rig", capacity=100, dt=5e-4, every=1) as writer:
        motions = {name: motion_of(played(f"ring://rig?channels={name}")) for name in ("host", "cmd", "pose_hat")}
        for tick in range(3):
            row[0] = tick
            writer.write(row)
        wanted = tuple(10.0 * order + k for order in range(3) for k in range(6))
        assert motions["host"].row(0.0) == wanted == motions["host"].row(9.0)
        assert motions["cmd"].row(0.0) == tuple(100 + x for x in wanted)
        assert motions["pose_hat"].row(0.0) == (0.0,) * 18
        time.sleep(0.06)  # a reader looks for a new ring so often
        assert waiting.row(0.0) is None  # it begins with the next record
        writer.write(row)
        assert waiting.row(0.0) == wanted
    assert motions["host"].row(0.0) == wanted  # the last record
    assert motions["host"].row(0.0) is None  # the writer has stopped: silence
    for motion in (waiting, *motions.values()):
        motion.close()
    with Writer(vehicle_schema(), name="rig", capacity=100, dt=5e-4, every=1) as writer:
        motion = motion_of(played("ring://rig"))
        writer.write(np.array([0.0, *AT_REST]))
        assert motion.kind is Kind.VEHICLE and motion.row(0.0) == AT_REST
        motion.close()


def test_what_is_played_begins_when_the_base_drives(tmp_path: Path, ring_folder: Path) -> None:
    """Until then its first sample stands; it begins again if the base stops driving, and its end is silence."""
    heave = 0.1 + 0.02 * np.arange(len(T))
    columns = np.zeros((len(T), 6))
    columns[:, 2] = heave
    path = written(tmp_path / "a.csv", list(DOFS), columns)
    url = played(f"file://{path}?rate=200&stop=0.3")
    with Exchange.made(find("rig"), blocks_of(Kind.POSE), names.HOST) as exchange, Playing(url) as playing:
        assert playing.sentence == f"plays a pose of {url.text} at 200 Hz"

        def state(value: State) -> None:
            exchange.states.row[:] = [1, 0, *(0.0,) * 12, value, 0, 0, 0]
            exchange.states.sending()()

        def heard() -> Array:
            exchange.answers.taking()()
            return exchange.answers.row.copy()

        with Thread(playing, exchange):
            until(lambda: heard()[0] >= 3, "the first sample")
            assert heard()[7 + 2] == pytest.approx(0.1) and not heard()[7 + 6 :].any()
            state(State.DRIVE)
            until(lambda: heard()[7 + 2] > 0.3, "the motion")
            assert heard()[7 + 6 + 2] == pytest.approx(2.0, rel=1e-3)
            state(State.SETTLING)
            until(lambda: heard()[7 + 2] == pytest.approx(0.1), "that it stands at its begin")
            state(State.DRIVE)
            until(lambda: heard()[7 + 2] > 0.69, "its end")
            time.sleep(0.1)
            count = heard()[0]
            state(State.SETTLING)
            time.sleep(0.15)
            assert heard()[0] == count  # silence


class Thread:
    """Serves until the exchange is closed."""

    def __init__(self, playing: Playing, exchange: Exchange) -> None:
        self._exchange = exchange
        self._thread = threading.Thread(target=playing.serve, args=(exchange,))

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._exchange.path.unlink()
        self._thread.join(10)
        assert not self._thread.is_alive()
