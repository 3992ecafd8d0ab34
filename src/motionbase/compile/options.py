"""Checks of small options: names from a list, whole numbers, numbers of lanes."""

import operator
from collections.abc import Sequence
from difflib import get_close_matches

from motionbase.errors import KernelError, MotionBaseError

LANES = (1, 2, 4, 8)


def choice(owner: str, name: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse a value that is not among the allowed words, and suggest the closest one."""
    if isinstance(value, str) and value in allowed:
        return
    close = get_close_matches(value, allowed, n=1, cutoff=0.5) if isinstance(value, str) else []
    guess = f"; did you mean {close[0]!r}?" if close else ";"
    listed = f"{name} may be {', '.join(allowed)}"
    raise KernelError(f"{owner}: no {name} {value!r}{guess} {f'({listed})' if close else listed}")


def whole_number(owner: str, what: str, value: object, error: type[MotionBaseError] = KernelError) -> int:
    """A whole number as a plain int; NumPy integers and enumerations are accepted, True and 2.0 are not."""
    if not isinstance(value, bool):
        try:
            return operator.index(value)  # type: ignore[arg-type]
        except TypeError:
            pass
    raise error(f"{owner}: {what} is {value!r}, a whole number is wanted")


def check_lanes(owner: str, lanes: int, target: str = "llvm") -> int:
    """The number of lanes as a plain int; the interpreter accepts any number from 1."""
    count = whole_number(owner, "lanes", lanes)
    if count < 1 or (count not in LANES and target != "python"):
        raise KernelError(f"{owner}: {count} lanes; there may be {', '.join(map(str, LANES))}")
    return count
