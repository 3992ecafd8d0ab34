"""Options that commands share, with their checks: parts of recordings, how a robot's file is read, platforms, files."""

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, final

import typer

from motionbase.cli import terminal
from motionbase.errors import UsageError, unknown

if TYPE_CHECKING:
    from motionbase.platform.hexapod import Hexapod
    from motionbase.recording.recording import Recording
    from motionbase.recording.source import Damage

PICTURES = (".png", ".pdf", ".svg")
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JsonAtEnd = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end and nothing else.")]
Duration = Annotated[float | None, typer.Option(help="Stop after so many seconds; without it, at Ctrl-C.")]
Ring = Annotated[str, typer.Option(help="Name of the ring.")]
Preset = Annotated[str, typer.Argument(metavar="PRESET", help="A preset or a TOML file.")]
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
    from motionbase.ring.gentle import stop_requested

    with stop_requested() as stop, terminal.progress_bar(what, what) as progress:

        def show(done: int, total: int) -> None:
            if stop.is_set():
                raise KeyboardInterrupt
            progress(done, total)

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


def drivable(platform: str, *, sized: bool = True) -> "Hexapod":
    """A preset or TOML file; a design that cannot work is refused, unless its sizing is not to be checked."""
    from motionbase.platform.load import PRESETS, load_platform

    if platform not in PRESETS and not platform.lower().endswith(".toml"):
        raise UsageError(f"{unknown('platform', platform, PRESETS, 'presets')}; a file of yours ends in .toml")
    return load_platform(platform, sized=sized)


def check_axis(option: str, axis: str) -> None:
    """One of the six degrees of freedom."""
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
