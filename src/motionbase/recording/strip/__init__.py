"""Strip charts of a recording or a live ring."""
