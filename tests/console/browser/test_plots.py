"""Time histories: a person looks at a base that drives, finds channels, zooms, measures, takes things away."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, click, coloured, drag, panel, pixels, shown
from tests.console.browser.rig import BASE, Numbers, Rig, until

LEGS = [f"leg{leg}_l_meas" for leg in range(1, 7)]
HEAVE = {"enabled": True, "space": "dof", "axes": ["heave"], "shape": "sine", "amplitude": 0.08, "frequency": 0.5}
PITCH = {**HEAVE, "axes": ["pitch"], "amplitude": 0.05, "frequency": 0.3}
PICTURE = "canvas.plot-picture"


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that rises by itself and drives a sine in heave and one in pitch."""
    rig.start_base(*BASE)
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    assert rig.ask("POST", "seat", {"name": "script"}).status_code == 200
    armed = {"cards": {"name": "sine", "cards": [HEAVE, PITCH]}}

    def are_armed() -> bool:
        """In place of those that the base begins with."""
        version = rig.ask("GET", "generators").json().get("version", 0)
        return rig.ask("PUT", "generators", {**armed, "version": version}).status_code == 200

    until(are_armed, "generators that are armed")
    assert rig.ask("DELETE", "seat").status_code == 200
    rig.until_state("drive")
    yield


def area(plot: Locator) -> Locator:
    """Where traces are."""
    return plot.locator(".u-over")


def frozen(page: Page) -> None:
    """As after Space, with what belongs to it on the screen."""
    page.keyboard.press("Space")
    expect(at(page, "live")).to_have_attribute("aria-pressed", "false")


def drawn(page: Page) -> bytes:
    """The first plot as it is on the screen now."""
    return page.locator(PICTURE).first.screenshot()


def between(rig: Rig, from_t: float, to_t: float) -> tuple[dict[str, int], Numbers]:
    """Records of the ring itself, with times from one to the other."""
    index, rows = rig.history()
    t = rows[:, 0]
    assert t[0] <= from_t, "the ring has forgotten what the page shows"
    return index, rows[(t >= from_t) & (t <= to_t)]


def test_the_standard_layout_shows_six_plots_with_data(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout={})
    plots = at(page, "plot")
    expect(plots).to_have_count(6)
    for name in ("leg1_l_meas", "pose_meas_heave", "leg6_l_dot_meas", "leg3_f_meas", "leg2_valve_cmd", "leg4_p_cap"):
        expect(at(page, f"legend-{name}").locator(".legend-value")).not_to_have_text("–")
    for canvas in page.locator(PICTURE).all():
        until(lambda canvas=canvas: coloured(canvas) > 100, "traces in every plot")  # type: ignore[misc]
    expect(at(page, "platform")).to_have_text("simona")
    expect(at(page, "badge")).to_have_text("drive")
    assert 150 < shown(page, "rate") < 250
    expect(at(page, "scene-canvas")).to_be_visible()
    assert abs(shown(page, "legend-pose_meas_heave")) < 0.1 < rig.newest()["leg1_l_meas"]
    pages.shot(page, "plots_dark_1600")
    before = page.locator("html").get_attribute("data-theme")
    at(page, "theme").click()
    at(page, "theme").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert before == "dark"
    pages.shot(page, "plots_light_1600")
    page.set_viewport_size({"width": 1280, "height": 720})
    pages.shot(page, "plots_light_1280")


def test_channels_are_found_and_dragged_into_plots(pages: Pages) -> None:
    page = pages.open()
    second = at(page, "plot").nth(1)
    expect(at(page, "legend-leg1_l_meas")).to_be_visible()
    at(page, "channel-search").fill("supply pressure")
    expect(at(page, "channel-p_supply")).to_be_visible()
    expect(at(page, "channel-leg1_l_meas")).to_have_count(0)
    at(page, "channel-p_supply").drag_to(second)
    expect(at(second, "legend-p_supply").locator(".legend-value")).not_to_have_text("–")
    at(page, "channel-search").fill("nothing of this kind")
    expect(page.locator(".channel-groups")).to_contain_text("No channel matches")
    at(page, "channel-search").fill("acc_x")
    page.keyboard.press("Enter")  # into the plot that is selected
    expect(at(page, "legend-acc_x")).to_have_count(1)
    at(page, "channel-search").fill("omega_x")
    at(page, "channel-omega_x").dblclick()
    expect(at(page, "legend-omega_x")).to_have_count(1)
    at(second, "legend-p_supply").click(button="right")
    pages.shot(page, "plots_menu")
    at(page, "trace-remove").click()
    expect(at(second, "legend-p_supply")).to_have_count(0)
    # dropped at an edge, a channel becomes a plot of its own
    at(page, "channel-search").fill("p_supply")
    box = second.bounding_box()
    assert box
    at(page, "channel-p_supply").drag_to(second, target_position={"x": box["width"] - 6, "y": box["height"] / 2})
    expect(at(page, "plot")).to_have_count(7)


