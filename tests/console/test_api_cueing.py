"""Two sets of cueing compared on the same motion of a vehicle, over HTTP."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from httpx import Response

from motionbase.console.cueing import trials
from motionbase.console.live.frames import decode
from motionbase.console.models import Job
from motionbase.cueing.sets import load_set
from motionbase.record.vehicle import vehicle_schema
from tests.console.api_rig import Page, page, wait_for
from tests.console.cued_rig import DT, SCHEMA, cued_rows, cued_writer, table
from tests.recording.files import schema_of, waves, write_mcap

SIDE = {"set": "simona", "algorithm": "classical"}
RECORDS = 1200  # of the ring and of its recording, six seconds


@pytest.fixture(scope="module")
def looker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page without the seat, at a console whose ring and whose recordings have a vehicle's motion."""
    folder = tmp_path_factory.mktemp("cueing")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
        patch.setenv("MOTIONBASE_RING_DEVICE", "none")
        patch.setenv("MOTIONBASE_DATA", str(folder / "user"))
        with cued_writer("rig", parameters=table().json) as writer, page(folder) as made:
            rows = cued_rows(0, RECORDS)
            writer.write(rows)
            recordings = made.console.settings.recordings
            write_mcap(recordings / "run.mcap", SCHEMA, rows)
            names = vehicle_schema().index
            told = np.column_stack([rows[:, SCHEMA.index[name]] for name in names])
            told[100:110, 3] = np.nan  # what no number is, is left out
            write_mcap(recordings / "host.mcap", vehicle_schema(), told)
            write_mcap(recordings / "plain.mcap", schema_of(), waves(schema_of(), 50))
            slow = told[:1000].copy()
            slow[:, 0] = np.arange(1000) * 0.1
            write_mcap(recordings / "long.mcap", vehicle_schema(), slow)
            slow[:, 1:] *= 1e200
            write_mcap(recordings / "nonsense.mcap", vehicle_schema(), slow)
            wait_for(lambda: (kept := made.console.source("live").history) is not None and kept.count >= RECORDS)
            yield made


COUNT = count()


def another(looker: Page) -> Page:
    """Another page without the seat: each may ask twice a second."""
    return Page(looker.client, looker.console, {**looker.headers, "X-Client": f"looker{next(COUNT)}"})


def compared(looker: Page, **asked: Any) -> dict[str, Any]:
    """A comparison that must work."""
    job = ended(looker, another(looker).call("POST", "/api/cueing/trials", {"a": SIDE, "b": SIDE, **asked}))
    assert job.state == "done", job.text
    found: dict[str, Any] = looker.get(f"/api/cueing/trials/{job.number}").json()
    return found


def ended(looker: Page, begun: Response) -> Job:
    """The job of an answer, once it has ended."""
    assert begun.status_code == 200, begun.text
    number = begun.json()["number"]

    def job() -> Job:
        return next(j for j in looker.console.jobs.list() if j.number == number)

    wait_for(lambda: job().state != "running", 300.0)  # a busy machine compiles slowly
    return job()


def columns(looker: Page, trial: dict[str, Any], names: list[str], **asked: Any) -> dict[str, np.ndarray]:
    places = [c["place"] for name in names for c in trial["channels"]["channels"] if c["name"] == name]
    answer = looker.get(
        f"/api/cueing/trials/{trial['number']}/window", channels=",".join(map(str, places)), pixels=4000, **asked
    )
    assert answer.status_code == 200, answer.text
    found = decode(answer.content).columns()
    return {"t": found["t"], **dict(zip(names, found["most"], strict=True))}


