"""`motionbase cue tune`: a set, its front, stopping and going on, errors."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from motionbase.cli.main import main
from motionbase.ring import gentle

SMALL = ["--manoeuvres", "heave_doublet?duration=4", "--population", "8", "--parameters", "gain,high_pass"]


@contextmanager
def stopped() -> Iterator[threading.Event]:
    """As after Ctrl-C."""
    event = threading.Event()
    event.set()
    yield event


def test_it_stops_goes_on_and_writes_a_set_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out, plot = tmp_path / "mine.toml", tmp_path / "front.svg"
    with monkeypatch.context() as patched:
        patched.setattr(gentle, "stop_requested", stopped)
        assert main(["cue", "tune", *SMALL, "--generations", "5", "--out", str(out)]) == 130
    shown = capsys.readouterr().out
    assert "stopped after generation 0 of 5; --resume goes on" in shown and "chosen" in shown
    assert main(["cue", "tune", *SMALL, "--generations", "5", "--out", str(out), "--resume", "--plot", str(plot)]) == 0
    assert "Before and after" in capsys.readouterr().out and plot.stat().st_size > 5000
    whole = tmp_path / "whole.toml"
    assert main(["cue", "tune", *SMALL, "--generations", "5", "--out", str(whole), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["generations"] == 5 and told["after"]["error"] < told["before"]["error"] and not told["stopped"]
    assert whole.read_text() == out.read_text()  # stopping changed nothing
    assert main(["cue", "heave_doublet?duration=4", "--cueing", str(out), "--json"]) == 0
    run = json.loads(capsys.readouterr().out)["runs"][0]
    assert run["error_share"] == pytest.approx(told["after"]["error"], rel=1e-9)
    assert main(["cue", "tune", *SMALL, "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--out", "a.json"], "the name must end in .toml"),
        (["--out", "a.toml", "--manoeuvres", "ladning"], "did you mean 'landing'"),
        (["--out", "a.toml", "--manoeuvres", ","], "no manoeuvre to tune for"),
        (["--out", "a.toml", "--weight", "-1"], "--weight is -1, it must be 0 to 100"),
        (["--out", "a.toml", "--generations", "0"], "--generations is 0, it must be 1 to 100000"),
        (["--out", "a.toml", "--reserve", "nan"], "--reserve is nan m"),
        (["--out", "a.toml", "--resume", *SMALL], "cannot read 'a.tune.json'"),
    ],
)
def test_wrong_input_is_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["cue", "tune", *arguments]) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1
