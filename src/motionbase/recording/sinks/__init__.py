"""Formats that recordings are written in, one module each."""
