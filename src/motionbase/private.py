"""Files and folders of a run: readable by their owner and, optionally, one group, never by every user of the machine.

All files with data of a run (recordings, ESTOP files, exports, strip charts, sidecars) and all tokens are opened here.
Files have mode 0600 and new folders 0700; if `$MOTIONBASE_GROUP` names a group, they have 0640 and 0750 and that
group. An existing folder keeps its mode, since it may be shared on purpose.
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
    """Who may read a file. `group`: group id, -1 for none."""

    group: int
    file_mode: int
    folder_mode: int


ALONE = Sharing(-1, 0o600, 0o700)


def sharing() -> Sharing:
    """The setting in `$MOTIONBASE_GROUP`; raises `UsageError` if this user cannot give files to that group."""
    name = os.environ.get(GROUP_VARIABLE, "")
    try:
        return ALONE if not name else Sharing(group_number(name), 0o640, 0o750)
    except UsageError as error:
        raise UsageError(f"${GROUP_VARIABLE}: {error}") from None


def group_number(name: str) -> int:
    """Id of a group to which this user can give files; raises `UsageError` otherwise."""
    mine = {os.getegid(), *os.getgroups()}
    try:
        found = grp.getgrnam(name).gr_gid
    except KeyError:
        raise UsageError(f"group {name!r} does not exist; yours are: {_names(mine)}") from None
    if found not in mine and os.geteuid() != 0:
        raise UsageError(f"group {name!r}: you are not in it, so no file can be given to it; yours are: {_names(mine)}")
    return found


def open_file(path: str | os.PathLike[str], flags: int = CREATE | os.O_EXCL) -> int:
    """Descriptor of an open file that no other user can read, whatever the umask of the process.

    Args:
        flags: as for `os.open`; an existing file that is opened for writing becomes private as well
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
    """Create an empty private file, for a library that opens files by name and keeps the mode of an existing one."""
    os.close(open_file(path, CREATE | os.O_TRUNC))
    return path


def write_file(path: Path, content: bytes) -> None:
    """Write the content to a new file, or replace that of an existing one."""
    with open(path, "wb", opener=opener) as file:
        file.write(content)


def make_folder(folder: Path) -> Path:
    """Create a folder and its missing parents; existing folders keep their modes."""
    if not folder.is_dir():
        if folder.exists():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        who = sharing()
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)  # several threads may create it at the same time
        if who.group >= 0:
            with suppress(PermissionError):  # as for files
                os.chown(folder, -1, who.group)
                folder.chmod(who.folder_mode)
    return folder


def _given(file: int, who: Sharing) -> None:
    """Set group and mode; pipes, devices and files of other users are left alone."""
    state = os.fstat(file)
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
        return
    with suppress(PermissionError):  # a file system without owners and modes, such as a USB stick's
        if who.group >= 0 and state.st_gid != who.group:
            os.fchown(file, -1, who.group)  # before the mode, so that no other group can read it in between
        if stat.S_IMODE(state.st_mode) != who.file_mode:
            os.fchmod(file, who.file_mode)


def _names(groups: set[int]) -> str:
    found = []
    for number in sorted(groups):
        with suppress(KeyError):
            found.append(grp.getgrgid(number).gr_name)
    return ", ".join(found) or "none"
