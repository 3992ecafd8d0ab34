"""Rigs: real machines behind one border, simulated."""

from benchmarks.rig import onoff

BENCHMARKS = [*onoff.BENCHMARKS]
