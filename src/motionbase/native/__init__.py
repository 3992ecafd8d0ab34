"""Machine code in this process: loader, object cache, and the few functions for which memory order matters."""
