"""`motionbase demo`: what it refuses, and which parts it plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from motionbase.cli import demo
from motionbase.cli.main import main as call
from motionbase.errors import UsageError

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--seconds", "0"], "--seconds is 0 s, it must be above 0 and at most 3600 s"),
        (["--seconds", "nan"], "--seconds is nan s, it must be above 0"),
        (["--only", "boot"], "--only: no part 'boot'; did you mean 'boat'?"),
        (["--record", "/nonexistent"], "--record /nonexistent is no folder"),
    ],
)
def test_bad_calls_are_refused_in_a_sentence(capsys: Capture, given: list[str], sentence: str) -> None:
    assert call(["demo", *given]) == 2
    assert sentence in capsys.readouterr().err


def test_parts_that_cannot_be_simulated_are_left_out_unless_they_are_asked_for(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seed, gone = demo.Part("boat://seed", "a boat"), demo.Part(f"world://{tmp_path}/gone.py:Gone", "nothing")
    monkeypatch.setattr(demo, "TOUR", {"boat": seed, "flight": gone})
    assert demo.chosen(None) == ["boat"]
    assert "flight is left out: " in capsys.readouterr().out
    with pytest.raises(UsageError, match="gone"):
        demo.chosen("flight,boat")
    monkeypatch.setattr(demo, "TOUR", {"flight": gone})
    with pytest.raises(UsageError, match="no part of the tour"):
        demo.chosen(None)
