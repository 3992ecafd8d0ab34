"""Pressures of supply and return: what cannot be true is held, and told after a while."""

from functools import partial

import numpy as np
import pytest

from motionbase.compile import Kernel, Port, compile
from motionbase.control.supply_lines import Lines, believed_lines

NOMINAL, BACK, DT, TIME = 16e6, 0.5e6, 0.0005, 0.1
KEPT = Lines.nominal(NOMINAL, BACK)
LINES = compile(
    Kernel(
        "supply_lines",
        (Port("supply_time"), Port("dt"), KEPT.port("lines"), Port("p_supply"), Port("p_return")),
        (KEPT.port("lines_next"), Port("lines_good"), Port("lines_lost")),
        partial(believed_lines, NOMINAL),
    )
)


def watched(ticks: int, p_supply: float = NOMINAL, p_return: float = BACK) -> tuple[np.ndarray, bool, bool]:
    lines = KEPT.layout.vector()
    for _ in range(ticks):
        lines, good, lost = LINES(supply_time=TIME, dt=DT, lines=lines, p_supply=p_supply, p_return=p_return)
    return lines, bool(good), bool(lost)


@pytest.mark.parametrize("supply", [0.0, 9e6, 20e6])
def test_what_can_be_true_passes_a_failing_supply_too(supply: float) -> None:
    lines, good, lost = watched(1000, p_supply=supply, p_return=2e6)
    np.testing.assert_array_equal(lines, [supply, 2e6, 0.0])
    assert good and not lost


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e9, -1e9])
@pytest.mark.parametrize("line", ["p_supply", "p_return"])
def test_what_cannot_be_true_is_held_and_told_after_the_time(line: str, wrong: float) -> None:
    """One tick more or less than the time: the sum of ticks is rounded."""
    early, late = watched(round(TIME / DT) - 1, **{line: wrong}), watched(round(TIME / DT) + 2, **{line: wrong})
    for lines, good, _ in (early, late):
        np.testing.assert_array_equal(lines[:2], [NOMINAL, BACK])
        assert not good
    assert (early[2], late[2]) == (False, True)
