"""Two sets of cueing tried on the same motion of a vehicle, in a process of their own."""
