"""Channels by formula over REST: owners, limits of number and rate, and removal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from motionbase.console.api.rate_limit import RateLimit
from motionbase.console.console import Console
from motionbase.console.live import absence
from motionbase.console.live.absence import Absences
from tests.console.live_rig import TOKEN, page, served_api, wait_for

OPERATOR = {"Authorization": f"Bearer {TOKEN}", "X-Client": "tab1"}


def test_channels_by_formula(api: tuple[Console, httpx.Client], monkeypatch: pytest.MonkeyPatch) -> None:
    server, client = api
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    made = client.post("/api/derive", json={"name": "twice", "formula": "2 * x", "unit": "m"})
    assert made.json()["channels"][-1]["name"] == "twice" and made.json()["channels"][-1]["place"] == 11
    bad = client.post("/api/derive", json={"name": "bad", "formula": "2 * (x"})
    assert bad.status_code == 422 and "character 5" in bad.json()["detail"]
    assert client.post("/api/derive", json={"name": "Bad Name", "formula": "x"}).status_code == 422
    assert client.delete("/api/derive/other").status_code == 404
    assert client.post("/api/derive", json={"name": "thrice", "formula": "3 * x"}).json()["channels"][-1]["place"] == 12
    changed = client.post("/api/derive", json={"name": "twice", "formula": "2 * x + 1", "unit": "mm"}).json()
    assert [(c["name"], c["place"], c["unit"]) for c in changed["channels"][11:]] == [
        ("twice", 11, "mm"), ("thrice", 12, "m"),
    ]  # fmt: skip
    newest = server.source("live").newest
    assert newest is not None and newest[11] == 2 * 99 + 1, "over the records that are there as well"
    wrong = client.post("/api/derive", json={"name": "twice", "formula": "2 * nowhere", "unit": "s"})
    assert wrong.status_code == 422 and "nowhere" in wrong.json()["detail"]
    assert client.get("/api/schema").json() == changed, "a wrong formula leaves the old one"
    client.delete("/api/derive/thrice")
    assert len(client.delete("/api/derive/twice").json()["channels"]) == 11


def test_a_derived_channel_is_the_page_s_that_made_it(
    api: tuple[Console, httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, client = api
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    ann, bob = {"X-Client": "ann"}, {"X-Client": "bob"}
    twice = {"name": "twice", "formula": "2 * x", "unit": "m"}
    assert client.post("/api/derive", json=twice, headers=ann).status_code == 200
    assert client.post("/api/derive", json=twice, headers=bob).status_code == 200, "the same does no harm"
    other = client.post("/api/derive", json={**twice, "formula": "3 * x"}, headers=bob)
    assert other.status_code == 409 and "made by another page" in other.json()["detail"]
    gone = client.delete("/api/derive/twice", headers=bob)
    assert gone.status_code == 409 and "made by another page" in gone.json()["detail"]
    assert client.post("/api/derive", json={**twice, "formula": "3 * x"}, headers=ann).status_code == 200
    for k in range(7):
        assert client.post("/api/derive", json={"name": f"x{k}", "formula": "x"}, headers=ann).status_code == 200
    ninth = client.post("/api/derive", json={"name": "ninth", "formula": "x"}, headers=ann)
    assert ninth.status_code == 429 and "8 derived channels" in ninth.json()["detail"]
    assert client.post("/api/derive", json={"name": "ninth", "formula": "x"}, headers=bob).status_code == 200
    server.access.seat.take("tab1", "Ann")
    assert client.delete("/api/derive/twice", headers={**OPERATOR, "X-Client": "tab2"}).status_code == 409
    assert client.delete("/api/derive/twice", headers=OPERATOR).status_code == 200


def test_derived_channels_are_asked_for_at_a_pace(api: tuple[Console, httpx.Client]) -> None:
    _, client = api
    twice = {"name": "twice", "formula": "2 * x", "unit": "m"}
    answers = [client.post("/api/derive", json=twice, headers={"X-Client": "hasty"}) for _ in range(5)]
    assert [a.status_code for a in answers[:4]] == [200] * 4 and answers[4].status_code == 429
    assert "4 requests a second" in answers[4].json()["detail"]
    assert client.post("/api/derive", json=twice, headers={"X-Client": "other"}).status_code == 200


def test_all_pages_together_have_a_limit_too(
    api: tuple[Console, httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, client = api
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    for k in range(32):
        made = {"name": f"x{k}", "formula": "x"}
        assert client.post("/api/derive", json=made, headers={"X-Client": f"page{k // 8}"}).status_code == 200
    more = client.post("/api/derive", json={"name": "more", "formula": "x"}, headers={"X-Client": "page9"})
    assert more.status_code == 429 and "32 derived channels" in more.json()["detail"]


def test_channels_of_pages_that_are_gone_make_room(
    api: tuple[Console, httpx.Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page that is connected keeps its own; what two asked for stays for the one that is left."""
    server, client = api
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    monkeypatch.setattr(absence, "KEPT_S", 0.5)

    def names() -> list[str]:
        return [c["name"] for c in client.get("/api/schema").json()["channels"][11:]]

    async def stays() -> None:
        async with page(client.base_url.netloc.decode()) as p:
            await p.hello("stays")
            for name, owner in (("mine", "stays"), ("theirs", "gone"), ("both", "gone"), ("both", "stays")):
                body = {"name": name, "formula": "2 * x"}
                answer = await asyncio.to_thread(client.post, "/api/derive", json=body, headers={"X-Client": owner})
                assert answer.status_code == 200
            assert await asyncio.to_thread(names) == ["mine", "theirs", "both"]
            await asyncio.to_thread(wait_for, lambda: names() == ["mine", "both"])

    asyncio.run(stays())
    wait_for(lambda: names() == [])


