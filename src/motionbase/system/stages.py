"""What those who run a system need of its stages: states, requests, faults."""

from motionbase.control.states import TRANSITIONS, Request, State
from motionbase.plant.fault_plan import FaultPlan

__all__ = ["TRANSITIONS", "FaultPlan", "Request", "State"]
