"""motionbase: design, simulate, operate and analyse motion platforms from one model written once in Python."""

__version__ = "0.1.0"
