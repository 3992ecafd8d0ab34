"""Looking into kernels: where a NaN comes from, and what the compiled code costs."""
