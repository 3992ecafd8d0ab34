"""Worlds: from a person's stick to the platform; boats at sea, aircraft, cars, the view outside."""

from benchmarks.hosts import boat, car, flight, outside, stick, traffic

BENCHMARKS = [
    *stick.BENCHMARKS, *boat.BENCHMARKS, *flight.BENCHMARKS, *car.BENCHMARKS, *outside.BENCHMARKS, *traffic.BENCHMARKS,
]  # fmt: skip
"""Benchmarks of worlds."""
