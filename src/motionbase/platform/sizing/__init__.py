"""Sizing of a hexapod: what poses and motions ask of its legs, what its actuators have, and whether that fits."""
