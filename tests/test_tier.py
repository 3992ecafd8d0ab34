"""What `--all` adds is there in the modules of tests, however they are run."""

import pytest

from tests.compile.on_targets import TARGETS, USUAL
from tests.tier import ALL, often, some_of

COUNT = often(300)  # when modules are imported, as for most tests


def test_modules_know_whether_all_is_asked_for(request: pytest.FixtureRequest) -> None:
    wanted = bool(request.config.getoption("--all"))
    assert wanted == ALL and (COUNT == 300) == wanted and (USUAL == TARGETS) == wanted
    assert COUNT == 100 or wanted


def test_few_examples_stay_as_many() -> None:
    assert (often(7), often(12)) == ((7, 12) if ALL else (7, 10))


def test_every_parameter_is_left_for_all() -> None:
    found = some_of([1, (2, 3), 4], 1)
    assert [one.values for one in found] == [(1,), (2, 3), (4,)]
    assert [[mark.name for mark in one.marks] for one in found] == [[], ["long"], ["long"]]
