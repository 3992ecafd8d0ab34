"""Further outputs of a run, sample by sample: accelerations, points, centre of mass, joint loads, reactions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.compile import Kernel, compile
from motionbase.errors import SimulationError
from motionbase.multibody.lookup import Point, check_place
from motionbase.multibody.names import speeds
from motionbase.multibody.trajectory import Column
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs

COLUMNS = {"accelerations": "a", "com": "com", "loads": "load", "reactions": "reaction"}  # prefixes of the columns
KINDS = tuple(COLUMNS)
WRENCH = (("mx", "N m"), ("my", "N m"), ("mz", "N m"), ("fx", "N"), ("fy", "N"), ("fz", "N"))


@final
@dataclass(frozen=True)
class Recorded:
    """Outputs to keep besides coordinates, speeds and energies.

    Attributes:
        kinds: of "accelerations" (columns a.NAME), "com" (com.x, com.vx ...), "loads" (load.JOINT.mx ... fz: moment and
            force of the parent on the child, in the child's frame) and "reactions" (reaction.CLOSURE.mx ... fz: on
            body a at its place, world axes; of a coupling one column, reaction.CLOSURE)
        points: by name: body, and a point's name or place; columns NAME.x, NAME.vx, NAME.ax and so on, world axes
    """

    kinds: Sequence[str] = ()
    points: Mapping[str, tuple[str, Point]] = field(default_factory=dict)

    def check(self, equations: Tree | Loops) -> None:
        """Check that everything requested exists."""
        for kind in self.kinds:
            if kind not in KINDS:
                raise SimulationError(f"no output {kind!r}; outputs: {', '.join(KINDS)}, and points by name")
        if "reactions" in self.kinds and isinstance(equations, Tree):
            raise SimulationError(f"model {equations.model.name!r} has no closures, so there are no reactions")
        for name, place in self.points.items():
            if name in ("q", "v", "energy", "t", *(COLUMNS[kind] for kind in self.kinds)):
                raise SimulationError(f"output {name!r}: the name is taken; give the point another")
            if not isinstance(place, tuple) or len(place) != 2:
                raise SimulationError(f"output {name!r} is {place!r}; a body and a point of it are wanted")
            check_place(f"output {name!r}", equations.model, *place)

    def columns(self, equations: Tree | Loops, q: Array, v: Array, inputs: Mapping[str, Array]) -> Iterator[Column]:
        """Columns of the samples; `inputs` are those of the forward dynamics, one row per sample or a constant."""
        tree = equations if isinstance(equations, Tree) else equations.tree
        known: dict[str, Any] = {"q": q, "v": v}
        for port in equations.ports[2:]:
            value = np.asarray(inputs[port.name], dtype=np.float64)
            same = value.shape == port.dims
            known[port.name] = np.tile(value, (len(q), *[1] * len(port.dims))) if same else value

        def mapped(kernel: Kernel) -> dict[str, Array]:
            given = {p.name: np.ascontiguousarray(known[p.name]) for p in kernel.inputs}
            return compile(kernel).map(**given)

        outputs = Outputs(tree)
        if self.points or {"accelerations", "loads"} & set(self.kinds):
            known |= mapped(equations.forward_dynamics)
        if "accelerations" in self.kinds:
            for k, (name, unit) in enumerate(speeds(tree.model)):
                yield Column(f"a.{name}", f"{unit}^2" if unit.endswith("/s") else f"{unit}/s", known["v_dot"][:, k])
        # port names differ from output names, so that a point may have any name, even "arm/tip"
        places = {f"point{k}": place for k, place in enumerate(self.points.values())}
        found = mapped(outputs.points(places)) if places else {}
        for name, own in zip(self.points, places, strict=True):
            motion = found[f"{own}_position"], found[f"{own}_velocity"][:, 3:], found[f"{own}_acceleration"][:, 3:]
            for letter, unit, values in zip(("", "v", "a"), ("m", "m/s", "m/s^2"), motion, strict=True):
                yield from _axes(name, letter, unit, values)
        if "com" in self.kinds:
            found = mapped(outputs.centre_of_mass)
            yield from _axes("com", "", "m", found["p_com"])
            yield from _axes("com", "v", "m/s", found["v_com"])
        if "loads" in self.kinds:
            yield from _wrenches("load", outputs.joint_loads, mapped(outputs.joint_loads))
        if "reactions" in self.kinds and isinstance(equations, Loops):
            yield from _wrenches("reaction", equations.reactions, mapped(equations.reactions))


def _axes(name: str, letter: str, unit: str, values: Array) -> Iterator[Column]:
    return (Column(f"{name}.{letter}{axis}", unit, values[:, k]) for k, axis in enumerate("xyz"))


def _wrenches(kind: str, kernel: Kernel, found: Mapping[str, Array]) -> Iterator[Column]:
    for port in kernel.outputs:
        name, values = f"{kind}.{port.name.removesuffix(f'_{kind}')}", found[port.name]
        if values.ndim == 1:  # of a coupling
            yield Column(name, port.unit, values)
        else:
            yield from (Column(f"{name}.{part}", unit, values[:, k]) for k, (part, unit) in enumerate(WRENCH))
