"""Actuators of motion-base legs: parameters, and kernels for their rates and steps."""

from motionbase.actuators.electric import ElectricActuator, electric_rates, electric_step
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.actuators.leg import leg_rates, leg_step
from motionbase.actuators.onoff import OnOffActuator, OnOffLeg, Pace, onoff_pulse, onoff_step
from motionbase.multibody.elements.friction_law import Friction

__all__ = [
    "ElectricActuator",
    "Friction",
    "HydraulicActuator",
    "OnOffActuator",
    "OnOffLeg",
    "Pace",
    "electric_rates",
    "electric_step",
    "leg_rates",
    "leg_step",
    "onoff_pulse",
    "onoff_step",
]
