"""A run of several real processes: started, watched, stopped in order; nothing is left, whatever is killed."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, final

import pytest

from motionbase.errors import ScheduleError
from motionbase.executive import supervisor as supervisor_module
from motionbase.executive.process import Process, Restart, Role
from motionbase.executive.supervisor import Ending, Supervisor
from motionbase.recording.estop import files as estop
from motionbase.recording.estop.details import details_of
from motionbase.ring import catalogue, lifeline
from motionbase.ring.backend import Emulation, find, shared_folder
from motionbase.ring.claim import Waiting
from motionbase.ring.gentle import prompt_nice
from motionbase.ring.layout import Status
from motionbase.ring.lifeline import asked
from motionbase.ring.segment import Segment, attach
from tests.executive.run_processes import MOTHER, SLEEPER, STUBBORN, WITNESS, python, writer
from tests.recording.files import all_values

PATIENCE_S = 60.0  # for other processes to start or end, on a machine that does much else
RING = "rig"


@final
class Run:
    """A supervisor in a thread of this process; signals are not for it, but everything else is."""

    def __init__(self, *processes: Process, folder: Path, ring: str | None = RING) -> None:
        self.lines = list[str]()
        self.supervisor = Supervisor(
            processes, ring=ring, folder=folder, after_s=0.3, out=self.lines.append, err=self.lines.append
        )
        self.ending: Ending | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        self.ending = self.supervisor.run()

    def end(self, stop: bool = True) -> Ending:
        if stop:
            self.supervisor.stop()
        self._thread.join(PATIENCE_S)
        assert self.ending is not None, self.lines
        return self.ending

    def has(self, text: str) -> bool:
        return any(text in line for line in self.lines)


@contextmanager
def running(*processes: Process, folder: Path, ring: str | None = RING) -> Iterator[Run]:
    run = Run(*processes, folder=folder, ring=ring)
    try:
        yield run
    finally:
        run.end()


def until(condition: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {what}"
        time.sleep(0.01)


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ring_after(records: int) -> Segment:
    until(lambda: (s := attach(Emulation(RING))) is not None and s.head > records, f"{records} records")
    segment = attach(Emulation(RING))
    assert segment is not None
    return segment


def last_valve(segment: Segment) -> float:
    header = segment.header()
    assert header is not None
    at = header.layout.records_at + 24 * ((segment.head - 1) % header.layout.capacity) + 16
    return float(memoryview(bytes(segment.memory[at : at + 8])).cast("d")[0])


# ---- stopping ----


def test_a_run_ends_in_order_and_leaves_nothing(tmp_path: Path) -> None:
    """On the way a reader is killed twice; the writer does not notice, and another reader sees the safe stop."""
    one = python("one", SLEEPER, restart=Restart(first_s=0.01))
    with running(one, python("witness", WITNESS), writer(), folder=tmp_path / "e") as run:
        segment = ring_after(50)
        header, first = segment.header(), run.supervisor.pids
        for times in (1, 2):
            until(lambda n=times: run.lines.count("one | up") == n, "the reader is up")  # type: ignore[misc]
            os.kill(run.supervisor.pids["one"], signal.SIGKILL)
            until(lambda n=times: run.has(f"try {n} of 5"), "it is noticed")  # type: ignore[misc]
        until(lambda: run.lines.count("one | up") == 3 and run.has("witness | up"), "the third")
        assert run.has("reader 'one' was ended by SIGKILL; it restarts in 0.01 s, try 1 of 5")
        assert ring_after(segment.head + 20).header() == header
        pids = run.supervisor.pids
        assert set(pids) == {"writer", "one", "witness", "estop"} and all(map(lives, pids.values()))
        assert {name for name in pids if pids[name] == first[name]} == {"writer", "witness", "estop"}
        assert len({os.getpgid(pid) for pid in pids.values()}) == 4
        assert run.end() == Ending(0, "stop was called", asked=True)
    assert not any(map(lives, pids.values()))
    assert run.has("writer | SIGNAL") and segment.status is Status.STOPPED and last_valve(segment) == 0
    assert run.has("witness | saw valve 0.0 writer stopped")
    assert not list(shared_folder().glob("motionbase-*")) and not (tmp_path / "e").exists()


def test_a_writer_that_is_stopped_before_it_has_started_has_not_failed(tmp_path: Path) -> None:
    """Ctrl-C while a base imports or compiles: it has no handler of signals and no ring yet."""
    starting = python("starting", SLEEPER, role=Role.WRITER)
    with running(starting, folder=tmp_path) as run:
        until(lambda: run.has("starting | up"), "its start")
        assert run.end() == Ending(0, "stop was called", asked=True)


def test_who_does_not_stop_is_killed(tmp_path: Path) -> None:
    stubborn = python("stubborn", STUBBORN, stop_s=0.3)
    with running(stubborn, python("mother", MOTHER), folder=tmp_path, ring=None) as run:
        until(lambda: run.has("stubborn | up") and run.has("mother | up"), "both")
        pids = run.supervisor.pids
        grandchildren = children_of(pids["mother"])
        assert len(grandchildren) == 1
        assert run.end().code == 0
    assert run.has("reader 'stubborn' did not end in 0.3 s; it is killed")
    until(lambda: not any(map(lives, [*pids.values(), *grandchildren])), "all have ended")


def test_ends_without_a_writer(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    lines = list[str]()
    once = Supervisor([python("once", "print('a\\nb', end='')")], out=lines.append)
    assert once.run() == Ending(0, "all processes have ended") and lines == ["once | a", "once | b"]
    assert Supervisor([python("one", SLEEPER)]).run(duration=0.2) == Ending(0, "0.2 s have passed")
    assert signal.getsignal(signal.SIGINT) is before


def children_of(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


# ---- readers that die ----


def test_a_reader_that_cannot_live_is_given_up(tmp_path: Path) -> None:
    broken = python("broken", "import sys; sys.exit('no such colour')", restart=Restart(limit=2, first_s=0.01))
    nobody = Process("nobody", ("/nonexistent/program",))
    with running(broken, nobody, python("one", SLEEPER), folder=tmp_path, ring=None) as run:
        until(lambda: run.has("it is given up after 2 restarts; its last words: no such colour"), "it is given up")
        until(lambda: run.has("'nobody' ended with exit code 127; it is not restarted"), "neither is this")
        assert run.has("nobody | /nonexistent/program cannot be started: No such file or directory")
        until(lambda: run.has("one | up"), "the other one")
        assert lives(run.supervisor.pids["one"])
        assert run.end() == Ending(1, "stop was called; a reader could not be kept running", asked=True)
    assert run.lines.count("broken | no such colour") == 3


# ---- writers that die ----


def test_a_killed_writer_ends_the_run_after_its_file_is_saved(tmp_path: Path) -> None:
    with running(writer(), python("one", SLEEPER), folder=tmp_path / "e") as run:
        segment = ring_after(100)
        pids = run.supervisor.pids
        os.kill(pids["writer"], signal.SIGKILL)
        ending = run.end(stop=False)
    assert ending.code == 1 and ending.why == "writer 'writer' was ended by SIGKILL"
    (path,) = ending.files
    found = details_of(path)
    assert found.count == segment.head and found.cause.startswith("the writer died")
    assert [*all_values(path)[:, 1]] == [*range(segment.head)]
    assert not any(map(lives, pids.values())) and not list(shared_folder().glob("motionbase-*"))


def test_a_failing_writer_has_its_last_words(tmp_path: Path) -> None:
    with running(writer(fails_at=60), python("one", SLEEPER), folder=tmp_path, ring=None) as run:
        ending = run.end(stop=False)
    why = "job 'law' failed in tick 60: ZeroDivisionError: no pressure"
    # on a busy machine a warning about ticks that took too long may come before
    assert ending.code == 1 and ending.why.startswith("writer 'writer' ended with exit code 1; its last words: ")
    assert ending.why.endswith(why)
    assert run.has(f"writer | {why}") and not run.supervisor.pids


def test_a_ring_that_cannot_be_saved_is_kept(tmp_path: Path) -> None:
    """Writer and watch are killed at once, and the disk takes nothing; the next run saves the ring before it begins."""
    (tmp_path / "file").touch()
    with running(writer(), folder=tmp_path / "file" / "e") as run:
        segment = ring_after(50)
        for name in ("estop", "writer"):
            os.kill(run.supervisor.pids[name], signal.SIGKILL)
        ending = run.end(stop=False)
    assert ending.code == 1 and "are not saved: `motionbase ring save rig`" in ending.why and not ending.files
    assert catalogue.entry(RING).unsaved and run.has("is kept: ") and run.has("cannot be made: Not a directory")
    with pytest.raises(ScheduleError, match="holds unsaved records of an earlier run"):
        Supervisor([writer()], ring=RING, folder=tmp_path / "file" / "e").run()
    assert catalogue.entry(RING).unsaved and segment.status is Status.RUNNING

    with running(writer(ticks=30), folder=tmp_path / "e") as run:
        ending = run.end(stop=False)
    assert ending == Ending(0, "writer 'writer' ended with exit code 0")
    (file,) = estop.files(tmp_path / "e")
    assert file.details is not None and file.details.count == segment.head and run.has("an earlier run: saved")
    assert not list(shared_folder().glob("motionbase-*"))


# ---- the supervisor itself ----

SUPERVISOR = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from tests.executive.run_processes import MOTHER, STUBBORN, python, writer
from motionbase.executive.supervisor import Supervisor
processes = [writer(), python("mother", MOTHER), python("stubborn", STUBBORN, stop_s=0.5)]
ending = Supervisor(processes, ring="rig", folder=Path(sys.argv[2]), after_s=0.3).run()
print(json.dumps([ending.code, ending.why]))
sys.exit(ending.code)
"""
ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def supervisor_process(folder: Path) -> Iterator[tuple[subprocess.Popen[str], list[int], Segment]]:
    command = [sys.executable, "-c", SUPERVISOR, str(ROOT), str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, process_group=0)
    family = list[int]()
    try:
        segment = ring_after(50)

        def grown() -> bool:
            children = children_of(process.pid)
            family[:] = [*children, *(g for c in children for g in children_of(c))]
            return len(family) == 6  # sentinel, writer, mother and child, stubborn, estop

        until(grown, "all processes")
        assert process.stdout is not None
        while "stubborn | up" not in (line := process.stdout.readline()):
            assert line, "the supervisor ended"
        yield process, family, segment
    finally:
        process.kill()
        process.communicate()
        for pid in family:
            if lives(pid):
                os.kill(pid, signal.SIGKILL)


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    with supervisor_process(tmp_path / "e") as (process, family, segment):
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does; the children have groups of their own
        said, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, said
        until(lambda: not any(map(lives, family)), "all have ended")
    assert json.loads(said.splitlines()[-1]) == [0, "SIGINT came"]
    assert segment.status is Status.STOPPED and last_valve(segment) == 0
    assert not list(shared_folder().glob("motionbase-*")) and not (tmp_path / "e").exists()


