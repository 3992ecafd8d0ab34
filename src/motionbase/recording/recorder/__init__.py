"""The recorder: a separate process that reads a ring and writes recordings."""
