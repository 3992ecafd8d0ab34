"""`motionbase host sticks`: joysticks and gamepads of this machine, their readings, and the range of their axes."""

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer

from motionbase.cli import terminal
from motionbase.cli.options import Duration, JsonAtEnd, check_duration

if TYPE_CHECKING:
    from rich.console import RenderableType

    from motionbase.record.world import Hand
    from motionbase.worlds.hands.joysticks import Found, Joysticks

PLACES = (
    "left stick right",
    "left stick down",
    "right stick right",
    "right stick down",
    "left trigger",
    "right trigger",
)
BAR = 21  # letters for the whole range of an axis
LOOK_S = 0.05
MOVED = 0.05  # range of readings of an axis that somebody has moved
NEAR_END, NEAR_MIDDLE = 0.98, 0.02
NOTHING = "no joystick or gamepad is connected"


def sticks(
    joystick: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE", help="Only devices whose name contains this, or a .toml file for their axes."
        ),
    ] = "",
    duration: Duration = None,
    as_json: JsonAtEnd = False,
) -> None:
    """Show joysticks and gamepads of this machine, and propose a file that calibrates their axes.

    Move every axis to both ends and release it, then press Ctrl-C: the range of each is printed as lines of a file for
    --joystick, which you can edit where an axis is worn, reversed or in the wrong place.

    Example: motionbase host sticks
    """
    from motionbase.ring.gentle import stop_after, stop_requested
    from motionbase.worlds.hands import sdl
    from motionbase.worlds.hands.choice import sticks_of
    from motionbase.worlds.hands.joysticks import Joysticks

    check_duration(duration)
    sdl.sdl()
    choice = sticks_of(joystick)
    if choice is None:
        print("--joystick none ignores all devices")
        return
    seen = Seen()
    made = Joysticks(choice.name, choice.calibrations, looked=lambda: seen.look(made), reads=True)
    with made, stop_requested() as stop, stop_after(duration, stop):
        _watch(made, seen, stop, quiet=as_json)
    if as_json:
        print(json.dumps(seen.data(), indent=2))
        return
    for line in seen.sentences() or [f"{NOTHING}{_forbidden()}"]:
        print(line)


@final
class Seen:
    """All devices so far, with the range of readings of their axes."""

    def __init__(self) -> None:
        self.found: dict[int, Found] = {}
        self.ends: dict[int, list[tuple[float, float]]] = {}
        self.last: dict[int, list[float]] = {}

    def look(self, joysticks: "Joysticks") -> None:
        """Called by the thread after every poll."""
        for found, _ in joysticks.told:
            readings = joysticks.readings.get(found.number, [])
            before = self.ends.get(found.number) or [(math.inf, -math.inf)] * len(readings)
            self.ends[found.number] = [
                (min(low, x), max(high, x)) for (low, high), x in zip(before, readings, strict=True)
            ]
            self.found[found.number], self.last[found.number] = found, readings

    def data(self) -> list[dict[str, Any]]:
        """For scripts."""
        return [
            {
                "name": found.name,
                "gamepad": found.is_gamepad,
                "axes": [
                    {"of": k, "least": round(low, 3), "most": round(high, 3), "now": round(now, 3)}
                    for k, ((low, high), now) in enumerate(zip(self.ends[number], self.last[number], strict=True))
                ],
                "buttons": found.buttons,
                "hats": found.hats,
            }
            for number, found in self.found.items()
        ]

    def sentences(self) -> list[str]:
        """The proposed file, for each device that was moved."""
        lines = []
        for number, found in self.found.items():
            lines.append(f"{found.name!r}: {found.axes} axes, {found.buttons} buttons, {found.hats} hats")
            moved = [k for k, (low, high) in enumerate(self.ends[number]) if high - low > MOVED]
            if found.is_gamepad:
                lines.append("  a gamepad with a known layout; it needs no file")
            elif not moved:
                lines.append("  move its axes to both ends and release them; lines of a file then appear here")
            else:
                axes = [f"  {self._axis(number, k)}" for k in range(found.axes)]
                lines += ["[[joystick]]", f"name = {json.dumps(found.name)}", "axes = [", *axes, "]"]
        return lines

    def _axis(self, number: int, k: int) -> str:
        (low, high), now = self.ends[number][k], self.last[number][k]
        parts = [f"of = {k}"]
        if high - low > MOVED:
            parts += [f"least = {low:.2f}"] if low > -NEAR_END else []
            parts += [f"middle = {now:.2f}"] if low + MOVED < now < high - MOVED and abs(now) > NEAR_MIDDLE else []
            parts += [f"most = {high:.2f}"] if high < NEAR_END else []
        return f"{{ {', '.join(parts)} }},{f'  # {PLACES[k]}' if k < len(PLACES) else ''}"


