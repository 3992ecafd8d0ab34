"""Stability: multiblade coordinates, Floquet's method, whirl flutter, modes of blades."""
