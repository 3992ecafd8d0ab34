"""What a check of a design finds: wrong where it cannot work, odd where it would surprise an experienced designer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Finding:
    """One thing.

    Attributes:
        key: of the platform's file, dotted, where the number stands
        fatal: whether it cannot work
        sentence: part, value and what would work
    """

    key: str
    fatal: bool
    sentence: str

    @property
    def level(self) -> str:
        """In one word."""
        return "error" if self.fatal else "warning"
