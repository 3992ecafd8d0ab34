"""`motionbase mirror`: both ends as processes, and bad calls."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.reader import Reader
from motionbase.ring.waveforms import records
from motionbase.ring.writer import Writer
from tests.ring.ring_processes import PATIENCE_S, command, interrupt

SCHEMA = hexapod_schema()
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


def test_a_ring_is_copied_between_processes(folder: Path) -> None:
    """Source and copy have folders of their own, as on two machines."""
    there = folder / "there"
    there.mkdir()
    with Writer(SCHEMA, name="source", dt=0.001, capacity=1000) as ring:
        ring.write(records(SCHEMA, 0, 1500, 0.001))
        with command(folder, "mirror", "serve", "--ring", "source", "--listen", "127.0.0.1:0", "--json") as server:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert "serving ring 'source' (shared memory (emulation)" in line and "read only" in line
            found = re.search(r"on (127\.0\.0\.1:\d+)", line)
            assert found
            with command(there, "mirror", found[1], "--ring", "copy", "--oldest", "--json") as client:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setenv("MOTIONBASE_RING_FOLDER", str(there))
                    with Reader("copy", start="oldest") as reader:
                        rows = np.empty((0, len(SCHEMA.channels)))
                        while len(rows) < 1000:
                            batch = reader.wait(PATIENCE_S)
                            assert len(batch.rows), "nothing comes"
                            rows = np.vstack([rows, batch.rows])
                np.testing.assert_array_equal(rows, records(SCHEMA, 500, 1000, 0.001))
                out, err = interrupt(client)
                assert client.returncode == 0 and "copying 'motionbase' from record 500 on" in err
                result = json.loads(out)
                assert (result["received"], result["missing"]) == (1000, 0)
                assert result["runs"] == [{"first": 500, "received": 1000, "missing": 0, "gaps": []}]
            assert server.stderr.readline().endswith(": connected\n")
            assert server.stderr.readline().endswith(": gone\n")  # said within a turn, which the interrupt must not cut
            out, _ = interrupt(server)
            assert server.returncode == 0 and json.loads(out) | {"sent": 1000, "lost": 0} == json.loads(out)
    assert [p.name for p in there.iterdir()] == ["motionbase-copy.lock"]


def failure(capsys: Capture, *args: str) -> str:
    assert call(["mirror", *args]) == 2
    out, err = capsys.readouterr()
    last = err.splitlines()[-1]
    assert out == "" and last.startswith("motionbase: ")
    return last


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "serve|HOST:PORT"),
        (["serv"], "the server's address is 'serv', it must be HOST:PORT"),
        (["serve", "--listen", "7178"], "--listen is '7178', it must be HOST:PORT"),
        (["serve", "--listen", "192.0.2.1:0"], "cannot listen on 192.0.2.1:0: "),
        (["serve", "--ring", "a b"], "ring name 'a b' must be"),
        (["127.0.0.1:1", "--ring", "a b"], "ring name 'a b' must be"),
        (["127.0.0.1:1", "--capacity", "1"], "--capacity is 1, it must be 2 or more"),
        (["127.0.0.1:1", "--duration", "0"], "--duration is 0 s"),
    ],
)
def test_bad_calls_are_one_sentence(args: list[str], said: str, capsys: Capture) -> None:
    assert said in failure(capsys, *args)


def test_serving_beyond_this_machine_is_said(capsys: Capture) -> None:
    assert call(["mirror", "serve", "--listen", "0.0.0.0:0", "--duration", "0.1"]) == 0
    assert "everybody who reaches this port can read the ring" in capsys.readouterr().err


def test_a_foreign_segment_is_said_before_anybody_connects(folder: Path, capsys: Capture) -> None:
    (folder / "motionbase-odd").write_bytes(b"odd")
    assert "too short for a ring" in failure(capsys, "serve", "--ring", "odd", "--listen", "127.0.0.1:0")
