"""The recorder: a process of its own that reads a ring and writes recordings."""
