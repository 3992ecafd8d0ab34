"""Stage: vehicles in a world of their own, steered by a person or a script: a boat at sea, an aircraft, a car."""
