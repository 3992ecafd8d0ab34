"""Entry point: finds the command, runs it, and turns errors into one sentence and an exit code.

Exit codes: 0 done, 1 the work failed, 2 the call cannot work (bad input), 130 stopped with Ctrl-C.
"""

import io
import os
import sys
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from motionbase import __version__
from motionbase.cli.commands import COMMANDS, Command
from motionbase.errors import MotionBaseError, PlatformWarning, unknown

if TYPE_CHECKING:
    import typer

PROGRAM = "motionbase"
INTRO = """Design, simulate, operate and analyse motion platforms from one model written once in Python.

Example: motionbase run"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code."""
    args = list(sys.argv[1:] if argv is None else argv) or ["--help"]
    _prepare_streams()
    try:
        if args == ["--version"]:  # without Typer, which is ten times faster
            print(f"{PROGRAM} {__version__}")
            code = 0
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("once", PlatformWarning)
                warnings.showwarning = _warn
                code = _dispatch(args)
        sys.stdout.flush()
        return code
    except MotionBaseError as e:
        return _complain(str(e), 2)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader (head, less) has ended; a second flush at exit must not raise an error either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as e:
        if os.environ.get("MOTIONBASE_DEBUG"):
            raise
        what = f"{' '.join([PROGRAM, *args[:1]])!r} failed with {type(e).__name__}: {e}".rstrip(": ")
        return _complain(f"{what}; run it again with MOTIONBASE_DEBUG=1 to see the traceback", 1)


def _prepare_streams() -> None:
    """Ignore output to closed streams; replace characters that the terminal does not have."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _dispatch(args: list[str]) -> int:
    """Pass the arguments to Typer and reword its errors."""
    import typer

    called = next((a for a in args if not a.startswith("-")), None)
    if called is not None and called not in COMMANDS:
        raise unknown("command", called, COMMANDS)
    try:
        code = _app(called)(args=args, prog_name=PROGRAM, standalone_mode=False)
    except typer.Abort:
        return 130
    except typer.TyperException as e:
        return _complain(_sentence(e), 2)
    return code if isinstance(code, int) else 0


def _app(called: str | None) -> "typer.Typer":
    """The application with the called command loaded; the others have only their help lines."""
    import typer

    # Plain help wraps docstrings well, is the same in a pipe, and loads faster.
    app = typer.Typer(help=INTRO, add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

    @app.callback()
    def options(
        version: bool = typer.Option(False, "--version", help="Print the version and exit."),
    ) -> None:
        if version:
            print(f"{PROGRAM} {__version__}")
            raise typer.Exit

    for name, command in COMMANDS.items():
        target = _load(command) if name == called else _not_loaded
        if isinstance(target, typer.Typer):
            app.add_typer(target, name=name, short_help=command.help)
        else:
            settings = {"ignore_unknown_options": command.pass_options}
            app.command(name, short_help=command.help, context_settings=settings)(target)
    return app


def _load(command: Command) -> Any:
    """The function or `typer.Typer` behind a command."""
    from importlib import import_module

    module, _, attribute = command.target.partition(":")
    return getattr(import_module(module), attribute)


def _not_loaded() -> None:
    """Placeholder for commands that are not called."""


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one line on stderr, without its place in our code."""
    what = "warning" if issubclass(category, PlatformWarning) else category.__name__
    print(f"{PROGRAM}: {what}: {' '.join(str(message).split())}", file=sys.stderr)


def _complain(message: str, code: int) -> int:
    """Print a message as one line on stderr, without its line breaks."""
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)
    return code


def _sentence(error: "typer.TyperException") -> str:
    """Typer's error as one sentence, with the command that shows help."""
    # Typer's context classes are private, so the attribute is looked up by name.
    context = getattr(error, "ctx", None)
    command = getattr(context, "command_path", PROGRAM)
    message = " ".join(error.format_message().split()).rstrip(".")
    if option := getattr(error, "option_name", None):
        params = getattr(getattr(context, "command", None), "params", ())
        options = [o for p in params for o in getattr(p, "opts", ()) if o.startswith("-")] + ["--help"]
        if message.startswith("No such option"):
            message = str(unknown("option", option, options))
    return f"{message[:1].lower()}{message[1:]}; see {command} --help"
