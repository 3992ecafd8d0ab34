"""Files that open as recordings, one module for each format."""
