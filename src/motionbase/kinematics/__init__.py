"""The workbench: what legs and joints do at a pose, along a trajectory and over the workspace."""
