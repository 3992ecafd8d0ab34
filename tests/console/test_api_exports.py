"""Exports and splits of recordings, as jobs that can be cancelled."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from motionbase.console.api import lent
from motionbase.console.api.sentences import TooMany, WrongState
from motionbase.console.jobs import Jobs, Task
from motionbase.recording.open import open_recording
from tests.console.api_rig import Page, wait_for
from tests.console.recordings_rig import recordings_page


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with recordings_page(tmp_path_factory.mktemp("recordings")) as made:
        yield made


def ended(operator: Page, number: int) -> dict[str, Any]:
    end = time.monotonic() + 120  # a busy machine starts a process slowly
    while time.monotonic() < end:
        job = next(j for j in operator.console.jobs.list() if j.number == number)
        if job.state != "running":
            return job.model_dump()
        time.sleep(0.02)
    raise AssertionError("the job never ended")


def test_an_export_is_what_was_chosen(operator: Page) -> None:
    body = {"file": "run.mcap", "format": "csv", "channels": ["x1"], "start": 1.0, "stop": 2.0, "name": "part one"}
    job = ended(operator, operator.call("POST", "/api/export", body).json()["number"])
    assert job["state"] == "done" and job["files"] == ["exports/part one.csv"] and job["share"] == 1.0
    with open_recording(operator.console.settings.recordings / "exports" / "part one.csv") as recording:
        assert list(recording.schema.index) == ["t", "x1"] and recording.count == 1001
    assert "already" in operator.refusal(409, "POST", "/api/export", body)
    listed = {f["file"] for f in operator.get("/api/recordings").json()}
    assert "exports/part one.csv" in listed
    assert operator.get("/api/recordings/info", file="exports/part one.csv").json()["records"] == 1001


def looking(operator: Page, name: str = "looker") -> Page:
    """A page without a token, of a console where anyone may look."""
    return Page(operator.client, operator.console, {"X-Client": name})


def test_who_only_looks_exports_into_a_folder_of_its_own(operator: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent, "LEFT_FREE", 0)
    monkeypatch.setattr(lent, "LARGEST", 10_000_000)
    viewer = looking(operator)
    body = {"file": "run.mcap", "format": "csv", "channels": ["x1"], "start": 1.0, "stop": 2.0, "name": "mine"}
    begun = viewer.call("POST", "/api/export", body)
    assert begun.status_code == 200 and begun.json()["client"] == "looker", begun.text
    job = ended(operator, begun.json()["number"])
    assert (job["state"], job["files"]) == ("done", ["viewers/mine.csv"])
    assert viewer.get("/api/recordings/download", file="viewers/mine.csv").status_code == 200
    assert "X-Client" in operator.anybody().refusal(422, "POST", "/api/export", {**body, "name": "nobody's"})
    monkeypatch.setattr(lent, "LARGEST", 10_000)
    said = viewer.refusal(413, "POST", "/api/export", {**body, "name": "large", "channels": []})
    assert "without the operator's seat 0.0 GB are the most" in said
    assert "that would be 1000 files" in viewer.refusal(
        413, "POST", "/api/export", {**body, "name": "many", "format": "mcap", "channels": [], "stop": 1.01,
                                     "piece_records": None, "piece_seconds": 1e-5}
    )  # fmt: skip


def test_of_what_viewers_exported_the_newest_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent, "LEFT_FREE", 0)
    monkeypatch.setattr(lent, "LARGEST", 0)
    monkeypatch.setattr(lent, "KEPT", 250)
    folder = lent.made_room(tmp_path)
    (folder / "split").mkdir(parents=True)
    for age, name in enumerate(("new.csv", "split/a.csv", "old.csv")):
        (folder / name).write_bytes(bytes(100))
        os.utime(folder / name.partition("/")[0], (1e9 - age, 1e9 - age))
    lent.made_room(tmp_path)
    assert sorted(p.name for p in folder.iterdir()) == ["new.csv", "split"]
    monkeypatch.setattr(lent, "KEPT", 150)
    lent.made_room(tmp_path)
    assert [p.name for p in folder.iterdir()] == ["new.csv"]
    monkeypatch.setattr(lent, "LEFT_FREE", 1 << 60)
    with pytest.raises(WrongState, match="stay for the recorder"):
        lent.made_room(tmp_path)


def test_jobs_of_viewers_are_few_and_their_own() -> None:
    jobs, go = Jobs(), threading.Event()

    def work(task: Task) -> str:
        go.wait(30)
        task.progress(1, 1)
        return "done"

    first = jobs.start("one", work, "a", is_lent=True)
    with pytest.raises(TooMany, match="a job of this page runs already"):
        jobs.start("again", work, "a", is_lent=True)
    jobs.start("two", work, "b", is_lent=True)
    with pytest.raises(WrongState, match="2 jobs of pages without the operator's seat run already"):
        jobs.start("three", work, "c", is_lent=True)
    jobs.start("the operator's", work, "o")
    with pytest.raises(WrongState, match="job 1 is another page"):
        jobs.cancel(first.number, "b")
    jobs.cancel(first.number, "a")
    jobs.cancel(2, None)
    go.set()
    jobs.close()
    assert [job.state for job in jobs.list()] == ["cancelled", "cancelled", "cancelled"]


def test_a_strip_chart_of_a_recording_needs_no_seat(operator: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lent, "LEFT_FREE", 0)
    viewer = looking(operator, "drawer")
    body = {"file": "run.mcap", "format": "pdf", "channels": ["x1", "x2"], "name": "roll", "seconds_per_page": 5.0}
    job = ended(operator, viewer.call("POST", "/api/export", body).json()["number"])
    assert job["state"] == "done" and job["files"] == ["viewers/roll.pdf"], job
    roll = viewer.get("/api/recordings/download", file="viewers/roll.pdf")
    assert roll.status_code == 200 and roll.content.startswith(b"%PDF")
    for change, what in (
        ({"channels": ["t"]}, "0 channels are chosen; a strip chart has 1 to 16"),
        ({"piece_records": 5}, "it has no pieces"),
        ({"seconds_per_page": 1e-4}, "a page of 0.0001 s"),
    ):
        assert what in viewer.refusal(422, "POST", "/api/export", {**body, "name": "other", **change})


def test_a_split_makes_pieces(operator: Page) -> None:
    body = {"file": "run.mcap", "format": "parquet", "piece_records": 8000, "name": "pieces", "groups": []}
    job = ended(operator, operator.call("POST", "/api/export", body).json()["number"])
    assert job["state"] == "done" and job["files"] == [f"exports/pieces/run_part00{k}.parquet" for k in (1, 2, 3)]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"name": "../x"}, "is called"),
        ({"name": "a/b"}, "is called"),
        ({"format": "exe"}, "format"),
        ({"channels": ["none*"]}, "no channel"),
        ({"groups": ["nowhere"]}, "no group"),
        ({"legs": [9]}, "no leg 9"),
        ({"start": 100.0}, "no records"),
        ({"start": 2.0, "stop": 1.0}, "before the first"),
        ({"piece_records": 1, "piece_seconds": 1.0}, "one of the two"),
        ({"piece_records": 0}, "piece_records"),
    ],
)
def test_an_export_that_cannot_be_is_refused_at_once(operator: Page, change: dict[str, object], what: str) -> None:
    jobs = len(operator.console.jobs.list())
    body = {"file": "run.mcap", "format": "csv", "name": "never", **change}
    assert what in operator.refusal(422, "POST", "/api/export", body)
    assert len(operator.console.jobs.list()) == jobs


def test_jobs_are_cancelled_and_counted(operator: Page) -> None:
    """Two at once; a third is refused, and a cancelled one leaves no file."""
    go = threading.Event()

    def work(task: object) -> str:
        from motionbase.console.jobs import Task

        assert isinstance(task, Task)
        go.wait(30)
        task.progress(1, 2)
        return "done"

    first, second = (operator.console.jobs.start(f"wait {k}", work) for k in range(2))
    said = operator.refusal(409, "POST", "/api/export", {"file": "run.mcap", "format": "csv", "name": "third"})
    assert "2 jobs run already" in said and not (operator.console.settings.recordings / "exports/third.csv").exists()
    assert operator.call("DELETE", f"/api/jobs/{first.number}").json()["state"] == "running"  # until its next step
    go.set()
    assert ended(operator, first.number)["state"] == "cancelled" and ended(operator, second.number)["state"] == "done"
    assert "there is no job 99999" in operator.refusal(404, "DELETE", "/api/jobs/99999")
    operator.refusal(422, "DELETE", "/api/jobs/x")


def test_a_cancelled_export_leaves_nothing(operator: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from motionbase.console.jobs import Task

    heard = Task.progress

    def cancel_first(self: Task, done: int, total: int) -> None:
        self.cancelled.set()
        heard(self, done, total)

    monkeypatch.setattr(Task, "progress", cancel_first)
    body = {"file": "run.mcap", "format": "csv", "name": "half"}
    job = ended(operator, operator.call("POST", "/api/export", body).json()["number"])
    assert job["state"] == "cancelled"
    assert [p.name for p in (operator.console.settings.recordings / "exports").glob("*half*")] == []


@pytest.mark.parametrize("pieces", [0, 2])
def test_a_cancelled_split_names_the_files_that_are_whole(
    operator: Page, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Cancelled in the middle of a piece: those before it are named, can be opened, and nothing else is there."""
    from motionbase.console.jobs import Task

    heard, folder = Task.progress, operator.console.settings.recordings / "exports" / f"cut_{pieces}"

    def cancel_later(self: Task, done: int, total: int) -> None:
        if done > 100 * pieces:
            self.cancelled.set()
        heard(self, done, total)

    monkeypatch.setattr(Task, "progress", cancel_later)
    body = {"file": "run.mcap", "format": "csv", "name": folder.name, "piece_records": 100}
    job = ended(operator, operator.call("POST", "/api/export", body).json()["number"])
    assert job["state"] == "cancelled"
    assert sum(file.endswith(".csv") for file in job["files"]) == pieces, "beside them lie the events of the first"
    assert job["text"] == ("cancelled; 2 files were finished before" if pieces else "cancelled")
    assert folder.exists() == bool(pieces)
    if pieces:
        assert sorted(p.name for p in folder.iterdir()) == [file.rpartition("/")[2] for file in job["files"]]
    for file in (name for name in job["files"] if name.endswith(".csv")):
        assert operator.get("/api/recordings/info", file=file).json()["records"] == 100


def test_twenty_jobs_that_have_ended_are_kept() -> None:
    jobs = Jobs()
    for k in range(25):
        number = jobs.start(f"job {k}", lambda task: "done").number
        wait_for(lambda: next(j for j in jobs.list() if j.number == number).state == "done")  # noqa: B023
    assert [job.number for job in jobs.list()] == list(range(6, 26))
