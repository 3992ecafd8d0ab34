"""Worlds: from a person's stick to the platform."""

from benchmarks.hosts import stick

BENCHMARKS = [*stick.BENCHMARKS]
"""Benchmarks of worlds."""
