"""Generators in the browser: motion beyond the limits, names, steps taken back, and what is in sight together."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from motionbase.ring.blocks.generators import shown as armed
from motionbase.ring.blocks.parameters import shown as parameters
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, panel, take_seat
from tests.console.browser.rig import RING, Rig, until


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that waits for an operator."""
    rig.start_base()
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    yield


def loaded(pages: Pages, rig: Rig, name: str = "gentle", **options: object) -> tuple[Page, Locator]:
    """A seated operator has loaded a set that comes with the platform, and opened its first card."""
    rig.bring("standby")
    page = pages.open(**options)  # type: ignore[arg-type]
    take_seat(page, "Ann")
    opened = panel(page, "generators")
    at(opened, "set-select").select_option(name)
    at(opened, "set-load").click()
    expect(at(opened, "set-load")).to_be_enabled()  # it has come
    expect(at(opened, "generator-1-enabled")).to_have_attribute("aria-checked", "true")
    at(opened, "generator-1-open").click()
    return page, opened


def test_motion_beyond_the_limits_is_asked_back_when_it_is_armed_and_when_it_is_driven(pages: Pages, rig: Rig) -> None:
    page, opened = loaded(pages, rig)
    pages.allow(r"409.*api/generators")
    at(opened, "generators-apply").click()
    expect(at(opened, "fact-armed")).to_contain_text("“gentle”")
    rig.bring("drive")
    rig.bring("standby")
    calm = armed(RING)[0].version
    at(opened, "generator-1-amplitude").fill("4")
    expect(at(opened, "fact-edited")).to_contain_text("“gentle (edited)”")
    expect(at(opened, "generators-apply")).to_have_text(re.compile(r"Apply beyond 1\d limits …"))
    at(opened, "generators-apply").click()
    question = at(page, "beyond")
    expect(question).to_contain_text(re.compile(r"Arm motion beyond 1\d limits\?"))
    expect(at(question, "beyond-list").locator("li").first).to_contain_text("the limit is")
    pages.shot(page, "generators_beyond")
    expect(at(page, "beyond-no")).to_be_focused()
    page.keyboard.press("Enter")  # alone it arms nothing
    expect(question).to_have_count(0)
    assert armed(RING)[0].version == calm
    at(opened, "generators-apply").click()
    at(page, "beyond-yes").click()
    expect(at(opened, "fact-armed")).to_contain_text(f"Version {calm + 1} by Ann (console)")
    expect(at(opened, "fact-armed")).to_contain_text("“gentle (edited)”")
    assert armed(RING)[0].name == "gentle (edited)"

    operator = panel(page, "operator")
    at(operator, "operate-drive").click()
    expect(at(page, "confirm")).to_contain_text("“gentle (edited)”")
    expect(at(page, "confirm")).to_contain_text(re.compile(r"Beyond 1\d limits"))
    expect(at(page, "confirm-exceeded").locator("li").first).to_contain_text("the limit is")
    expect(at(page, "confirm-differs")).to_contain_text(re.compile(r"Generator 1: amplitude 0\.\d+ m → 4 m"))
    pages.shot(page, "drive_beyond")
    at(page, "confirm-no").click()
    events = panel(page, "events")
    expect(at(events, "events-list")).to_contain_text("'gentle (edited)' armed by Ann (console)")


def test_nothing_is_armed_while_a_set_is_being_loaded(pages: Pages, rig: Rig) -> None:
    """The cards that are shown until then are not the ones that were asked for."""
    page, opened = loaded(pages, rig)
    at(opened, "generator-1-amplitude").fill("0.01")
    expect(at(opened, "generators-apply")).to_be_enabled()
    held: list[Route] = []
    page.route("**/api/generators/sets/swell", lambda route: held.append(route))
    at(opened, "set-select").select_option("swell")
    at(opened, "set-load").click()
    expect(at(opened, "generators-apply")).to_be_disabled()
    expect(at(opened, "generators-why")).to_have_text("The set swell is being loaded")
    held[0].continue_()
    expect(at(opened, "fact-edited")).to_contain_text("“swell”")
    expect(at(opened, "generators-apply")).to_be_enabled()


@pytest.mark.parametrize("action", ["arm", "drive"])
def test_a_console_that_stalls_for_a_moment_leaves_the_question_open(pages: Pages, rig: Rig, action: str) -> None:
    """A busy machine may hold it up for some seconds: yes waits, and can be clicked afterwards."""
    page, opened = loaded(pages, rig)
    pages.allow(r"409.*api/generators")
    if action == "arm":
        at(opened, "generator-1-amplitude").fill("3.5")
        expect(at(opened, "generators-apply")).to_have_text(re.compile(r"Apply beyond 1\d limits …"))
        at(opened, "generators-apply").click()
    else:
        at(panel(page, "operator"), "operate-drive").click()
    question = "beyond" if action == "arm" else "confirm"
    expect(at(page, f"{question}-yes")).to_be_enabled()
    expect(at(page, f"{question}-waits")).to_be_hidden()
    before = armed(RING)[0].version
    rig.running["console"].send_signal(signal.SIGSTOP)
    try:
        expect(at(page, f"{question}-yes")).to_be_disabled()
        expect(at(page, f"{question}-waits")).to_contain_text("silent")
    finally:
        rig.running["console"].send_signal(signal.SIGCONT)
    expect(at(page, f"{question}-waits")).to_be_hidden()
    if action == "arm":
        at(page, "beyond-yes").click()
        until(lambda: armed(RING)[0].version == before + 1, "the generators that were confirmed")
    else:
        with page.expect_response("**/api/operate") as answered:
            at(page, "confirm-yes").click()
        wanted, answer = answered.value.request.post_data_json, answered.value.json()
        assert wanted is not None and wanted["action"] == "drive"
        if answer["accepted"]:  # which the console judges, by the age of the record that the operator saw
            rig.until_state("engaging", "drive")


