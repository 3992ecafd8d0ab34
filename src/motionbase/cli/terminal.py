"""Terminal output: tables, short numbers, and progress."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_WIDTH = 160  # for files and pipes, for which Rich would assume 80 columns
REFRESH_S = 0.5


class Progress(Protocol):
    """Called with the amount done, of 1 or of a total."""

    def __call__(self, done: float, total: float = 1.0) -> None: ...


def console() -> "Console":
    """A Rich console on standard output, wide if it is not a terminal, without markup."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else PIPE_WIDTH
    return Console(highlight=False, markup=False, emoji=False, width=width)


def stderr() -> "Console":
    """A Rich console on standard error, for questions and progress; wide if it is not a terminal, without markup."""
    from rich.console import Console

    width = None if sys.stderr.isatty() else PIPE_WIDTH
    return Console(stderr=True, highlight=False, markup=False, emoji=False, width=width)


def working(what: str) -> AbstractContextManager[Any]:
    """A spinner on stderr during work of unknown length; nothing if stderr is not a terminal."""
    from rich.console import Console

    screen = Console(stderr=True, highlight=False, markup=False)
    return screen.status(what) if screen.is_terminal else nullcontext()


@contextmanager
def progress_bar(what: str, before: str | None = None) -> Iterator[Progress]:
    """A progress bar on stderr for work of known length; nothing if stderr is not a terminal.

    Args:
        before: text until the first progress; default: that `what` is being compiled
    """
    from rich import progress
    from rich.console import Console

    screen = Console(stderr=True, highlight=False, markup=False)
    text = progress.TextColumn("{task.description}", markup=False)
    columns = text, progress.BarColumn(), progress.TaskProgressColumn(), progress.TimeRemainingColumn()
    with progress.Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(f"compiling {what}" if before is None else before, total=None)
        yield lambda done, total=1.0: bar.update(task, description=what, total=total, completed=done)


def status_line(line: Callable[[], str]) -> AbstractContextManager[Any]:
    """A status line on stderr; nothing if stderr is not a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    screen = Console(stderr=True)
    if not screen.is_terminal:
        return nullcontext()
    return Live(console=screen, transient=True, refresh_per_second=1 / REFRESH_S, get_renderable=lambda: Text(line()))


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> "Table":
    """An empty table in the style of all commands; the columns named in `right` hold numbers.

    Words are never broken: a table too wide for the terminal is printed in parts, each with the first column.
    """
    from rich import box
    from rich.text import Text

    from motionbase.cli.fitted_table import FittedTable

    made = FittedTable(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made


def seconds(duration: float) -> str:
    """A duration with a fitting unit."""
    for limit, scale, unit in ((1e-3, 1e6, "us"), (1.0, 1e3, "ms")):
        if duration < limit:
            return f"{duration * scale:.3g} {unit}"
    return f"{duration:.3g} s"


def times_real_time(factor: float) -> str:
    """Speed relative to real time with three digits: 0.0423, 12.3, 1,240."""
    return f"{factor:,.0f} times real time" if factor >= 100 else f"{factor:.3g} times real time"


def size(count: int) -> str:
    """Bytes with a fitting unit."""
    for limit, scale, unit in ((10_000, 1, "B"), (10_000_000, 1000, "kB")):
        if count < limit:
            return f"{count // scale} {unit}"
    return f"{count / 1e6:.1f} MB"
