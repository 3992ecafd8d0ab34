"""Files that recordings are written to, one module for each format."""
