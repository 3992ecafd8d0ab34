"""`motionbase generators`: what it shows, what it writes, and what it says when it cannot."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from motionbase.cli.main import main as call
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.blocks.generators import GeneratorReader
from motionbase.ring.blocks.seqlock import Outcome
from motionbase.ring.command_words import user
from motionbase.ring.writer import Writer

Capture = pytest.CaptureFixture[str]
EXAMPLE = str(Path(__file__).resolve().parents[2] / "examples" / "generators.toml")


@pytest.fixture(autouse=True)
def ring_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.fixture
def ring(ring_folder: Path) -> Iterator[Writer]:
    with Writer(hexapod_schema(), capacity=16) as writer:
        yield writer


def test_new_ring_has_all_off(ring: Writer, capsys: Capture) -> None:
    assert call(["generators", "show"]) == 0
    out = capsys.readouterr().out
    assert "shared memory (emulation)" in out and "version  0, never written" in out and "on       none" in out


def test_set_show_clear(ring: Writer, capsys: Capture) -> None:
    reader = GeneratorReader(ring.segment, ring.header.layout)
    assert call(["generators", "set", EXAMPLE]) == 0
    out = capsys.readouterr().out
    for piece in (
        "heave, roll and a sweep of leg 3",
        "0.1 m",
        "0.1-1.5 Hz",
        "24 tones, at most 0.09798 rad",
        "leg 3",
        "for 120 s",
    ):
        assert piece in out
    assert "on       1, 2\n" in out
    assert f"version  1, by motionbase generators: {user()} (process " in out
    assert reader.poll() is Outcome.NEW and reader.values[:3, 0].tolist() == [1.0, 1.0, 0.0]
    assert call(["generators", "show", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["enabled"] == [1, 2] and data["version"] == 1 and data["note"] == ""
    assert data["backend"] == "shared memory (emulation)" and data["generator"][0]["amplitude"] == 0.1
    assert call(["generators", "clear", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["version"] == 2
    assert reader.poll() is Outcome.NEW and not reader.values.any()


def test_ring_by_name(ring_folder: Path, capsys: Capture) -> None:
    with Writer(hexapod_schema(), capacity=16, name="rig"):
        assert call(["generators", "set", EXAMPLE, "--ring", "rig"]) == 0
        assert "motionbase-rig" in capsys.readouterr().out


def test_device_is_named(ring_folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    """A file stands for the memory of a card."""
    card = ring_folder / "card"
    card.write_bytes(bytes(2_000_000))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", str(card))
    with Writer(hexapod_schema(), capacity=16):
        assert call(["generators", "set", EXAMPLE]) == 0
        assert f"ring     device (hardware) {card}\n" in capsys.readouterr().out
        assert call(["generators", "clear"]) == 0
        assert "version  2" in capsys.readouterr().out


def complaint(capsys: Capture, *args: str) -> str:
    assert call(["generators", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err


def test_no_ring(capsys: Capture) -> None:
    for args in (["show"], ["clear"], ["set", EXAMPLE]):
        assert "there is no ring 'motionbase' (shared memory (emulation)" in complaint(capsys, *args)


def test_bad_files_leave_the_ring_alone(ring: Writer, tmp_path: Path, capsys: Capture) -> None:
    assert "nothing.toml: cannot be read: No such file" in complaint(capsys, "set", str(tmp_path / "nothing.toml"))
    bad = tmp_path / "bad.toml"
    bad.write_text("[[generator]]\naxes = [1]\nfrequency = 80\n")
    assert "bad.toml: generator 1: frequency is 80 Hz, it must be 0 to 50" in complaint(capsys, "set", str(bad))
    assert GeneratorReader(ring.segment, ring.header.layout).poll() is Outcome.UNCHANGED


def test_stopped_ring_is_shown_but_not_written(ring: Writer, capsys: Capture) -> None:
    ring.close(remove=False)
    assert call(["generators", "show"]) == 0
    assert "; its writer has stopped" in capsys.readouterr().out
    assert "its writer has stopped" in complaint(capsys, "clear")
