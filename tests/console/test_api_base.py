"""Operating, generators, tuning and the emergency stop, against a simulated base in a process of its own."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from motionbase.console.live.ring_status import ring_status
from motionbase.record.generator_set import GeneratorSet
from motionbase.ring.blocks.commands import CommandSender
from motionbase.ring.blocks.generators import GeneratorClient
from motionbase.ring.command_words import HEAD_AT
from tests.console.api_rig import Page, base, page, wait_for
from tests.quick_platform import HEAVE as LIMIT
from tests.quick_platform import quick_platform

HEAVE = {"enabled": True, "axes": ["heave"], "amplitude": 0.05, "frequency": 0.5, "fade_in": 1.0, "fade_out": 1.0}


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("base")
    patch = pytest.MonkeyPatch()
    patch.setenv("MOTIONBASE_RING_FOLDER", str(folder))
    patch.setenv("MOTIONBASE_RING_DEVICE", "none")
    patch.setenv("MOTIONBASE_DATA", str(folder / "user"))
    with base(folder, platform=quick_platform(folder)), page(folder) as made:
        wait_for(lambda: made.console.source("live").state == "live")
        yield made
    patch.undo()


def state(operator: Page) -> str:
    live = operator.console.source("live")
    value = live.value("state")
    assert live.schema is not None and value is not None
    return live.schema.channels[live.schema.index["state"]].meaning(value) or ""


def asked(operator: Page, action: str) -> None:
    answer = operator.operate(action)
    assert answer.json() == {"accepted": True, "text": f"{action}: accepted"}, answer.text


def test_what_moves_needs_token_and_seat(operator: Page) -> None:
    for method, address, body in (
        ("POST", "/api/operate", {"action": "down", "seen": operator.seen()}),
        ("PUT", "/api/generators", {"cards": {"cards": []}, "version": 0}),
        ("PATCH", "/api/parameters", {"values": {}}),
        ("POST", "/api/recorder", {"do": "start"}),
        ("POST", "/api/replay", {"file": "a.mcap"}),
        ("DELETE", "/api/replay", None),
        ("POST", "/api/strip", {"channels": [{"name": "t"}]}),
        ("PUT", "/api/recordings/upload?name=a.csv", None),
    ):
        assert "token" in operator.anybody().refusal(401, method, address, body)
        assert "seat" in operator.standing().refusal(409, method, address, body)
    assert "token" in operator.anybody().refusal(401, "POST", "/api/estop")


def test_a_base_is_led_to_drive_and_stopped(operator: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole way: switch on, rise, arm generators, drive, be refused, stop, reset."""
    asked(operator, "maintenance")
    asked(operator, "down")
    wait_for(lambda: state(operator) == "down")
    asked(operator, "standby")
    wait_for(lambda: state(operator) == "standby", 60)

    seen = operator.get("/api/generators").json()
    assert seen["allowed"] and seen["why_not"] == "" and seen["running_version"] == 0
    armed = operator.call("PUT", "/api/generators", {"cards": {"name": "heave", "cards": [HEAVE]}, "version": 0})
    assert armed.status_code == 200, armed.text
    version = armed.json()["version"]
    assert version > 0 and armed.json()["armed"]["cards"][0]["amplitude"] == 0.05
    assert armed.json()["author"] == "tester (console)" and armed.json()["running_version"] == 0
    assert len(armed.json()["armed"]["cards"]) == 7

    asked(operator, "drive")
    wait_for(lambda: state(operator) == "drive")
    wait_for(lambda: operator.get("/api/generators").json()["running_version"] == version)
    refused = {"cards": {"cards": []}, "version": version}
    assert "state drive" in operator.refusal(409, "PUT", "/api/generators", refused)
    assert GeneratorClient("rig", author="test").read().version == version

    refused_action = operator.operate("down").json()
    assert refused_action == {"accepted": False, "text": "down was refused: it cannot be done from the present state"}

    # nobody needs a seat to stop; a busy console tells who asked after the base acts, and yet in the right order
    press = operator.console.stop_button.press

    def late(who: Any) -> Any:
        answer = press(who)
        time.sleep(0.3)
        return answer

    monkeypatch.setattr(operator.console.stop_button, "press", late)
    stopped = operator.standing().call("POST", "/api/estop").json()
    assert stopped == {"accepted": True, "text": "the emergency stop acts"}
    wait_for(lambda: state(operator) in ("abort", "off", "held"))
    assert CommandSender("rig", sender="test").estop_acts
    wait_for(lambda: ring_status(operator.console.source("live")).estop_acts)
    assert ring_status(operator.console.source("live")).estop_by == "console: another"
    wanted = {
        *(
            ("request", f"{do} asked for by tester (console): accepted")
            for do in ("maintenance mode", "down", "standby")
        ),
        ("generators", f"generators 'heave' armed by tester (console), version {version}, on: 1"),
        ("request", "drive asked for by tester (console): accepted"),
        ("generators", f"generators version {version} run"),
        ("request", "down asked for by tester (console): refused, it cannot be done from the present state"),
        ("estop", "emergency stop asked for by another (console)"),
    }

    def said() -> list[tuple[str, str]]:
        events = operator.console.events.last()
        return [(e.what, e.text) for e in events if "asked for" in e.text or e.what == "generators"]

    wait_for(lambda: len(said()) >= len(wanted))  # a request is told with the record that took it
    assert set(said()) == wanted and len(said()) == len(wanted)
    stops = sorted((e.utc, e.text) for e in operator.console.events.last() if e.what == "estop")
    assert [text.split(" by ")[0] for _, text in stops] == ["emergency stop asked for", "the emergency stop acts"]
    assert operator.call("POST", "/api/estop").json()["accepted"]
    assert ring_status(operator.console.source("live")).estop_by == "console: tester"
    wait_for(lambda: state(operator) == "off", 60)
    assert "fault" in operator.refusal(409, "PUT", "/api/generators", refused)
    assert not operator.get("/api/generators").json()["allowed"]
    asked(operator, "reset")
    wait_for(lambda: operator.console.source("live").value("fault") == 0)
    assert any(e.what == "estop" and e.is_bad for e in operator.console.events.last())
    wait_for(lambda: ring_status(operator.console.source("live")).estop_by is None)


