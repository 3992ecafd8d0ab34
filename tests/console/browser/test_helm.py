"""A person steers the vehicle of a world at the page: with keys, a gamepad or the mouse; a viewer only watches."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from motionbase.record.world import GAMEPAD, KEYBOARD, SCRIPT
from tests.console.browser.conftest import Pages
from tests.console.browser.person import at, coloured, panel
from tests.console.browser.rig import RING, Rig, until

WORLD = (
    "run",
    "simona",
    "--ring",
    RING,
    "--rate",
    "200",
    "--manual",
    "--no-console",
    "--no-record",
    "--joystick",
    "none",
)
"""At rest, in maintenance: a person may steer before the platform drives. `--alone` would leave the world out."""
PLAIN: dict[str, object] = {"shell": {"view": "plots", "list": False}}
OPEN: dict[str, object] = {"shell": {"view": "plots", "list": False, "panel": "helm"}}
FULL, OFF = 0.9, 0.1  # of a control's way

GAMEPADS = """
  window.pad = {
    id: "Test Pad (STANDARD GAMEPAD Vendor: 045e Product: 028e)", index: 0, connected: true, mapping: "standard",
    timestamp: 0, axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, () => ({ pressed: false, value: 0 })),
  };
  window.plugged = false;
  navigator.getGamepads = () => window.plugged ? [window.pad, null, null, null] : [null, null, null, null];
  window.plug = (is) => {
    window.plugged = is;
    window.dispatchEvent(new Event(is ? "gamepadconnected" : "gamepaddisconnected"));
  };
