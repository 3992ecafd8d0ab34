"""A release: one version everywhere, and on demand a wheel and an sdist that run outside the checkout."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from datetime import date
from pathlib import Path

import pytest

import motionbase
from benchmarks import project
from benchmarks.peers.recorders import folders
from motionbase.platform import PRESETS

ROOT = Path(__file__).resolve().parents[1]


def test_one_version_everywhere() -> None:
    """In the package, in pyproject.toml and in the newest dated section of the changelog."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    text = (ROOT / "CHANGELOG.md").read_text()
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections[0] == "Unreleased"
    dated = [re.fullmatch(r"(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)", section) for section in sections[1:]]
    assert all(dated) and dated[0] is not None
    assert motionbase.__version__ == declared == dated[0][1]
    days = [date.fromisoformat(match[2]) for match in dated if match]
    assert days == sorted(days, reverse=True)


def called(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, env=clean())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def clean() -> dict[str, str]:
    """Nothing leads back to the checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An sdist of the checkout, and a wheel built from what is in the sdist alone."""
    folder = tmp_path_factory.mktemp("dist")
    called(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder, cwd=ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    called(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source)
    return folder


on_demand = pytest.mark.long("builds, downloads, runs")


@on_demand
def test_the_sdist_has_what_a_build_needs(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "hatch_build.py",
        "pyproject.toml",
        "web/package-lock.json",
        "web/src/main.ts",
        "motionbase",
        "LICENSE",
    } <= held
    assert not [name for name in held if name.startswith((".venv", ".uv", "web/node_modules")) or "__pycache__" in name]


@on_demand
def test_the_wheel_has_the_page_and_the_presets(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    assert {f"motionbase/platform/presets/{name}.toml" for name in PRESETS} <= held
    assert {"motionbase/console/static/index.html", "motionbase/py.typed"} <= held
    assert any(re.fullmatch(r"motionbase/console/static/assets/index-.*\.js", name) for name in held)
    assert not [
        name
        for name in held
        if name.split("/")[0] not in ("motionbase", f"motionbase-{motionbase.__version__}.dist-info")
    ]


@pytest.mark.network
@on_demand
def test_the_wheel_runs_from_an_empty_folder(dist: Path, tmp_path: Path) -> None:
    """`pip install` into a new environment, then a run whose console has its page and shows the platform rise."""
    (wheel,) = dist.glob("*.whl")
    called(sys.executable, "-m", "venv", tmp_path / "venv", cwd=tmp_path)
    called(tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    program = tmp_path / "venv/bin/motionbase"
    (empty := tmp_path / "empty").mkdir()
    assert called(program, "--version", cwd=empty) == f"motionbase {motionbase.__version__}\n"
    where = called(
        tmp_path / "venv/bin/python", "-c", "import motionbase as mb; print(mb.Tree and mb.__file__)", cwd=empty
    )
    assert where.startswith(str(tmp_path / "venv"))
    with folders() as disk, project.running(disk, str(program)) as console:
        project.wait_for_motion(console)
        with urllib.request.urlopen(console.address, timeout=10) as page:
            assert b"<script" in page.read()
    assert list(empty.iterdir()) == []
