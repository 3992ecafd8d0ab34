"""Objective motion cueing test: gain and phase from the vehicle's motion to the platform's, tone by tone."""
