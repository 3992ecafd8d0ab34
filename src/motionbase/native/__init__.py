"""Machine code in this process: the loader, the objects on disk, and the few lines where memory order matters."""
