"""Hosts and motion cueing: from a datagram to the valves, floods."""

from benchmarks.hosts import link

BENCHMARKS = [*link.BENCHMARKS]
