"""What a check of a rig found, step by step: as JSON for programs, as Markdown for people."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any, final

FORMAT = "motionbase rig check"
VERSION = 1


class Verdict(Enum):
    """What came out of a step, or of the whole."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "skipped"
    UNFINISHED = "not finished"


class Failed(Exception):
    """A step found something wrong; the message says what was expected, what was found and what to change."""


class StopAsked(Exception):
    """Somebody wants the check to end: at the keyboard, or on the page beside it."""


@final
@dataclass
class Step:
    """A step of a check.

    Attributes:
        what: its name
        done: what was done
        measured: what the rig's own readings said
        said: what the person said
        verdict: what came out
        fault: what was expected, what was found and what to change; empty if nothing is wrong
        leg: from 1; 0 for all
        values: numbers behind the words, SI
    """

    what: str
    leg: int = 0
    done: str = ""
    measured: str = ""
    said: str = ""
    verdict: Verdict = Verdict.UNFINISHED
    fault: str = ""
    values: dict[str, Any] = field(default_factory=dict)


@final
@dataclass
class Report:
    """A check.

    Attributes:
        rig: name of the rig
        kind: of the rig file
        device: that was checked, as the backend calls it
        simulated: whether the machine was simulated
        platform: whose legs it moves
        ends: shortest and longest of those legs, by the platform [m]
        digest: SHA-256 of the rig file
        by: who did it
        begun: date and time, UTC, as ISO 8601
        legs: that were moved, from 1
        steps: in order
    """

    rig: str
    kind: str
    simulated: bool
    platform: str
    ends: tuple[float, float]
    digest: str
    by: str
    begun: str
    legs: tuple[int, ...]
    device: str = ""
    steps: list[Step] = field(default_factory=list)
    finished: bool = False

    @property
    def verdict(self) -> Verdict:
        """Passed only if every step did, of all six legs; a step that was skipped is no fault."""
        verdicts = {step.verdict for step in self.steps}
        if Verdict.FAILED in verdicts:
            return Verdict.FAILED
        if not self.finished or Verdict.UNFINISHED in verdicts:
            return Verdict.UNFINISHED
        return Verdict.PASSED

    @property
    def counts(self) -> bool:
        """Whether the rig may be run after it: it passed, with all six legs."""
        return self.verdict is Verdict.PASSED and self.legs == (1, 2, 3, 4, 5, 6)

    @property
    def fault(self) -> str:
        """The sentence of the first step that failed."""
        return next((step.fault for step in self.steps if step.verdict is Verdict.FAILED), "")

    def json(self) -> str:
        """For programs."""
        data = asdict(self)
        steps = [row | {"verdict": step.verdict.value} for row, step in zip(data.pop("steps"), self.steps, strict=True)]
        head = {"format": FORMAT, "version": VERSION, "verdict": self.verdict.value, "counts": self.counts}
        return json.dumps(_finite({**head, **data, "steps": steps}), indent=2, allow_nan=False) + "\n"

    def markdown(self) -> str:
        """For people."""
        machine = "a simulated machine" if self.simulated else self.device or "a real machine"
        legs = (
            "all legs" if len(self.legs) == 6 else f"leg{'s' * (len(self.legs) > 1)} {', '.join(map(str, self.legs))}"
        )
        rows = [
            f"# Check of rig {self.rig}: {self.verdict.value}",
            "",
            *([f"**{_plain(self.fault)}**", ""] if self.fault else []),
            f"- {self.begun}, by {_plain(self.by)}",
            f"- platform {self.platform}, kind {self.kind}, {machine}, {legs}",
            f"- rig file with SHA-256 {self.digest}",
            "",
            "| step | what was done | readings | person | verdict |",
            "|---|---|---|---|---|",
        ]
        for step in self.steps:
            what = f"{step.what}, leg {step.leg}" if step.leg else step.what
            cells = what, step.done, step.measured, step.said, step.verdict.value
            rows.append(f"| {' | '.join(map(_plain, cells))} |")
        faults = [f"- {_plain(step.what)}: {_plain(step.fault)}" for step in self.steps if step.fault]
        return "\n".join([*rows, *(["", "What is wrong:", "", *faults] if faults else [])]) + "\n"


def _finite(value: Any) -> Any:
    """Without numbers that JSON does not have."""
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain(text: str) -> str:
    """A text that breaks no table."""
    return " ".join(text.replace("|", "/").split())
