"""Stage: platform, legs and actuators, sensors and faults."""
