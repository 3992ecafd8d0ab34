"""Boats: vessels as data, hydrostatics by panels, six degrees of freedom in waves, and the world of kind "boat"."""
