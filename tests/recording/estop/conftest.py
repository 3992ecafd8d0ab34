from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def ring_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Rings of a test live in its own folder and go with it."""
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path
