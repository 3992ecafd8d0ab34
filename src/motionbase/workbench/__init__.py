"""The workbench: what legs and joints do at a pose and along a trajectory, workspace, clearances, and a report."""
