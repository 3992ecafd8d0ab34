"""A report: one page with everything in it, and the same as JSON."""

import json
import re

import numpy as np
import pytest

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.platform.envelope import axis_limits
from motionbase.platform.load import load_platform
from motionbase.report.document import Document
from motionbase.workbench.clearance import Thresholds
from motionbase.workbench.page import write_report
from tests.report.closed import Closed

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("report")
    t = np.arange(30) * 0.1
    dof = np.outer(np.sin(t), [0.3, 0.2, 0.1, 0.1, 0.1, 0.2])
    demand = folder / "demand.csv"
    lines = [",".join(f"{x:.9g}" for x in row) for row in np.column_stack([t, dof])]
    demand.write_text("\n".join(["t,surge,sway,heave,roll,pitch,yaw", *lines]) + "\n")
    out, simona = folder / "report.html", load_platform("simona")
    document = Document("2026-05-31", 'B "2"', "A. <Smith>", "Example Ltd")
    report = write_report(simona, out, Thresholds(), document, recording=(demand, "legs"), rows=5)
    return out.read_text(), json.loads(report.json())


def test_the_page_holds_what_it_says(made: tuple[str, dict[str, object]]) -> None:
    """Numbers of SIMONA: single axes and the 64 extremes as computed independently from its geometry."""
    text, _ = made
    for heading in ("Platform", "Actuators", "How far it goes from neutral", "The 64 extremes",
                    "What the joints must allow", "Clearances", "Workspace",
                    "Dexterity, conditioning, leg rates and forces", "Singular poses", "Recording demand.csv",
                    "Definitions"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in text
    for shown in ("-0.981 to +1.259", "-25.9 to +25.9", "-41.6 to +41.6", "-1.571 to +1.565", "-55.1 to +55.1", "3.94"):
        assert shown in text
    assert text.count('src="data:image/png;base64,') == 6
    assert (
        "a search, not a proof" in text and "it reaches about" in text and "SIMONA&#39;s own control software" in text
    )
    for key in load_platform("simona").illustrative:
        assert key in text
    parser = Closed()
    parser.feed(text)
    assert parser.open == []


def test_the_page_needs_nothing_from_elsewhere(made: tuple[str, dict[str, object]]) -> None:
    text, _ = made
    assert "<script" not in text and "<link" not in text and "@import" not in text
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", text) and "url(" not in text


def test_the_data_are_those_of_the_platform(made: tuple[str, dict[str, object]]) -> None:
    _, data = made
    limits = data["axis_limits"]
    assert isinstance(limits, dict)
    np.testing.assert_allclose(list(limits.values()), axis_limits(load_platform("simona")))
    rows = data["extremes"]
    assert isinstance(rows, list) and len(rows) == 64
    dof = np.array([row["dof"] for row in rows])
    np.testing.assert_allclose(np.degrees(np.abs(dof[:, 5]).max()), 55.10, atol=0.005)
    np.testing.assert_allclose(max(row["condition"] for row in rows), 3.940, atol=0.001)
    clearances, recording = data["clearances"], data["recording"]
    assert isinstance(clearances, list) and clearances[0]["distance_m"] == pytest.approx(0.0415, abs=1e-4)
    assert isinstance(recording, dict) and recording["moments"] == 30
    versions = data["versions"]
    assert isinstance(versions, dict) and versions["numpy"] == np.__version__


def test_it_can_be_handed_on(made: tuple[str, dict[str, object]]) -> None:
    """Date, revision, author and data on the first page; revision and number on every printed page."""
    text, data = made
    front = text[: text.index('class="cards"')]
    for shown in ("2026-05-31", "B &#34;2&#34;", "A. &lt;Smith&gt;", "Example Ltd", "fingerprint"):
        assert shown in front, shown
    assert '"page " counter(page) " of " counter(pages)' in text
    assert r'content: "simona, kinematics, revision B \"2\", 2026-05-31"' in text
    document = data["document"]
    assert isinstance(document, dict) and document["author"] == "A. <Smith>" and len(document["fingerprint"]) == 12


def test_actuators_are_in_it_with_units_and_meanings(made: tuple[str, dict[str, object]]) -> None:
    text, _ = made
    actuator = load_platform("simona").actuator
    assert isinstance(actuator, HydraulicActuator)
    for key in ("area_cap", "valve_frequency", "friction.sigma0"):
        assert f"<code>{key}</code>" in text
    assert f'<td class="n">{actuator.area_cap:g}</td><td>m^2</td><td>piston area' in text


def test_no_verdict_comes_from_derived_dimensions(made: tuple[str, dict[str, object]]) -> None:
    """SIMONA gives no dimension of any part, so nothing is judged."""
    text, data = made
    clearances, rows = data["clearances"], data["extremes"]
    assert isinstance(clearances, list) and {row["verdict"] for row in clearances} == {"derived"}
    assert isinstance(rows, list) and {row["verdict"] for row in rows} <= {"derived", "clear"}
    assert 'class="v warn"' not in text and 'class="v stop"' not in text and "is not judged" in text
