"""`motionbase console`: the operator console in the browser."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motionbase import private
from motionbase.cli.options import Ring
from motionbase.errors import UsageError

if TYPE_CHECKING:
    from motionbase.console.addresses import TokenFiles
    from motionbase.console.console import Settings

PORT = 8700
TOKEN_VARIABLE, VIEWER_VARIABLE = "MOTIONBASE_CONSOLE_TOKEN", "MOTIONBASE_CONSOLE_VIEWER_TOKEN"
STATIC_VARIABLE = "MOTIONBASE_CONSOLE_STATIC"
SHOW_VARIABLE = "MOTIONBASE_CONSOLE_SHOW_TOKEN"  # set by a parent that passes the output on to a terminal
ANY_ADDRESS = ("0.0.0.0", "::")
AnyoneMayStop = Annotated[
    bool, typer.Option("--anyone-may-stop", help="Viewers may press the emergency stop, too; default: only operators.")
]
Group = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Group that may read the files written; default: only you."),
]


def console(
    ring: Ring = "motionbase",
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes any free one.")] = PORT,
    recordings: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder of recordings; default: that of `motionbase record`.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with the operator token; default: a new token.")
    ] = None,
    viewer_token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with the viewer token; default: a new token.")
    ] = None,
    anyone_may_view: Annotated[
        bool, typer.Option("--anyone-may-view", help="Every user of this machine may view, without a token.")
    ] = False,
    anyone_may_stop: AnyoneMayStop = False,
    group: Group = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A further host name for browsers.")
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option(
            "--browser/--no-browser", help="Open the page in a browser; default: if there is a terminal and a display."
        ),
    ] = None,
) -> None:
    """Serve the operator console: time histories, the platform in three dimensions, generators, recordings.

    By default it listens on loopback only. It prints two addresses, one to operate and one to view, each with its token
    after #. If the output is not a terminal, it prints the names of private files with the tokens instead. It follows
    the ring through stops and restarts of its writer, and plays recordings into a second ring, NAME_replay.

    Tokens are new for every console, or come from files or from $MOTIONBASE_CONSOLE_TOKEN and
    $MOTIONBASE_CONSOLE_VIEWER_TOKEN, never from the command line, which other users of the machine can see.

    From another machine: ssh -L 8700:localhost:8700 -L 8701:localhost:8701 HOST, then open the same address there.

    Example: motionbase console --ring motionbase
    """
    from motionbase.console.addresses import TokenFiles
    from motionbase.console.console import STATIC, Console, Settings
    from motionbase.console.server import serve
    from motionbase.console.tokens import new_token

    share_with(group)
    if anyone_may_view and viewer_token_file is not None:
        raise UsageError("--anyone-may-view and --viewer-token-file contradict each other; leave out one")
    settings = Settings(
        recordings=recordings or _default_recordings(),
        data=_data_folder(),
        operator_token=_token(token_file, TOKEN_VARIABLE) or new_token(),
        viewer_token=None if anyone_may_view else _token(viewer_token_file, VIEWER_VARIABLE) or new_token(),
        ring=ring,
        host=host,
        port=port,
        allow_hosts=tuple(allow_host or ()),
        anyone_may_stop=anyone_may_stop,
        static=Path(os.environ.get(STATIC_VARIABLE) or STATIC),
    )
    if recordings is not None and not recordings.is_dir():
        raise UsageError(f"--recordings {recordings}: there is no such folder")
    with suppress(OSError):
        private.make_folder(settings.recordings)
    shall_open = may_open_browser() if browser is None else browser
    kept, given = TokenFiles(settings.data, ring), (token_file, viewer_token_file)
    try:
        serve(Console(settings), lambda address: _ready(settings, address, shall_open, kept, given))
    finally:
        kept.remove()


def share_with(group: str | None) -> None:
    """Let a group read the files of this process and its children.

    An invalid group, also one from $MOTIONBASE_GROUP, is an error now; once a platform moves, it would cost the
    recording.
    """
    if group is not None:
        private.group_number(group)
        os.environ[private.GROUP_VARIABLE] = group
    private.sharing()


def may_open_browser() -> bool:
    """Whether there is a terminal and a display."""
    display = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return sys.stdout.isatty() and display


def free_port(port: int, or_any: bool = False) -> int:
    """A free port on loopback: this one, or any other if that is allowed."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            if or_any:
                return free_port(0)
            why = error.strerror if isinstance(error, OSError) else "it must be 0 to 65535"
            raise UsageError(f"--port {port}: {why}; choose another, or 0 for any free one") from None
        return int(probe.getsockname()[1])


def shows_tokens() -> bool:
    """Whether the output goes to a terminal, and not into a log that others may read."""
    return sys.stdout.isatty() or os.environ.get(SHOW_VARIABLE) == "1"


def _ready(
    settings: "Settings", address: str, shall_open: bool, kept: "TokenFiles", given: tuple[Path | None, Path | None]
) -> None:
    """Print the addresses of the console.

    Args:
        kept: files for the tokens, so that programs of this user find them
        given: files with the operator's and the viewers' token, if there are any
    """
    from motionbase.console.addresses import open_privately

    if settings.host in ANY_ADDRESS:
        import socket

        address = address.replace(settings.host, socket.gethostname(), 1).replace("[", "").replace("]", "")
    bare = address.partition("#")[0]

    def shown(what: str, kind: str, token: str, file: Path | None) -> str:
        path = file.absolute() if file is not None else kept.write(kind, token)
        return f"{bare}#token={token}" if shows_tokens() else f"{bare} ({what} in {path})"

    operating = shown("operator token", "token", settings.operator_token, given[0])
    print(f"console of ring {settings.ring!r}: {operating}", flush=True)
    if settings.viewer_token is not None:
        print(f"view only: {shown('viewer token', 'viewer.token', settings.viewer_token, given[1])}", flush=True)
    else:
        print("anyone on this machine may view, without a token", flush=True)
    if settings.anyone_may_stop:
        print("viewers may press the emergency stop, without the operator token", flush=True)
    if shall_open:
        open_privately(address)


def _token(file: Path | None, variable: str) -> str | None:
    if file is None:
        return os.environ.get(variable) or None
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"token file {file}: {why}; it must have the token on its one line") from None


def _default_recordings() -> Path:
    from motionbase.recording.recorder.files import default_folder

    return default_folder()


def _data_folder() -> Path:
    from motionbase.ring.folders import data_folder

    return data_folder("console")
