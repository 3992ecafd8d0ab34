"""ESTOP files: what a ring held around an unexpected stop, saved as a recording; their page is estop.md."""

AFTER_S = 30.0  # of recording after the stop
