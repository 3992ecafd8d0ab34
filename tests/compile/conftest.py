"""Tests of the compiler never touch the user's own object cache."""

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache folder for this session, also for the processes that tests start."""
    before = os.environ.get("MOTIONBASE_CACHE")
    folder = tmp_path_factory.mktemp("objects")
    folder.chmod(0o700)
    os.environ["MOTIONBASE_CACHE"] = str(folder)
    yield
    if before is None:
        del os.environ["MOTIONBASE_CACHE"]
    else:
        os.environ["MOTIONBASE_CACHE"] = before
