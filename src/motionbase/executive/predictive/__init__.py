"""The planner of predictive cueing beside a loop in real time: a process of its own, and the jobs of the loop."""
