"""Replay: a recording played into a ring."""
