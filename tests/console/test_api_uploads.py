"""Recordings that pages send: whole or not at all, and nothing is replaced."""

import http.client
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from motionbase.recording.open import open_recording
from tests.console.api_rig import Page, wait_for
from tests.console.recordings_rig import COUNT, recordings_page


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with recordings_page(tmp_path_factory.mktemp("recordings")) as made:
        yield made


def sent(operator: Page, name: str, body: bytes) -> dict[str, object]:
    answer = operator.call("PUT", "/api/recordings/upload", params={"name": name}, content=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def left_over(operator: Page) -> list[Path]:
    return [p for p in (operator.console.settings.recordings / ".uploads").rglob("*") if p.is_file()]


def test_an_upload_is_the_same_file(operator: Page) -> None:
    body = (operator.console.settings.recordings / "run.mcap").read_bytes()
    assert sent(operator, "taken.mcap", body)["bytes"] == len(body)
    assert (operator.console.settings.recordings / "taken.mcap").read_bytes() == body
    with open_recording(operator.console.settings.recordings / "taken.mcap") as recording:
        assert recording.count == COUNT
    assert left_over(operator) == []


def test_an_upload_never_replaces(operator: Page) -> None:
    before = (operator.console.settings.recordings / "run.mcap").read_bytes()
    said = operator.refusal(409, "PUT", "/api/recordings/upload", params={"name": "run.mcap"}, content=b"t,x\n0,1\n")
    assert "already" in said and (operator.console.settings.recordings / "run.mcap").read_bytes() == before
    said = operator.refusal(409, "PUT", "/api/recordings/upload", params={"name": "leads_out.csv"}, content=b"t\n0\n")
    assert "already" in said


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("../x.csv", b"t,x\n0,1\n"),
        ("a/x.csv", b"t,x\n0,1\n"),
        (".x.csv", b"t,x\n0,1\n"),
        ("x.exe", b"t,x\n0,1\n"),
        ("x.toml", b"t,x\n0,1\n"),
        ("x.mcap", b"this is no recording"),
        ("x.parquet", b"PAR1 and then nothing"),
        ("x.csv", b""),
        ("x.csv", b"\x00\xff" * 1000),
    ],
)
def test_an_upload_that_is_no_recording_leaves_nothing(operator: Page, name: str, body: bytes) -> None:
    before = sorted(operator.console.settings.recordings.glob("*"))
    operator.refusal(422, "PUT", "/api/recordings/upload", params={"name": name}, content=body)
    assert sorted(operator.console.settings.recordings.glob("*")) == before and left_over(operator) == []


def test_an_upload_that_is_too_large_is_broken_off(operator: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from motionbase.console.api import upload

    monkeypatch.setattr(upload, "LEFT_FREE", 1 << 60)  # as if the disk were nearly full
    said = operator.refusal(413, "PUT", "/api/recordings/upload", params={"name": "x.csv"}, content=b"t,x\n0,1\n" * 9)
    assert "recorder" in said and left_over(operator) == []
    assert not (operator.console.settings.recordings / "x.csv").exists()


def begun(operator: Page, announced: int, body: bytes) -> http.client.HTTPConnection:
    """An upload of which only so much comes."""
    link = http.client.HTTPConnection(operator.client.base_url.host, operator.client.base_url.port, timeout=10)
    link.putrequest("PUT", "/api/recordings/upload?name=x.csv")
    for name, value in {**operator.headers, "Content-Length": str(announced)}.items():
        link.putheader(name, value)
    link.endheaders(body)
    return link


def test_an_upload_that_says_it_is_too_large_is_not_even_begun(operator: Page) -> None:
    with closing(begun(operator, 1 << 50, b"t")) as link:
        answer = link.getresponse()
        assert answer.status == 413 and "which is the most" in json.loads(answer.read())["detail"]


def test_an_upload_that_is_broken_off_leaves_nothing(operator: Page) -> None:
    with closing(begun(operator, 1 << 20, b"t,x\n" + b"0,1\n" * 1000)):
        wait_for(lambda: left_over(operator) != [])
    wait_for(lambda: left_over(operator) == [])
    assert not (operator.console.settings.recordings / "x.csv").exists()
