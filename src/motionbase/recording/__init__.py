"""Recordings: write, read, export, split, replay."""
