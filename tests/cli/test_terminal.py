"""Tables and numbers on a terminal: words stay whole at any width, factors have digits, values differ from bounds."""

import io

import pytest
from rich.console import Console

from motionbase.cli import terminal
from motionbase.errors import told_apart

NAMES = ("valve_hard_out", "acceleration_frozen", "host_dropout")
COLUMNS = ("fault", "leg", "worst in", "leg force [kN]", "joint [kN]", "accel. [m/s2]", "found as", "ends in")


def printed(width: int, columns: tuple[str, ...] = COLUMNS) -> str:
    table = terminal.table("Loads", *columns, right=columns[3:6])
    for name in NAMES:
        cells = (name, "3", "fast heave at 0.15 s", "44.7", "43.1", "10.7", "leg_velocity", "held")
        table.add_row(*cells[: len(columns)])
    screen = Console(file=io.StringIO(), width=width, highlight=False, markup=False)
    screen.print(table)
    file = screen.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 160])
def test_no_name_is_broken_and_no_line_too_long(width: int) -> None:
    text = printed(width)
    for word in (*NAMES, "leg_velocity", "[m/s2]", "44.7"):
        assert word in text, word
    assert max(map(len, text.splitlines())) <= width
    heads = text.count("valve_hard_out")
    assert (heads == 1) == (width >= 100) and text.count("Loads") == 1  # parts repeat the first column, not the title


def test_columns_narrow_at_blanks_before_the_table_is_split() -> None:
    """60 characters hold the longest words of the first five columns, not the whole of 'fast heave at 0.15 s'."""
    text = printed(60, COLUMNS[:5])
    assert text.count("valve_hard_out") == 1 and "fast heave at 0.15 s" not in text and "heave at" in text


def test_a_word_wider_than_the_terminal_folds_and_its_neighbour_stays() -> None:
    table = terminal.table("Files", "what", "value")
    table.add_row("recording", 60 * "x")
    screen = Console(file=io.StringIO(), width=40, highlight=False, markup=False)
    screen.print(table)
    file = screen.file
    assert isinstance(file, io.StringIO)
    assert "recording" in file.getvalue() and file.getvalue().count("x") == 60


@pytest.mark.parametrize(
    ("factor", "said"),
    [(0.0423, "0.0423"), (0.5, "0.5"), (1.0, "1"), (12.34, "12.3"), (1240.4, "1,240"), (99.96, "100")],
)
def test_times_real_time_has_digits(factor: float, said: str) -> None:
    assert terminal.times_real_time(factor) == f"{said} times real time"


def test_a_value_is_told_apart_from_its_bounds() -> None:
    assert told_apart(0.849996, 0.85, 1.15) == ("0.849996", "0.85", "1.15")
    assert told_apart(2.0, 0.85, 1.15) == ("2", "0.85", "1.15")
    assert told_apart(0.85, 0.85, 1.15) == ("0.85", "0.85", "1.15")  # the bound itself
    low, exact = told_apart(0.1 + 0.2, 0.3)
    assert low != exact and float(low) == 0.1 + 0.2
    assert told_apart(1.0000001, 1.0, digits=6) == ("1.0000001", "1")
    assert told_apart(float("nan"), 0.0, 1.0) == ("nan", "0", "1")
