"""The host of a base in real time: a process that receives its frames, and the jobs of the loop that use them."""
