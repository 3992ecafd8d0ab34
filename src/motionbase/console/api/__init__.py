"""The REST border: one module for each subject, a thin router over plain functions."""
