"""Benchmarks as data: `motionbase bench NAME` runs the list `BENCHMARKS` of `benchmarks/NAME.py`."""
