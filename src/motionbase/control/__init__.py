"""Stage: the control law of a motion base, from states and trajectories to valve commands; its page is control.md."""
