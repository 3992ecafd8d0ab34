"""The operator console: a server on loopback that reads a ring, and the page it serves."""
