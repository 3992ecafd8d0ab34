"""Renderers: each turns lowered functions into the text, or the calls, of one target."""