def test_of_two_that_arm_the_second_is_told(operator: Page) -> None:
    asked(operator, "maintenance")
    wait_for(lambda: operator.console.source("live").value("mode") == 1)
    before = operator.get("/api/generators").json()["version"]
    GeneratorClient("rig", author="somebody else").write(GeneratorSet())
    said = operator.refusal(409, "PUT", "/api/generators", {"cards": {"cards": [HEAVE]}, "version": before})
    assert f"somebody else has written version {before + 1}" in said


@pytest.mark.parametrize(
    ("action", "changes", "said"),
    [
        ("standby", {"t": -2.5}, "the page showed the base of "),
        ("drive", {"t": 1.5}, "the page showed another run, 1."),
        ("drive", {"state": "standby"}, "the base is in {state} by now, the page showed standby"),
        ("reset", {"mode": "host"}, "the base is in maintenance mode by now, the page showed host"),
        ("drive", {"generators_version": -1}, "of the generators is armed by now, the page showed version -1"),
        ("drive", {"generators_version": None}, "of the generators is armed by now, the page showed none"),
        ("enable", {"t": -2.5}, "the page showed the base of "),
        ("home", {"state": "standby"}, "the base is in {state} by now, the page showed standby"),
        ("disable", {"mode": "host"}, "the base is in maintenance mode by now, the page showed host"),
    ],
)
def test_what_the_operator_did_not_see_is_not_asked_for(
    operator: Page, action: str, changes: dict[str, Any], said: str
) -> None:
    asked(operator, "maintenance")
    wait_for(lambda: operator.seen()["mode"] == "maintenance")
    if "t" in changes:
        changes = {"t": operator.seen()["t"] + changes["t"]}
    before = _commands(operator)
    answer = operator.operate(action, **changes)
    assert answer.status_code == 200 and not answer.json()["accepted"]
    text = answer.json()["text"]
    assert text.startswith(f"{action} was not requested: ") and said.format(state=state(operator)) in text
    assert _commands(operator) == before, "the base was not even asked"


