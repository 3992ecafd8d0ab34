"""Tables of docs/control.md, from the code: `python -m motionbase.control.tables docs/control.md` updates them."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from motionbase.control.law import ControlLaw
from motionbase.platform import tables
from motionbase.platform.load import load_platform
from motionbase.platform.tables import markdown
from motionbase.record.faults import BLOCKING, GUARDED, SHUTTING, Fault, WarningBit
from motionbase.record.states import FLAGS, TRANSITIONS

EXAMPLE = "simona"
MODULE = "motionbase.control.tables"


def transitions() -> str:
    """Table of transitions, in order of priority."""
    rows = (
        (
            ", ".join(s.name.lower() for s in t.sources),
            t.target.name.lower(),
            ", ".join(f"`{w}`" for w in t.when),
            t.why,
        )
        for t in TRANSITIONS
    )
    return markdown(("from", "to", "when all hold", "why"), rows)


def flags() -> str:
    """Table of the conditions of the transitions, without requests."""
    return markdown(("flag", "meaning"), ((f"`{n}`", w) for n, w in FLAGS.items() if not n.startswith("request_")))


def faults() -> str:
    """Table of the faults and their consequences."""

    def end(fault: Fault) -> str:
        if fault is Fault.GUARD_SPHERE:
            return "goes down, the sphere is braked"
        if fault in GUARDED:
            return "held, valves shut off"
        if fault not in BLOCKING:
            return "goes down"
        return "held, valves shut off" if fault in SHUTTING else "held"

    return markdown(("code", "fault", "abort", "sentence"), (
        (str(f.value), f.name.lower(), end(f), f.sentence) for f in Fault if f
    ))  # fmt: skip


def warnings() -> str:
    """Table of the bits of the channel `warning`."""
    return markdown(("bit", "warning"), ((str(w.value), w.name.lower()) for w in WarningBit if w.name))


def parameters() -> str:
    """Table of the parameters, with the values for the example platform, and when they may be tuned."""
    rows = []
    for port in ControlLaw(load_platform(EXAMPLE)).parameters.ports:
        values = port.start_values if np.ptp(port.start_values) else port.start_values[:1]
        when = ("at rest" if port.at_rest else "always") if port.tunable else "-"
        rows.append((f"`{port.name}`", port.unit, ", ".join(f"{v:.4g}" for v in values), when, port.description))
    return markdown(("name", "unit", f"for {EXAMPLE}", "tuned", "meaning"), rows)


TABLES = {f.__name__: f for f in (transitions, flags, faults, warnings, parameters)}


def marks(name: str) -> tuple[str, str]:
    """Markers before and after a table."""
    return tables.marks(name, MODULE)


def written(text: str) -> str:
    """A document with all its tables updated."""
    return tables.rewritten(text, TABLES, MODULE)


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text()))
