"""Downloads: complete even while files grow, by token or by ticket, and refused to anybody else."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from motionbase.console.api.downloads import GOOD_S, MOST, Sent, Tickets
from motionbase.console.console import Console
from motionbase.recording.growing import whole_bytes
from motionbase.recording.mcap.write import McapWriter, log_times
from motionbase.recording.open import open_recording
from tests.console.live_rig import TOKEN, VIEWER, console, own_rings
from tests.recording.files import EPOCH, schema_of, waves, write_mcap

SCHEMA = schema_of()
Asked = tuple[Console, httpx.Client]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    folder = own_rings(tmp_path, monkeypatch)
    (folder / "recordings").mkdir()
    with console(folder, viewer_token=VIEWER) as (made, address):
        head = {"Authorization": f"Bearer {VIEWER}"}
        with httpx.Client(base_url=f"http://{address}", headers=head, trust_env=False, timeout=30.0) as client:
            yield made, client


@contextmanager
def growing(path: Path) -> Iterator[None]:
    """A writer that adds chunks, hundreds a second."""
    over, begun = threading.Event(), threading.Event()

    def write() -> None:
        with McapWriter(path, SCHEMA, {"epoch_utc_ns": str(EPOCH)}) as writer:
            at = 0
            while not over.wait(0.001):  # others shall have their turn
                rows = waves(SCHEMA, 500, first=at)
                writer.write_rows(rows, at, log_times(EPOCH, rows[:, 0]))
                at += len(rows)
                if at > 20_000:
                    begun.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert begun.wait(30.0)
        yield
    finally:
        over.set()
        thread.join()


def test_a_growing_recording_is_downloaded_as_what_is_whole_of_it(asked: Asked, tmp_path: Path) -> None:
    """Exactly as long as is said, and it opens with no damage but the missing end."""
    made, client = asked
    with growing(made.settings.recordings / "run.mcap"):
        for k in range(8):
            answer = client.get("/api/recordings/download", params={"file": "run.mcap"})
            assert answer.status_code == 200 and len(answer.content) == int(answer.headers["content-length"])
            (tmp_path / f"copy{k}.mcap").write_bytes(answer.content)
            with open_recording(tmp_path / f"copy{k}.mcap") as copy:
                assert copy.count % 500 == 0 and copy.count >= 20_000
                assert [d.text.partition(":")[0] for d in copy.damage] == ["the file has no end"]
    answer = client.get("/api/recordings/download", params={"file": "run.mcap"})
    assert answer.content == (made.settings.recordings / "run.mcap").read_bytes()


def test_parts_of_a_file_can_be_asked_for(asked: Asked) -> None:
    path = write_mcap(asked[0].settings.recordings / "run.mcap", SCHEMA, waves(SCHEMA, 1000))
    query = {"file": "run.mcap"}
    some = asked[1].get("/api/recordings/download", params=query, headers={"Range": "bytes=100-199"})
    assert some.status_code == 206 and some.content == path.read_bytes()[100:200]


def test_a_download_that_is_never_called_leaves_no_file_open(tmp_path: Path) -> None:
    """As where the client goes between the route and the answer."""
    path = tmp_path / "a.csv"
    path.write_text("t\n0\n")

    def is_open() -> bool:
        links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
        return any(link.is_symlink() and os.readlink(link) == str(path) for link in links)

    sent = Sent(path)
    assert is_open()
    del sent
    gc.collect()
    assert not is_open()


@pytest.mark.parametrize("kind", ["mcap", "csv", "pdf"])
def test_a_file_cut_anywhere_has_a_whole_beginning(tmp_path: Path, kind: str) -> None:
    """Every cut leaves a border that never goes back, and what is before it opens."""
    path, rows = tmp_path / f"run.{kind}", waves(SCHEMA, 300)
    if kind == "mcap":
        raw = write_mcap(path, SCHEMA, rows, chunk=50).read_bytes()
    elif kind == "csv":
        raw = ("t,x\n" + "".join(f"{k},{k}\n" for k in range(100))).encode()
    else:
        raw = b"%PDF-1.4\n" + b"page one\n%%EOF\n" + b"page two\n%%EOF\n"
    borders, counts = [], []
    for size in range(0, len(raw) + 1, 97 if kind == "mcap" else 1):
        path.write_bytes(raw[:size])
        with path.open("rb") as file:
            border = whole_bytes(file.fileno(), size)
        assert border <= size
        if size >= 4:
            borders.append(border)
        if kind == "mcap" and border not in borders[:-1] and border > 5000:
            path.write_bytes(raw[:border])
            with open_recording(path) as copy:
                counts.append(copy.count)
                assert copy.columns(["x1"])["x1"].tolist() == rows[: copy.count, 1].tolist()
    assert borders == sorted(borders)
    path.write_bytes(raw)
    with path.open("rb") as file:
        assert whole_bytes(file.fileno(), len(raw)) == len(raw)
    assert counts == sorted(counts) and (kind != "mcap" or set(range(50, 301, 50)) <= set(counts))


def test_nobody_without_a_token_reads_a_thing(asked: Asked) -> None:
    """Every address of the server but the bare page and a ticket's; with a wrong token likewise."""
    made, client = asked
    write_mcap(made.settings.recordings / "run.mcap", SCHEMA, waves(SCHEMA, 100))
    paths = client.get("/api/openapi.json").json()["paths"]
    assert len(paths) > 30
    for path, methods in paths.items():
        for method in methods:
            where = path.replace("{number}", "0").replace("{name}", "x").replace("{ticket}", "nothing")
            for token in (None, "not-the-token-of-this", VIEWER[:-1], VIEWER + "x", f"{VIEWER} {VIEWER}"):
                head = {"Authorization": f"Bearer {token}"} if token else {"Authorization": ""}
                answer = client.request(method, where, headers=head, params={"file": "run.mcap", "channels": "0"})
                assert answer.status_code == 401, (method, where, answer.status_code, answer.text)
    for where in ("/api", "/api/", "/api/openapi.json"):
        answer = httpx.get(f"{client.base_url}{where}", headers={"Accept": "text/html"}, trust_env=False)
        assert answer.status_code == 401 and "paste the viewer token" in answer.text and '<a href="/">' in answer.text
    assert httpx.get(str(client.base_url), trust_env=False).status_code in (200, 503), "the page itself is for all"


def test_a_ticket_is_for_one_file_and_a_minute(asked: Asked) -> None:
    made, client = asked
    path = write_mcap(made.settings.recordings / "a run.mcap", SCHEMA, waves(SCHEMA, 100))
    given = client.post("/api/recordings/ticket", params={"file": "a run.mcap"}).json()["address"]
    assert given.endswith("/a%20run.mcap") and VIEWER not in given and TOKEN not in given
    answer = httpx.get(f"{client.base_url}{given}", trust_env=False)
    assert answer.content == path.read_bytes() and "attachment" in answer.headers["content-disposition"]
    assert client.post("/api/recordings/ticket", params={"file": "../secret"}).status_code == 422
    assert client.post("/api/recordings/ticket", params={"file": "none.mcap"}).status_code == 404
    now = made.tickets._clock()
    made.tickets._clock = lambda: now + GOOD_S
    late = httpx.get(f"{client.base_url}{given}", trust_env=False)
    assert late.status_code == 401 and "valid for a minute" in late.json()["detail"]


def test_tickets_are_few() -> None:
    tickets = Tickets()
    first = tickets.give("first")
    others = [tickets.give(str(k)) for k in range(MOST)]
    assert tickets.file(first) is None and tickets.file(others[0]) == "0" and tickets.file("") is None
