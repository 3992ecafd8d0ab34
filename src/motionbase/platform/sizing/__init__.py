"""Sizing of a hexapod: demands of poses and motions on its legs, capability of its actuators, and the reserves."""