def test_a_recording_is_tried_with_both_sets_and_both_get_the_same_demand(looker: Page) -> None:
    known = looker.get("/api/cueing").json()
    assert {"simona"} <= {one["name"] for one in known["sets"]} and known["in_use"]
    assert "classical" in known["algorithms"]
    trial = compared(looker, file="run.mcap", start=1.0, stop=5.0)
    assert trial["platform"] == "simona" and trial["sides"] == [{**SIDE, "text": ""}] * 2
    assert (trial["start"], trial["end"]) == (pytest.approx(1.0), pytest.approx(5.0))
    assert trial["figures"][0] == trial["figures"][1], "equal sets come to the same"
    assert 0 < trial["figures"][0]["error"] < 20 and len(trial["figures"][0]["axes"]) == 6
    found = columns(looker, trial, ["demand_f_y", "cue_f_y_a", "cue_f_y_b", "cue_error_a", "stroke_left_b"])
    np.testing.assert_array_equal(found["cue_f_y_a"], found["cue_f_y_b"])
    rows = cued_rows(200, 801)
    told = rows[:, SCHEMA.index["vehicle_f_y"]]
    # the vehicle turns slowly and the head is near: the demand there is the vehicle's own, but for the lever arm
    assert np.abs(found["demand_f_y"][-600:] - told[-600:]).max() < 0.6
    assert found["stroke_left_b"].min() > 0.1 and found["cue_error_a"].max() > 0.3
    part = columns(looker, trial, ["cue_f_y_a"], **{"from": 2.0, "to": 3.0})
    assert part["t"][0] == pytest.approx(2.0 - DT, abs=1e-9) and part["t"][-1] == pytest.approx(3.0 + DT, abs=1e-9)


def test_live_history_and_a_hosts_file_without_platform(looker: Page) -> None:
    trial = compared(looker, seconds=2.0)
    assert trial["end"] - trial["start"] == pytest.approx(2.0, abs=0.02) and "of rig" in trial["what"]
    trial = compared(looker, file="host.mcap")
    assert trial["platform"] == "simona" and trial["end"] == pytest.approx((RECORDS - 1) * DT, abs=0.02)


@pytest.mark.long("compiles and solves for many seconds")
def test_every_algorithm_can_be_compared(looker: Page) -> None:
    for one, other in (("adaptive", "optimal"), ("predictive", "classical")):
        asked = {"a": {**SIDE, "set": "in use", "algorithm": one}, "b": {**SIDE, "algorithm": other}}
        trial = compared(looker, **asked, file="run.mcap", start=1.0, stop=4.0)
        assert trial["figures"][0] != trial["figures"][1]


@pytest.mark.parametrize(
    ("status", "asked", "word"),
    [
        (422, {"a": {"set": "simoma", "algorithm": "classical"}}, "did you mean 'simona'"),
        (422, {"b": {"set": "../simona.toml", "algorithm": "classical"}}, "cueing set"),
        (422, {"b": {"set": "simona", "algorithm": "magic"}}, "classical"),
        (413, {"seconds": 1e6}, "too long"),
        (413, {"file": "long.mcap", "b": {**SIDE, "algorithm": "predictive"}}, "predictive algorithm"),
        (422, {"seconds": -1.0}, "seconds"),
        (422, {"file": "run.mcap", "start": 5.0, "stop": 1.0}, "before"),
        (422, {"file": "run.mcap", "start": 5.99, "stop": 5.992}, "fewer than two"),
        (422, {"file": "run.mcap", "start": 5.9, "stop": 5.95}, "too little"),
        (422, {"file": "../secret.mcap"}, "secret"),
        (422, {"file": "plain.mcap"}, "no motion of a vehicle"),
    ],
)
def test_what_cannot_be_compared_is_refused_at_once(
    looker: Page, status: int, asked: dict[str, Any], word: str
) -> None:
    assert word in another(looker).refusal(status, "POST", "/api/cueing/trials", {"a": SIDE, "b": SIDE, **asked})


