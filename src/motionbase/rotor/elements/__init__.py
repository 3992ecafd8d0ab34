"""Elements of rotor models for the network engine: air, blade loads, controls, rods, wing, airframe."""
