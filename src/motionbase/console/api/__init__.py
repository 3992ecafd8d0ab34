"""The REST interface: one module for each subject, with a thin router over plain functions."""
