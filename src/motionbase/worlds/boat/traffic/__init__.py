"""What else is on the water: craft on their courses, buoys and piers; their wakes, and what it is to run into them."""
