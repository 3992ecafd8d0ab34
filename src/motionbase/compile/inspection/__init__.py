"""Inspection of kernels: the origin of a NaN, and the cost of the compiled code."""
