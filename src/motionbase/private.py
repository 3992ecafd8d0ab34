"""Files and folders of a run: for their owner alone, or for one group besides, never for every user of the machine.

Every file that holds what a platform did (recordings, ESTOP files, exports, strip charts, sidecars) and every token is
opened here. Files have mode 0600 and new folders 0700; where `$MOTIONBASE_GROUP` names a group, 0640 and 0750 with that
group. A folder that exists keeps its mode: it may be one that people share on purpose.
"""

from __future__ import annotations

import errno
import grp
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from motionbase.errors import UsageError

GROUP_VARIABLE = "MOTIONBASE_GROUP"
CREATE = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC


class Sharing(NamedTuple):
    """Who may read. `group`: number of the group, -1 for none."""

    group: int
    file_mode: int
    folder_mode: int


ALONE = Sharing(-1, 0o600, 0o700)


def sharing() -> Sharing:
    """As `$MOTIONBASE_GROUP` says now; one sentence where it names a group that cannot have files of this user."""
    name = os.environ.get(GROUP_VARIABLE, "")
    try:
        return ALONE if not name else Sharing(group_number(name), 0o640, 0o750)
    except UsageError as error:
        raise UsageError(f"${GROUP_VARIABLE}: {error}") from None


def group_number(name: str) -> int:
    """Of a group that this user can give files to; one sentence otherwise."""
    mine = {os.getegid(), *os.getgroups()}
    try:
        found = grp.getgrnam(name).gr_gid
    except KeyError:
        raise UsageError(f"group {name!r} does not exist; yours are: {_names(mine)}") from None
    if found not in mine and os.geteuid() != 0:
        raise UsageError(f"group {name!r}: you are not in it, so no file can be given to it; yours are: {_names(mine)}")
    return found


def open_file(path: str | os.PathLike[str], flags: int = CREATE | os.O_EXCL) -> int:
    """The number of an open file that no other user can read, however the process's umask is set.

    Args:
        flags: of `os.open`; a file that exists and is opened for writing becomes private as well
    """
    who = sharing()
    file = os.open(path, flags, 0o600)
    if flags & (os.O_WRONLY | os.O_RDWR):
        try:
            _given(file, who)
        except OSError:
            os.close(file)
            raise
    return file


def opener(path: str, flags: int) -> int:
    """For Python's own `open`: `open(path, "xb", opener=opener)`."""
    return open_file(path, flags)


def make_file(path: Path) -> Path:
    """An empty one, for a library that opens files by their name and keeps the mode of one that exists."""
    os.close(open_file(path, CREATE | os.O_TRUNC))
    return path


def write_file(path: Path, content: bytes) -> None:
    """All of it into a new file, or over one that exists."""
    with open(path, "wb", opener=opener) as file:
        file.write(content)


def make_folder(folder: Path) -> Path:
    """With those above it that are missing; the ones that exist stay as they are."""
    if not folder.is_dir():
        if folder.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        who = sharing()
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)  # of threads that make it at once
        if who.group >= 0:
            with suppress(PermissionError):  # as for a file
                os.chown(folder, -1, who.group)
                folder.chmod(who.folder_mode)
    return folder


def _given(file: int, who: Sharing) -> None:
    """To whom it is shared with; a pipe, a device, and what belongs to somebody else stays as it is."""
    state = os.fstat(file)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
        return
    with suppress(PermissionError):  # a file system without owners and modes, such as a USB stick's
        if who.group >= 0 and state.st_gid != who.group:
            os.fchown(file, -1, who.group)  # first: it must not be shown to another group
        if stat.S_IMODE(state.st_mode) != who.file_mode:
            os.fchmod(file, who.file_mode)


def _names(groups: set[int]) -> str:
    found = []
    for number in sorted(groups):
        with suppress(KeyError):
            found.append(grp.getgrgid(number).gr_name)
    return ", ".join(found) or "none"
