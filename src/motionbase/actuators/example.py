"""Legs for examples, tests and benchmarks, in the size of a large motion base; all numbers are illustrative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.multibody.elements.friction_law import Friction


@final
@dataclass(frozen=True)
class ExampleStroke:
    """1.25 m between hard ends, with cushions of 50 mm."""

    hard_min: float = 2.081
    hard_max: float = 3.331
    cushion: float = 0.05


STROKE = ExampleStroke()
FRICTION = Friction(coulomb=300.0, static=450.0, stribeck=5e-3, sigma0=1e7, sigma1=3e4, sigma2=200.0, kappa=0.7)
LEG = HydraulicActuator(
    area_cap=3.2e-3,
    area_rod=2.0e-3,
    volume_cap=3e-4,
    volume_rod=3e-4,
    bulk_modulus=1e9,
    density=870.0,
    p_supply=16e6,
    p_return=5e5,
    rated_flow=1.5e-3,
    rated_drop=3.5e6,
    valve_frequency=500.0,
    valve_damping=0.8,
    valve_rate=60.0,
    lap=0.0,
    leakage_internal=2e-12,
    leakage_external=1e-13,
    relief_pressure=20e6,
    relief_gain=1e-9,
    anticavitation_gain=2.5e-8,
    cushion_area_min=0.03,
    friction=FRICTION,
)
SCREW = ElectricActuator(
    lead=0.02,
    inertia=2e-3,
    torque_max=40.0,
    speed_base=200.0,
    speed_max=300.0,
    torque_lag=2e-3,
    load_mass=400.0,
    speed_bandwidth=100.0,
    friction=FRICTION,
    brake_force=2e4,
    brake_time=0.05,
)
