"""Hosts and motion cueing: from a datagram to the valves, floods, telemetry, a tick of the washout, tuning, plans."""

from benchmarks.hosts import decode, link, predictive, tune, washout

BENCHMARKS = [*link.BENCHMARKS, *decode.BENCHMARKS, *washout.BENCHMARKS, *tune.BENCHMARKS, *predictive.BENCHMARKS]
