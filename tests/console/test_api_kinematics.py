"""Kinematics in the console: poses that somebody asks for, and what a watcher tells of records, good and bad."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from motionbase.console.console import Console
from motionbase.console.kinematics.alarm import APART, GapAlarm, Nearest
from motionbase.console.kinematics.bench import NEAREST, Bench
from motionbase.console.kinematics.thresholds import USUAL, KeptThresholds
from motionbase.console.live.events import EventLog
from motionbase.console.models import ClearanceThresholds
from motionbase.platform.load import load_platform, platform_text
from motionbase.record.axes import DOFS
from motionbase.record.schema import Channel, Schema
from motionbase.ring.writer import Writer
from motionbase.workbench.clearance import Clearance, Thresholds
from motionbase.workbench.geometry import geometry_of
from motionbase.workbench.posture import at_dof
from tests.console.live_rig import DT, RING, TOKEN, Page, console, own_rings, page, wait_for

Served = tuple[Console, str]
POSE = (0.1, -0.05, 0.12, 0.05, -0.1, 0.15)
SMALL = Schema("poses", (
    Channel("t", "s", "time", "time"),
    *(Channel(f"pose_meas_{dof}", "m" if k < 3 else "rad", dof, "pose", dof=dof) for k, dof in enumerate(DOFS)),
))  # fmt: skip


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    folder = own_rings(tmp_path, monkeypatch)
    with console(folder) as found:
        yield found


def ring(schema: Schema = SMALL, text: str | None = None) -> Writer:
    platform = platform_text("simona") if text is None else text
    return Writer(schema, name=RING, dt=DT, capacity=2000, program="test", platform=platform)


def write(made: Writer, dof: Any, t: float = 1.0) -> None:
    made.write(np.array([[t, *dof]]))


def ready(found: Console) -> None:
    """Kernels are compiled; the first test waits longest."""
    wait_for(lambda: found.source("live").run is not None)
    wait_for(lambda: found.watcher.benches.of(found.source("live").header).is_ready, 60.0)


def described(found: Console) -> str | None:
    """The platform's text of the ring that is followed."""
    header = found.source("live").header
    return None if header is None else header.layout.platform


def ask(address: str, body: Any, **query: str) -> httpx.Response:
    """As a viewer without a token."""
    return httpx.post(f"http://{address}/api/kinematics/pose", json=body, params=query, trust_env=False, timeout=60.0)


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    said = answer.json()["detail"]
    assert isinstance(said, str) and "\n" not in said and "Traceback" not in said
    return said


def test_a_pose_has_the_angles_and_clearances_of_the_library(served: Served) -> None:
    simona = load_platform("simona")
    found = at_dof(simona, POSE)
    gap = Clearance(geometry_of(simona)).at(found.p_W, found.Q_WP, 1)[0]
    with ring() as made:
        write(made, POSE)
        ready(served[0])
        told = ask(served[1], {"dof": POSE}).json()
        for name in ("base", "platform"):
            shown = [leg[name] for leg in told["legs"]]
            np.testing.assert_allclose(shown, getattr(found, name)[0], atol=1e-6)  # rounded to six places
        np.testing.assert_allclose([leg["l"] for leg in told["legs"]], found.l[0], atol=1e-6)
        np.testing.assert_allclose([leg["rotation"] for leg in told["legs"]], found.rotation[0], atol=1e-6)
        assert told["dexterity"] == pytest.approx(float(found.dexterity[0]), abs=1e-6)
        assert {told["gaps"][0]["first"], told["gaps"][0]["second"]} == {gap.first, gap.second}
        assert told["gaps"][0]["distance"] == pytest.approx(gap.distance, abs=1e-6)
        assert told["bearings"] == [pytest.approx(simona.gimbals.base), pytest.approx(simona.gimbals.platform)]
        by_legs = ask(served[1], {"legs": [leg["l"] for leg in told["legs"]]}).json()
        np.testing.assert_allclose(by_legs["dof"], POSE, atol=1e-5)  # lengths were rounded to a micrometre


