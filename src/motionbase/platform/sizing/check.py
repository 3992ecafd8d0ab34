"""A design examined: architecture, plausible numbers, reserves; quick enough to be done whenever one is loaded."""

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
    """Of one platform.

    Attributes:
        findings: those with which it cannot work first
        reserves: the table; empty where the legs cannot hold the platform at all
    """

    findings: tuple[Finding, ...]
    reserves: tuple[Reserve, ...]

    @property
    def works(self) -> bool:
        """Whether nothing was found with which it cannot."""
        return not any(one.fatal for one in self.findings)


def examine(platform: Hexapod, *, thorough: bool = False) -> Examination:
    """All that can be said of a design.

    Args:
        thorough: look for the poses of all axes at their limits and of all legs fully in or out, too
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
