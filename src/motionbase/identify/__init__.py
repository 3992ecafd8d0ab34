"""Parameters of a platform from a recording of its motion: friction, flow, masses, delays, with their uncertainty."""