def test_generators_that_are_read_late_do_not_take_the_question_away(pages: Pages, rig: Rig) -> None:
    """On a busy machine the first answer may come too late for the page; the next one is no other version."""
    page, _ = loaded(pages, rig)
    pages.allow(r"503.*api/generators")
    late: list[str] = []

    def at_first_nothing(route: Route) -> None:
        late.append(route.request.url)
        route.fulfill(status=503) if len(late) == 1 else route.fallback()

    operator = panel(page, "operator")  # the other panel, which asks for the same, is out of sight
    page.route("**/api/generators", at_first_nothing)
    at(operator, "operate-drive").click()
    expect(at(page, "confirm-said")).to_contain_text(re.compile(r"version \d+"))  # what is armed was read
    expect(at(page, "confirm-said")).not_to_contain_text("could not be read")
    assert len(late) > 1
    at(page, "confirm-no").click()
    rig.until_state("standby")


def test_preview_and_apply_are_in_sight_while_a_card_is_edited(pages: Pages, rig: Rig) -> None:
    page, opened = loaded(pages, rig, "swell", height=800)
    expect(at(opened, "preview-chart")).to_be_visible()
    for number in (1, 7):
        if number > 1:
            at(opened, f"generator-{number}-open").click()
        at(opened, f"generator-{number}-amplitude").click()  # which the preview does not cover
        for test in ("preview-chart", "generators-apply", f"generator-{number}-amplitude"):
            expect(at(opened, test)).to_be_in_viewport(ratio=0.9)
        pages.shot(page, f"generators_dock_{number}")
    colour = "(e) => getComputedStyle(e).color"
    words = page.locator("body").evaluate(colour)
    assert at(opened, "generator-1-amplitude").evaluate(colour) == words, "a field that can be edited is not dim"


def test_steps_are_taken_back_by_keys_in_generators_and_tuning(pages: Pages, rig: Rig) -> None:
    page, opened = loaded(pages, rig)
    field = at(opened, "generator-1-amplitude")
    first = field.input_value()
    field.fill("0.03")
    opened.locator("h3").first.click()  # beside all fields
    page.keyboard.press("Control+z")
    expect(field).to_have_value(first)
    page.keyboard.press("Control+Shift+z")
    expect(field).to_have_value("0.03")
    field.press("Control+z")
    expect(field).to_have_value(first)

    tuning = panel(page, "tuning")
    at(tuning, "tuning-search").fill("k_p")
    designed = parameters(RING)[0].of("k_p")[0]
    expect(at(tuning, "tuning-undo")).to_be_disabled()
    number = at(tuning, "number-k_p")
    number.fill("12")
    number.press("Enter")
    until(lambda: parameters(RING)[0].of("k_p")[0] == pytest.approx(12), "k_p at 12")
    tuning.locator("h3").first.click()
    page.keyboard.press("Control+z")
    until(lambda: parameters(RING)[0].of("k_p")[0] == pytest.approx(designed), "k_p as before")
    page.keyboard.press("Control+y")
    until(lambda: parameters(RING)[0].of("k_p")[0] == pytest.approx(12), "k_p at 12 again")
    search = at(tuning, "tuning-search")
    search.press_sequentially(" x")
    search.press("Control+z")  # takes back what was typed, and nothing of the base
    expect(search).not_to_have_value("k_p x")
    search.fill("k_p")
    at(tuning, "tuning-undo").click()
    until(lambda: parameters(RING)[0].of("k_p")[0] == pytest.approx(designed), "k_p as before")


def test_a_corrected_field_loses_its_error(pages: Pages, rig: Rig) -> None:
    rig.bring("standby")
    page = pages.open()
    pages.allow(r"422.*api/parameters")
    take_seat(page, "Ann")
    tuning = panel(page, "tuning")
    at(tuning, "tuning-search").fill("k_p")
    number = at(tuning, "number-k_p")
    was = number.input_value()
    number.fill("1e6")
    number.press("Enter")
    expect(at(tuning, "error-k_p")).to_contain_text("k_p")
    number.fill(was)
    expect(at(tuning, "error-k_p")).to_have_text("")
    expect(at(tuning, "tuning-none")).to_be_hidden()
    at(tuning, "tuning-search").fill("nothing of the sort")
    expect(at(tuning, "tuning-none")).to_contain_text("No parameter matches")


def test_a_name_with_a_slash_is_refused_in_a_sentence(pages: Pages, rig: Rig) -> None:
    page, opened = loaded(pages, rig)
    at(opened, "set-save").click()
    at(page, "set-name-text").fill("calm/slow")
    at(page, "set-name-yes").click()
    expect(at(page, "set-name-wrong")).to_contain_text("“/” cannot be in a name: a name has letters, digits")
    pages.shot(page, "name_with_a_slash")
    at(page, "set-name-text").fill("calm slow")
    expect(at(page, "set-name-wrong")).to_have_text("")
    at(page, "set-name-yes").click()
    expect(at(opened, "set-select")).to_have_value("calm slow")
