"""docs/telemetry.md says what the formats say."""

import re
from pathlib import Path

import pytest

from motionbase.host.formats import format_of
from motionbase.host.telemetry.motion import (
    FASTEST_TURN,
    LARGEST_ACCELERATION,
    LARGEST_ALPHA,
    LARGEST_ANGLE,
    LONGEST_GAP,
)
from motionbase.host.telemetry.setup import SCRIPTS
from motionbase.host.url import Udp, source_of
from tests.host.telemetry.layouts import BUILDERS

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "telemetry.md").read_text()
GRAVITY = {
    True: ("included",),
    False: ("excluded",),
    None: ("not documented; assumed excluded", "not documented; assumed included"),
}


@pytest.mark.parametrize("name", BUILDERS)
def test_the_table(name: str) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{name}` "))
    _, _, _, port, gravity, _, derived, _ = (cell.strip() for cell in row.split("|"))
    form = format_of(name)
    assert form.statement is not None
    assert int(port) == form.port and gravity in GRAVITY[form.statement.gravity]
    assert tuple(filter(None, derived.split(", "))) == form.statement.derived


def test_urls_bounds_and_scripts() -> None:
    urls = re.findall(r"`(udp://[^`]*format=[^`]*)`", PAGE)
    named = {
        source.form.name
        for url in urls
        if isinstance(source := source_of(re.sub(r"ADDRESS[\w-]*", "10.0.0.1", url)), Udp)
    }
    assert named >= {
        "xplane",
        "flightgear",
        "flightgear-generic",
        "msfs",
        "dcs",
        "eawrc",
        "forza",
        "beamng",
        "lfs",
        "f1",
    }
    text = " ".join(PAGE.split())
    bounds = (
        f"{LARGEST_ACCELERATION:g} m/s²",
        f"{FASTEST_TURN:g} rad/s",
        f"{LARGEST_ANGLE:g} rad",
        f"{LARGEST_ALPHA:g} rad/s²",
    )
    assert all(bound in text for bound in (*bounds, f"gap of {LONGEST_GAP:g} s")) and all(
        name in PAGE for name in SCRIPTS
    )
