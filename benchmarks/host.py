"""Hosts and motion cueing: from a datagram to the valves, floods, telemetry, a tick of the washout, tuning."""

from benchmarks.hosts import decode, link, tune, washout

BENCHMARKS = [*link.BENCHMARKS, *decode.BENCHMARKS, *washout.BENCHMARKS, *tune.BENCHMARKS]
