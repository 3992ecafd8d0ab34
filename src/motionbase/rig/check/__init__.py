"""Check of a rig with a person beside it: wiring, direction, scale, limits and stop, before anything moves far."""