def test_a_killed_supervisor_leaves_nothing(tmp_path: Path) -> None:
    """The writer makes its safe stop; grandchildren and those who hear no signal are ended by the sentinel."""
    with supervisor_process(tmp_path / "e") as (process, family, segment):
        process.kill()
        process.wait()
        until(lambda: not any(map(lives, family)), "all have ended")
    assert segment.status is Status.STOPPED and last_valve(segment) == 0
    assert not list(shared_folder().glob("motionbase-rig"))


def test_what_cannot_be_supervised() -> None:
    with pytest.raises(ScheduleError, match="two processes are called 'estop'"):
        Supervisor([python("estop", SLEEPER)], ring=RING)
    with pytest.raises(ScheduleError, match="both must be given"):
        Process("x", ())


def test_a_prompt_process_comes_before_others_where_a_writer_comes_before_it() -> None:
    lines = list[str]()
    says = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
    processes = [Process(name, (sys.executable, "-c", says), prompt=name == "prompt") for name in ("prompt", "plain")]
    Supervisor(processes, out=lines.append, err=lines.append).run()
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert sorted(lines) == [f"plain | {own}", f"prompt | {max(-20, own + prompt_nice())}"]


@pytest.mark.parametrize("is_open", [False, True])
def test_a_run_has_one_lifeline_whoever_opened_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_open: bool
) -> None:
    found = list[int]()

    def looks(_: float | None) -> Ending:
        found.extend(f.place for f in asked(find(RING), lifeline.Role.SUPERVISOR, {"ask": "stops"}))
        return Ending(0, "")

    waiting = Waiting(find(RING)) if is_open else None
    supervisor = Supervisor([], ring=RING, folder=tmp_path, waiting=waiting)
    monkeypatch.setattr(supervisor, "_run", looks)
    supervisor.run()
    assert found == [0]
    if waiting is not None:
        waiting.close()


