"""What identification has found so far, and what it was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from motionbase.identify.estimates import Finding, Hidden
from motionbase.identify.regression import Interval
from motionbase.identify.signals import Signals
from motionbase.platform.hexapod import Hexapod


@dataclass
class Gathering:
    """Findings so far.

    Attributes:
        signals, thin: the recording, and so much of it as all but the valves need
        legs: that are identified as one
        groups: of parameters that are asked for
        fits: for pictures, by the name in `Identified`
        delays: of sensors behind the lengths, by their kind
        late: so much of these is undone in `thin` already [s]
    """

    signals: Signals
    thin: Signals
    platform: Hexapod
    legs: tuple[int, ...]
    groups: tuple[str, ...]
    found: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    fits: dict[str, Any] = field(default_factory=dict)
    delays: dict[str, Interval] = field(default_factory=dict)
    late: Mapping[str, float] = field(default_factory=dict)

    def hide(self, group: str, keys: Sequence[str], why: str) -> None:
        """Parameters without the channels that show them."""
        if group in self.groups:
            self.found += [Hidden(group, key, why) for key in keys]

    def add(self, *found: Finding) -> None:
        """Findings of the groups that are asked for."""
        self.found += [one for one in found if one.group in self.groups]
