"""The emergency stop of the console, and the small process beside it that still takes one when the console cannot."""
