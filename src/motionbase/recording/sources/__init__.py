"""Formats that open as recordings, one module each."""