def _watch(joysticks: "Joysticks", seen: Seen, stop: Any, quiet: bool) -> None:
    """Tables on a terminal, else a line for every device that comes or goes."""
    from rich.live import Live

    screen = terminal.console()
    if not quiet and screen.is_terminal:
        with Live(console=screen, auto_refresh=False, transient=True) as live:
            while not stop.wait(LOOK_S):
                live.update(picture(joysticks, seen), refresh=True)
        return
    names: dict[int, str] = {}
    while not stop.wait(LOOK_S):
        here = {found.number: found.name for found, _ in joysticks.told}
        for number in (here.keys() ^ names.keys()) if not quiet else ():
            come = number in here
            print(f"{(here if come else names)[number]!r} is {'connected' if come else 'gone'}", flush=True)
        names = here


def picture(joysticks: "Joysticks", seen: Seen) -> "RenderableType":
    """All devices, for a terminal."""
    from rich.console import Group
    from rich.text import Text

    shown = [(found, hand) for found, hand in joysticks.told if found.number in seen.last]  # others come with the next
    parts: list[RenderableType] = [_table(found, hand, seen) for found, hand in shown]
    parts += [Text(why) for why in joysticks.unheard.values()]
    if not parts:
        parts.append(Text(f"{NOTHING}{_forbidden()}", style="bold"))
    return Group(*parts, Text("move every axis to both ends and release it; Ctrl-C prints their ranges", style="dim"))


def _table(found: "Found", hand: "Hand", seen: Seen) -> "RenderableType":
    kind = "gamepad" if found.is_gamepad else "joystick, axes as in the file" if found.calibrated else "joystick"
    table = terminal.table(
        f"{found.name}: {kind}", "axis", "at", "reads", "least", "most", "acts as", right=("reads", "least", "most")
    )
    for k, ((low, high), now) in enumerate(zip(seen.ends[found.number], seen.last[found.number], strict=True)):
        place = PLACES[k] if k < len(PLACES) and not found.calibrated else ""
        table.add_row(str(k), bar(now), f"{now:z.3f}", f"{low:z.3f}", f"{high:z.3f}", place)
    pressed = [str(k) for k in range(hand.buttons.bit_length()) if hand.buttons >> k & 1]
    table.add_row("buttons", " ".join(pressed) or "-", "", "", "", "numbered as in the Gamepad API")
    return table


def bar(value: float) -> str:
    """The position of an axis as a bar."""
    at = round((max(-1.0, min(1.0, value)) + 1.0) / 2.0 * (BAR - 1))
    return "".join("█" if k == at else "┼" if k == BAR // 2 else "─" for k in range(BAR))


def _forbidden() -> str:
    """A hint where Linux has devices that this user may not read."""
    devices = sorted(Path("/dev/input").glob("js*")) if Path("/dev/input").is_dir() else []
    if devices and not any(os.access(device, os.R_OK) for device in devices):
        return f"; {devices[0]} is not readable for you: join its group, usually input, and log in again"
    return ""