def test_zoom_while_live_undo_and_back(pages: Pages) -> None:
    page = pages.open()
    over = area(at(page, "plot").first)
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")
    expect(at(page, "zoom-undo")).to_be_disabled()
    drag(page, over, (0.5, 0.3), (0.75, 0.302))
    expect(at(page, "live")).to_have_attribute("aria-pressed", "false")
    expect(at(page, "shown")).to_contain_text("s shown")
    assert shown(page, "shown") == pytest.approx(2.5, abs=0.1)  # a quarter of 10 s
    over.hover()
    page.mouse.wheel(0, -400)
    expect(at(page, "shown")).not_to_have_text("2.500 s shown")
    zoomed = shown(page, "shown")
    assert zoomed == pytest.approx(2.5 * np.exp(-0.64), rel=0.05)
    page.keyboard.press("Control+z")
    until(lambda: shown(page, "shown") == pytest.approx(2.5, abs=0.1), "the zoom before")
    at(page, "zoom-redo").click()
    until(lambda: shown(page, "shown") == pytest.approx(zoomed, abs=0.01), "the zoom again")
    at(page, "zoom-undo").click()
    at(page, "zoom-undo").click()
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")
    drag(page, over, (0.2, 0.2), (0.6, 0.8))
    expect(at(page, "shown")).to_contain_text("4.0")
    at(page, "live").click()
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")
    expect(at(page, "shown")).to_have_text("")
    over.dblclick()
    at(page, "span").select_option("2")
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")


def test_space_freezes_the_plots_and_lets_them_go(pages: Pages) -> None:
    page = pages.open()
    first = drawn(page)
    until(lambda: drawn(page) != first, "traces that move")
    frozen(page)
    page.mouse.move(800, 5)
    still: list[bytes] = []

    def stands() -> bool:
        still.append(drawn(page))
        page.wait_for_timeout(200)
        return still[-4:].count(still[-1]) == 4

    until(stands, "a picture that stands")
    expect(at(page, "frozen")).to_contain_text("FROZEN")
    values = at(page, "legend-pose_meas_heave").inner_text()
    newest = at(page, "channel-pose_meas_heave")
    before = newest.inner_text()
    until(lambda: newest.inner_text() != before, "values that go on in the list")
    expect(at(page, "frozen")).to_contain_text("ago")
    pages.shot(page, "plots_frozen")
    assert at(page, "legend-pose_meas_heave").inner_text() == values, "what stands beside a trace belongs to it"
    assert drawn(page) == still[-1]
    page.keyboard.press("Space")
    expect(at(page, "live")).to_have_attribute("aria-pressed", "true")
    expect(at(page, "frozen")).to_be_hidden()
    until(lambda: drawn(page) != still[-1], "traces that move again")


def test_cursors_measure_what_the_ring_holds(pages: Pages, rig: Rig) -> None:
    page = pages.open()
    over = area(at(page, "plot").first)
    at(page, "span").select_option("5")
    page.wait_for_timeout(500)
    page.locator("body").focus()
    frozen(page)
    click(over, 0.3)
    click(over, 0.8, modifiers=["Shift"])
    readout = at(page, "readout")
    expect(readout.locator("tbody tr")).to_have_count(6)
    expect(readout.locator("tbody tr").first.locator("td")).to_have_count(8)
    expect(readout.locator("tbody")).not_to_contain_text("–")  # until the numbers come
    a, b = (_seconds(readout.locator(".pill .num").nth(k).inner_text()) for k in (0, 1))
    assert b - a == pytest.approx(2.5, abs=0.05)
    assert _seconds(readout.locator(".pill .num").nth(2).inner_text()) == pytest.approx(b - a, abs=2e-4)
    index, rows = between(rig, a, b)
    for k, name in enumerate(LEGS):
        cells = [cell.replace("−", "-") for cell in readout.locator("tbody tr").nth(k).locator("td").all_inner_texts()]
        assert cells[0].startswith(name)
        values = rows[:, index[name]]
        first, last, difference, least, largest, mean, rms = map(float, cells[1:])
        expected = (values.min(), values.max(), values.mean(), np.sqrt(np.mean(values**2)))
        # five digits are shown, and a record may lie on either side of a time that is shown to 0.1 ms
        assert (least, largest, mean, rms) == pytest.approx(expected, rel=2e-4)
        assert (first, last) == pytest.approx((values[0], values[-1]), rel=2e-3)
        assert difference == pytest.approx(last - first, abs=2e-4)
    pages.shot(page, "plots_cursors")
    page.keyboard.press("Escape")
    expect(readout).to_be_hidden()


