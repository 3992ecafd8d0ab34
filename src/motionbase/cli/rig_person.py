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

    from motionbase.rig.check.simulated import SimulatedPerson

Answer = TypeVar("Answer")
UNITS = {"": 1e-3, "mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254}  # of a length; without a unit, millimetres
SHORTEST, LONGEST = 0.05, 20.0  # [m] of a leg
BYTES = 4096


@final
class TerminalPerson:
    """Asks on stderr and reads stdin line by line, with cycles of the rig while it waits."""

    def __init__(
        self, name: str, screen: "Console", asked: Callable[[], bool], simulated: "SimulatedPerson | None" = None
    ) -> None:
        """Nobody is asked yet.

        Args:
            name: of the person
            screen: where questions stand
            asked: whether somebody wants the check to end
            simulated: sees a simulated machine, and tells what one would see there
        """
        self.name, self._screen, self._asked, self._simulated = name, screen, asked, simulated
        self._rest = b""

    def tell(self, text: str) -> None:
        """Print it."""
        style = "bold red" if "FAILED" in text else "bold" if text[:1].isdigit() else ""
        self._screen.print(text, style=style)

    def attend(self, text: str, idle: Idle) -> None:
        """Wait for the Enter key."""
        self._question(f"{text}, then press Enter.", lambda line: True, "Enter", idle)
        if self._simulated is not None:
            self._simulated.attend(text, idle)

    def agrees(self, question: str, idle: Idle) -> bool:
        """Yes or no."""
        return self._question(f"{question} [y/n]", yes_or_no, "y or n", idle)

    def which_moved(self, idle: Idle) -> int:
        """The number of a leg."""
        if self._simulated is not None:
            moved = [f"leg {leg} by {1e3 * way:+.0f} mm" for leg, way in self._simulated.movements().items()]
            self._show(f"the simulated machine moved {', '.join(moved) or 'no leg'}")
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
        if self._simulated is not None:
            self._show(f"a tape on the simulated leg {leg} shows {1e3 * self._simulated.length(leg, idle):.0f} mm")
        question = f"Length of leg {leg} by tape, from joint to joint [mm]"
        return self._question(question, length, "millimetres such as 955, or 95.5 cm, 0.955 m, 37.6 in", idle)

    def supply(self, leg: int) -> float:
        """In volts."""
        if self._simulated is not None:
            self._show(f"a voltmeter on the simulated rig shows {self._simulated.supply(leg):.2f} V")
        return self._question(f"Voltage across the potentiometer of leg {leg} [V]", volts, "volts such as 5.02", _rest)

    def slider(self, leg: int, s: float) -> float:
        """In volts."""
        if self._simulated is not None:
            self._show(f"a voltmeter on the simulated rig will show {self._simulated.slider(leg, s):.2f} V")
        question = f"Move the slider of leg {leg} to {1e3 * s:.0f} mm. Voltage of its output [V]"
        return self._question(question, volts, "volts such as 2.49", _rest)

    def _show(self, text: str) -> None:
        """What one would see of a real machine."""
        self._screen.print(f"   ({text})", style="dim")

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
