"""Blocks of a ring: function generators and operator commands, which clients write, and the law's parameters."""
