"""Strip charts: pens on paper, from a recording or a live ring."""
