"""What people do goes into the console's journal and into the recording, with their names and the run it belongs to."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from motionbase.console.api.alarms import MOST, Alarms
from motionbase.console.console import Console, Settings
from motionbase.console.journal import LARGEST, ConsoleJournal
from motionbase.console.live.events import EventLog
from motionbase.console.models import AlarmChange
from motionbase.console.stop.button import NO_SEAT, VIEWER, Names, name_of
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.open import open_recording
from motionbase.recording.recorder import control
from motionbase.ring.writer import Writer
from tests.console.api_rig import Page, page, wait_for
from tests.recording.recorder_rig import recorder, turning

DT = 0.005
SCHEMA = hexapod_schema()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.setenv("MOTIONBASE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("MOTIONBASE_RING_DEVICE", "none")
    return tmp_path


def records(first: int, count: int) -> np.ndarray:
    rows = np.zeros((count, len(SCHEMA.channels)))
    rows[:, 0] = np.arange(first, first + count) * DT
    rows[:, 1] = np.arange(first, first + count)
    return rows


@pytest.fixture
def ring(folder: Path) -> Iterator[Writer]:
    with Writer(SCHEMA, name="rig", dt=DT, capacity=4096) as made:
        made.write(records(0, 100))
        yield made


@pytest.fixture
def operator(folder: Path, ring: Writer) -> Iterator[Page]:
    with page(folder) as made:
        wait_for(lambda: made.console.source("live").value("tick") == 99)
        yield made


def test_what_people_do_belongs_to_the_run_that_is_drawn(operator: Page) -> None:
    """A note of another generation than the ring's would be no mark in the plots."""
    console = operator.console
    answer = operator.call("POST", "/api/recorder", {"do": "note", "text": "a bump"}).json()
    assert answer["accepted"] and "nothing is being recorded" in answer["text"], "it is kept all the same"
    console.access.seat.release("page")
    for what, person, text in (("note", "tester", "a bump"), ("seat", "tester", "tester left the operator's seat")):
        (event,) = [e for e in console.events.last() if e.what == what and e.text == text]
        assert (event.generation, event.t, event.tick) == (console.source("live").generation, 99 * DT, 99)
        assert event.person == person


def test_a_note_that_a_busy_recorder_does_not_take_is_not_said_to_find_nothing_recorded(
    operator: Page, ring: Writer, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "ANSWER_S", 0.1)
    with recorder(folder / "run.mcap") as made:
        ring.write(records(100, 10))
        made.look()  # and never again: nobody takes what is asked
        answer = operator.call("POST", "/api/recorder", {"do": "note", "text": "a bump"}).json()
    assert answer["accepted"] and "it is not in the recording: " in answer["text"] and "busy" in answer["text"]


def test_all_of_it_is_in_the_recording(operator: Page, ring: Writer, folder: Path) -> None:
    console, alarm = (
        operator.console,
        {"channel": "leg1_f_meas", "level": "alarm", "value": 7.0, "limit": 5.0, "t": 0.4},
    )
    with recorder(folder / "run.mcap") as made:
        ring.write(records(100, 10))
        made.look()
        with turning(made):
            assert operator.call("POST", "/api/recorder", {"do": "note", "text": "a bump"}).json()["text"] == "noted"
            operator.call("POST", "/api/recorder", {"do": "split"})
            ring.write(records(110, 10))
            wait_for(lambda: made.status()["files"] == 2 and console.source("live").value("tick") == 119)
            for change in ("raised", "raised", "acknowledged", "over"):
                operator.call("POST", "/api/alarms", {**alarm, "change": change})
            operator.operate("drive", t=-100.0)
            console.access.seat.take("other", "Anna", force=True, from_client="page")
            console.journal.close()
    when = {e.text.split()[0] + e.text.split()[-1]: e.t for e in console.events.last() if e.what == "alarm"}
    assert when == {"alarm:N": 0.4, "alarmtester": 119 * DT, "alarmN": 119 * DT}, "seen and over is it later"
    texts: dict[str, tuple[str, str]] = {}
    for path in sorted(folder.glob("run*.mcap")):
        with open_recording(path) as found:
            texts |= {e.text: (e.kind, e.person) for e in found.events}
    assert texts["a bump"] == ("note", "tester")
    assert texts["split by tester"] == ("recording", "tester")
    assert texts["alarm: leg1_f_meas 7 N is above 5 N"] == ("alarm", "")
    assert texts["alarm of leg1_f_meas acknowledged by tester"] == ("alarm", "tester")
    assert texts["alarm of leg1_f_meas is over, the worst was 7 N"] == ("alarm", "")
    assert texts["Anna took the operator's seat from tester"] == ("seat", "Anna")
    (refused,) = [text for text, (kind, _) in texts.items() if kind == "request"]
    assert refused.startswith("drive, wanted by tester, was not requested: ")


