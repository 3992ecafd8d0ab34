"""What those who run a system need of its stages: states, requests, faults."""

from motionbase.control.states import Request, State
from motionbase.plant.fault_plan import FaultPlan

__all__ = ["FaultPlan", "Request", "State"]
