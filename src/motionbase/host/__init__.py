"""Hosts: frames, protocols and telemetry of simulators, turned into poses or one stream of a vehicle's motion."""
