"""For all tests: an example of hypothesis may take as long as a busy machine needs; speed is for the benchmarks."""

from hypothesis import settings

settings.register_profile("motionbase", deadline=None)
settings.load_profile("motionbase")
