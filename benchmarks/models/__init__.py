"""Models that benchmarks share."""