@pytest.mark.parametrize("action", ["enable", "home", "disable"])
def test_orders_to_legs_are_for_rigs_and_for_who_operates(operator: Page, action: str) -> None:
    body = {"action": action, "seen": operator.seen()}
    assert "token" in operator.anybody().refusal(401, "POST", "/api/operate", body)
    assert "seat" in operator.standing().refusal(409, "POST", "/api/operate", body)
    assert operator.operate(action).json() == {
        "accepted": False, "text": f"{action} was refused: no rig moves the legs of this base",
    }  # fmt: skip
    told = f"{action} asked for by tester (console): refused, no rig moves the legs of this base"
    wait_for(lambda: any((e.what, e.text) == ("request", told) for e in operator.console.events.last()))


@pytest.mark.parametrize("action", ["freeze", "abort", "settle", "lower"])
def test_what_calms_a_base_is_never_too_late(operator: Page, action: str) -> None:
    """Of a page that is slow, and of one that has shown no record at all."""
    old = operator.seen(t=-1e6, state="drive", mode="host", generators_version=99)
    for seen in (old, None):
        before = _commands(operator)
        answer = operator.call("POST", "/api/operate", {"action": action, "seen": seen})
        assert answer.status_code == 200 and "was not requested" not in answer.text, answer.text
        assert _commands(operator) == before + 1
    before = _commands(operator)
    moving = operator.call("POST", "/api/operate", {"action": "drive"}).json()
    assert moving["text"].startswith("drive was not requested: the page has shown no record yet")
    assert _commands(operator) == before


def _commands(operator: Page) -> int:
    """That were put into the ring so far."""
    sender = CommandSender("rig", sender="test")
    return int.from_bytes(sender.map.memory[HEAD_AT : HEAD_AT + 8], "little")


def test_a_seen_without_a_time_is_refused_in_one_sentence(operator: Page) -> None:
    for t in ("NaN", "soon", None):
        body = {"action": "drive", "seen": {"t": t, "state": "", "mode": "", "generators_version": None}}
        assert "seen.t" in operator.refusal(422, "POST", "/api/operate", body)


def test_generators_wait_for_maintenance_mode(operator: Page) -> None:
    asked(operator, "host")
    wait_for(lambda: operator.console.source("live").value("mode") == 0)
    version = operator.get("/api/generators").json()["version"]
    said = operator.refusal(409, "PUT", "/api/generators", {"cards": {"cards": [HEAVE]}, "version": version})
    assert "host mode" in said
    asked(operator, "maintenance")
    wait_for(lambda: operator.console.source("live").value("mode") == 1)


@pytest.mark.parametrize(
    ("card", "what"),
    [
        ({**HEAVE, "amplitude": 9.0}, "generator 1: amplitude is 9 m, it must be -5 to 5"),
        ({**HEAVE, "axes": ["heave", "roll"]}, "linear and angular"),
        ({**HEAVE, "axes": ["up"]}, "axes is"),
        ({**HEAVE, "frequency": -1}, "frequency"),
        ({**HEAVE, "shape": "bump"}, "shape"),
        ({**HEAVE, "amplitude": "much"}, "amplitude"),
        ({**HEAVE, "colour": "red"}, "colour"),
    ],
)
def test_a_card_that_cannot_be_is_refused_with_its_field(operator: Page, card: object, what: str) -> None:
    assert what in operator.refusal(422, "PUT", "/api/generators", {"cards": {"cards": [card]}, "version": 0})
    assert what in operator.refusal(422, "POST", "/api/generators/preview", {"cards": {"cards": [card]}})