"""


@pytest.fixture(scope="module", autouse=True)
def world(rig: Rig) -> Iterator[None]:
    """A base that is off and follows a boat, and a console."""
    rig.start_base(*WORLD, "--host", "boat://seed")
    rig.start_console()
    until(lambda: rig.ask("GET", "world").status_code == 200, "the world")
    yield


def inside(page: Page, name: str) -> Locator:
    """An element of the panel; over the view outside there is another one."""
    return at(at(page, "panel-helm"), name)


def hand(rig: Rig) -> int:
    """Who steers, by the record."""
    return int(rig.newest()["world_hand"])


def until_script(page: Page, rig: Rig) -> None:
    until(lambda: hand(rig) == SCRIPT, "the script")
    expect(inside(page, "helm-who")).to_have_text("The script cruise steers")


def hold(page: Page, rig: Rig, key: str) -> None:
    """A key is held until the keyboard steers; like a real one it repeats by itself."""

    def steers() -> bool:
        page.keyboard.down(key)
        return hand(rig) == KEYBOARD

    until(steers, "the keyboard in the record")


def hold_at(page: Page, over: Locator, x: float, y: float) -> None:
    """The mouse is pressed in the middle of an element and dragged to shares of its width and height."""
    box = over.bounding_box()
    assert box
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=4)


def leave(page: Page, rig: Rig) -> None:
    """Free the seat for the next test."""
    at(page, "seat").click()
    at(page, "seat-release").click()
    expect(at(page, "seat")).to_contain_text("Seat is free")
    until(lambda: hand(rig) == SCRIPT, "the script")


def test_keys_alone_steer_at_once_and_give_back(pages: Pages, rig: Rig) -> None:
    """No click at all: the first press takes the free seat and steers, Backspace gives back."""
    page = pages.open(layout=PLAIN)
    expect(at(page, "seat")).to_contain_text("Seat is free")
    expect(at(page, "tab-helm")).to_be_visible()
    hold(page, rig, "ArrowLeft")
    until(lambda: rig.newest()["control_rudder"] > FULL, "the rudder to the left")
    expect(at(page, "seat")).to_contain_text("You operate")
    begun = rig.newest()["boat_heading"]
    page.keyboard.down("ArrowUp")
    until(lambda: rig.newest()["control_throttle"] > FULL, "full throttle")
    until(lambda: rig.newest()["boat_heading"] > begun + 0.2, "a turn to the left")
    page.keyboard.up("ArrowLeft")
    until(lambda: abs(rig.newest()["control_rudder"]) < OFF, "the rudder springs back")
    panel(page, "helm")
    expect(inside(page, "helm-who")).to_have_text("You steer with the keyboard")
    expect(inside(page, "helm-what")).to_contain_text("20 s")
    page.keyboard.up("ArrowUp")
    page.keyboard.press("Backspace")
    until_script(page, rig)
    leave(page, rig)


def test_the_panel_shows_positions_and_instruments_and_its_button_gives_back(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN)
    until_script(page, rig)
    expect(inside(page, "helm-what")).to_contain_text("Press an arrow key")
    row = inside(page, "helm-row-throttle")
    until(lambda: row.get_attribute("data-at") is not None, "a position")
    hold(page, rig, "ArrowDown")
    expect(row.locator(".held")).to_have_text("↓")
    until(lambda: float(row.get_attribute("data-at") or 1) < OFF, "the throttle astern, as drawn")
    until(lambda: rig.newest()["boat_speed"] < -0.5, "the boat goes astern")
    until(lambda: coloured(inside(page, "helm-instruments")) > 100, "hands of instruments")
    pages.shot(page, "helm-panel")
    page.keyboard.up("ArrowDown")
    expect(row.locator(".held")).to_have_count(0)
    inside(page, "helm-back").click()
    until_script(page, rig)
    leave(page, rig)


def test_a_stick_and_a_lever_on_the_screen_are_moved_by_the_mouse(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN)
    until_script(page, rig)
    hold_at(page, inside(page, "helm-lever-throttle"), 0.5, 0.25)  # takes the seat; three quarters is half ahead
    until(lambda: hand(rig) == GAMEPAD, "the screen, as a gamepad")
    until(lambda: abs(rig.newest()["control_throttle"] - 0.5) < 0.12, "the throttle where the lever was put")
    expect(inside(page, "helm-who")).to_have_text("You steer with the screen")
    page.mouse.up()
    hold_at(page, inside(page, "helm-stick-0"), 1.0, 0.5)
    until(lambda: rig.newest()["control_rudder"] < -FULL, "the rudder to the right")
    pages.shot(page, "helm-screen")
    page.mouse.up()
    until(lambda: abs(rig.newest()["control_rudder"]) < OFF, "the stick springs back")
    leave(page, rig)


def test_a_gamepad_steers_and_lets_go_when_it_is_unplugged(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=OPEN, waits="")
    page.add_init_script(GAMEPADS)
    page.reload()
    until_script(page, rig)
    page.evaluate("plug(true)")
    expect(at(page, "helm-pad-0")).to_contain_text("Test Pad")
    assert hand(rig) == SCRIPT  # it lies there
    page.evaluate("pad.axes[0] = 0.08")  # a worn stick
    page.wait_for_timeout(300)
    assert hand(rig) == SCRIPT
    page.evaluate("pad.axes[0] = 1")
    until(lambda: hand(rig) == GAMEPAD, "the gamepad in the record")
    until(lambda: rig.newest()["control_rudder"] < -FULL, "the rudder to the right")
    expect(inside(page, "helm-who")).to_have_text("You steer with the gamepad")
    pages.shot(page, "helm-gamepad")
    page.evaluate("plug(false)")
    until_script(page, rig)
    expect(at(page, "helm-pad-0")).to_have_count(0)
    leave(page, rig)


def test_a_viewer_sees_the_same_and_is_told_why_keys_do_nothing(pages: Pages, rig: Rig) -> None:
    page = pages.open(token=False, layout=OPEN)
    expect(inside(page, "helm-who")).to_have_text("The script cruise steers")
    expect(inside(page, "helm-what")).to_contain_text("Viewers cannot steer")
    page.keyboard.down("ArrowLeft")
    expect(at(page, "toast")).to_contain_text("iewers cannot steer")
    expect(inside(page, "helm-row-rudder").locator(".held")).to_have_count(0)
    page.wait_for_timeout(400)
    assert hand(rig) == SCRIPT
    page.keyboard.up("ArrowLeft")
    other = pages.open(layout=PLAIN)
    hold(other, rig, "ArrowLeft")
    expect(inside(page, "helm-who")).to_have_text("operator steers with a keyboard")
    other.keyboard.up("ArrowLeft")
    leave(other, rig)


def test_keys_belong_to_a_text_field_and_to_plots_that_have_the_focus(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout={"shell": {"view": "plots", "list": True}})
    until(lambda: hand(rig) == SCRIPT, "the script")
    field = page.locator('.channel-list input[type="search"], .channel-list input').first
    field.click()
    for key in ("ArrowLeft", "ArrowUp", "Backspace"):
        page.keyboard.press(key)
    at(page, "plot").first.click()
    page.keyboard.press("ArrowLeft")  # pans
    page.wait_for_timeout(300)
    assert hand(rig) == SCRIPT
    expect(at(page, "seat")).to_contain_text("Seat is free")


def test_a_lost_connection_and_another_window_let_go_at_once(pages: Pages, rig: Rig) -> None:
    page = pages.open(layout=PLAIN)
    hold(page, rig, "ArrowLeft")
    page.evaluate("window.dispatchEvent(new Event('blur'))")
    until(lambda: hand(rig) == SCRIPT, "the script, as another window has the focus")
    page.keyboard.up("ArrowLeft")
    page.keyboard.down("ArrowRight")
    until(lambda: hand(rig) == KEYBOARD, "the keyboard again")
    page.context.close()
    pages.contexts.remove(page.context)
    until(lambda: hand(rig) == SCRIPT, "the script, as the page is gone")
