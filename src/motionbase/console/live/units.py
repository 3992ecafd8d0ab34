"""Units of formulas: what may be added or compared, and what comes out.

A number in a formula may have a unit of its own, which nobody writes: `5e3 * leg1_l_meas` may well be a force. So a
number fits everything, and what was multiplied by one takes the unit of what it is added to, or that a person gives.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, final

Powers: TypeAlias = Mapping[str, Fraction]
DERIVED: dict[str, dict[str, int]] = {
    "N": {"kg": 1, "m": 1, "s": -2}, "Pa": {"kg": 1, "m": -1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3}, "Hz": {"s": -1},
}  # fmt: skip
TOKEN = re.compile(r"^([^\d^][^^]*)(?:\^(-?\d+))?$")
FINEST = 12  # denominator of a power


@final
@dataclass(frozen=True)
class Quantity:
    """What a part of a formula is.

    Attributes:
        powers: of units as they are written; None where nothing is known
        is_scaled: it has a number as a factor, which may bring a unit
        is_number: it is made of numbers alone
    """

    powers: Powers | None = field(default_factory=dict)
    is_scaled: bool = False
    is_number: bool = False

    @property
    def key(self) -> frozenset[tuple[str, Fraction]] | None:
        """Equal for what is the same: N and kg m/s^2. An angle counts only where it stands alone or per second."""
        if self.powers is None:
            return None
        found: dict[str, Fraction] = {}
        for symbol, power in self.powers.items():
            for base, times in DERIVED.get(symbol, {symbol: 1}).items():
                found[base] = found.get(base, Fraction(0)) + times * power
        if any(power for base, power in found.items() if base not in ("rad", "s")):
            found.pop("rad", None)
        return frozenset((base, power) for base, power in found.items() if power)

    @property
    def text(self) -> str:
        """As channels have it: m/s^2, N m, -; "" where nothing is known."""
        if self.powers is None:
            return ""
        keeps_angle = all(symbol in ("rad", "s") for symbol, power in self.powers.items() if power)
        shown = {s: p for s, p in self.powers.items() if p and (keeps_angle or s != "rad")}
        above = " ".join(_power(s, p) for s, p in shown.items() if p > 0)
        below = "".join(f"/{_power(s, -p)}" for s, p in shown.items() if p < 0)
        return f"{above or '1'}{below}" if shown else "-"

    @property
    def words(self) -> str:
        """For a sentence."""
        return "a number without a unit" if self.text == "-" else self.text

    @property
    def is_free(self) -> bool:
        """Whether its unit is anybody's guess."""
        return self.is_scaled or self.powers is None

    def times(self, other: Quantity, sign: int = 1) -> Quantity:
        """Multiplied by it, or divided where the sign is -1."""
        scaled, number = self.is_scaled or other.is_scaled, self.is_number and other.is_number
        if self.powers is None or other.powers is None:
            return Quantity(None, scaled)
        found = dict(self.powers)
        for symbol, power in other.powers.items():
            found[symbol] = found.get(symbol, Fraction(0)) + sign * power
        return Quantity(found, scaled, number)

    def to_the(self, power: float) -> Quantity:
        """Its power."""
        if self.powers is None:
            return self
        exact = Fraction(power).limit_denominator(FINEST)
        return Quantity({s: p * exact for s, p in self.powers.items()}, self.is_scaled, self.is_number)

    def joined(self, other: Quantity) -> Quantity | None:
        """Of a sum, a difference or the larger of two; None where they do not go together."""
        if self.is_number or other.is_number:
            return other if self.is_number else self
        if self.key is not None and self.key == other.key:
            return self if other.is_scaled else other
        if self.is_free and other.is_free:
            return UNKNOWN
        if self.is_free or other.is_free:
            return other if self.is_free else self
        return None


NONE, NUMBER, UNKNOWN = Quantity(), Quantity(is_scaled=True, is_number=True), Quantity(None, True)


def unit(text: str) -> Quantity:
    """Of a channel; a word that we do not know is a unit of its own."""
    if text in ("", "-"):
        return NONE if text else Quantity(None)
    found: dict[str, Fraction] = {}
    for k, part in enumerate(text.split("/")):
        for token in part.split():
            if k == 0 and token == "1":
                continue
            match = TOKEN.match(token)
            symbol, power = (match[1], int(match[2] or 1)) if match else (token, 1)
            found[symbol] = found.get(symbol, Fraction(0)) + (power if k == 0 else -power)
    return Quantity(found)


def _power(symbol: str, power: Fraction) -> str:
    return symbol if power == 1 else f"{symbol}^{float(power):g}"