def test_poses_that_are_none_get_one_sentence(served: Served) -> None:
    with ring() as made:
        write(made, POSE)
        ready(served[0])
        assert "either dof or legs" in refused(ask(served[1], {}), 422)
        assert "either dof or legs" in refused(ask(served[1], {"dof": POSE, "legs": [2.5] * 6}), 422)
        assert "dof" in refused(ask(served[1], {"dof": [0.0] * 5}), 422)
        assert "dof.0" in refused(ask(served[1], {"dof": [1e9, *POSE[1:]]}), 422)
        assert "legs.2" in refused(ask(served[1], {"legs": [2.5, 2.5, 0.0, 2.5, 2.5, 2.5]}), 422)
        assert "no pose was found" in refused(ask(served[1], {"legs": [9.0, 2.0] * 3}), 422)
        far = ask(served[1], {"dof": [1.5, 0, 0, 0, 0, 0]})
        assert far.status_code == 200 and far.json()["text"].startswith("not reachable: leg ")
        assert "no kinematics" in refused(ask(served[1], {"dof": POSE}, source="replay"), 404)


def test_one_page_cannot_keep_the_server_busy(served: Served) -> None:
    with ring() as made:
        write(made, POSE)
        ready(served[0])
        with httpx.Client(base_url=f"http://{served[1]}", trust_env=False, timeout=60.0) as client:
            found = [client.get("/api/kinematics/extremes").status_code for _ in range(4)]
        assert found[0] == 200 and found[-1] == 429


def test_the_64_extremes_are_swept_once(served: Served) -> None:
    with ring() as made:
        write(made, POSE)
        ready(served[0])
        first = httpx.get(f"http://{served[1]}/api/kinematics/extremes", trust_env=False, timeout=60.0).json()
        bench = served[0].watcher.benches.of(served[0].source("live").header)
        assert bench.extremes() is bench.extremes()
        simona = load_platform("simona")
        assert len(first["extremes"]) + len(first["missing"]) == 64
        ends = {round(simona.stroke.l_min, 5), round(simona.stroke.l_max, 5)}
        for one in first["extremes"]:
            out = [leg["share"] > 0.5 for leg in one["posture"]["legs"]]
            assert out == [bool(one["number"] >> k & 1) for k in range(6)]
            assert {round(leg["l"], 5) for leg in one["posture"]["legs"]} <= ends
            assert one["posture"]["text"] == ""
        least = min(one["posture"]["gaps"][0]["distance"] for one in first["extremes"])
        assert first["worst"][0]["distance"] == pytest.approx(least, abs=1e-6)
        for need in first["requirements"]:
            if need["joint"] == "rod rotation":
                turns = [one["posture"]["legs"][need["leg"] - 1]["rotation"] for one in first["extremes"]]
                assert (min(turns), max(turns)) == (need["least"], need["most"])


async def watching(address: str, pose: str = "measured") -> dict[str, Any]:
    """What a page hears that watches, once it is no longer "preparing"."""
    async with page(address) as one:
        await one.hello()
        await one.send(do="watch", pose=pose)
        return await said(one)


async def said(one: Page) -> dict[str, Any]:
    while True:
        found = await one.text("kinematics", 60.0)
        if found["state"] != "preparing":
            return found


def test_a_page_that_watches_is_told_of_new_records_and_no_other_is(served: Served) -> None:
    async def run() -> None:
        async with page(served[1]) as one, page(served[1]) as other:
            await one.hello("one")
            await other.hello("other")
            await one.send(do="watch", pose="measured")
            first = await said(one)
            assert (first["t"], first["source"]) == (1.0, "live")
            np.testing.assert_allclose(first["found"]["dof"], POSE, atol=1e-6)
            await asyncio.to_thread(write, made, np.zeros(6), 2.0)
            second = await said(one)
            assert second["t"] == 2.0 and second["found"]["dof"] == [0.0] * 6
            await one.send(do="watch", pose=None)
            await asyncio.to_thread(wait_for, lambda: not served[0].watcher.wanted)
            for t in (2.5, 2.75, 3.0):  # the first may be of a look that began before, the second is not
                served[0].watcher.found.clear()
                await asyncio.to_thread(write, made, POSE, t)
                while (await one.text("clearance"))["t"] != t:
                    pass
            assert not served[0].watcher.found  # nobody watches, so nothing but the alarm was looked at
            await other.text("clearance")
            assert not [m for m in other.texts if m["kind"] == "kinematics"]

    with ring() as made:
        write(made, POSE)
        asyncio.run(run())


