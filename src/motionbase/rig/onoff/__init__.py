"""Cylinders with on/off valves and potentiometers behind a data acquisition device, as in a published rig."""
