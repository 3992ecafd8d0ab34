"""Options shared by commands, with their checks: parts of recordings, reading of URDF files, platforms, files."""

import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, TypeVar, final

import typer

from motionbase.cli import terminal
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.recording.recording import Recording
    from motionbase.recording.source import Damage

S = TypeVar("S")
R = TypeVar("R")
PICTURES = (".png", ".pdf", ".svg")
PAGES = (".html", ".pdf")
MOST_SPEEDS = 10_000  # of a list FROM:TO:COUNT
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JsonAtEnd = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")]
Duration = Annotated[float | None, typer.Option(help="Stop after this many seconds; default: at Ctrl-C.")]
Ring = Annotated[str, typer.Option(help="Name of the ring.")]
Preset = Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A recording: .mcap, .csv, .parquet or .estop.")]
Legs = Annotated[str | None, typer.Option(metavar="LIST", help="Channels of these legs, such as 1,3.")]
Groups = Annotated[str | None, typer.Option(metavar="LIST", help="Channels of these groups; see `motionbase info`.")]
Channels = Annotated[str | None, typer.Option(metavar="LIST", help="Channels by name, such as t,'leg*_f_meas'.")]
From = Annotated[float | None, typer.Option("--from", metavar="S", help="Leave out earlier records [s].")]
To = Annotated[float | None, typer.Option("--to", metavar="S", help="Leave out later records [s].")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Author = Annotated[str, typer.Option(metavar="NAME", help="Author of the report, on its first page.")]
Revision = Annotated[str, typer.Option(metavar="TEXT", help="Of the design or the report, on every printed page.")]
Customer = Annotated[str, typer.Option(metavar="NAME", help="Customer, on the first page.")]
Day = Annotated[str, typer.Option("--date", metavar="DAY", help="Of the report, such as 2026-05-31; default: today.")]
Strict = Annotated[
    bool | None,
    typer.Option(
        "--strict", help="URDF: refuse errors that are otherwise repaired with a note, such as impossible inertias."
    ),
]
Mimic = Annotated[
    str | None,
    typer.Option(metavar="HOW", help="URDF: joints that mimic others are coupled (default) or independent."),
]


@final
@dataclass(frozen=True)
class Choice:
    """The selected part of a recording: options of all commands that write one."""

    file: File
    channels: Channels = None
    groups: Groups = None
    legs: Legs = None
    start: From = None
    stop: To = None
    force: Force = False

    def names(self, recording: "Recording") -> tuple[str, ...]:
        """Names of the selected channels, by `Recording.select`; legs and groups together select what is in both."""
        return recording.select(
            _listed("--channels", self.channels), _listed("--groups", self.groups), _numbers(self.legs)
        )

    def check_times(self) -> None:
        """Check the times before anything is opened."""
        from motionbase.recording.times import check_times

        check_times(self.start, self.stop)


def with_options(shared: type[S], first: int = 1) -> Callable[[Callable[Concatenate[S, ...], R]], Callable[..., R]]:
    """Add the options that a class has as fields to a command, which takes an object of that class before its own.

    Args:
        first: so many of them come before the command's own, the others after them
    """

    def added(command: Callable[Concatenate[S, ...], R]) -> Callable[..., R]:
        fields = list(inspect.signature(shared).parameters.values())
        own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]

        @functools.wraps(command)
        def called(**options: Any) -> R:
            return command(shared(**{field.name: options.pop(field.name) for field in fields}), **options)

        parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in (*fields[:first], *own, *fields[first:])]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # Typer reads it
        return called

    return added


@contextmanager
def shown(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr for (done, total), which also ends the work in good order on a signal."""
    from motionbase.ring.gentle import stop_requested

    with stop_requested() as stop, terminal.progress_bar(what, what) as progress:

        def show(done: int, total: int) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            progress(done, total)

        yield show


def warn_of_damage(damage: "Sequence[Damage]") -> None:
    """Print a sentence for each damage on stderr; unreadable values are NaN in the output."""
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
        raise UsageError(f"--legs {text!r}: give numbers separated by commas, such as 1,3") from None


def numbers_listed(option: str, text: str, wanted: str, fewest: int = 1) -> list[float]:
    """Finite numbers separated by commas; `wanted` says in words what they must be."""
    try:
        numbers = [float(piece) for piece in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) < fewest or not all(map(math.isfinite, numbers)):
        raise UsageError(f"{option} is {text!r}, it must be {wanted}, separated by commas")
    return numbers


def speeds_listed(option: str, text: str) -> list[float]:
    """Evenly spaced ascending numbers, FROM:TO:COUNT."""
    try:
        first, last, n = text.split(":")
        low, high, count = float(first), float(last), int(n)
    except ValueError:
        low, high, count = 0.0, 0.0, 0
    if not (0 <= low < high < math.inf and 2 <= count <= MOST_SPEEDS):
        raise UsageError(
            f"{option} is {text!r:.60}, it must be FROM:TO:COUNT, such as 0:40:41, with 0 <= FROM < TO and COUNT of 2 "
            f"to {MOST_SPEEDS}"
        )
    return [low + (high - low) * k / (count - 1) for k in range(count)]


def drivable(platform: str, *, sized: bool = True) -> "Hexapod":
    """The platform of a preset or TOML file; a design that cannot work is refused, unless sizing is not checked."""
    from motionbase.platform.load import PRESETS, load_platform

    if platform not in PRESETS and not platform.lower().endswith(".toml"):
        raise UsageError(f"{unknown('platform', platform, PRESETS, 'presets')}; a file of yours ends in .toml")
    return load_platform(platform, sized=sized)


def check_duration(duration: float | None) -> None:
    """Check that --duration is a time."""
    if duration is not None and not 0 < duration < math.inf:
        raise UsageError(f"--duration is {duration:g} s, it must be above 0")


def check_axis(option: str, axis: str) -> None:
    """Raise an error if an axis is not one of the six degrees of freedom."""
    from motionbase.record.axes import DOFS

    if axis not in DOFS:
        raise UsageError(f"{option}: {unknown('axis', axis, DOFS, 'axes')}")


def check_writable(path: Path | None, endings: tuple[str, ...]) -> None:
    """Check, before anything is computed, that the ending is known and the folder exists."""
    if path is None:
        return
    if path.suffix not in endings:
        raise UsageError(f"{str(path)!r}: the name must end in {', '.join(endings)}")
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r}: the folder {str(path.parent)!r} does not exist")


def check_page(path: Path | None) -> None:
    """Check, before anything is computed, that a page can be written there, or printed."""
    check_writable(path, PAGES)
    if path is not None and path.suffix == ".pdf":
        from motionbase.report.page import browser

        browser()


def check_new(paths: Iterable[Path | None], force: bool) -> None:
    """Refuse to replace existing files, unless it is forced."""
    for path in paths:
        if path is not None and path.exists() and not force:
            raise UsageError(f"{str(path)!r} is there already; choose another name, or --force to write over it")
