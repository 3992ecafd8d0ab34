"""Renderers: each translates lowered routines into the text, or the calls, of one target."""
