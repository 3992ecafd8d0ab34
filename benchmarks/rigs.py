"""Rigs: real machines behind one border, simulated."""

from benchmarks.rig import drives, identify, onoff, run

BENCHMARKS = [*onoff.BENCHMARKS, *drives.BENCHMARKS, *identify.BENCHMARKS, *run.BENCHMARKS]
