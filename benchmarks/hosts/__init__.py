"""Benchmarks of hosts and cueing, one module for each subject; `benchmarks/host.py` lists them all."""
