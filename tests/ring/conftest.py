import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def ring_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has shared memory of its own; nothing is left on the machine."""
    monkeypatch.setenv("MOTIONBASE_RING_FOLDER", str(tmp_path))
    monkeypatch.delenv("MOTIONBASE_RING_DEVICE", raising=False)
    return tmp_path


@pytest.fixture
def open_folder(ring_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Shared memory that other users can reach: a run of pytest that starts makes the folders of `tmp_path` private."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        folder.chmod(0o755)
        monkeypatch.setenv("MOTIONBASE_RING_FOLDER", name)
        yield folder
