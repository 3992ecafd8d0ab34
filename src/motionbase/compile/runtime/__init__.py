"""Runtimes: each loads what a renderer wrote and calls it."""