def _seconds(text: str) -> float:
    """Of 12.5 s, 1:02.5 s or 0.25 s."""
    parts = text.replace("s", "").strip().split(":")
    return float(sum(float(part) * 60**k for k, part in enumerate(reversed(parts))))


def test_a_channel_by_formula(pages: Pages) -> None:
    page = pages.open()
    pages.allow(r"422.*api/derive")
    expect(at(page, "legend-leg1_l_meas")).to_be_visible()
    at(page, "derive-new").click()
    at(page, "derive-name").fill("apart")
    at(page, "derive-formula").fill("1000 * (leg1_l_meas - leg9_l_meas")
    at(page, "derive-unit").fill("mm")
    page.keyboard.press("Enter")
    expect(at(page, "derive-error")).to_contain_text("character")
    at(page, "derive-formula").fill("pose_meas_heave + pose_meas_pitch")
    page.keyboard.press("Enter")
    expect(at(page, "derive-error")).to_contain_text("m and rad cannot be added")
    pages.shot(page, "plots_derive")
    at(page, "derive-formula").fill("1000 * (leg1_l_meas - leg4_l_meas)")
    page.keyboard.press("Enter")
    expect(at(page, "derive-dialog")).to_have_count(0)
    legend = at(page, "legend-apart")
    expect(legend.locator(".legend-value")).not_to_have_text("–")
    expect(legend).to_contain_text("mm")
    expect(at(page, "legend-leg1_l_meas").locator(".legend-name")).to_have_text("leg 1")
    expect(at(page, "plot-title").first).to_have_text("Measured length [m]")
    pages.shot(page, "plots_derived_legend")
    strip = panel(page, "recorder")
    at(strip, "strip-from-plots").click()
    expect(strip.locator(".p-pen")).to_have_count(16)
    expect(at(strip, "strip-remove-apart")).to_have_count(0)
    assert page.locator("#strip-channels option[value=apart]").count() == 0
    at(strip, "strip-clear").click()
    at(page, "tab-recorder").click()
    page.locator("body").click(position={"x": 2, "y": 2})
    frozen(page)
    click(area(at(page, "plot").first), 0.6)
    rows = at(page, "readout").locator("tbody tr")
    expect(rows).to_have_count(7)
    expect(at(page, "readout").locator("tbody")).not_to_contain_text("–")  # until the numbers come
    value = {
        row.split()[0]: float(row.split()[-1].replace("−", "-")) for row in (r.inner_text() for r in rows.all())
    }  # fmt: skip
    assert value["apart"] == pytest.approx(1000 * (value["leg1_l_meas"] - value["leg4_l_meas"]), abs=0.21)  # 5 digits
    page.keyboard.press("Escape")
    at(page, "channel-search").fill("apart")
    at(page, "channel-apart").click(button="right")
    at(page, "derive-delete").click()
    expect(at(page, "channel-apart")).to_have_count(0)


def test_a_channel_of_an_operator_is_there_after_a_restart_of_the_console_for_every_page(
    pages: Pages, rig: Rig
) -> None:
    page = pages.open()
    pages.allow("ERR_CONNECTION_REFUSED", "WebSocket", "Failed to load resource")
    at(page, "derive-new").click()
    at(page, "derive-name").fill("tilt")
    at(page, "derive-formula").fill("rate(pose_meas_pitch)")
    page.keyboard.press("Enter")
    expect(at(page, "legend-tilt")).to_contain_text("°/s")
    page.close()
    rig.end("console")
    rig.start_console()
    until(lambda: rig.ask("GET", "schema").status_code == 200, "the schema of the base")
    other = pages.open(token=False)
    at(other, "channel-search").fill("tilt")
    expect(at(other, "channel-tilt").locator(".cell-value")).not_to_have_text("–")
    at(other, "channel-tilt").dblclick()
    expect(at(other, "legend-tilt").locator(".legend-value")).not_to_have_text("–")
    pages.shot(other, "plots_derived_kept")
    assert rig.ask("DELETE", "derive/tilt").status_code == 200
    expect(at(other, "channel-tilt")).to_have_count(0)


