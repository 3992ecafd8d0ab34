from pathlib import Path

import pytest

from motionbase.native.cache import ObjectCache


@pytest.fixture
def store(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "objects")