@pytest.mark.parametrize(
    ("dof", "words"),
    [([np.nan, *POSE[1:]], "one of its six numbers is none"), ([1e300, *POSE[1:]], "100 m or rad from neutral"),
     ([0, 0, -1e6, 0, 0, 0], "100 m or rad from neutral")],
)  # fmt: skip
def test_bad_records_are_survived(served: Served, dof: list[float], words: str) -> None:
    async def run() -> None:
        async with page(served[1]) as one:
            await one.hello()
            await one.send(do="watch", pose="measured")
            found = await said(one)
            assert found["state"] == "none" and words in found["text"]
            await asyncio.to_thread(write, made, POSE, 2.0)
            while (found := await said(one))["state"] != "ready":
                pass
            assert found["t"] == 2.0

    with ring() as made:
        write(made, dof)
        asyncio.run(run())


def test_other_schemas_and_platforms_get_a_sentence(served: Served) -> None:
    found: dict[str, Any]
    with ring() as made:
        write(made, POSE)
        found = asyncio.run(watching(served[1], "host"))
        assert "no host pose" in found["text"] and "host_surge" in found["text"]
    with ring(text="") as made:
        write(made, POSE)
        wait_for(lambda: described(served[0]) == "")
        found = asyncio.run(watching(served[1]))
        assert found["state"] == "none" and "carries no platform" in found["text"]
    with ring(text='name = "bench"\n') as made:
        write(made, POSE)
        wait_for(lambda: "bench" in (described(served[0]) or ""))
        found = asyncio.run(watching(served[1]))
        assert found["state"] == "none" and found["text"].startswith("no kinematics: ")


def test_broken_meshes_leave_the_angles(served: Served, tmp_path: Path) -> None:
    mesh = tmp_path / "broken.stl"
    mesh.write_bytes(b"solid nothing\nendsolid nothing\n")
    text = platform_text("simona") + f'\n[[meshes]]\nfile = "{mesh}"\npart = "rod"\n'
    with ring(text=text) as made:
        write(made, POSE)
        ready(served[0])
        found = ask(served[1], {"dof": POSE}).json()
        assert found["gaps"] == [] and found["clearance_text"].startswith("no clearances: ")
        assert found["verdict"] is None and found["dexterity"] > 0.5
        swept = httpx.get(f"http://{served[1]}/api/kinematics/extremes", trust_env=False, timeout=60.0).json()
        assert len(swept["extremes"]) == 64 and swept["worst"] == []


def test_files_that_a_recording_names_are_not_opened(served: Served, tmp_path: Path) -> None:
    mesh = tmp_path / "secret.stl"
    mesh.write_bytes(b"solid secret\nendsolid secret\n")
    text = platform_text("simona") + f'\n[[meshes]]\nfile = "{mesh}"\npart = "rod"\n'
    replayed = Writer(SMALL, name=f"{RING}_replay", dt=DT, capacity=2000, program="test", platform=text)
    with replayed as made:
        write(made, POSE)
        wait_for(lambda: served[0].source("replay").run is not None)
        found = ask(served[1], {"dof": POSE}, source="replay").json()
        assert "rod is left out: only files that the running base names" in found["clearance_text"]
        assert found["gaps"]  # of the parametric rod


