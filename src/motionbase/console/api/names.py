"""Checks names from pages, of sets, layouts and recordings; no file outside their folders can be named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from motionbase.console.api.sentences import NotThere
from motionbase.errors import UsageError

# no dot at either end: no hidden files, and nothing that a file system would strip
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 _.-]{0,78}[A-Za-z0-9_-])?")
LONGEST_PATH = 400  # characters
RECORDINGS = (".mcap", ".csv", ".parquet", ".estop")
ESTOP = "estop"  # the first part of the names of ESTOP files


def checked_name(what: str, name: str) -> str:
    """A name that is a valid file name on every system."""
    if not NAME.fullmatch(name):
        raise UsageError(
            f"{what} is called {name!r:.80}; a name is 1 to 80 letters, digits, spaces, - _ and ., "
            "begins with a letter or digit and ends without space or ."
        )
    return name


def relative_parts(name: str) -> tuple[str, ...]:
    """The parts of a path inside a folder, or a sentence why it is invalid. Does not access the disk."""
    if not name or len(name) > LONGEST_PATH:
        raise UsageError(f"file {name!r:.80} has {len(name)} letters; a name has 1 to {LONGEST_PATH}")
    if not name.isprintable() or "\\" in name or ":" in name:
        raise UsageError(f"file {name!r:.80}: a name has no backslash, no colon and nothing that cannot be printed")
    parts = tuple(name.split("/"))
    if any(not part or part.startswith(".") for part in parts):
        raise UsageError(
            f"file {name!r:.80} is no name in the folder of recordings: parts between / are not empty and do not "
            "begin with a dot"
        )
    return parts


def inside(folder: Path, name: str, endings: tuple[str, ...]) -> Path:
    """The real path of a file in a folder; links that lead out of it are not followed."""
    parts = relative_parts(name)
    if not parts[-1].lower().endswith(endings):
        raise UsageError(f"file {name!r:.80}: the name must end in {', '.join(endings)}")
    try:
        root, found = folder.resolve(), folder.joinpath(*parts).resolve(strict=True)
    except (OSError, RuntimeError):  # missing, or circular links
        raise NotThere(f"there is no file {name!r:.80} in the folder of recordings") from None
    if not found.is_relative_to(root) or not found.is_file():
        raise NotThere(f"there is no file {name!r:.80} in the folder of recordings")
    return found


def recording_path(recordings: Path, estop: Path, name: str) -> Path:
    """Path of a recording: `estop/NAME` is in the folder of ESTOP files, all else in that of recordings."""
    parts = relative_parts(name)
    if parts[0] == ESTOP and len(parts) > 1:
        return inside(estop, "/".join(parts[1:]), RECORDINGS)
    return inside(recordings, name, RECORDINGS)


def files_below(folder: Path, endings: tuple[str, ...], depth: int = 3) -> Iterator[tuple[str, Path]]:
    """(name, path) of the files of a folder, down to `depth` folders, without hidden files and links."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir() and depth > 1:
            yield from ((f"{path.name}/{name}", p) for name, p in files_below(path, endings, depth - 1))
        elif path.is_file() and path.name.lower().endswith(endings):
            yield path.name, path