def test_the_parameters_in_use_are_a_set_that_can_be_saved_and_compared(
    looker: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = looker.get("/api/cueing/set").json()["text"]
    path = tmp_path / "tuned.toml"
    path.write_text(text)
    saved, known = load_set(path), load_set("simona")
    for part in ("air", "ground", "adaptive"):
        assert dict(getattr(saved, part)) == dict(getattr(known, part))
    trial = compared(looker, a={**SIDE, "set": "in use"}, seconds=1.0)
    assert trial["figures"][0] == trial["figures"][1], "nothing was tuned"
    monkeypatch.setattr(trials, "_in_use", lambda _: {})
    assert "no parameters of cueing" in looker.refusal(409, "GET", "/api/cueing/set")
    asked = {"a": {**SIDE, "set": "in use"}, "b": SIDE}
    assert "no parameters of cueing" in another(looker).refusal(409, "POST", "/api/cueing/trials", asked)


def instead(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """A process that does something else."""
    monkeypatch.setattr(trials, "python", lambda *_: (sys.executable, "-c", program))


def test_the_file_of_a_set_is_compared_and_what_is_wrong_in_it_is_said(looker: Page) -> None:
    text = looker.get("/api/cueing/set").json()["text"]
    less = text.replace("gain = [0.6, 0.6, 0.5", "gain = [0.6, 0.1, 0.5")
    assert less != text
    trial = compared(looker, a={**SIDE, "set": "less sway", "text": less}, file="run.mcap")
    assert trial["sides"][0]["set"] == "less sway" and trial["sides"][0]["text"] == ""
    found = columns(looker, trial, ["cue_f_y_a", "cue_f_y_b"])
    assert np.ptp(found["cue_f_y_a"]) < 0.6 * np.ptp(found["cue_f_y_b"]), "a sixth of the gain is less motion"
    for wrong, said in ((text.replace("0.6, 0.6", "9, 0.6"), "must be 0 to 2"), ("gain = [", "a.toml")):
        asked = {"a": {**SIDE, "set": "wrong", "text": wrong}, "b": SIDE, "seconds": 1.0}
        assert said in ended(looker, another(looker).call("POST", "/api/cueing/trials", asked)).text


def test_a_page_has_one_comparison_at_a_time_and_may_cancel_it(looker: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    instead(monkeypatch, "import time; time.sleep(600)")
    mine = another(looker)
    asked = {"a": SIDE, "b": SIDE, "seconds": 2.0}
    number = mine.call("POST", "/api/cueing/trials", asked).json()["number"]
    assert "runs already" in mine.refusal(429, "POST", "/api/cueing/trials", asked)
    assert "2 requests a second" in mine.refusal(429, "POST", "/api/cueing/trials", asked)
    assert mine.call("DELETE", f"/api/jobs/{number}").status_code == 200
    wait_for(lambda: next(j for j in looker.console.jobs.list() if j.number == number).state == "cancelled")
    looker.refusal(404, "GET", f"/api/cueing/trials/{number}")
    assert "X-Client" in Page(
        looker.client, looker.console, {"Authorization": looker.headers["Authorization"]}
    ).refusal(422, "POST", "/api/cueing/trials", asked)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("raise SystemExit('the set is broken')", "the set is broken"),
        ("import os; os.kill(os.getpid(), 9)", "without a word"),
        ("import time; time.sleep(600)", "took longer than 0.3 s"),
    ],
)
def test_a_process_that_fails_dies_or_hangs_ends_its_job_in_a_sentence(
    looker: Page, monkeypatch: pytest.MonkeyPatch, program: str, said: str
) -> None:
    instead(monkeypatch, program)
    monkeypatch.setattr(trials, "LONGEST_S", 0.3 if "longer" in said else 60.0)
    asked = {"a": SIDE, "b": SIDE, "seconds": 1.0}
    job = ended(looker, another(looker).call("POST", "/api/cueing/trials", asked))
    assert job.state == "failed" and said in job.text


def test_a_vehicle_that_tells_nonsense_has_figures_all_the_same(looker: Page) -> None:
    trial = compared(looker, file="nonsense.mcap", stop=3.0)
    figures = [*trial["figures"][0].values()]
    assert all(x is None or isinstance(x, list) or np.isfinite(x) for x in figures), figures
    assert columns(looker, trial, ["cue_f_x_a"])["t"][-1] == pytest.approx(3.0, abs=0.01)


def test_results_that_are_not_there_and_windows_that_make_no_sense(looker: Page) -> None:
    assert "no comparison 999" in looker.refusal(404, "GET", "/api/cueing/trials/999")
    number = compared(looker, file="run.mcap", start=1.0, stop=2.0)["number"]
    for query in ("channels=999", "channels=1&pixels=0", "channels=1&from=nan", "channels=1&from=3&to=2"):
        looker.refusal(422, "GET", f"/api/cueing/trials/{number}/window?{query}")
    assert looker.get(f"/api/cueing/trials/{number}/window", channels="1", **{"from": 90, "to": 91}).status_code == 200
