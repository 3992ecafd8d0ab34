"""Benchmarks of rigs."""
