"""A run that begins in a steady state: its ticks are made beforehand, as fast as they go, and are not recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from motionbase.arrays import Array
from motionbase.errors import SimulationError
from motionbase.multibody.network.solved import numbers_solved

if TYPE_CHECKING:
    from motionbase.executive.model.code import ModelCode

SEEN_AS = {"nodes": "one", "own": "own_one", "rates": "own_dot_one"}  # ports of observers -> arrays of the step


def arrays_of(code: ModelCode, states: Mapping[str, Array], weights: Array) -> dict[str, Array]:
    """By name of port; those of several kernels with the same name are one array."""
    made = {name: np.array(value, dtype=np.float64) for name, value in states.items()}
    made |= {f"{name}_{what}": np.zeros_like(value) for name, value in states.items() for what in ("next", "taken")}
    for compiled in code.kernels:
        for port in compiled.unit.ports:
            made.setdefault(port.name, np.zeros(port.dims))
    made["weights"][...] = weights
    made["before"][...] = code.network.start_q
    for name, value in code.plant.starts.items():
        made[name][...] = value
    return made


def joint_arrays(code: ModelCode, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Of the kernel of joint motion; it has own unknowns where joints have coordinates of their own."""
    given = {"nodes": arrays["one"], "q": arrays["raw"], "v": arrays["v"], "own": arrays["own_one"]}
    return {port.name: given[port.name] for port in code.joints.unit.ports}


def settled(code: ModelCode, states: Mapping[str, Array], weights: Array) -> dict[str, Array]:
    """States, and what laws keep, after the time that the plant takes to settle; in drive, without faults."""
    plant, settling = code.plant, code.plant.settling
    if settling is None:
        return dict(states)
    arrays = arrays_of(code, states, weights)
    arrays["parameters"][...] = plant.parameters.designed
    arrays["memory"][code.memory["wanted"]] = 1.0
    joints = code.joints.bind(**joint_arrays(code, arrays))
    observers = [
        one.bind(**{port.name: arrays[SEEN_AS.get(port.name, port.name)] for port in one.unit.ports})
        for one in code.observers
    ]
    command, step = (one.bind(**{p.name: arrays[p.name] for p in one.unit.ports}) for one in (code.command, code.step))
    after = {name: arrays[f"{name}_next"] for name in states}
    for _ in range(round(settling.seconds / code.timing.dt)):
        joints()
        for observer in observers:
            observer()
        arrays["before"][...] = arrays["q"]
        settling.seek(arrays)
        command()
        for name, new in plant.kept.items():
            arrays[name][...] = arrays[new]
        step()
        if not numbers_solved(float(arrays["residual"]), arrays, after):
            raise SimulationError(f"model {plant.name!r}: it did not settle, a step was not solved")
        for name in states:
            arrays[name][...] = after[name]
    return {name: arrays[name] for name in (*states, "before", *settling.keeps)}
