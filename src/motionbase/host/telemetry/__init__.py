"""Telemetry of simulators that people have, as formats: specific force and rates at the pilot's head."""
