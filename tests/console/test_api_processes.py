"""Replays and strip charts: real processes that a page starts, leads and ends, and that never outlive the console."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from motionbase.console.api.strip import NOTHING, SILENT, Roll, chart_of, chart_text, outcome
from motionbase.console.children import Children
from motionbase.console.models import StartStrip, Strip
from motionbase.errors import MotionBaseError
from motionbase.record.hexapod import hexapod_schema
from motionbase.ring.backend import DEVICE_VARIABLE, NO_DEVICE, Device, Emulation, find
from motionbase.ring.writer import Writer
from tests.console.api_rig import Page, page, wait_for
from tests.recording.files import schema_of, waves, write_mcap

COUNT = 5000


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("processes")
    patch = pytest.MonkeyPatch()
    patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
    patch.setenv("MOTIONBASE_RING_DEVICE", "none")
    patch.setenv("MOTIONBASE_DATA", str(folder / "user"))
    with page(folder) as made:
        schema = schema_of()
        write_mcap(made.console.settings.recordings / "run.mcap", schema, waves(schema, COUNT))
        (made.console.settings.recordings / "empty.csv").write_text("")
        yield made
    patch.undo()


# ---- replay ----


def test_a_recording_is_played_and_led(operator: Page) -> None:
    answer = operator.call("POST", "/api/replay", {"file": "run.mcap"}).json()
    assert answer == {"accepted": True, "text": "replaying run.mcap"}
    status = operator.console.status().replay
    assert status is not None and (status.file, status.state, status.source) == ("run.mcap", "paused", "replay")
    assert status.records == COUNT and status.end == pytest.approx((COUNT - 1) / 1000)

    def told(action: str, *values: float) -> dict[str, object]:
        return dict(operator.call("POST", "/api/replay/control", {"action": action, "values": list(values)}).json())

    assert told("seek", 2.5) == {"accepted": True, "text": "seek 2.5"}
    status = operator.console.status().replay
    assert status is not None and status.time == pytest.approx(2.5)
    wait_for(lambda: operator.console.source("replay").value("t") == 2.5)
    assert told("speed", 10.0)["accepted"] and told("loop", 1.0, 2.0)["accepted"] and told("play")["accepted"]
    status = operator.console.status().replay
    assert status is not None and status.state == "playing" and status.speed == 10 and status.loop == (1.0, 2.0)
    refused = told("seek", 99.0)
    assert not refused["accepted"] and "from 0 to 4.999 s" in str(refused["text"])

    # another file takes its place
    answer = operator.call("POST", "/api/replay", {"file": "run.mcap", "paused": False}).json()
    assert answer["accepted"], answer
    assert operator.call("DELETE", "/api/replay").json() == {"accepted": True, "text": "ended"}
    assert operator.console.status().replay is None
    assert "nothing" in operator.call("DELETE", "/api/replay").json()["text"]


def test_play_while_it_is_getting_ready_plays_the_one_that_is(operator: Page) -> None:
    """Not another one, which would end the first."""
    with ThreadPoolExecutor() as threads:
        first = threads.submit(operator.call, "POST", "/api/replay", {"file": "run.mcap", "paused": True})
        wait_for(lambda: (child := operator.console.children.of("replay")) is not None and child.lives)
        begun = operator.console.children.of("replay")
        second = threads.submit(operator.call, "POST", "/api/replay", {"file": "run.mcap", "paused": False})
        answers = [one.result().json() for one in (first, second)]
    assert [answer["accepted"] for answer in answers] == [True, True], answers
    assert operator.console.children.of("replay") is begun
    status = operator.console.status().replay
    assert status is not None and status.state == "playing"
    operator.call("DELETE", "/api/replay")


def test_another_recording_takes_the_place_of_one_that_is_getting_ready(operator: Page) -> None:
    recordings = operator.console.settings.recordings
    (recordings / "other.mcap").write_bytes((recordings / "run.mcap").read_bytes())
    with ThreadPoolExecutor() as threads:
        first = threads.submit(operator.call, "POST", "/api/replay", {"file": "run.mcap"})
        wait_for(lambda: (child := operator.console.children.of("replay")) is not None and child.lives)
        second = operator.call("POST", "/api/replay", {"file": "other.mcap"}).json()
    given_up = first.result().json()
    assert second["accepted"] and not given_up["accepted"] and "was replaced by another recording" in given_up["text"]
    status = operator.console.status().replay
    assert status is not None and status.file == "other.mcap"
    operator.call("DELETE", "/api/replay")
    (recordings / "other.mcap").unlink()


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ({"action": "seek"}, "it takes 1: time"),
        ({"action": "speed", "values": [1e6]}, "factor is 1e+06"),
        ({"action": "loop", "values": [2, 1]}, "end is 1 s"),
        ({"action": "drive"}, "action"),
        ({"action": "seek", "values": [1, 2, 3]}, "values"),
        ({"action": "play", "source": "hardware"}, "source"),
    ],
)
def test_a_control_that_cannot_be_is_a_sentence(operator: Page, body: dict[str, object], what: str) -> None:
    assert what in operator.refusal(422, "POST", "/api/replay/control", body)


def test_without_a_replay_there_is_nothing_to_lead(operator: Page) -> None:
    said = operator.refusal(409, "POST", "/api/replay/control", {"action": "play"})
    assert "rig_replay" in said


def test_a_file_that_cannot_be_played_says_why(operator: Page) -> None:
    answer = operator.call("POST", "/api/replay", {"file": "empty.csv"}).json()
    assert not answer["accepted"] and "empty.csv" in answer["text"], answer
    assert "not ready" not in answer["text"] and "Traceback" not in answer["text"], answer


def test_a_replay_ring_of_somebody_else_is_left_alone(operator: Page) -> None:
    with Writer(schema_of(), name="rig_replay") as ring:
        assert "another program" in operator.refusal(409, "POST", "/api/replay", {"file": "run.mcap"})
        ring.publish()


def test_a_replay_never_goes_to_hardware(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = tmp_path / "card"
    device.write_bytes(bytes(4096))
    monkeypatch.setenv(DEVICE_VARIABLE, str(device))
    assert isinstance(find("x"), Device)
    monkeypatch.setenv(DEVICE_VARIABLE, NO_DEVICE)
    monkeypatch.setattr("motionbase.ring.backend.KNOWN_DEVICES", (device,))
    assert find("x") == Emulation("x")


# ---- strip charts ----


class Waves:
    """A live ring of standard records."""

    def __init__(self, ring: str) -> None:
        self._writer = Writer(hexapod_schema(), name=ring, dt=0.01)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        tick = 0
        while not self._over.wait(0.01):
            self._writer.record[:] = np.sin(0.1 * tick)
            self._writer.record[:2] = tick / 100, tick
            self._writer.record[self._writer.schema.index["state"]] = 5
            self._writer.publish()
            tick += 1

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        self._writer.close()


@pytest.fixture
def live(operator: Page) -> Iterator[Waves]:
    made = Waves("rig")
    wait_for(lambda: operator.console.source("live").state == "live")
    yield made
    made.close()


def test_a_strip_chart_is_drawn_and_can_be_fetched(operator: Page, live: Waves) -> None:
    pens = [{"name": "state"}, {"name": "pose_meas_heave", "low": -1, "high": 1, "colour": "#336699"}]
    body = {"channels": pens, "seconds_per_page": 4.0, "name": "first roll"}
    begun = operator.call("POST", "/api/strip", body).json()
    assert begun.get("state") == "drawing" and begun["channels"] == ["state", "pose_meas_heave"], begun
    assert "already" in operator.refusal(409, "POST", "/api/strip", body)
    wait_for(lambda: _pages(operator) >= 1, 240)  # it runs at the lowest priority
    operator.call("DELETE", "/api/strip")
    wait_for(lambda: _strip(operator).state != "drawing", 120)
    ended = _strip(operator).model_dump()
    # the last page goes out, too; on a machine that is too busy it is given up after a while, and that is said
    given_up = "could not be written" in ended["text"]
    assert ended["state"] == ("failed" if given_up else "ended"), ended["text"]
    assert given_up or (ended["pages"] >= 2 and ended["text"].endswith(f"on {ended['pages']} pages")), ended
    roll = operator.get("/api/recordings/download", file=ended["out"])
    assert (
        roll.status_code == 200 and roll.content.startswith(b"%PDF") and roll.content.count(b"%%EOF") == ended["pages"]
    )


def test_a_chart_that_is_ended_at_once_has_its_page(operator: Page, live: Waves) -> None:
    """A signal that came while it still started would end it without a word."""
    operator.call("POST", "/api/strip", {"channels": [{"name": "state"}], "name": "short"})
    operator.call("DELETE", "/api/strip")
    wait_for(lambda: _strip(operator).state != "drawing", 120)
    ended = _strip(operator)
    assert ended.text and (ended.state == "ended" or "could not be written" in ended.text), ended
    assert ended.state == "failed" or ended.pages == (1 if "1 page" in ended.text else 0), ended


@pytest.mark.parametrize(
    ("code", "is_over", "expected"),
    [
        ("import time; time.sleep(60)", True, ("ended", NOTHING)),
        ("print('no records, no pages')", True, ("ended", NOTHING)),
        ("print('7 records on 1 page: /a/b.pdf')", True, ("ended", "7 records on 1 page")),
        ("import sys; sys.exit('motionbase: no channel x')", False, ("failed", "no channel x")),
        ("import os; os._exit(3)", False, ("failed", SILENT)),
    ],
)
def test_what_became_of_a_chart_is_always_said(code: str, is_over: bool, expected: tuple[str, str]) -> None:
    children = Children()
    roll = Roll(Path("nowhere.pdf"), "nowhere.pdf", [], is_over=is_over)
    child = children.start("test", (sys.executable, "-c", code), roll)
    if "sleep" in code:
        child.stop()
    assert child.ends_within(20)
    child.complaint  # noqa: B018  waits for its last words
    assert outcome(child, roll) == expected
    children.close()


def _pages(operator: Page) -> int:
    assert _strip(operator).state == "drawing", _strip(operator)
    return _strip(operator).pages


def _strip(operator: Page) -> Strip:
    found = operator.console.status().strip
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"channels": [{"name": "nothing"}]}, "no channel 'nothing'"),
        ({"channels": []}, "channels"),
        ({"channels": [{"name": "t", "low": 1.0}]}, "both ends"),
        ({"channels": [{"name": "t", "low": 2.0, "high": 1.0}]}, "range is 2 to 1"),
        ({"channels": [{"name": "t", "colour": "red; rm -rf"}]}, "colour"),
        ({"seconds_per_page": 0.1}, "0.25 to 25000 s is possible"),
        ({"name": "../x"}, "name"),
        ({"format": "exe"}, "format"),
    ],
)
def test_a_chart_that_cannot_be_is_refused(operator: Page, live: Waves, change: dict[str, object], what: str) -> None:
    assert what in operator.refusal(422, "POST", "/api/strip", {"channels": [{"name": "t"}], **change})


def test_the_chart_in_the_file_is_the_chart_that_was_asked_for(tmp_path: Path) -> None:
    from motionbase.cli.strip import load_chart

    pens = [{"name": "state"}, {"name": "acc_x", "low": -9.81, "high": 9.81, "colour": "red"}]
    chart = chart_of(StartStrip.model_validate({"channels": pens, "seconds_per_page": 25}), hexapod_schema())
    (tmp_path / "chart.toml").write_text(chart_text(chart))
    assert load_chart(tmp_path / "chart.toml") == chart and chart.pens[0].names[5] == "drive"


def test_pages_are_counted_as_the_file_grows(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "roll.pdf", "roll.pdf", [])
    assert roll.count() == 0
    text = b"page %%EOF\npage %%EOF\npage %%EOF\n"
    for size in range(len(text) + 1):
        roll.path.write_bytes(text[:size])
        assert roll.count() == text[:size].count(b"%%EOF")


# ---- children ----


def test_a_child_started_by_a_thread_that_ends_lives_on() -> None:
    """The system ends a child with the thread that started it; threads which answer requests come and go."""
    children = Children()
    found = []

    def start() -> None:
        found.append(children.start("test", (sys.executable, "-c", "import time; time.sleep(60)")))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    time.sleep(0.5)
    assert found[0].lives
    with pytest.raises(MotionBaseError, match="there is a test already"):
        start()
    children.close()
    assert not _runs(found[0].pid)
    with pytest.raises(MotionBaseError, match="ending"):
        start()


def test_the_last_words_of_a_child_are_kept() -> None:
    children = Children()
    say = "import sys; print('x' * 10**6); sys.exit('motionbase: it cannot be')"
    child = children.start("test", (sys.executable, "-c", say))
    assert child.ends_within(60) and child.failed and child.complaint == "it cannot be"
    assert children.start("test", (sys.executable, "-c", "print('well')")).ends_within(60)
    children.close()


CONSOLE = """
import sys, time
from motionbase.console.children import Children
child = Children().start("test", (sys.executable, "-c", "import time; time.sleep(60)"))
print(child.pid, flush=True)
time.sleep(60)
"""


def test_children_end_with_a_console_that_is_killed() -> None:
    console = subprocess.Popen((sys.executable, "-c", CONSOLE), stdout=subprocess.PIPE)
    assert console.stdout is not None
    child = int(console.stdout.readline())
    console.send_signal(signal.SIGKILL)
    console.wait()
    console.stdout.close()
    wait_for(lambda: not _runs(child))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
