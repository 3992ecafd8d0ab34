"""How much of a check is done: a part in every run of the suite, the whole with `--all`."""

from collections.abc import Iterable
from typing import Any

import pytest

ALL = False  # conftest.py knows, before modules of tests are imported


def often(count: int) -> int:
    """Random examples: a third of them, and with `--all` as many as this."""
    return count if ALL else max(count // 3, min(count, 10))


def some_of(values: Iterable[Any], count: int) -> list[Any]:
    """Parameters of a test: the first of them in every run, the others with `--all`."""
    more = pytest.mark.long("the same as others that are tested")
    parts = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*part, marks=() if k < count else more) for k, part in enumerate(parts)]
