"""Tables of docs/control.md, from the code: `python -m motionbase.control.tables docs/control.md` writes them anew."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from motionbase.control.faults import BLOCKING, GUARDED, SHUTTING, Fault, WarningBit
from motionbase.control.law import ControlLaw
from motionbase.control.states import FLAGS, TRANSITIONS
from motionbase.platform.load import load_platform

EXAMPLE = "simona"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *(list(row) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines).replace("| --- |", "|---|").replace(" --- |", "---|")


def transitions() -> str:
    """Rows in order of priority."""
    rows = (
        (
            ", ".join(s.name.lower() for s in t.sources),
            t.target.name.lower(),
            ", ".join(f"`{w}`" for w in t.when),
            t.why,
        )
        for t in TRANSITIONS
    )
    return _table(("from", "to", "when all hold", "why"), rows)


def flags() -> str:
    """What the conditions of the transitions mean; requests are left out."""
    return _table(("flag", "meaning"), ((f"`{n}`", w) for n, w in FLAGS.items() if not n.startswith("request_")))


def faults() -> str:
    """With what each of them leads to."""

    def end(fault: Fault) -> str:
        if fault is Fault.GUARD_SPHERE:
            return "goes down, the sphere is braked"
        if fault in GUARDED:
            return "held, valves shut off"
        if fault not in BLOCKING:
            return "goes down"
        return "held, valves shut off" if fault in SHUTTING else "held"

    return _table(("code", "fault", "abort", "sentence"), (
        (str(f.value), f.name.lower(), end(f), f.sentence) for f in Fault if f
    ))  # fmt: skip


def warnings() -> str:
    """Bits of the channel `warning`."""
    return _table(("bit", "warning"), ((str(w.value), w.name.lower()) for w in WarningBit if w.name))


def parameters() -> str:
    """With the values for the example platform, and when they may be tuned."""
    rows = []
    for field in ControlLaw(load_platform(EXAMPLE)).parameters.fields:
        values = field.values if np.ptp(field.values) else field.values[:1]
        when = ("at rest" if field.at_rest else "always") if field.tunable else "-"
        rows.append((f"`{field.name}`", field.unit, ", ".join(f"{v:.4g}" for v in values), when, field.description))
    return _table(("name", "unit", f"for {EXAMPLE}", "tuned", "meaning"), rows)


TABLES = {f.__name__: f for f in (transitions, flags, faults, warnings, parameters)}


def marks(name: str) -> tuple[str, str]:
    """What stands before and after a table."""
    return f"<!-- {name}: from motionbase.control.tables -->\n", f"\n<!-- end of {name} -->"


def written(text: str) -> str:
    """A document with all its tables made anew."""
    for name, table in TABLES.items():
        begin, end = marks(name)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{table()}{end}{after}"
    return text


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text()))
