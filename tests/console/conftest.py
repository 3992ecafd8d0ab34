"""Rings of their own, and consoles that are asked over HTTP or a WebSocket."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from motionbase.console.console import Console
from tests.console.live_rig import Served, own_rings, served_api, served_ring


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_rings(tmp_path, monkeypatch)


@pytest.fixture
def api(own_folder: Path) -> Iterator[tuple[Console, httpx.Client]]:
    with served_api(own_folder) as made:
        yield made


@pytest.fixture
def served(own_folder: Path) -> Iterator[Served]:
    with served_ring(own_folder) as made:
        yield made