def test_the_alarm_is_raised_once_and_is_an_event(served: Served) -> None:
    base = f"http://{served[1]}/api/kinematics/thresholds"
    headers = {"Authorization": f"Bearer {TOKEN}", "X-Client": "page"}

    def put(warn: float, stop: float, **given: Any) -> httpx.Response:
        return httpx.put(base, json={"warn": warn, "stop": stop}, trust_env=False, timeout=60.0, **given)

    def events() -> list[str]:
        return [e.text for e in served[0].events.last() if e.what == "alarm"]

    with ring() as made:
        write(made, POSE)
        ready(served[0])
        wait_for(lambda: "live" in served[0].watcher.alarms)
        calm = served[0].watcher.alarms["live"]
        assert calm.verdict == "clear" and calm.least and not calm.is_alarm and events() == []
        assert "token" in refused(put(0.5, 0.4), 401)
        assert "seat" in refused(put(0.5, 0.4, headers=headers), 409)
        served[0].access.seat.take("page", "tester")
        assert "must not be more than warn" in refused(put(0.1, 0.2, headers=headers), 422)
        assert put(0.5, 0.4, headers=headers).status_code == 200
        wait_for(lambda: served[0].watcher.alarms["live"].is_alarm)
        assert served[0].watcher.alarms["live"].verdict == "stop"
        for k in range(3):
            write(made, POSE, 2.0 + k)
            time.sleep(0.6)  # longer than between two looks
        assert len(events()) == 1 and "400.0 mm is the least" in events()[0]
        assert put(0.05, 0.02, headers=headers).status_code == 200
        wait_for(lambda: not served[0].watcher.alarms["live"].is_alarm)
        assert "apart again" in events()[-1] and len(events()) == 2
    assert KeptThresholds(served[0].settings.data / "clearances").of("simona") == ClearanceThresholds(
        warn=0.05, stop=0.02
    )


def test_an_alarm_that_trembles_is_one() -> None:
    events = EventLog()
    alarm, limits = GapAlarm("live", events), ClearanceThresholds(warn=0.05, stop=0.02)

    def judge(distance: float | None) -> bool:
        return alarm.judge(Nearest("rod 1", "catwalk", distance, 1.0), limits, 1)

    assert [judge(x) for x in (0.03, 0.0199, 0.0201, 0.0199, 0.02 + 0.9 * APART)] == [False, True, True, True, True]
    assert len(events.last()) == 1
    assert judge(None) and "rod 1 and catwalk interfere" in events.last()[-1].text
    assert judge(None) and len(events.last()) == 2
    assert not judge(0.02 + APART) and not events.last()[-1].is_bad


def test_kept_thresholds_that_cannot_be_read_are_the_usual_ones(tmp_path: Path) -> None:
    assert (USUAL.warn, USUAL.stop) == (Thresholds().warn, Thresholds().stop)
    for k, text in enumerate(('{"warn": 1e9, "stop": 0}', "[]", "\udcff{", '{"warn": 0.01, "stop": 0.02}')):
        (tmp_path / f"p{k}.json").write_bytes(text.encode("utf-8", "surrogateescape"))
        assert KeptThresholds(tmp_path).of(f"p{k}") == USUAL
    assert KeptThresholds(tmp_path).of("../../etc/passwd") == USUAL


def test_a_stage_under_a_sphere_stays_level() -> None:
    bench = Bench(load_platform("simona"), carries_sphere=True)
    bench.wait(60.0)
    turned, gaps = bench.at_dof([0.1, 0, 0, 300.0, 1.0, 2.0])  # a sphere turns without end
    level, same = bench.at_dof([0.1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(turned.base, level.base)
    assert gaps[0].distance == same[0].distance


def test_poses_are_computed_beside_the_event_loop_and_the_follower(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[str] = set()
    computed = Bench.at_dof

    def noted(self: Bench, dof: Any, nearest: int = NEAREST) -> Any:
        threads.add(threading.current_thread().name)
        return computed(self, dof, nearest)

    monkeypatch.setattr(Bench, "at_dof", noted)
    with ring() as made:
        write(made, POSE)
        asyncio.run(watching(served[1]))
        assert ask(served[1], {"dof": POSE}).status_code == 200
        wait_for(lambda: "live" in served[0].watcher.alarms)
    assert threads == {"motionbase kinematics", "motionbase kinematics_0"}  # the watcher's, and that of requests
