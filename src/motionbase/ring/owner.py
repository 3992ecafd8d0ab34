"""Whose files and sockets are believed: the own ones, root's, and those of users that are named."""

from __future__ import annotations

import os
import pwd

OWNERS_VARIABLE = "MOTIONBASE_RING_OWNERS"  # names or numbers of users with commas between, or any
ANY = "any"


def is_trusted(user: int) -> bool:
    """Whether what this user made may be read."""
    if user in (os.geteuid(), 0):
        return True
    allowed = [word.strip() for word in os.environ.get(OWNERS_VARIABLE, "").split(",") if word.strip()]
    return ANY in allowed or str(user) in allowed or user_name(user) in allowed


def user_name(user: int) -> str:
    """As people know the user; the number where nobody has that number."""
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)


def foreign(user: int) -> str:
    """Why something of this user is not used, for the end of a sentence; "" where it may be."""
    if is_trusted(user):
        return ""
    name, who = user_name(user), f"user {user}"
    own = os.geteuid()
    return (
        f"belongs to {who if name == str(user) else f'{name} ({who})'}, not to you (user {own}) nor to root; "
        f"remove it, or set {OWNERS_VARIABLE}={name} to trust that user"
    )
