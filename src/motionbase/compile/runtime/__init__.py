"""Runtimes: each loads the output of a renderer and calls it."""
