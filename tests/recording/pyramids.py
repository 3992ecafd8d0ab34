"""Pyramids with small blocks, and what should be in them."""

from __future__ import annotations

import numpy as np
import pytest

from motionbase.recording import pyramid, pyramid_write
from motionbase.recording.pyramid import BASE, FACTOR, LEVELS, Pyramid

BLOCK = 64  # bins: small, so that few records have blocks of several levels
RECORDS = BLOCK * BASE  # in a block of the first level


def set_block(patch: pytest.MonkeyPatch, bins: int) -> None:
    for module in (pyramid, pyramid_write):
        patch.setattr(module, "BLOCK", bins)


def levels(found: Pyramid | None, count: int) -> list[np.ndarray]:
    assert found is not None and found.count == count
    bins = [-(-count // (BASE * FACTOR**k)) for k in range(LEVELS)]
    out = [found.bins(place, k, 0, bins[k]) for place in range(found.channels) for k in range(LEVELS)]
    found.close()
    return out


def direct(values: np.ndarray) -> list[np.ndarray]:
    """The same without a file: each level from the records themselves."""
    out = []
    for column in values.T:
        for k in range(LEVELS):
            starts = np.arange(0, len(column), BASE * FACTOR**k)
            least, most = np.fmin.reduceat(column, starts), np.fmax.reduceat(column, starts)
            out.append(pyramid.outwards(least, most))
    return out
