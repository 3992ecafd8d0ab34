"""Rings of their own, and consoles that are asked over HTTP or a WebSocket."""

import gc
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi.dependencies import models as fastapi_models

from motionbase.console.console import Console
from tests.console.live_rig import Served, own_rings, served_api, served_ring


@pytest.fixture(scope="module", autouse=True)
def forgotten_consoles() -> Iterator[None]:
    """FastAPI remembers the last 4096 functions of routes, and through them every console with its memory and files."""
    yield
    for remembered in vars(fastapi_models).values():
        if hasattr(remembered, "cache_clear"):
            remembered.cache_clear()
    gc.collect()


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
