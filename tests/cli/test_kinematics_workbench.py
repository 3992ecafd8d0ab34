"""`motionbase kinematics`: clearance, workspace, singular, maps, increments, watch, report; calls that cannot work."""

import json
import shutil
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh

from motionbase.cli.main import main
from motionbase.platform.envelope import axis_limits
from motionbase.platform.hexapod import Hexapod
from motionbase.platform.load import load_platform, platform_text
from motionbase.record.hexapod import hexapod_schema
from motionbase.recording.open import open_recording
from motionbase.report.document import Document
from motionbase.ring.writer import Writer
from motionbase.workbench import page
from motionbase.workbench.clearance import EXACT, Thresholds
from motionbase.workbench.posture import at_dof

Capture = pytest.CaptureFixture[str]
SIMONA = load_platform("simona")


def said(capsys: Capture, *args: str) -> str:
    assert main(["kinematics", *args]) == 0
    return capsys.readouterr().out


def refusal(capsys: Capture, *args: str) -> str:
    assert main(["kinematics", *args]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("motionbase: ") and err.count("\n") == 1
    return err


def test_clearance_at_a_pose(capsys: Capture) -> None:
    shown = said(capsys, "clearance", "cmf", "--pairs", "rod 1", "catwalk")
    assert "rod 1 and catwalk" in shown and "clear: all parts keep their distance" in shown
    found = json.loads(said(capsys, "clearance", "cmf", "--pairs", "rod", "catwalk", "--json"))
    distances = [one["distance_m"] for one in found["pairs"]]
    assert len(distances) == 6 and np.all(np.diff(distances) >= -EXACT)  # equally near ones in the order of the parts
    for one in found["pairs"]:
        assert np.linalg.norm(np.subtract(*one["points_m"])) == pytest.approx(one["distance_m"], abs=1e-9)
    strict = json.loads(said(capsys, "clearance", "cmf", "--warn", "0.6", "--stop", "0.5", "--nearest", "2", "--json"))
    assert strict["verdict"] == "stop" and len(strict["pairs"]) == 2
    assert "stop: parts are too near" in said(capsys, "clearance", "cmf", "--warn", "0.6", "--stop", "0.5")
    joined = json.loads(said(capsys, "clearance", "cmf", "--pairs", "rod 1", "cylinder 1", "--json"))
    assert joined["verdict"] == "interference" and joined["pairs"][0]["distance_m"] is None  # asked for by name


def test_extremes_with_clearances(capsys: Capture) -> None:
    found = json.loads(said(capsys, "extremes", "simona", "--clearance", "--json"))
    assert found["clearances"][0]["distance_m"] == pytest.approx(0.0415, abs=1e-4)
    assert found["clearances"][0]["verdict"] == "warn"
    shown = said(capsys, "extremes", "simona", "--clearance", "--warn", "0.04", "--stop", "0.01")
    assert "base cross" in shown and "stop below 10 mm, warn below 40 mm" in shown and "clear" in shown


def test_trajectory_with_clearances(tmp_path: Path, capsys: Capture) -> None:
    t = np.arange(20) * 0.1
    dof = np.outer(np.sin(t), [0.1, 0.2, 0.1, 0.1, 0.1, 0.2])
    source, out = tmp_path / "demand.csv", tmp_path / "angles.mcap"
    lines = [",".join(f"{x:.17g}" for x in row) for row in np.column_stack([t, dof])]
    source.write_text("\n".join(["t,surge,sway,heave,roll,pitch,yaw", *lines]) + "\n")
    shown = said(capsys, "trajectory", "simona", str(source), "--clearance", "--out", str(out))
    assert "worst clearance: " in shown and ": clear" in shown
    with open_recording(out) as found:
        columns, index = found.columns(), found.schema.index
        first = found.schema.channels[index["clearance_first"]]
        verdict = found.schema.channels[index["clearance_verdict"]]
    k = int(np.argmin(columns["clearance"]))
    assert f"at {t[k]:.2f} s" in shown and "moment" not in shown
    near = json.loads(said(capsys, "clearance", "simona", "--json", "--nearest", "1", "--dof",
                           " ".join(map(str, [*dof[k, :3], *np.degrees(dof[k, 3:])]))))["pairs"][0]  # fmt: skip
    assert columns["clearance"][k] == pytest.approx(near["distance_m"], abs=1e-9)
    assert first.meaning(float(columns["clearance_first"][k])) in (near["first"], near["second"])
    assert verdict.meaning(float(columns["clearance_verdict"][k])) == "clear"


def test_workspace(tmp_path: Path, capsys: Capture) -> None:
    out, plot, mesh = tmp_path / "a.json", tmp_path / "a.svg", tmp_path / "a.stl"
    args = (
        "workspace",
        "simona",
        "--rows",
        "6",
        "--volume",
        "--out",
        str(out),
        "--plot",
        str(plot),
        "--mesh",
        str(mesh),
    )
    shown = said(capsys, *args)
    assert "volume with any attitude" in shown and "about" in shown and "searched from inside" in shown
    found = json.loads(out.read_text())
    up = found["surface"]["directions"].index([0.0, 0.0, 1.0])
    assert found["surface"]["reach"][up] == pytest.approx(axis_limits(SIMONA)[2, 1], abs=1e-9)  # the closed form
    assert found["surface"]["ended_by"][up] == "leg out"
    assert found["any_attitude"]["volume_m3"] > found["surface"]["volume_m3"]
    assert trimesh.load_mesh(mesh).is_watertight and plot.read_text().startswith("<?xml")
    turns = json.loads(said(capsys, "workspace", "simona", "--rows", "6", "--place", "0", "0", "-0.1", "--json"))
    assert turns["surface"]["kind"] == "place" and 0.1 < turns["surface"]["least"]["reach_rad"] < 1
    tilted = json.loads(said(capsys, "workspace", "simona", "--rows", "6", "--attitude", "-10", "0", "5", "--json"))
    assert tilted["surface"]["volume_m3"] < found["surface"]["volume_m3"]
    assert tilted["any_attitude"] is None


def test_workspace_that_parts_end(capsys: Capture) -> None:
    found = json.loads(said(capsys, "workspace", "odu", "--rows", "4", "--meshes", "--stop", "0.029", "--json"))
    free = json.loads(said(capsys, "workspace", "odu", "--rows", "4", "--json"))
    assert found["surface"]["limits"]["clearance"] > 0.02
    assert found["surface"]["volume_m3"] < free["surface"]["volume_m3"]


def test_singular_and_maps(tmp_path: Path, capsys: Capture) -> None:
    shown = " ".join(said(capsys, "singular", "simona", "--samples", "300").split())
    assert "a search, not a proof" in shown and "0.6224" in shown and "55.099 deg" in shown
    found = json.loads(said(capsys, "singular", "simona", "--samples", "300", "--json"))
    assert found["crossed"] == 0 and abs(np.degrees(found["dof"]["yaw"])) == pytest.approx(55.1, abs=0.05)
    plot = tmp_path / "maps.png"
    shown = said(capsys, "maps", "simona", "--quantity", "all", "--points", "9", "--plot", str(plot))
    assert "conditioning" in shown and "leg-force" in shown and plot.stat().st_size > 10_000
    made = json.loads(said(capsys, "maps", "simona", "--quantity", "leg-rate", "--plane", "sway-yaw", "--points", "7",
                           "--json"))["maps"][0]  # fmt: skip
    assert made["plane"] == ["sway", "yaw"] and made["unit"] == "m/s" and made["values"][0][0] is None


def test_increments(tmp_path: Path, capsys: Capture) -> None:
    plot = tmp_path / "errors.pdf"
    shown = said(capsys, "increments", "odu", "--turn", "20 0 30", "--plot", str(plot))
    assert "use this" in shown and "10.3" in shown and plot.read_bytes()[:4] == b"%PDF"
    rows = tmp_path / "steps.csv"
    rows.write_text("dx,dy,dz,rx,ry,rz\n" + "0.001,0,0,0.01,0,0\n" * 5)
    found = json.loads(said(capsys, "increments", "odu", "--steps", str(rows), "--json"))
    odu = load_platform("odu")
    np.testing.assert_allclose(found["l_m"], at_dof(odu, [0.005, 0, 0, 0.05, 0, 0]).l[0], atol=1e-12)
    for text, sentence in (("dx,dy\n1,2\n", "has no column 'dz'"), ("dx,dy,dz,rx,ry,rz\n", "has no rows"),
                           ("dx,dy,dz,rx,ry,rz\n1,2,3,4,5,x\n", "line 2: six finite numbers")):  # fmt: skip
        rows.write_text(text)
        assert sentence in refusal(capsys, "increments", "odu", "--steps", str(rows))


def test_watch_follows_the_ring(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    monkeypatch.setattr("motionbase.ring.gentle.be_gentle", lambda: None)
    assert "no segment; start a platform first" in refusal(capsys, "watch", "--ring", "none")
    wanted = at_dof(SIMONA, [0.1, 0, 0.2, 0, 0.1, 0])
    with Writer(hexapod_schema(), name="run", capacity=50, platform=platform_text("simona")) as ring:
        row = np.zeros(len(ring.schema.channels))
        row[ring.schema.places(f"leg{k}_l_meas" for k in range(1, 7))] = wanted.l[0]
        ended = threading.Event()

        def write() -> None:
            while not ended.wait(0.01):
                row[0] += 0.01
                ring.write(row)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            shown = said(capsys, "watch", "--ring", "run", "--seconds", "0.6", "--json").splitlines()
            text = said(capsys, "watch", "--ring", "run", "--seconds", "0.6", "--no-clearance")
        finally:
            ended.set()
            writer.join()
        found = [json.loads(line) for line in shown]
        np.testing.assert_allclose(found[-1]["dof"], wanted.dof[0], atol=1e-9)
        assert found[-1]["t"] > found[0]["t"] and len(found[-1]["clearances"]) == 3
        assert "dexterity=" in text and "clearance=" not in text
        assert "--pose is 'x'" in refusal(capsys, "watch", "--ring", "run", "--pose", "x")
    with Writer(hexapod_schema(), name="bare", capacity=50):
        assert "name one with --platform" in refusal(capsys, "watch", "--ring", "bare")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("clearance", "simona", "--stop", "0.1"), "--stop is 0.1 m and --warn 0.05 m; 0 <= stop <= warn"),
        (("clearance", "simona", "--stop", "nan"), "0 <= stop <= warn"),
        (("clearance", "simona", "--nearest", "0"), "--nearest is 0, it must be 1 to 500"),
        (("clearance", "simona", "--pairs", "rod", "wing"), "has no part 'wing'; kinds: base frame"),
        (("clearance", "simona", "--pairs", "base frame", "base fork"), "one body or joined"),
        (("clearance", "simona", "--dof", "1 2 3"), "six numbers are wanted"),
        (("clearance", "atlas"), "is a sphere on wheels"),
        (("workspace", "simona", "--attitude", "0", "0", "0", "--place", "0", "0", "0"), "give one of them"),
        (("workspace", "simona", "--attitude", "nan", "0", "0"), "three finite numbers are wanted"),
        (("workspace", "simona", "--attitude", "90", "0", "0"), "is itself not reachable"),
        (("workspace", "simona", "--place", "0", "0", "9"), "is itself not reachable"),
        (("workspace", "simona", "--place", "0", "0", "0", "--volume"), "--volume is of displacements"),
        (("workspace", "simona", "--rows", "3"), "--rows is 3, it must be 4 to 200"),
        (("clearance", "simona", "--dof", "1e300 0 0 0 0 0"), "--dof: surge is 1e+300 m, at most 100 either way"),
        (("pose", "simona", "--rates", "0 0 0 0 0 1e9"), "--rates: yaw is 1e+09 degrees, at most 5730 either way"),
        (("workspace", "simona", "--stop", "-1"), "--stop is -1 m"),
        (("workspace", "simona", "--thickness", "inf"), "--thickness is inf m"),
        (("workspace", "simona", "--thickness", "0.5"), "is itself not reachable"),
        (("workspace", "simona", "--plot", "a.jpg"), "the name must end in .png"),
        (("workspace", "simona", "--mesh", "a.obj"), "the name must end in .glb, .stl"),
        (("workspace", "simona", "--out", "/nowhere/a.json"), "does not exist"),
        (("maps", "simona", "--quantity", "beauty"), "no quantity 'beauty'"),
        (("maps", "simona", "--plane", "surge-surge"), "--plane is 'surge-surge', two of surge"),
        (("maps", "simona", "--points", "2"), "--points is 2, it must be 3 to 401"),
        (("maps", "simona", "--plane", "surge-sway", "--at", "0 0 5 0 0 0"), "no pose of the plane is within reach"),
        (("singular", "simona", "--samples", "-1"), "--samples is -1"),
        (("singular", "simona", "--dexterity", "x"), "--dexterity is 'x'"),
        (("increments", "odu", "--turn", "1 2"), "three numbers are wanted"),
        (("increments", "odu", "--turn", "0 0 0"), "at least one angle other than 0"),
        (("increments", "odu", "--step", "0"), "--step is 0 degrees"),
        (("increments", "odu", "--steps", "none.csv"), "cannot read 'none.csv'"),
        (("increments", "odu", "--steps", "a.csv", "--turn", "1 0 0"), "give one of them"),
        (("watch", "--refresh", "100"), "--refresh is 100"),
        (("watch", "--seconds", "nan"), "--seconds is nan"),
        (("report", "simona", "--out", "a.txt"), "the name must end in .html, .pdf"),
        (("report", "simona", "--out", "a.html", "--json", "a.xml"), "the name must end in .json"),
        (("report", "simona", "--out", "a.html", "--rows", "1000"), "--rows is 1000"),
        (("report", "simona", "--out", "a.html", "--recording", "none.mcap"), "none.mcap"),
        (("report", "nobody", "--out", "a.html"), "no platform 'nobody'"),
    ],
)  # fmt: skip
def test_hostile_arguments(capsys: Capture, args: tuple[str, ...], sentence: str) -> None:
    assert sentence in refusal(capsys, *args)


