"""Worlds: from a person's stick to the platform; boats at sea."""

from benchmarks.hosts import boat, stick

BENCHMARKS = [*stick.BENCHMARKS, *boat.BENCHMARKS]
"""Benchmarks of worlds."""
