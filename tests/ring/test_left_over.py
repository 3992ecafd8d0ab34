"""Files of recorders and replays beside a ring are removed after a kill, but never those of a living process."""

import socket
from pathlib import Path

import pytest

from motionbase.errors import RingError
from motionbase.record.schema import Channel, Schema
from motionbase.recording.recorder.control import ControlServer, status, write_status
from motionbase.ring.backend import Emulation, find
from motionbase.ring.catalogue import clean
from motionbase.ring.writer import Writer

ONE = Schema("one", (Channel("t", "s", "time", "time"),))
RECORDER = {"motionbase-rig.recorder", "motionbase-rig.recorder.json", "motionbase-rig.recorder.lock"}


def killed(folder: Path, name: str = "rig", lock: bool = True) -> None:
    """The files of a killed recorder."""
    with socket.socket(socket.AF_UNIX) as link:
        link.bind(str(folder / f"motionbase-{name}.recorder"))
    for ending in ("json", "json.part", *(("lock",) if lock else ())):
        (folder / f"motionbase-{name}.recorder.{ending}").write_text("{}")


def files(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir()}


@pytest.mark.parametrize("lock", [True, False])
@pytest.mark.parametrize("names", [(), ("rig",)])
def test_what_a_killed_recorder_left_is_removed(ring_folder: Path, lock: bool, names: tuple[str, ...]) -> None:
    killed(ring_folder, lock=lock)
    assert {o.path.name for o in clean(names) if o.removed} >= RECORDER
    assert files(ring_folder) == set() and clean() == []


def test_beside_a_living_ring_too(ring_folder: Path) -> None:
    with Writer(ONE, name="rig", capacity=4) as ring:
        ring.publish()
        killed(ring_folder)
        outcomes = clean()
        assert files(ring_folder) == {"motionbase-rig", "motionbase-rig.lock"}
        assert [o.path for o in outcomes if not o.removed] == [ring.backend.path]


@pytest.mark.parametrize("force", [True, False])
def test_a_living_recorder_keeps_everything(ring_folder: Path, force: bool) -> None:
    """The ring of a stopped writer is removed; the recorder waits for the next writer."""
    Writer(ONE, name="rig", capacity=4).close(remove=False)
    server = ControlServer("rig", find("rig"))
    write_status(server.status_path, {"state": "waiting"})
    try:
        kept = [o for o in clean(("rig",), force=force) if not o.removed]
        assert ["its recorder is alive" in o.why for o in kept] == [True]
        assert files(ring_folder) >= RECORDER and not Emulation("rig").path.exists()
        assert status("rig") == {"state": "waiting"}
    finally:
        server.close()
    clean()
    assert files(ring_folder) == set()


def test_the_state_of_a_killed_replay_goes_with_its_ring(ring_folder: Path) -> None:
    (ring_folder / "motionbase-rig.replay.json").write_text("{}")
    with Writer(ONE, name="rig", capacity=4):
        clean()
        assert (ring_folder / "motionbase-rig.replay.json").exists(), "its writer lives"
    clean()
    assert files(ring_folder) == set()


def test_files_of_others_are_left_alone(ring_folder: Path) -> None:
    others = {"motionbase-rig.recorder.txt", "motionbase-no name.recorder", "rig.recorder.json"}
    for name in others:
        (ring_folder / name).write_text("")
    (ring_folder / "motionbase-rig.recorder").mkdir()
    outcomes = clean()
    assert files(ring_folder) >= others | {"motionbase-rig.recorder"}
    assert [o.path.name for o in outcomes if not o.removed] == ["motionbase-rig.recorder"]
    with pytest.raises(RingError, match="no ring 'nothing'"):
        clean(("nothing",))


def test_recorders_of_a_device_and_of_records_that_were_left(
    ring_folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(ring_folder, "rig.left-17")
    clean()
    assert files(ring_folder) == set()
    device = tmp_path_factory.mktemp("d") / "rfm"
    device.write_bytes(bytes(1 << 20))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", f"{device}")
    base = find("rig").lock_path.stem.removeprefix("motionbase-")
    (ring_folder / f"motionbase-{base}.recorder.json").write_text("{}")
    assert [o.removed for o in clean(("device",))] == [True, True]
    assert files(ring_folder) == set()
