"""`motionbase run atlas` as a process: a ring with its own schema, its platform's text, and commands that turn it."""

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main as call
from motionbase.platform.atlas.text import platforms_of_text
from motionbase.record.requests import Command, Kind
from motionbase.record.sphere import sphere_schema
from motionbase.record.states import State
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.parameters import shown
from motionbase.ring.reader import Reader
from tests.ring.ring_processes import PATIENCE_S, command, until

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    yield tmp_path


def test_it_has_a_ring_of_its_own_and_obeys(folder: Path) -> None:
    """What sphere and stage do in it is a matter of tests/system/test_atlas_loop.py."""
    with command(folder, "run", "atlas", "--alone", "--ring", "ball", "--rate", "200", "--manual") as process:
        until((folder / "motionbase-ball").exists, "ring ball")
        with Reader("ball", start="oldest", batch=20_000) as reader:
            schema = reader.schema
            assert schema == sphere_schema(3, electric=True) and schema.name == "atlas"
            stage, atlas = platforms_of_text(reader.header.layout.platform)
            assert atlas is not None and (stage.name, atlas.name) == ("atlas-stage", "atlas")
            until(lambda: reader.behind > 0, "a record")  # the ring has its name before it takes commands
            assert {"sphere_bandwidth", "slip_speed"} <= {p.name for p in shown("ball")[0].table.parameters}
            assert CommandSender("ball", sender="test").request(Command(Kind.DOWN), timeout=PATIENCE_S)
            at, rows = schema.index, [np.empty((0, len(schema.channels)))]

            def is_down() -> bool:
                rows.append(np.array(reader.wait(PATIENCE_S).rows))
                return bool(rows[-1][-1, at["state"]] == State.DOWN)

            until(is_down, "down")
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate(timeout=PATIENCE_S)
            assert process.returncode in (0, 143), said
    found = np.concatenate(rows)
    assert set(found[:, at["fault"]]) == {0.0}
    assert np.abs(np.linalg.norm(found[:, at["sphere_q_w"] : at["sphere_q_w"] + 4], axis=1) - 1).max() < 1e-12
    assert found[:, at["sphere_error"]].max() < 1e-3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["atlas", "--point", "tail"], "has no point 'tail'; points: centre, head"),
        (["simona", "--point", "head"], "platform 'simona' has no sphere"),
        (["atlas", "--generators", "swell"], "it must be one of gentle, tour, tumble, none"),
    ],
)
def test_bad_calls_get_a_sentence(folder: Path, args: list[str], said: str, capsys: Capture) -> None:
    assert call(["run", *args, "--alone"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1, told
