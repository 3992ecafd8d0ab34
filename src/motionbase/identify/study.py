"""Identification from a recording: which balances a platform offers, fitted one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from motionbase.actuators.hydraulic import HydraulicActuator
from motionbase.errors import UsageError, unknown
from motionbase.identify.drive import DriveFit
from motionbase.identify.estimates import GROUPS, LEVEL, Estimate, Finding, Hidden
from motionbase.identify.flow import FlowFit
from motionbase.identify.friction import FrictionFit
from motionbase.identify.gathering import Gathering
from motionbase.identify.load import LoadFit
from motionbase.identify.of_legs import RATE, electric_legs, hydraulic_legs, the_valves
from motionbase.identify.of_load import balance_delays, significant, the_delays, the_load
from motionbase.identify.signals import Signals
from motionbase.platform.hexapod import LEGS, Hexapod

ALL = tuple(range(LEGS))
CHANNELS = {"force": ("f_meas",), "pressure": ("p_cap", "p_rod"), "spool": ("valve_meas",)}
APART, APART_BY = 3.0, 0.02  # legs differ: mean square over that of chance, and by this part of the value


@final
@dataclass(frozen=True, eq=False)
class Identified:
    """The result.

    Attributes:
        platform: from which identification started
        seconds, rate: of the recording that were used [s], samples a second
        findings: estimates, and what was not shown
        notes: sentences for the user
        friction, flow, load, drive: fits, for pictures; None where there is none
    """

    platform: Hexapod
    seconds: float
    rate: float
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]
    friction: FrictionFit | None = None
    flow: FlowFit | None = None
    load: LoadFit | None = None
    drive: DriveFit | None = None

    @property
    def estimates(self) -> dict[str, Estimate]:
        """By key."""
        return {one.key: one for one in self.findings if isinstance(one, Estimate)}

    @property
    def hidden(self) -> dict[str, Hidden]:
        """By key."""
        return {one.key: one for one in self.findings if isinstance(one, Hidden)}


def identify(signals: Signals, platform: Hexapod, parameters: Sequence[str] = (), leg: int | None = None) -> Identified:
    """Friction, flow, masses and delays of a platform from a recording of its motion.

    Args:
        parameters: groups to identify, such as "friction"; all by default
        leg: of the actuators, this leg alone, 1 to 6; all as one by default
    """
    groups = checked_groups(parameters)
    if leg is not None and not 1 <= leg <= LEGS:
        raise UsageError(f"leg {leg} does not exist; legs are 1 to {LEGS}")
    legs = ALL if leg is None else (leg - 1,)
    study = Gathering(signals, signals.thinned(RATE), platform, legs, groups, notes=list(signals.notes))
    _balances(study)
    if late := {kind: one.value for kind, one in significant(study.delays).items()}:
        aligned = study.thin.advanced({name: late[kind] for kind in late for name in CHANNELS[kind]})
        study = Gathering(signals, aligned, platform, legs, groups, notes=list(signals.notes), late=late)
        _balances(study)
    if isinstance(platform.actuator, HydraulicActuator):
        the_valves(study, platform.actuator)
    the_delays(study)
    study.notes += _apart(study)
    order = {group: k for k, group in enumerate(GROUPS)}
    findings = tuple(sorted(study.found, key=lambda one: order[one.group]))
    return Identified(platform, signals.seconds, 1 / signals.dt, findings, tuple(study.notes), **study.fits)


def _balances(study: Gathering) -> None:
    """Legs and load, and what these tell of the delays of their sensors."""
    if isinstance(actuator := study.platform.actuator, HydraulicActuator):
        hydraulic_legs(study, actuator)
    else:
        electric_legs(study, actuator)
    the_load(study)
    balance_delays(study)


def checked_groups(parameters: Sequence[str]) -> tuple[str, ...]:
    """The groups asked for; all if none is."""
    for name in parameters:
        if name not in GROUPS:
            raise unknown("group of parameters", name, GROUPS, "groups")
    return tuple(parameters) or GROUPS


def _apart(study: Gathering) -> Iterator[str]:
    """Notes on legs that differ by more than chance."""
    for one in study.found:
        if not isinstance(one, Estimate) or not one.written or len(one.legs) < 2:
            continue
        values = np.array([leg.value for leg in one.legs])
        sigma = np.array([leg.half for leg in one.legs]) / 2 + LEVEL * np.abs(values)
        weight = 1 / sigma**2
        mean = float(values @ weight / weight.sum())
        if np.mean(((values - mean) / sigma) ** 2) > APART and np.ptp(values) > APART_BY * abs(mean):
            yield (
                f"legs differ in {one.key}: {values.min():.4g} to {values.max():.4g} {one.unit}; a preset has one "
                "actuator for all legs"
            )
