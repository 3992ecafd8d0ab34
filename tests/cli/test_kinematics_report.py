"""`motionbase kinematics report`: one page with everything in it, the same as JSON, and PDF by way of a browser."""

import dataclasses
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from mpl_toolkits.mplot3d import Axes3D, proj3d  # type: ignore[import-untyped]

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.cli.main import main
from motionbase.platform.envelope import axis_limits
from motionbase.platform.load import load_platform
from motionbase.workbench.clearance import Clearance
from motionbase.workbench.geometry import DIMENSIONS, geometry_of
from motionbase.workbench.plot_space import _triangles, scene_figure
from motionbase.workbench.requirements import swept_extremes

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
    named = "--author", "A. <Smith>", "--revision", 'B "2"', "--customer", "Example Ltd", "--date", "2026-05-31"
    assert main(["kinematics", "report", "simona", *files, "--rows", "5", *named]) == 0
    return out.read_text(), json.loads(data.read_text())


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


def test_the_data_are_those_of_the_commands(made: tuple[str, dict[str, object]]) -> None:
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


def test_given_dimensions_are_judged() -> None:
    simona = load_platform("simona")
    given = dataclasses.replace(simona.shape, rod_radius=0.02, rod_length=1.5, base_fork=0.05)
    geometry = geometry_of(dataclasses.replace(simona, shape=given))
    derived = {part.name for part in geometry.parts if geometry.is_derived(part.name)}
    assert {"rod 1", "base fork 3", "base cross 6"}.isdisjoint(derived)
    assert {"cylinder 1", "manifold 2", "base frame", "platform frame"} <= derived
    assert {part.kind for part in geometry.parts} <= set(DIMENSIONS)


def test_bad_fronts_are_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "report.html")
    for args, said in (
        (["--date", "tomorrow"], "--date is 'tomorrow', a day such as 2026-05-31 is wanted"),
        (["--author", "a\nb"], "one line of at most 120 characters is wanted"),
    ):
        assert main(["kinematics", "report", "simona", "--out", out, *args]) == 2
        assert said in capsys.readouterr().err


def test_the_worst_pose_is_whole_and_its_detail_framed() -> None:
    """Every corner of every part is inside the picture, and the detail has a frame, which cuts it."""
    simona = load_platform("simona")
    clearance = Clearance(geometry_of(simona))
    found = swept_extremes(simona, clearance)
    worst = found.clearances.least
    assert worst is not None
    number = int(found.numbers[worst.pose])
    pose = found.extremes.p_W[number], found.extremes.Q_WP[number]
    figure = scene_figure(clearance.geometry, *pose, worst.gap, "", "derived")
    figure.canvas.draw()
    whole = figure.axes[0]
    assert isinstance(whole, Axes3D)
    corners = _triangles(clearance.geometry, *pose, worst.gap, "derived")[0].reshape(-1, 3)
    x, y, _ = proj3d.proj_transform(*corners.T, whole.get_proj())
    pixels = whole.transData.transform(np.column_stack([x, y]))
    box = whole.get_window_extent()
    assert box.x0 < pixels[:, 0].min() and pixels[:, 0].max() < box.x1
    assert box.y0 < pixels[:, 1].min() and pixels[:, 1].max() < box.y1
    assert len(figure.patches) == 1