def test_one_clock_and_one_unit_of_angles_for_the_whole_page(pages: Pages) -> None:
    page = pages.open()
    pitch = at(page, "legend-pose_meas_pitch")
    expect(pitch).to_contain_text("°")
    expect(at(page, "last-event").locator("time")).to_have_text(re.compile(r"^−?(\d+ s|\d+:\d\d|\d+:\d\d:\d\d)$"))
    at(page, "angles").click()
    expect(pitch).to_contain_text("rad")
    at(page, "clock").select_option("utc")
    now = datetime.now(UTC)
    hours = "|".join(f"{(now + timedelta(hours=k)).hour:02}" for k in (-1, 0))
    expect(at(page, "last-event").locator("time")).to_have_text(re.compile(rf"^({hours}):\d\d:\d\d$"))
    at(page, "live").click()
    expect(at(page, "frozen")).to_be_visible()
    click(area(at(page, "plot").first), 0.6)
    expect(at(page, "readout").locator(".pill").first).to_contain_text(re.compile(rf"({hours}):\d\d:\d\d\.\d{{4}} UTC"))
    pages.shot(page, "plots_utc")
    page.reload()
    expect(at(page, "clock")).to_have_value("utc")
    expect(pitch).to_contain_text("rad")


def test_a_choice_just_before_a_reload_is_kept(pages: Pages) -> None:
    page = pages.open()
    with page.expect_navigation():
        page.evaluate(
            """() => {
              const clock = document.querySelector('[data-test="clock"]');
              clock.value = "utc";
              clock.dispatchEvent(new Event("change"));
              location.reload();
            }"""
        )
    expect(at(page, "clock")).to_have_value("utc")


def test_small_plots_keep_labels_on_both_axes(pages: Pages) -> None:
    plots = [{"traces": [{"name": name}]} for name in (*LEGS, "pose_meas_heave", "pose_meas_pitch")]
    page = pages.open(
        width=1100, height=520, layout={"shell": {"view": "both"}, "plots": {"columns": 4, "plots": plots}}
    )
    for canvas in page.locator(PICTURE).all()[:4]:
        until(lambda canvas=canvas: coloured(canvas) > 20, "a trace")  # type: ignore[misc]
    pages.shot(page, "plots_small")


def test_limits_raise_an_alarm_until_it_is_acknowledged(pages: Pages) -> None:
    page = pages.open()
    legend = at(page, "legend-pose_meas_heave")
    expect(legend.locator(".legend-value")).not_to_have_text("–")

    def limits(**values: str) -> None:
        legend.click(button="right")
        at(page, "trace-limits").click()
        for name, value in values.items():
            at(page, f"limit-{name}").fill(value)
        at(page, "limits-save").click()

    limits(warnHigh="0.5", alarmHigh="0.4")
    expect(at(page, "limits-dialog")).to_contain_text("each limit must be larger")
    page.keyboard.press("Escape")
    limits(alarmHigh="0.05", warnHigh="0.01")  # the sine goes to 0.08 m
    alarm = at(page, "alarm-pose_meas_heave")
    expect(alarm).to_contain_text("> 0.05")
    expect(alarm).to_have_class("pill alarm-pill alarm")
    pages.shot(page, "plots_alarm")
    alarm.click()
    expect(at(page, "alarms")).to_be_visible()  # it is outside again a second later
    limits(alarmHigh="5", warnHigh="4")
    page.wait_for_timeout(500)  # what was exceeded stays, as past, until somebody has seen it
    if alarm.is_visible():
        alarm.click()
    expect(at(page, "alarms")).to_be_hidden()


def test_pictures_and_records_are_taken_away(pages: Pages, rig: Rig, tmp_path: Path) -> None:
    page = pages.open()
    at(page, "span").select_option("2")
    page.wait_for_timeout(500)
    page.locator("body").focus()
    frozen(page)
    at(page, "export").click()
    with page.expect_download() as taken:
        at(page, "export-png").click()
    assert taken.value.suggested_filename.startswith("rig_") and taken.value.suggested_filename.endswith(".png")
    taken.value.save_as(tmp_path / "all.png")
    picture = pixels(tmp_path / "all.png").astype(int)
    grid = at(page, "plot-grid").bounding_box()
    assert grid and picture.shape[1] == pytest.approx(grid["width"], abs=20)
    assert np.count_nonzero(np.ptp(picture, axis=2) > 60) > 2000
    first = at(page, "plot").first
    first.hover()
    at(first, "plot-export").click()
    with page.expect_download() as taken:
        at(page, "export-csv").click()
    taken.value.save_as(tmp_path / "one.csv")
    with (tmp_path / "one.csv").open(newline="") as file:
        titles, *lines = csv.reader(file)
    assert titles == ["t [s]", *(f"{name} [m]" for name in LEGS)]
    table = np.array(lines, dtype=np.float64)
    assert len(table) == pytest.approx(400, abs=3)
    index, rows = between(rig, table[0, 0], table[-1, 0])
    np.testing.assert_array_equal(table, rows[:, [0, *(index[name] for name in LEGS)]])  # to the bit
