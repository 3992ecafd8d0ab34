"""The workbench: legs and joints at poses and along trajectories, workspace, clearances, and a report."""
