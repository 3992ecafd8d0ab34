"""Opening a browser at an address that nobody else shall see."""

import atexit
import html
import os
import tempfile
import threading
import webbrowser
from contextlib import suppress
from pathlib import Path

FOUND_BY_THEN_S = 30.0


def open_privately(address: str) -> None:
    """Open a file that only this user can read, which leads to the address.

    An address with a token must not be an argument of the browser: all users of a machine see the command lines of
    its processes. The file is in the home folder, because browsers in a sandbox see no others; it is removed soon.
    """
    try:
        handle, name = tempfile.mkstemp(prefix="motionbase-console-", suffix=".html", dir=Path.home())
        with os.fdopen(handle, "w") as file:  # mkstemp makes it for this user alone
            target = html.escape(address)
            file.write(
                '<!doctype html><meta charset="utf-8"><title>motionbase console</title>'
                f'<meta http-equiv="refresh" content="0;url={target}"><a href="{target}">motionbase console</a>'
            )
    except OSError:
        return  # the address has been printed
    later = threading.Timer(FOUND_BY_THEN_S, _remove, (name,))
    later.daemon = True
    later.start()
    atexit.register(_remove, name)
    threading.Thread(target=_open, args=(name,), daemon=True).start()


def _open(name: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(Path(name).as_uri())


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)
