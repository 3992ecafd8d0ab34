"""Worlds in real time: in the process of a base's host, or alone with a ring of their own."""