COMMANDS = (
    "pose",
    "extremes",
    "clearance",
    "trajectory",
    "workspace",
    "singular",
    "maps",
    "increments",
    "watch",
    "report",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(capsys: Capture, command: str) -> None:
    text = said(capsys, command, "--help")
    assert f"Example: motionbase kinematics {command}" in text and "--json" in text


def test_report_writes_a_page_and_its_data(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that was asked for reaches the page; what the page holds is tested in tests/workbench."""
    asked: dict[str, Any] = {}

    def written(platform: Hexapod, out: Path, limits: Thresholds, document: Document, **options: Any) -> Any:
        asked.update(options, name=platform.name, limits=limits, document=document)
        out.write_text("page")
        return SimpleNamespace(json=lambda: '{"made": 1}', nearest_words="no parts near")

    monkeypatch.setattr(page, "write_report", written)
    out, data, demand = tmp_path / "r.html", tmp_path / "r.json", tmp_path / "demand.csv"
    named = "--author", "A. Smith", "--revision", "B", "--customer", "Example Ltd", "--date", "2026-05-31"
    more = "--recording", str(demand), "--pose", "host", "--rows", "5", "--warn", "0.1", "--stop", "0.02"
    assert main(["kinematics", "report", "simona", "--out", str(out), "--json", str(data), *named, *more]) == 0
    assert (
        capsys.readouterr().out.split()
        == f"report of simona to {out} and {data}; no parts near at the extremes".split()
    )
    assert out.read_text() == "page" and data.read_text() == '{"made": 1}'
    assert asked["document"] == Document("2026-05-31", "B", "A. Smith", "Example Ltd") and asked["rows"] == 5
    assert asked["recording"] == (demand, "host") and asked["limits"] == Thresholds(0.1, 0.02)
    assert main(["kinematics", "report", "simona", "--out", str(out), "--force", "--json", "-"]) == 0
    assert capsys.readouterr().out == '{"made": 1}\n'


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


def test_bad_fronts_are_one_sentence(tmp_path: Path, capsys: Capture) -> None:
    out = str(tmp_path / "report.html")
    for args, said in (
        (["--date", "tomorrow"], "--date is 'tomorrow', a day such as 2026-05-31 is wanted"),
        (["--author", "a\nb"], "one line of at most 120 characters is wanted"),
    ):
        assert main(["kinematics", "report", "simona", "--out", out, *args]) == 2
        assert said in capsys.readouterr().err
