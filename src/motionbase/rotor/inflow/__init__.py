"""Inflow and hover: momentum theory, dynamic inflow, a free wake of tip vortices."""