def test_preview_finds_the_limits_that_would_be_exceeded(operator: Page) -> None:
    """A sine of 0.7 m at 0.5 Hz: 0.08 m and 0.9 m/s are the platform's, 2 pi 0.5 0.7 = 2.199 m/s the wave's."""
    card = {**HEAVE, "amplitude": 0.7, "fade_in": 0.0}
    found = operator.call("POST", "/api/generators/preview", {"cards": {"cards": [card]}, "seconds": 4.0}).json()
    by_what = {e["what"]: e for e in found["exceeded"]}
    assert by_what["heave"]["value"] == pytest.approx(0.7, rel=1e-5) and by_what["heave"]["limit"] == LIMIT
    assert by_what["heave"]["t"] == pytest.approx(np.arcsin(LIMIT / 0.7) / np.pi, abs=2e-3)
    assert by_what["heave velocity"]["value"] == pytest.approx(0.7 * np.pi, rel=1e-6)
    assert "heave acceleration" not in by_what and {f"leg {k} length" for k in range(1, 7)} <= by_what.keys()
    t, heave = np.array(found["t"]), np.array(found["dofs"][2][0])
    np.testing.assert_allclose(heave, 0.7 * np.sin(np.pi * t), atol=2e-5)  # six digits of t are sent, at 2.2 m/s
    assert np.shape(found["legs"]) == (6, len(t)) and found["limits"]["l_max"] == 3.281


def test_preview_of_what_fits_says_so(operator: Page) -> None:
    found = operator.call("POST", "/api/generators/preview", {"cards": {"cards": [HEAVE]}}).json()
    assert found["exceeded"] == [] and found["text"] == "within all limits in the first 20 s"
    jump = {**HEAVE, "shape": "square"}
    assert "generator 1 jumps" in operator.call(
        "POST", "/api/generators/preview", {"cards": {"cards": [jump]}}
    ).json()["text"]  # fmt: skip


def armed(operator: Page, cards: list[dict[str, Any]], name: str = "", exceeds: tuple[str, ...] = ()) -> Any:
    """What comes of asking for cards, as somebody who saw what is armed."""
    version = operator.get("/api/generators").json()["version"]
    body = {"cards": {"name": name, "cards": cards}, "version": version, "exceeds": list(exceeds)}
    return operator.call("PUT", "/api/generators", body)


def test_what_exceeds_limits_is_armed_only_by_who_names_them(operator: Page) -> None:
    """A heave of 4 m, which the control law would run into its limits with again and again."""
    asked(operator, "maintenance")
    wait_for(lambda: operator.seen()["mode"] == "maintenance")
    before = operator.get("/api/generators").json()
    far = {**HEAVE, "amplitude": 4.0, "frequency": 0.2}
    refused = armed(operator, [far])
    assert refused.status_code == 409
    said, listed = refused.json()["detail"], [one["what"] for one in refused.json()["exceeded"]]
    reaches = rf"{len(listed)} limits would be exceeded: heave reaches -?4 m, the limit is -?{re.escape(f'{LIMIT}')}, "
    assert re.match(reaches, said)
    assert "name these limits in `exceeds`" in said and {"heave", "heave velocity", "leg 1 length"} <= set(listed)
    assert armed(operator, [far], exceeds=("heave",)).status_code == 409, "one of them is not all"
    assert operator.get("/api/generators").json()["version"] == before["version"], "nothing was armed"
    known = armed(operator, [far], exceeds=tuple(listed))
    assert known.status_code == 200, known.text
    found = known.json()
    assert found["version"] == before["version"] + 1
    assert [one["what"] for one in found["exceeded"]] == listed and found["judged"] == "judged over the first 60 s"
    told = f"generators: version {found['version']} was armed beyond {len(listed)} limits"
    assert told in [one.text for one in operator.console.events.last()]
    calm = armed(operator, [HEAVE], exceeds=tuple(listed)).json()
    assert calm["exceeded"] == []


