"""What those who run a system need of its stages: laws, states, requests, faults."""

from motionbase.control.faults import GUARDED, WarningBit
from motionbase.control.own_law import Law, OwnLaw
from motionbase.control.states import TRANSITIONS, Request, State
from motionbase.plant.fault_plan import FaultPlan

__all__ = ["GUARDED", "TRANSITIONS", "FaultPlan", "Law", "OwnLaw", "Request", "State", "WarningBit"]
