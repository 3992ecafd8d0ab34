"""The control law of a sphere on wheels."""