def test_limits_that_are_exceeded_late_are_found(operator: Page) -> None:
    late = {**HEAVE, "amplitude": 0.7, "start": 300.0}
    refused = armed(operator, [late])
    assert refused.status_code == 409
    assert next(one for one in refused.json()["exceeded"] if one["what"] == "heave")["t"] > 300


def test_an_edited_set_is_called_so_in_the_ring_and_its_log(operator: Page) -> None:
    gentle = operator.get("/api/generators/sets/gentle").json()["cards"]
    unused = [{"space": "dof"} if not card["enabled"] else card for card in gentle]  # as the page shows empty cards
    edited = [{**gentle[0], "amplitude": 0.02}]
    for name, cards, wanted in (
        ("gentle", unused, "gentle"),
        ("gentle", edited, "gentle (edited)"),
        ("gentle (edited)", edited, "gentle (edited)"),
        ("gentle (edited)", gentle, "gentle"),
        ("mine", edited, "mine"),
    ):
        found = armed(operator, cards, name).json()
        assert found["armed"]["name"] == wanted
        assert GeneratorClient("rig", author="test").read().name == wanted
        told = f"generators {wanted!r} armed by tester (console), version {found['version']}, "
        wait_for(lambda told=told: any(one.text.startswith(told) for one in operator.console.events.last()))  # type: ignore[misc]


def test_what_ran_last_is_told_beside_what_is_armed(operator: Page) -> None:
    asked(operator, "maintenance")
    wait_for(lambda: operator.seen()["mode"] == "maintenance")
    first = armed(operator, [HEAVE], "calm").json()["version"]
    asked(operator, "down")
    wait_for(lambda: state(operator) == "down")
    asked(operator, "standby")
    wait_for(lambda: state(operator) == "standby")
    asked(operator, "drive")
    wait_for(lambda: state(operator) == "drive")
    asked(operator, "settle")
    wait_for(lambda: state(operator) == "standby")
    found = armed(operator, [{**HEAVE, "amplitude": 0.06}], "calm").json()
    assert (found["version"], found["running_version"]) == (first + 1, first)
    assert (found["last_run"]["name"], found["last_run"]["cards"][0]["amplitude"]) == ("calm", 0.05)
    assert found["armed"]["cards"][0]["amplitude"] == 0.06
    asked(operator, "lower")
    wait_for(lambda: state(operator) == "down")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("what", ["generators/sets", "layouts"])
def test_names_with_a_slash_are_refused_with_a_sentence(operator: Page, method: str, what: str) -> None:
    body = None if method != "PUT" else {"name": "a/b", **({"body": {}} if what == "layouts" else {"cards": []})}
    said = operator.refusal(422, method, f"/api/{what}/a%2Fb", body)
    assert "'a/b'" in said and "a name is 1 to 80 letters, digits, spaces" in said


def test_sets_that_come_with_the_platform_can_be_loaded_and_not_changed(operator: Page) -> None:
    path = "/api/generators/sets"
    assert operator.anybody().get(path).json() == ["gentle", "tour", "swell", "identify"]
    gentle = operator.anybody().get(f"{path}/gentle").json()
    assert (gentle["name"], gentle["cards"][0]["axes"], gentle["cards"][0]["frequency"]) == ("gentle", ["heave"], 0.2)
    assert operator.call("POST", f"{path.removesuffix('sets')}preview", {"cards": gentle}).json()["exceeded"] == []
    assert "comes with the platform" in operator.refusal(409, "PUT", f"{path}/gentle", gentle)
    assert "comes with the platform" in operator.refusal(409, "DELETE", f"{path}/gentle")
    assert operator.call("PUT", f"{path}/mine", gentle).status_code == 200
    assert operator.get(path).json() == ["gentle", "tour", "swell", "identify", "mine"]
    (operator.console.settings.data / "generators" / "tour.toml").write_text("")
    assert operator.get(path).json() == ["gentle", "swell", "identify", "mine", "tour"], "one's own stands before"
    assert operator.call("DELETE", f"{path}/tour").json() == ["gentle", "tour", "swell", "identify", "mine"]
    operator.call("DELETE", f"{path}/mine")


