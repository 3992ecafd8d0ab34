"""Hosts and motion cueing: from a datagram to the valves, floods, telemetry, tuning."""

from benchmarks.hosts import decode, link, tune

BENCHMARKS = [*link.BENCHMARKS, *decode.BENCHMARKS, *tune.BENCHMARKS]
