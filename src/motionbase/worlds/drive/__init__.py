"""Cars: a double-track model on tyres, roads of the classes of ISO 8608, and people or scripts that drive."""
