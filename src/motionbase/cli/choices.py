"""Options that commands share: a part of a recording (legs, groups, channels, times), how a robot's file is read."""

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, final

import typer

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.recording.recording import Recording
    from motionbase.recording.source import Damage

File = Annotated[Path, typer.Argument(metavar="FILE", help="A recording: .mcap, .csv, .parquet or .estop.")]
Legs = Annotated[str | None, typer.Option(metavar="LIST", help="Channels of these legs, such as 1,3.")]
Groups = Annotated[str | None, typer.Option(metavar="LIST", help="Channels of these groups; see `motionbase info`.")]
Channels = Annotated[str | None, typer.Option(metavar="LIST", help="Channels by name, such as t,'leg*_f_meas'.")]
From = Annotated[float | None, typer.Option("--from", metavar="S", help="Leave out what is before [s].")]
To = Annotated[float | None, typer.Option("--to", metavar="S", help="Leave out what is after [s].")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there already.")]
Strict = Annotated[
    bool | None,
    typer.Option("--strict", help="URDF: refuse what is otherwise repaired with a note, such as impossible inertias."),
]
Mimic = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="URDF: joints that mimic others are coupled (without it), or independent."),
]


@final
@dataclass(frozen=True)
class Choice:
    """A part of a recording that is to be written: options of all commands which do so."""

    file: File
    channels: Channels = None
    groups: Groups = None
    legs: Legs = None
    start: From = None
    stop: To = None
    force: Force = False

    def names(self, recording: "Recording") -> tuple[str, ...]:
        """As `Recording.select` takes them; legs and groups together mean what is in both."""
        return recording.select(
            _listed("--channels", self.channels), _listed("--groups", self.groups), _numbers(self.legs)
        )

    def check_times(self) -> None:
        """Before anything is opened."""
        from motionbase.recording.times import check_times

        check_times(self.start, self.stop)


def with_choice(command: Callable[Concatenate[Choice, ...], None]) -> Callable[..., None]:
    """The command with the options of a choice beside its own: FILE first, the others at the end."""
    shared = inspect.signature(Choice).parameters
    own = list(inspect.signature(command).parameters.values())[1:]

    @functools.wraps(command)
    def called(**options: Any) -> None:
        command(Choice(**{name: options.pop(name) for name in shared}), **options)

    file, *others = shared.values()
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (file, *own, *others)]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # Typer reads it
    return called


@contextmanager
def shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr for (done, total), which also ends the work in good order when a signal asks for it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from motionbase.cli.stopping import stop_requested

    screen = Console(stderr=True, highlight=False, markup=False)
    columns = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with (
        stop_requested() as stop,
        Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as progress,
    ):
        task = progress.add_task(what, total=None)

        def show(done: int, total: int) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            progress.update(task, total=total, completed=done)

        yield show


def warn_of_damage(damage: "Sequence[Damage]") -> None:
    """A sentence for each on stderr; what could not be read is NaN in the output."""
    for found in damage:
        print(f"motionbase: damaged: {found.text}", file=sys.stderr)


def _listed(option: str, text: str | None) -> list[str]:
    if text is None:
        return []
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise UsageError(f"{option} {text!r} names nothing; leave it out for everything")
    return found


def _numbers(text: str | None) -> list[int]:
    try:
        return [int(part) for part in _listed("--legs", text)]
    except ValueError:
        raise UsageError(f"--legs {text!r}: give numbers with commas between, such as 1,3") from None
