"""A bar on stderr for work whose length is known."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def fraction_bar(what: str) -> Iterator[Callable[[float], None]]:
    """Takes the part that is done, 0 to 1, after the compiling; shows nothing where stderr is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    screen = Console(stderr=True)
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(f"compiling {what}", total=None)
        yield lambda fraction: progress.update(task, description=what, total=1.0, completed=fraction)
