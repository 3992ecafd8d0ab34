"""Live data: followers of rings, their history in bounded memory, and the WebSocket of pages."""
