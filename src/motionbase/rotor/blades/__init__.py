"""Blades as data: planform, structure, beams of a blade, stations of its air loads."""
