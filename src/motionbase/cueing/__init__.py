"""Motion cueing: from a vehicle's motion to that of a platform which feels like it."""
