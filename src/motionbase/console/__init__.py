"""The operator console: a loopback server that reads a ring and serves a web page."""
