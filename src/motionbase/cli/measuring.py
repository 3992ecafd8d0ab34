"""What commands that compute for a while share: the platform, files to write, a progress line."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod

PICTURES = (".png", ".pdf", ".svg")


def drivable(platform: str, *, sized: bool = True) -> "Hexapod":
    """A preset or TOML file; a design that cannot work is refused, unless its sizing is not to be checked."""
    from motionbase.cli.suggest import unknown
    from motionbase.platform.load import PRESETS, load_platform

    if platform not in PRESETS and not platform.lower().endswith(".toml"):
        raise UsageError(f"{unknown('platform', platform, PRESETS, 'presets')}; a file of yours ends in .toml")
    return load_platform(platform, sized=sized)


def check_axis(option: str, axis: str) -> None:
    """One of the six degrees of freedom."""
    from motionbase.cli.suggest import unknown
    from motionbase.record.axes import DOFS

    if axis not in DOFS:
        raise UsageError(f"{option}: {unknown('axis', axis, DOFS, 'axes')}")


def check_writable(path: Path | None, endings: tuple[str, ...]) -> None:
    """Before anything is computed: the ending is known and the folder is there."""
    if path is None:
        return
    if path.suffix not in endings:
        raise UsageError(f"{str(path)!r}: the name must end in {', '.join(endings)}")
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r}: the folder {str(path.parent)!r} does not exist")


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for (done, total); nothing where that is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    screen = Console(stderr=True, highlight=False, markup=False)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task(f"compiling for {what}", total=None)
        yield lambda done, total: progress.update(task, description=what, total=total, completed=done)
