"""What the multibody benchmarks measure, a subject a module."""
