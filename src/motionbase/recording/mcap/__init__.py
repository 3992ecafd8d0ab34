"""MCAP files of recordings: one MCAP channel per sensor group, all records of a chunk in one array."""
