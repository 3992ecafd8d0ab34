"""Traffic: other craft on their courses, buoys and piers, with wakes and contacts."""
