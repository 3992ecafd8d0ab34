"""Tests of the compiler compile: they find no object of an earlier run."""

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def object_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("objects")
    folder.chmod(0o700)
    return folder


@pytest.fixture(scope="module", autouse=True)
def private_cache(object_folder: Path) -> Iterator[None]:
    """A cache for this session, also for the processes that tests start; tests of other folders have their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOTIONBASE_CACHE", str(object_folder))
        yield
