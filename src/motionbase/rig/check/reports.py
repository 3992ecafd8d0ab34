"""Reports of checks beside the rig files: MINE.toml has MINE.check-DATE.json and MINE.check-DATE.md."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from motionbase.errors import UsageError
from motionbase.rig.check.report import FORMAT, VERSION, Report, Verdict
from motionbase.rig.files import RigFile

MOST_AT_ONCE = 1000  # checks of one file in the same second
MOST_BYTES = 2_000_000  # of a report
FAILED = Verdict.FAILED.value


def save(report: Report, file: Path) -> Path:
    """Write a report beside a rig file, for programs and for people; the path of the first comes back."""
    stamp = "".join(c for c in report.begun.partition("+")[0] if c.isalnum())
    names = (f"{file.stem}.check-{stamp}{f'-{count}' if count else ''}.json" for count in range(MOST_AT_ONCE))
    path = next(path for name in names if not (path := file.with_name(name)).exists())
    write(report, path)
    write(report, path.with_suffix(".md"))
    return path


def write(report: Report, path: Path) -> None:
    """Write a report: .json for programs, anything else for people."""
    try:
        path.write_text(report.json() if path.suffix == ".json" else report.markdown(), encoding="utf-8")
    except OSError as e:
        raise UsageError(f"report {path}: cannot be written: {e.strerror or e}") from None


def passed(rig: RigFile) -> Path | None:
    """The newest report beside the file of a check that passed: of exactly this text, for legs of this platform.

    None if a later check of the same failed; one that was not finished, or moved only some legs, says nothing new.
    """
    pattern = f"{_escaped(rig.path.stem)}.check-*.json"
    found = [
        (data["begun"], not data["counts"], path)
        for path in rig.path.parent.glob(pattern)
        if _fits(data := _read(path), rig)
    ]
    _, has_failed, newest = max(found, default=("", True, None))
    return None if has_failed else newest


def _fits(data: dict[str, Any], rig: RigFile) -> bool:
    """Whether a report is of this rig, and decides whether it may be run."""
    wanted = {
        "format": FORMAT, "version": VERSION, "digest": rig.digest, "platform": rig.platform, "ends": list(rig.ends),
        "simulated": rig.simulated,
    }  # fmt: skip
    decides = data.get("counts") is True or (data.get("counts") is False and data.get("verdict") == FAILED)
    return decides and isinstance(data.get("begun"), str) and all(data.get(key) == wanted[key] for key in wanted)


def _read(path: Path) -> dict[str, Any]:
    """A report; empty if it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            return {}
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _escaped(stem: str) -> str:
    """A name without wildcards of `glob`."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in stem)