# ---- a writer that is restarted ----


def test_readers_outlive_a_writer_that_can_be_started_again(tmp_path: Path) -> None:
    """Killed, it is told why; asked for by the lifeline it comes back, and the exit code remembers that it failed."""
    first = writer()
    again = (*first.command[:-2], "-1", "0")
    with running(replace(first, again=again), python("one", SLEEPER), folder=tmp_path / "e") as run:
        segment = ring_after(50)
        assert _told()["doing"] == "runs"
        assert _asked("start") == {"refused": "the base has not ended"}
        reader = run.supervisor.pids["one"]
        os.kill(run.supervisor.pids["writer"], signal.SIGKILL)
        until(lambda: _told().get("doing") == "ended", "the end of the writer")
        assert _told()["why"] == "was ended by SIGKILL" and _told()["trouble"] == ""
        until(lambda: run.has("the other processes stay"), "the sentence")
        assert run.supervisor.pids["one"] == reader and "writer" not in run.supervisor.pids
        assert _asked("start", by="Ann") == {"starts": True}
        until(lambda: "writer" in run.supervisor.pids, "another writer")
        until(lambda: run.has("writer 'writer' is restarted, as Ann asked"), "the sentence")
        until(
            lambda: (s := attach(Emulation(RING))) is not None and s.inode != segment.inode and s.head > 20, "its ring"
        )
        assert _told()["doing"] == "runs" and run.supervisor.pids["one"] == reader
        ending = run.end()
    assert ending.code == 1 and ending.why == "stop was called; writer 'writer' was ended by SIGKILL"
    (saved,) = ending.files  # before the second writer removed the ring
    assert details_of(saved).cause.startswith("the writer died")


