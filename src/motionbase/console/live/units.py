"""Units of formulas: which may be added or compared, and the unit of the result.

A number in a formula may stand for a factor with a unit: `5e3 * leg1_l_meas` may well be a force. So a number fits any
unit, and a product with a number takes the unit of what it is added to, or the one that the user gives.
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
    """The quantity of a part of a formula.

    Attributes:
        powers: of units as written; None if unknown
        is_scaled: has a number as a factor, which may have a unit
        is_number: consists of numbers only
    """

    powers: Powers | None = field(default_factory=dict)
    is_scaled: bool = False
    is_number: bool = False

    @property
    def key(self) -> frozenset[tuple[str, Fraction]] | None:
        """Key for comparison, equal for N and kg m/s^2. An angle counts only alone or per second."""
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
        """The unit as in channels: m/s^2, N m, -; "" if unknown."""
        if self.powers is None:
            return ""
        keeps_angle = all(symbol in ("rad", "s") for symbol, power in self.powers.items() if power)
        shown = {s: p for s, p in self.powers.items() if p and (keeps_angle or s != "rad")}
        above = " ".join(_power(s, p) for s, p in shown.items() if p > 0)
        below = "".join(f"/{_power(s, -p)}" for s, p in shown.items() if p < 0)
        return f"{above or '1'}{below}" if shown else "-"

    @property
    def words(self) -> str:
        """The quantity as words of a message."""
        return "a number without a unit" if self.text == "-" else self.text

    @property
    def is_free(self) -> bool:
        """Whether it fits any unit."""
        return self.is_scaled or self.powers is None

    def times(self, other: Quantity, sign: int = 1) -> Quantity:
        """The product, or the quotient for sign -1."""
        scaled, number = self.is_scaled or other.is_scaled, self.is_number and other.is_number
        if self.powers is None or other.powers is None:
            return Quantity(None, scaled)
        found = dict(self.powers)
        for symbol, power in other.powers.items():
            found[symbol] = found.get(symbol, Fraction(0)) + sign * power
        return Quantity(found, scaled, number)

    def to_the(self, power: float) -> Quantity:
        """The power."""
        if self.powers is None:
            return self
        exact = Fraction(power).limit_denominator(FINEST)
        return Quantity({s: p * exact for s, p in self.powers.items()}, self.is_scaled, self.is_number)

    def joined(self, other: Quantity) -> Quantity | None:
        """Quantity of a sum, a difference or a maximum; None if the two do not fit."""
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
    """Quantity of a channel's unit; an unknown word is a unit by itself."""
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
