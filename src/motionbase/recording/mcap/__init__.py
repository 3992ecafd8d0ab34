"""MCAP files as recordings use them: one channel for each sensor group, all records of a chunk side by side."""