def test_an_acknowledged_alarm_that_comes_back_is_told_again() -> None:
    alarms = Alarms()

    def told(change: Literal["raised", "acknowledged", "over"], level: Literal["warn", "alarm"] = "alarm") -> bool:
        return alarms.is_news(1, AlarmChange(channel="t", change=change, level=level, value=2.0, limit=1.0, t=0.4))

    assert told("raised", "warn") and told("raised") and not told("raised") and not told("raised", "warn")
    assert told("acknowledged") and not told("acknowledged")
    assert told("raised"), "it came back"
    assert told("over") and not told("over") and told("acknowledged") and not told("acknowledged")
    assert told("raised", "warn") and told("over") and told("raised", "warn")
    assert alarms.is_news(2, AlarmChange(channel="t", change="raised", level="warn", value=2.0, limit=1.0, t=0.4))
    for k in range(3000):
        alarms.is_news(2, AlarmChange(channel=f"c{k}", change="raised", level="warn", value=2.0, limit=1.0, t=0.4))
    assert len(alarms._known) <= MOST


def test_a_limit_that_was_changed_while_its_alarm_stood_raises_again() -> None:
    """A page that removes a limit also removes its alarm, so nobody can acknowledge that alarm any more."""
    alarms = Alarms()

    def raised(limit: float) -> bool:
        return alarms.is_news(
            1, AlarmChange(channel="t", change="raised", level="alarm", value=9.0, limit=limit, t=0.4)
        )

    assert raised(1.0) and not raised(1.0)
    assert raised(2.0) and not raised(2.0)


def test_an_alarm_needs_an_operator_and_a_channel(operator: Page) -> None:
    body = {"channel": "nothing", "change": "raised", "level": "warn", "value": 2.0, "limit": 1.0, "t": 0.4}
    assert "no channel 'nothing'" in operator.refusal(422, "POST", "/api/alarms", body)
    assert operator.anybody().call("POST", "/api/alarms", body).status_code == 401
    answers = {operator.call("POST", "/api/alarms", body).status_code for _ in range(20)}
    assert 429 in answers, "a page cannot flood it"


def test_a_page_without_a_seat_has_no_name_that_says_nothing() -> None:
    page = "0123456789abcdef0123456789abcdef"
    assert name_of(page, (page, "Anna")) == "Anna"
    assert name_of(page, ("another", "Anna")) == name_of(page, None) == NO_SEAT
    names = Names()
    for k in range(100):
        names.learn((f"page{k}", f"name {k}"))
    names.learn((page, "Anna"))
    assert name_of(page, None, names.known) == "Anna" and len(names.known) < 100, "who stood up is still somebody"
    assert name_of("a-program", None) == "a-program" and name_of("", None) == "somebody"
    assert name_of(page, None, role="viewer") == name_of("", None, role="viewer") == VIEWER
    assert name_of("a-program", None, role="viewer") == "viewer a-program"
    assert name_of(page, (page, "Anna"), names.known, "viewer") == VIEWER, "the seat's name is no viewer's to take"


def test_the_next_console_knows_what_people_did(folder: Path) -> None:
    settings = Settings(folder / "recordings", folder / "data", "a-token-that-is-long-enough", ring="rig")
    first = Console(settings)
    first.journal.start()
    first.happened("note", "a bump", person="Anna")
    first.events.add("state", "state drive")
    first.happened("estop", "emergency stop asked for by Anna (console)", person="Anna")
    first.events.add("estop", "the emergency stop acts", is_bad=True)  # the ring still has that record
    first.journal.close()
    second = Console(settings)
    assert [(e.what, e.text, e.person, e.generation) for e in second.events.last()] == [
        ("note", "a bump", "Anna", 0),
        ("estop", "emergency stop asked for by Anna (console)", "Anna", 0),
    ]
    second.journal.start()
    second.close()


def test_the_file_of_the_journal_is_bounded_and_survives_anything(tmp_path: Path) -> None:
    path = tmp_path / "journal" / "rig.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"x" * (LARGEST + 1) + b"\n{}\n\xff")
    log = EventLog()
    journal = ConsoleJournal("rig", path, log)
    assert log.last() == []
    journal.start()
    log.add("note", "a bump")
    journal.close()
    assert json.loads(path.read_text())["text"] == "a bump" and path.with_name("rig.jsonl.1").exists()


def test_alarm_changes_have_numbers() -> None:
    with pytest.raises(ValueError, match="finite"):
        AlarmChange(channel="t", change="raised", level="warn", value=float("nan"), limit=1.0, t=0.0)
