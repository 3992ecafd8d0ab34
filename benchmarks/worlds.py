"""Worlds: from a person's stick to the platform; boats at sea, cars, the view outside."""

from benchmarks.hosts import boat, car, outside, stick, traffic

BENCHMARKS = [*stick.BENCHMARKS, *boat.BENCHMARKS, *car.BENCHMARKS, *outside.BENCHMARKS, *traffic.BENCHMARKS]
"""Benchmarks of worlds."""