def test_leg_generators_move_their_leg_alone(operator: Page) -> None:
    card = {**HEAVE, "space": "leg", "axes": [3], "amplitude": 1.0}
    found = operator.call("POST", "/api/generators/preview", {"cards": {"cards": [card]}, "seconds": 4.0}).json()
    assert {e["what"] for e in found["exceeded"]} == {"leg 3 length", "leg 3 velocity"}


def test_parameters_are_shown_and_tuned(operator: Page) -> None:
    shown = {p["name"]: p for p in operator.get("/api/parameters").json()["parameters"]}
    designed = shown["k_p"]["designed"]
    wanted = [0.9 * x for x in designed]
    after = operator.call("PATCH", "/api/parameters", {"values": {"k_p": wanted}})
    assert after.status_code == 200, after.text
    goal = {p["name"]: p for p in after.json()["parameters"]}["k_p"]["goal"]
    assert goal == pytest.approx(wanted)

    def told() -> set[tuple[str, str]]:
        return {(e.person, e.text) for e in operator.console.events.last() if e.what == "tuning"}

    sentence = f"k_p from {designed[0]:.6g} to {wanted[0]:.6g} {shown['k_p']['unit']} by tester (console): accepted"
    wait_for(lambda: any(("tester", text) in told() for text in (sentence, sentence.replace("k_p", "k_p[1]", 1))))
    back = operator.call("PATCH", "/api/parameters", {"values": {"k_p": []}}).json()
    assert {p["name"]: p for p in back["parameters"]}["k_p"]["goal"] == designed


def test_parameters_out_of_bounds_change_nothing(operator: Page) -> None:
    shown = {p["name"]: p for p in operator.get("/api/parameters").json()["parameters"]}
    first = shown["k_p"]
    fine, bad = [0.95 * x for x in first["designed"]], [10 * first["most"][0]]
    for values, what in (
        ({"k_p": fine, "host_timeout": [1e9]}, "host_timeout"),
        ({"k_p": bad}, "it must be"),
        ({"k_q": [1.0]}, "no parameter 'k_q'"),
        ({"k_p": [1.0, 2.0, 3.0]}, "numbers"),
        ({"k_p[99]": [1.0]}, "k_p"),
    ):
        assert what in operator.refusal(422, "PATCH", "/api/parameters", {"values": values})
    after = {p["name"]: p for p in operator.get("/api/parameters").json()["parameters"]}
    assert after["k_p"]["goal"] == first["goal"]


def test_scene_is_the_platform_to_scale(operator: Page) -> None:
    scene = operator.get("/api/scene").json()
    legs = np.array(scene["joints"]) + scene["p_neutral"] - np.array(scene["base"])
    lengths = np.linalg.norm(legs, axis=1)
    assert scene["name"] == "simona" and np.all((lengths > scene["l_min"]) & (lengths < scene["l_max"]))
    assert 0 < scene["rod_radius"] < scene["cylinder_radius"] < 0.2 and scene["meshes"] == []
    assert scene["points"]["eye"] == pytest.approx([0, 0, 1.2075])
    assert "no mesh 0" in operator.refusal(404, "GET", "/api/mesh/0")
    assert "there is no ring" in operator.refusal(404, "GET", "/api/scene?source=replay")
    operator.refusal(422, "GET", "/api/scene?source=../x")


def test_nobody_records(operator: Page) -> None:
    assert "nobody records" in operator.refusal(409, "POST", "/api/recorder", {"do": "start"})
    assert "a note needs its text" in operator.refusal(422, "POST", "/api/recorder", {"do": "note", "text": " "})


def test_replay_commands_do_not_reach_a_base(operator: Page) -> None:
    before = state(operator)
    body = {"source": "live", "action": "play"}
    answer = operator.call("POST", "/api/replay/control", body).json()
    assert not answer["accepted"] and "does not know this command" in answer["text"]
    assert state(operator) == before
