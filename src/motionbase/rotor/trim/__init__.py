"""Trim: a pilot in the loop, Newton's method on the periodic motion, level flight."""
