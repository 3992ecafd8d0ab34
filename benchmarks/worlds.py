"""Worlds: from a person's stick to the platform; boats at sea, aircraft, cars, the view outside."""

from benchmarks.hosts import boat, car, flight, outside, stick, traffic

BENCHMARKS = [
    *boat.BENCHMARKS, *traffic.BENCHMARKS, *flight.BENCHMARKS, *car.BENCHMARKS, *stick.BENCHMARKS, *outside.BENCHMARKS,
]  # fmt: skip
"""Benchmarks of worlds."""
