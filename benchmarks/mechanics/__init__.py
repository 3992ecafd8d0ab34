"""Measurements of the multibody benchmarks, one module per subject."""
