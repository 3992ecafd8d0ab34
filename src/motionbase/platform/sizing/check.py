"""Examination of a design: architecture, plausible numbers, reserves; fast enough to run whenever one is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.platform.hexapod import Hexapod
from motionbase.platform.sizing.architecture import architecture_findings
from motionbase.platform.sizing.plausible import Finding, plausible_findings
from motionbase.platform.sizing.reserves import Reserve, Reserves


@final
@dataclass(frozen=True)
class Examination:
    """Result for one platform.

    Attributes:
        findings: fatal ones first
        reserves: the table; empty if the legs cannot hold the platform at all
    """

    findings: tuple[Finding, ...]
    reserves: tuple[Reserve, ...]

    @property
    def works(self) -> bool:
        """Whether there is no fatal finding."""
        return not any(one.fatal for one in self.findings)


def examine(platform: Hexapod, *, thorough: bool = False) -> Examination:
    """All checks of a design.

    Args:
        thorough: also search the poses of all axes at their limits and of all legs fully in or out
    """
    found = [*architecture_findings(platform), *plausible_findings(platform)]
    rows: list[Reserve] = []
    if not (found and found[0].fatal and found[0].key in ("joints", "p_neutral")):
        reserves = Reserves(platform)
        rows = reserves.rows(thorough)
        worst = {row.what: row for row in sorted(rows, key=lambda row: row.factor, reverse=True) if row.finding}
        found += [one for row in worst.values() if (one := row.finding) is not None]
        found += reserves.slips()
    return Examination(tuple(sorted(found, key=lambda one: not one.fatal)), tuple(rows))