def test_a_writer_that_ends_well_or_refuses_its_input(tmp_path: Path) -> None:
    """The first can be started again and is no failure; the second would refuse again, so that the run ends."""
    first = writer(ticks=20)
    with running(replace(first, again=first.command), python("one", SLEEPER), folder=tmp_path / "e") as run:
        until(lambda: _told().get("doing") == "ended", "the end of the writer")
        assert run.end() == Ending(0, "stop was called", asked=True)
    bad = python("writer", "raise SystemExit(2)", role=Role.WRITER)
    with running(replace(bad, again=bad.command), python("one", SLEEPER), folder=tmp_path / "e") as run:
        assert run.end(stop=False) == Ending(1, "writer 'writer' ended with exit code 2")


def test_stops_that_a_writer_has_met_are_not_met_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the last seconds are, and those that come while nobody writes."""
    monkeypatch.setattr(supervisor_module, "LATEST_S", 0.3)
    first = writer()
    with running(replace(first, again=first.command), python("one", SLEEPER), folder=tmp_path / "e") as run:
        ring_after(50)
        _asked("stop", by="early")
        time.sleep(0.4)
        _asked("stop", by="late")
        os.kill(run.supervisor.pids["writer"], signal.SIGKILL)
        until(lambda: _told().get("doing") == "ended", "the end of the writer")
        _asked("stop", by="meanwhile")
        stops = _asked("stops")["stops"]
        assert "early" not in stops and stops[-1] == "meanwhile"


def _asked(what: str, **more: str) -> dict[str, Any]:
    """What the supervisor says; nothing before it listens."""
    return next((f.said for f in asked(find(RING), lifeline.Role.SUPERVISOR, {"ask": what, **more}, PATIENCE_S)), {})


def _told() -> dict[str, Any]:
    found: dict[str, Any] = _asked("run").get("run", {})
    return found
