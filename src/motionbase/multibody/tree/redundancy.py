"""Which rows of a model's closures depend on others, from the rank of J at sample configurations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import ModelError
from motionbase.spatial.equals import ALIKE, first_largest

# Judged samples meet the closures to 1e-12; a dependency leaves a remainder of that order times the curvature.
# (At a singularity coordinates are only accurate to the root of it: such samples are not judged.)
RANK_TOLERANCE = 1e-7
# A row this far (sine of the angle) from the earlier ones in every sample is taken at once; others wait for better.
CLEARLY_INDEPENDENT = 0.05
TAKES_PART = 0.05  # of the largest weight of a row in a dependency


@final
@dataclass(frozen=True)
class Redundancy:
    """A redundant closure row.

    Attributes:
        row: its name, CLOSURE.ROW
        depends_on: rows from which it follows; none if it is always met
    """

    row: str
    depends_on: tuple[str, ...]

    def __str__(self) -> str:
        why = f"follows from {', '.join(self.depends_on)}" if self.depends_on else "is met whatever the coordinates"
        return f"{self.row} {why}"


@final
@dataclass(frozen=True)
class Independent:
    """A selection of rows.

    Attributes:
        kept: rows with full rank in every regular sample, in order
        regular: samples with the usual rank; the others are singularities of the mechanism, or belong to another
            assembly mode
    """

    kept: tuple[int, ...]
    regular: tuple[int, ...]


def independent_rows(
    samples: Sequence[Array], names: Sequence[str], near: Sequence[int], sharp: Sequence[int]
) -> Independent:
    """Rows to keep: early ones first if they are clearly independent, then the best of the others.

    The rank is that of most samples near the first one, the larger of two equally frequent ones: within one assembly
    mode of a mechanism, a singularity only lowers it; other assembly modes may have a higher one.

    Args:
        samples: J (rows, nv) at configurations that meet the closures
        names: names of the rows
        near: indices of the first sample and its neighbours
        sharp: indices of samples that are accurate enough to be judged
    """
    J = _scaled(samples)
    ranks = {k: _rank(J[k]) for k in sharp}
    beside = [ranks[k] for k in near if k in ranks and k > 0]
    if not beside:
        rows = ", ".join(dependent_rows(J[0], names)[1])
        raise ModelError(
            f"the closures are dependent at this place ({rows}), and no place beside it shows which of them follow "
            "from others: a singular place of the mechanism; start elsewhere, or use redundancy='regularise'"
        )
    rank = max(beside, key=lambda r: (beside.count(r), r))
    regular = [k for k, r in ranks.items() if r == rank]
    left = [J[k].copy() for k in regular]  # rows minus their projections on the kept rows
    lengths = [np.linalg.norm(J[k], axis=1) for k in regular]
    kept: list[int] = []

    def clear(i: int) -> float:
        """Worst sine of the angle between a row and the kept ones."""
        return min(float(np.linalg.norm(a[i]) / n[i]) if n[i] > 0 else 0.0 for a, n in zip(left, lengths, strict=True))

    def take(i: int) -> None:
        kept.append(i)
        for a in left:
            u = a[i] / np.linalg.norm(a[i])
            for _ in range(2):  # twice is enough for orthogonality (Kahan, in Parlett 1980)
                a -= np.outer(a @ u, u)

    for i in range(len(names)):
        if len(kept) < rank and clear(i) > CLEARLY_INDEPENDENT:
            take(i)
    while len(kept) < rank:
        best = first_largest([-1.0 if i in kept else clear(i) for i in range(len(names))])
        if clear(best) < RANK_TOLERANCE:
            waiting = ", ".join(names[i] for i in range(len(names)) if i not in kept)
            raise ModelError(
                f"closures: which of the rows {waiting} are redundant changes from place to place, so none can be "
                "dropped for good; use redundancy='regularise'"
            )
        take(best)
    return Independent(tuple(sorted(kept)), tuple(regular))


def explain(J: Array, kept: Sequence[int], dropped: Sequence[int], names: Sequence[str]) -> tuple[Redundancy, ...]:
    """For each dropped row, the kept rows that it combines, in one sample."""
    scaled = _scaled([J])[0]
    basis = scaled[list(kept)]
    found = []
    for i in dropped:
        weights = np.linalg.lstsq(basis.T, scaled[i], rcond=None)[0] if len(kept) else np.empty(0)
        depends = (names[k] for k, w in zip(kept, weights, strict=True) if abs(w) > 1e-6)
        found.append(Redundancy(names[i], tuple(depends)))
    return tuple(found)


def dependent_rows(J: Array, names: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """Distance of rows from dependence, the smallest singular value, and the rows involved.

    Rows are scaled to a usual length of one, so 0 means that some combination of them is zero, and 1 that they are
    orthogonal.
    """
    if not len(J) or not np.all(np.isfinite(J)):
        return 1.0, ()
    U, sizes, _ = np.linalg.svd(J)
    least = float(sizes[-1]) if len(J) <= J.shape[1] else 0.0
    of_rows = np.concatenate([sizes, np.zeros(max(0, len(J) - len(sizes)))])
    weights = np.linalg.norm(U[:, of_rows <= least + ALIKE * of_rows[0]], axis=1)
    return least, tuple(n for n, w in zip(names, weights, strict=True) if w > TAKES_PART * weights.max())


def _scaled(samples: Sequence[Array]) -> list[Array]:
    """Rows with length at most one over all samples; rows of rounding noise become zero."""
    if not samples:
        return []
    longest = np.max([np.linalg.norm(J, axis=1) for J in samples], axis=0)
    noise = longest <= 1e-9 * max(float(longest.max(initial=0.0)), 1e-300)
    return [np.where(noise[:, None], 0.0, J / np.where(noise, 1.0, longest)[:, None]) for J in samples]


def _rank(J: Array) -> int:
    sizes = np.linalg.svd(J, compute_uv=False) if J.size else np.empty(0)
    return int(np.sum(sizes > RANK_TOLERANCE))
