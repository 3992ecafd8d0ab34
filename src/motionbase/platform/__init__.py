"""Platforms on six legs: geometry and parameters as data, presets, kinematics."""
