"""The emergency stop of the console, and the stop post, a small process that takes it when the console cannot."""
