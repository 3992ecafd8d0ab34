"""`motionbase kinematics report`: one page with everything in it, the same as JSON, and PDF by way of a browser."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from motionbase.cli.main import main
from motionbase.platform.envelope import axis_limits
from motionbase.platform.load import load_platform

Capture = pytest.CaptureFixture[str]
VOID = {"meta", "img", "br"}


class Closed(HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, object]]:
    folder = tmp_path_factory.mktemp("report")
    t = np.arange(30) * 0.1
    dof = np.outer(np.sin(t), [0.3, 0.2, 0.1, 0.1, 0.1, 0.2])
    demand = folder / "demand.csv"
    lines = [",".join(f"{x:.9g}" for x in row) for row in np.column_stack([t, dof])]
    demand.write_text("\n".join(["t,surge,sway,heave,roll,pitch,yaw", *lines]) + "\n")
    out, data = folder / "report.html", folder / "report.json"
    files = "--out", str(out), "--json", str(data), "--recording", str(demand)
    assert main(["kinematics", "report", "simona", *files, "--rows", "5"]) == 0
    return out.read_text(), json.loads(data.read_text())


def test_the_page_holds_what_it_says(made: tuple[str, dict[str, object]]) -> None:
    """Numbers of SIMONA: single axes and the 64 extremes as computed independently from its geometry."""
    text, _ = made
    for heading in ("Platform", "How far it goes from neutral", "The 64 extremes", "What the joints must allow",
                    "Clearances", "Workspace", "Dexterity, conditioning, leg rates and forces", "Singular poses",
                    "Recording demand.csv", "Definitions"):  # fmt: skip
        assert f"<h2>{heading}</h2>" in text
    for shown in ("-0.981 to +1.259", "-25.9 to +25.9", "-41.6 to +41.6", "-1.571 to +1.565", "-55.1 to +55.1", "4.50"):
        assert shown in text
    assert text.count('src="data:image/png;base64,') == 6
    assert (
        "a search, not a proof" in text and "it reaches about" in text and "SIMONA&#x27;s own control software" in text
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


def test_the_data_are_those_of_the_commands(made: tuple[str, dict[str, object]]) -> None:
    _, data = made
    limits = data["axis_limits"]
    assert isinstance(limits, dict)
    np.testing.assert_allclose(list(limits.values()), axis_limits(load_platform("simona")))
    rows = data["extremes"]
    assert isinstance(rows, list) and len(rows) == 64
    dof = np.array([row["dof"] for row in rows])
    np.testing.assert_allclose(np.degrees(np.abs(dof[:, 5]).max()), 55.10, atol=0.005)
    np.testing.assert_allclose(max(row["condition"] for row in rows), 4.50, atol=0.005)
    clearances, recording = data["clearances"], data["recording"]
    assert isinstance(clearances, list) and clearances[0]["distance_m"] == pytest.approx(0.0415, abs=1e-4)
    assert isinstance(recording, dict) and recording["moments"] == 30
    versions = data["versions"]
    assert isinstance(versions, dict) and versions["numpy"] == np.__version__


def test_files_that_are_there_and_machines_without_a_browser(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "report.html"
    out.write_text("mine")
    assert main(["kinematics", "report", "simona", "--out", str(out)]) == 2
    assert "is there already" in capsys.readouterr().err and out.read_text() == "mine"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["kinematics", "report", "simona", "--out", str(tmp_path / "report.pdf")]) == 2
    assert "a PDF needs one of chromium" in capsys.readouterr().err
