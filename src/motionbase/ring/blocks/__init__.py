"""Blocks of a ring: function generators and operator commands, written by clients, and parameters."""
