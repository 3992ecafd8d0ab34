"""Solvability of a system: structural rank by matching, and error messages that name the rows at fault."""

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np

from motionbase.arrays import Array, Flags
from motionbase.errors import SingularSystem

MAX_NAMES = 12
DEPENDENT_WEIGHT = 1e-3  # rows with less than this share of a null vector are noise, not part of the dependency


def check_structural_rank(pattern: Flags, names: Sequence[str] | None) -> None:
    """Raise SingularSystem naming the over-determined rows (Dulmage & Mendelsohn 1958) if no full matching exists."""
    columns_of = [np.flatnonzero(row).tolist() for row in pattern]
    row_of: dict[int, int] = {}
    surplus: set[int] = set()
    unmatched = 0
    for row in sorted(range(len(pattern)), key=lambda i: len(columns_of[i])):
        blocked = _augment(row, columns_of, row_of)
        unmatched += bool(blocked)
        surplus |= blocked
    if surplus:
        unknowns = sorted({j for i in surplus for j in columns_of[i]})
        where = f"unknowns {_listed(map(str, unknowns))}" if unknowns else "no unknown"
        raise SingularSystem(
            f"linear system is structurally singular: {named_rows(surplus, names)} together hold "
            f"{where}, {unmatched} too few; remove {unmatched} of these rows or add unknowns to them"
        )


def _augment(start: int, columns_of: list[list[int]], row_of: dict[int, int]) -> set[int]:
    """Match one more row along an alternating path; if there is none, return every row that the search reached.

    Those rows have fewer unknowns than there are rows (Hall 1935): they are over-determined.
    """
    reached_from: dict[int, int] = {}  # column -> the row it was reached from
    rows, queue = {start}, deque([start])
    while queue:
        row = queue.popleft()
        for col in columns_of[row]:
            if col in reached_from:
                continue
            reached_from[col] = row
            if col not in row_of:
                _flip(col, start, reached_from, row_of)
                return set()
            rows.add(row_of[col])
            queue.append(row_of[col])
    return rows


def _flip(col: int, start: int, reached_from: dict[int, int], row_of: dict[int, int]) -> None:
    matched_column = {row: column for column, row in row_of.items()}
    while True:
        row = reached_from[col]
        row_of[col] = row
        if row == start:
            return
        col = matched_column[row]


def singular_everywhere(samples: Array, broke_at: Iterable[int], floor: float, names: Sequence[str] | None) -> str:
    """The message for a system whose every sample is numerically singular; samples are in equilibrated units."""
    dependent: set[int] = set()
    for sample in samples:
        left, sizes, _ = np.linalg.svd(sample)
        null = left[:, sizes <= max(floor, float(sizes.min()))]
        dependent |= set(np.flatnonzero(np.abs(null).max(axis=1) > DEPENDENT_WEIGHT).tolist())
    return (
        f"linear system is singular in every sample ({_listed(map(str, range(len(samples))))}): elimination "
        f"broke down at {named_rows(broke_at, names)}, linearly dependent are {named_rows(dependent, names)}; "
        "remove a redundant row or regularise the system"
    )


def no_common_pivot(broke_at: Iterable[int], samples: Iterable[int], names: Sequence[str] | None) -> str:
    """The message for samples that are each regular but share no usable pivot."""
    return (
        f"linear system has no pivot that is nonzero in all of the samples {_listed(map(str, samples))} at "
        f"{named_rows(broke_at, names)}; narrow the samples to one region or write the system in other unknowns"
    )


def named_rows(rows: Iterable[int], names: Sequence[str] | None) -> str:
    """Row names for users: "rows 'loop3.x', 'loop3.y'", or numbers if the rows have no names."""
    ordered = sorted(rows)
    labels = [repr(names[i]) if names is not None else str(i) for i in ordered]
    return f"{'row' if len(ordered) == 1 else 'rows'} {_listed(labels)}"


def _listed(labels: Iterable[str]) -> str:
    items = list(labels)
    shown = ", ".join(items[:MAX_NAMES])
    return shown if len(items) <= MAX_NAMES else f"{shown} and {len(items) - MAX_NAMES} more"
