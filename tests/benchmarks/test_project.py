"""The project's bench: what takes long is left out of a quick run, and motion is what the console says."""

import pytest

from benchmarks import project
from benchmarks.harness import Settings, Skip
from benchmarks.peers.console_server import Console

QUICK = Settings(quick=True, repeats=1)


@pytest.mark.parametrize("measure", [project.test_time, project.first_setup])
def test_what_takes_minutes_is_not_in_a_quick_run(measure: project.Measure) -> None:
    with pytest.raises(Skip, match="not in a quick run"):
        measure(QUICK)


def test_the_import_is_timed_with_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(project.NO_BYTECODE, "1")
    assert project.NO_BYTECODE not in project.environment()
    assert len(project.import_time(QUICK).values) == 1


def test_motion_is_what_the_console_says(monkeypatch: pytest.MonkeyPatch) -> None:
    nobody = Console("http://127.0.0.1:9", 0)
    assert not project.shows_motion(nobody)
    for state, moves in ((None, False), ("off", False), ("rising", True)):
        monkeypatch.setattr(Console, "status", lambda _, state=state: {"sources": [{"base_state": state}]})
        assert project.shows_motion(nobody) is moves
