"""Write the tables of docs/hexapod.md from measurements on the closed loop: margins, responses and, if asked, loads.

Rows of platforms that are not named are kept.

Example: uv run python scripts/hexapod_tables.py simona --loads
"""

import argparse
import math
import sys
from collections.abc import Iterable
from pathlib import Path

from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform
from motionbase.record.axes import DOFS
from motionbase.record.words import named
from motionbase.system.fault_cases import CONTACT_LIMIT, Outcome
from motionbase.system.loads import Allowables, Loads
from motionbase.system.margins import design
from motionbase.system.responses import FrequencyResponse, Responses, tones

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "hexapod.md"
PLATFORMS = ("simona", "cmf", "emotion-1500")
STEP, LARGEST_BUMP = 0.05, 0.1  # [m, rad]
TONES = tones(0.5, 50.0, 16)
GAIN_TO = 20.0  # [Hz]: upper end of the search for the largest gain


def marks(name: str) -> tuple[str, str]:
    """Lines around a table."""
    return f"<!-- {name}: begin (written by scripts/hexapod_tables.py) -->", f"<!-- {name}: end -->"


def table(text: str, name: str) -> list[str]:
    """Lines of a table of the document."""
    begin, end = marks(name)
    return text.split(begin)[1].split(end)[0].strip().splitlines()


def with_table(text: str, name: str, lines: Iterable[str]) -> str:
    """The document with a table in the place of the one it has."""
    begin, end = marks(name)
    (before, rest), after = text.split(begin), text.split(end)[1]
    assert end in rest
    return f"{before}{begin}\n" + "\n".join(lines) + f"\n{end}{after}"


def merged(old: list[str], new: dict[str, list[str]]) -> list[str]:
    """A table with the rows of some platforms replaced; rows of new platforms come last."""
    order = dict.fromkeys(row.split("`")[1] for row in old[2:]) | dict.fromkeys(new)
    kept = {name: [row for row in old[2:] if row.startswith(f"| `{name}` |")] for name in order}
    return [*old[:2], *(row for name in order for row in {**kept, **new}[name])]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def margins(hexapod: Hexapod) -> list[str]:
    """One row per mode."""
    return [
        _row(
            str(k),
            f"{m.mass:.0f}",
            f"{m.frequency:.2f}",
            f"{math.degrees(m.margins.phase):.1f}",
            "any" if math.isinf(m.margins.gain) else f"{m.margins.gain:.2f}",
            f"{m.margins.distance:.3f}",
            f"{m.margins.bandwidth / (2 * math.pi):.2f}",
        )
        for k, m in enumerate(design(hexapod).modes, start=1)
    ]


def responses(hexapod: Hexapod) -> list[str]:
    """One row per axis."""
    measured, rows = Responses(hexapod), []
    for k, axis in enumerate(DOFS):
        step = measured.step(axis, STEP)
        found = measured.frequency(axis, TONES)
        turn = measured.turnaround(axis, amplitude=min(LARGEST_BUMP, 0.2 * hexapod.limits.position[k]))
        rows.append(
            _row(
                f"`{hexapod.name}`",
                axis,
                f"{step.overshoot:.2%}",
                f"{step.rise:.3f}",
                "never" if step.settling is None else f"{step.settling:.3f}",
                f"{1e3 * step.crosstalk[0]:.2f}",
                f"{1e3 * step.crosstalk[1]:.2f}",
                *_spectrum(found),
                f"{turn.bump:.3f}",
                f"{turn.elsewhere:.3f}",
            )
        )
        print(rows[-1], file=sys.stderr, flush=True)
    return rows


def _spectrum(found: FrequencyResponse) -> tuple[str, ...]:
    """Largest gain, frequency up to which it is flat, bandwidth, and frequency from which tones are distorted."""
    low = found.f <= GAIN_TO
    at = int(found.gain[low].argmax())
    bad = found.f[found.distorted]
    ends = ("above 50" if f is None else f"{f:.0f}" for f in (found.flat_to, found.bandwidth))
    return f"{found.gain[at]:.2f} at {found.f[at]:.1f}", *ends, f"{bad[0]:.1f}" if len(bad) else "-"


def loads(hexapod: Hexapod) -> list[str]:
    """One row per fault: the worst over all times and legs."""
    allowed, by_fault = Allowables.of(hexapod), dict[str, list[Outcome]]()
    for case in Loads(hexapod).predict():
        by_fault.setdefault(case.moment.fault, []).append(case)
    return [_load_row(name, cases, allowed, hexapod.electric) for name, cases in by_fault.items()]


def _load_row(name: str, cases: list[Outcome], allowed: Allowables, electric: bool) -> str:
    force, joint = max(c.force for c in cases), max(c.joint for c in cases)
    met = max((c.contact for c in cases if c.contact is not None), default=None)
    after = max((c.detected_after for c in cases if c.detected_after is not None), default=None)
    still = sum(c.shows_after is None for c in cases)
    return _row(
        f"`{named(name, electric)}`",
        f"{force / 1e3:.1f}",
        f"{allowed.force / force:.2f}",
        f"{joint / 1e3:.1f}",
        f"{allowed.joint / joint:.2f}",
        f"{max(c.acceleration for c in cases):.1f}",
        "-" if met is None else f"{met:.3f}{' !' if met > CONTACT_LIMIT else ''}",
        ", ".join(dict.fromkeys(named(c.found.name.lower(), electric) for c in cases)),
        "-" if after is None else f"{1e3 * after:.0f}",
        f"{still} of {len(cases)}",
        ", ".join(dict.fromkeys(c.end.name.lower() for c in cases)),
    )


def main() -> int:
    """Measure and write the tables."""
    parser = argparse.ArgumentParser(description="Write the tables of docs/hexapod.md.")
    parser.add_argument("platforms", nargs="*", default=PLATFORMS, help=f"without any: {', '.join(PLATFORMS)}")
    parser.add_argument("--loads", action="store_true", help="the tables of loads, too, where a platform has one")
    given = parser.parse_args()
    for name in given.platforms:
        hexapod = load_platform(name)
        text = DOCUMENT.read_text(encoding="utf-8")
        text = with_table(text, "responses", merged(table(text, "responses"), {name: responses(hexapod)}))
        for kind, rows in (("margins", margins), *((("loads", loads),) if given.loads else ())):
            place = f"{kind} of {name}"
            if marks(place)[0] in text:
                text = with_table(text, place, [*table(text, place)[:2], *rows(hexapod)])
        DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
