"""Small rings for tests: a schema of a few channels, and records that can be checked word by word."""

from __future__ import annotations

from typing import Any

import numpy as np

from motionbase.record.schema import Channel, Schema
from motionbase.ring.layout import FIELDS, HEADER
from motionbase.ring.writer import Writer

FORMS = {"I": "<u4", "Q": "<u8", "q": "<i8", "d": "<f8", "64s": "S64", "128s": "S128", "8s": "S8", "32s": "V32"}
HEADER_FIELDS = np.dtype([(name, FORMS[form]) for name, form in FIELDS])  # as NumPy has them
assert HEADER_FIELDS.itemsize == HEADER.size


def small_schema(channels: int = 5) -> Schema:
    """t, and channels that are only numbered."""
    rest = (Channel(f"x{k}", "-", "a number", "numbers") for k in range(1, channels))
    return Schema("small", (Channel("t", "s", "time", "time"), *rest))


def numbered(first: int, count: int, channels: int = 5, salt: float = 0.0) -> np.ndarray:
    """Records first, first + 1, ...: every word says which record it belongs to."""
    return np.arange(first, first + count, dtype=np.float64)[:, None] * np.ones(channels) + salt


def small_writer(capacity: int = 16, channels: int = 5, **options: Any) -> Writer:
    """On a ring so small that it wraps at once."""
    return Writer(small_schema(channels), capacity=capacity, **options)
