"""Rigs: real machines behind one border, simulated."""

from benchmarks.rig import drives, onoff

BENCHMARKS = [*onoff.BENCHMARKS, *drives.BENCHMARKS]
