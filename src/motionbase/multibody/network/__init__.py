"""Multibody dynamics in redundant coordinates: nodes, constraints with multipliers, implicit steps."""