def test_a_page_that_comes_back_in_time_keeps_its_channels() -> None:
    now = [100.0]
    absences = Absences(lambda: now[0])
    assert absences.gone({"a", "b"}, {"a"}) == frozenset()
    now[0] += 0.9 * absence.KEPT_S
    assert absences.gone({"a", "b"}, {"a", "b"}) == frozenset(), "it was reloaded"
    now[0] += 0.9 * absence.KEPT_S
    assert absences.gone({"a", "b"}, set()) == frozenset()
    now[0] += absence.KEPT_S
    assert absences.gone({"a", "b"}, {"a"}) == {"b"}


def test_an_operator_s_channels_are_for_all_and_survive_a_restart(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    twice = {"name": "twice", "formula": "2 * x - y"}
    with served_api(own_folder) as (_, client):
        made = client.post("/api/derive", json=twice, headers=OPERATOR).json()["channels"][-1]
        assert (made["name"], made["unit"]) == ("twice", "m")
        client.post("/api/derive", json={"name": "passing", "formula": "x"}, headers={"X-Client": "viewer"})
        refused = client.post("/api/derive", json={**twice, "formula": "x"}, headers={"X-Client": "viewer"})
        assert refused.status_code == 409 and "made by an operator" in refused.json()["detail"]
        refused = client.delete("/api/derive/twice", headers={"X-Client": "viewer"})
        assert refused.status_code == 409 and "an operator can remove it" in refused.json()["detail"]
    with served_api(own_folder) as (server, client):
        assert [c["name"] for c in client.get("/api/schema").json()["channels"][11:]] == ["twice"]
        newest = server.source("live").newest
        assert newest is not None and newest[11] == 2 * newest[1] - newest[2]
        other = {**OPERATOR, "X-Client": "tab2"}
        changed = client.post("/api/derive", json={**twice, "formula": "3 * x"}, headers=other)
        assert changed.json()["channels"][-1]["formula"] == "3 * x", "any operator may change it"
        assert len(client.delete("/api/derive/twice", headers=other).json()["channels"]) == 11
    with served_api(own_folder) as (_, client):
        assert len(client.get("/api/schema").json()["channels"]) == 11


@pytest.mark.parametrize(
    "text", ['[{"name": "far", "formula": "2 * wing", "unit": "m"}]', "[{", '{"a": 1}', '[{"name": "NO"}]', "\xff"]
)
def test_what_was_kept_for_another_platform_or_cannot_be_read_harms_nobody(own_folder: Path, text: str) -> None:
    path = own_folder / "data" / "derived.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    with served_api(own_folder) as (_, client):
        assert len(client.get("/api/schema").json()["channels"]) == 11


def test_operators_leave_room_for_viewers(api: tuple[Console, httpx.Client], monkeypatch: pytest.MonkeyPatch) -> None:
    _, client = api
    monkeypatch.setattr(RateLimit, "check", lambda *_: None)
    answers = [client.post("/api/derive", json={"name": f"k{k}", "formula": "x"}, headers=OPERATOR) for k in range(25)]
    assert [a.status_code for a in answers] == [200] * 24 + [429]
    assert "operators have 24 derived channels" in answers[-1].json()["detail"]
    assert client.post("/api/derive", json={"name": "mine", "formula": "x"}, headers={"X-Client": "ann"}).is_success
