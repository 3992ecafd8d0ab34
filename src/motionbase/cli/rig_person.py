"""The person beside a rig, at a terminal: questions, and answers, asked for again if they are not understood."""

import os
import re
import select
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, final

from motionbase.rig.check.person import Idle
from motionbase.rig.check.report import StopAsked
from motionbase.rig.check.session import Declined

if TYPE_CHECKING:
    from rich.console import Console

    from motionbase.arrays import Array

Answer = TypeVar("Answer")
UNITS = {"": 1e-3, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}  # of a length; without a unit, millimetres
SHORTEST, LONGEST = 0.05, 20.0  # [m] of a leg
VISIBLE = 1e-3  # [m] of a simulated movement that is shown
BYTES = 4096


@final
class TerminalPerson:
    """Asks on stderr and reads stdin line by line, with cycles of the rig while it waits."""

    def __init__(
        self, name: str, screen: "Console", asked: Callable[[], bool], look: "Callable[[], Array] | None" = None
    ) -> None:
        """Nobody is asked yet.

        Args:
            name: of the person
            screen: where questions stand
            asked: whether somebody wants the check to end
            look: (6,) true lengths of a simulated machine, which nobody else can see [m]
        """
        self.name, self._screen, self._asked, self._look = name, screen, asked, look
        self._rest = b""
        self._before = look().copy() if look else None

    def tell(self, text: str) -> None:
        """Print it."""
        style = "bold red" if "FAILED" in text else "bold" if text[:1].isdigit() else ""
        self._screen.print(text, style=style)

    def attend(self, text: str, idle: Idle) -> None:
        """Wait for the Enter key."""
        self._question(f"{text}, then press Enter.", lambda line: True, "Enter", idle)
        self._before = self._look().copy() if self._look else None

    def agrees(self, question: str, idle: Idle) -> bool:
        """Yes or no."""
        return self._question(f"{question} [y/n]", yes_or_no, "y or n", idle)

    def which_moved(self, idle: Idle) -> int:
        """The number of a leg."""
        self._show_movement()
        return self._question("Which leg moved? [1-6, 0 for none]", leg_number, "a number from 0 to 6", idle)

    def grew(self, leg: int, idle: Idle) -> bool:
        """Longer or shorter."""
        question = f"Did leg {leg} become longer or shorter? [l/s]"
        return self._question(question, longer, "l for longer or s for shorter", idle)

    def stopped(self, leg: int, idle: Idle) -> bool:
        """Yes or no."""
        return self._question(f"Did leg {leg} stop at once, and does it stand? [y/n]", yes_or_no, "y or n", idle)

    def length(self, leg: int, idle: Idle) -> float:
        """In millimetres or with a unit."""
        if self._look is not None:
            self._screen.print(
                f"   (a tape on the simulated leg {leg} shows {1e3 * self._look()[leg - 1]:.0f} mm)", style="dim"
            )
        question = f"Length of leg {leg} by tape, from joint to joint [mm]"
        return self._question(question, length, "millimetres such as 955, or 95.5 cm, 0.955 m, 37.6 in", idle)

    def supply(self, leg: int) -> float:
        """In volts."""
        return self._question(f"Voltage across the potentiometer of leg {leg} [V]", volts, "volts such as 5.02", _rest)

    def slider(self, leg: int, s: float) -> float:
        """In volts."""
        question = f"Move the slider of leg {leg} to {1e3 * s:.0f} mm. Voltage of its output [V]"
        return self._question(question, volts, "volts such as 2.49", _rest)

    def _question(self, text: str, read: Callable[[str], Answer | None], wanted: str, idle: Idle) -> Answer:
        while True:
            self._screen.print(f"   {text} ", style="cyan", end="")
            answer = read(self._line(idle).strip())
            if answer is not None:
                return answer
            self._screen.print(f"   Not understood; please answer with {wanted}.", style="yellow")

    def _line(self, idle: Idle) -> str:
        """The next line; without input any more, the person has left."""
        while b"\n" not in self._rest:
            if self._asked():
                raise StopAsked
            idle()
            if select.select([sys.stdin], [], [], 0.0)[0]:
                piece = os.read(sys.stdin.fileno(), BYTES)
                if not piece:
                    raise Declined
                self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        if not sys.stdin.isatty():
            self._screen.print()
        return line.decode(errors="replace")

    def _show_movement(self) -> None:
        """What a simulated machine has done since `attend`."""
        if self._look is None or self._before is None:
            return
        gone = self._look() - self._before
        moved = [f"leg {k} by {1e3 * x:+.0f} mm" for k, x in enumerate(gone, 1) if abs(x) > VISIBLE]
        self._screen.print(f"   (the simulated machine moved {', '.join(moved) or 'no leg'})", style="dim")


def yes_or_no(line: str) -> bool | None:
    """Yes, no, or neither."""
    return {"y": True, "yes": True, "n": False, "no": False}.get(line.lower())


def leg_number(line: str) -> int | None:
    """0 to 6."""
    return int(line) if re.fullmatch("[0-6]", line) else None


def longer(line: str) -> bool | None:
    """True for longer."""
    return {"l": True, "longer": True, "s": False, "shorter": False}.get(line.lower())


def length(line: str) -> float | None:
    """A length of a leg [m]."""
    found = re.fullmatch(r"(\d{1,6}(?:[.,]\d{1,6})?)\s*(|mm|cm|m|in)", line.lower())
    if not found:
        return None
    value = float(found[1].replace(",", ".")) * UNITS[found[2]]
    return value if SHORTEST <= value <= LONGEST else None


def volts(line: str) -> float | None:
    """A voltage [V]."""
    found = re.fullmatch(r"(-?\d{1,3}(?:[.,]\d{1,6})?)\s*v?", line.lower())
    return float(found[1].replace(",", ".")) if found else None


def _rest() -> None:
    """No cycles: the backend is not open yet."""
    import time

    time.sleep(0.02)
