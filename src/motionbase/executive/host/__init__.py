"""The host of a base in real time: a process that hears it, and the jobs of the loop that take what it says."""
