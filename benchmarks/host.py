"""Hosts and motion cueing: from a datagram to the valves, floods, telemetry."""

from benchmarks.hosts import decode, link

BENCHMARKS = [*link.BENCHMARKS, *decode.BENCHMARKS]
