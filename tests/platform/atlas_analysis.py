"""The analysis of the built-in sphere: seconds of work, done when the first test of a process asks for it."""

from functools import cache

from motionbase.platform.atlas.analysis import Analysis, analyse
from motionbase.platform.atlas.load import load_atlas

ATLAS = load_atlas("atlas")


@cache
def analysis() -> Analysis:
    return analyse(ATLAS)
