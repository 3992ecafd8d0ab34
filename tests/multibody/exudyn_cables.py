"""Exudyn models for the tests: planar beams as meshes of ANCF cables, with pins, loads, sensors and runs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

exu: Any = pytest.importorskip("exudyn")
item: Any = pytest.importorskip("exudyn.itemInterface")

Array = NDArray[np.float64]
Vector = Sequence[float] | Array
SAMPLES = 100


class Plane:
    """One planar system."""

    def __init__(self) -> None:
        self.container = exu.SystemContainer()
        self.mbs = self.container.AddSystem()
        self.ground = self.mbs.AddObject(item.ObjectGround())
        self.sensors: list[Any] = []

    def cable(
        self,
        start: Vector,
        angle: float,
        length: float,
        mu: float,
        EI: float,
        EA: float,
        elements: int,
        gravity: float = 0.0,
        v0: Vector = (0.0, 0.0),
        spin: float = 0.0,
    ) -> tuple[list[Any], list[Any]]:
        """Nodes and elements of a straight cable that turns about its start with a spin [rad/s]."""
        c, s = np.cos(angle), np.sin(angle)
        nodes = []
        for x in np.linspace(0.0, length, elements + 1):
            node = item.NodePoint2DSlope1(
                referenceCoordinates=[start[0] + x * c, start[1] + x * s, c, s],
                initialVelocities=[v0[0] - spin * x * s, v0[1] + spin * x * c, -spin * s, spin * c],
            )
            nodes.append(self.mbs.AddNode(node))
        objects = []
        for pair in zip(nodes, nodes[1:], strict=False):
            element = item.ObjectANCFCable2D(
                length=length / elements, massPerLength=mu, bendingStiffness=EI, axialStiffness=EA,
                nodeNumbers=list(pair),
            )  # fmt: skip
            objects.append(self.mbs.AddObject(element))
            self.weigh(objects[-1], gravity)
        return nodes, objects

    def rigid_bar(self, start: Vector, angle: float, length: float, mass: float, gravity: float, spin: float) -> Any:
        """A slender bar about its centre of mass."""
        c, s, half = np.cos(angle), np.sin(angle), length / 2
        node = item.NodeRigidBody2D(
            referenceCoordinates=[start[0] + half * c, start[1] + half * s, angle],
            initialVelocities=[-spin * half * s, spin * half * c, spin],
        )
        body = item.ObjectRigidBody2D(mass=mass, inertia=mass * length**2 / 12, nodeNumber=self.mbs.AddNode(node))
        found = self.mbs.AddObject(body)
        self.weigh(found, gravity)
        return found

    def weigh(self, body: Any, gravity: float) -> None:
        """Gravity along -y."""
        if gravity:
            marker = self.mbs.AddMarker(item.MarkerBodyMass(bodyNumber=body))
            self.mbs.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[0.0, -gravity, 0.0]))

    def node(self, node: Any) -> Any:
        """A node's place, as a marker."""
        return self.mbs.AddMarker(item.MarkerNodePosition(nodeNumber=node))

    def place(self, body: Any, x: float, y: float = 0.0) -> Any:
        """A place on a body, as a marker."""
        return self.mbs.AddMarker(item.MarkerBodyPosition(bodyNumber=body, localPosition=[x, y, 0.0]))

    def pin(self, a: Any, b: Any) -> None:
        """Two markers stay together."""
        self.mbs.AddObject(item.ObjectJointRevolute2D(markerNumbers=[a, b]))

    def clamp(self, node: Any) -> None:
        """Place and slope of a cable's node stand still."""
        still = self.mbs.AddNode(item.NodePointGround(referenceCoordinates=[0.0, 0.0, 0.0]))
        ground = self.mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=still, coordinate=0))
        for k in (0, 1, 3):  # the slope's length stays free: it is the axial strain
            marker = self.mbs.AddMarker(item.MarkerNodeCoordinate(nodeNumber=node, coordinate=k))
            self.mbs.AddObject(item.ObjectConnectorCoordinate(markerNumbers=[ground, marker]))

    def torque(self, element: Any, law: Callable[[float], float]) -> None:
        """A moment about z at the beginning of a cable's element."""
        marker = self.mbs.AddMarker(item.MarkerBodyRigid(bodyNumber=element, localPosition=[0.0, 0.0, 0.0]))
        self.mbs.AddLoad(
            item.LoadTorqueVector(
                markerNumber=marker, loadVector=[0.0, 0.0, 1.0], loadVectorUserFunction=lambda _, t, __: [0, 0, law(t)]
            )
        )

    def force(self, element: Any, x: float, vector: Vector) -> None:
        """A force that keeps its direction, at a place of an element."""
        self.mbs.AddLoad(item.LoadForceVector(markerNumber=self.place(element, x), loadVector=list(vector)))

    def watch(self, nodes: Sequence[Any]) -> None:
        """Nodes whose coordinates `run` returns."""
        for node in nodes:
            sensor = item.SensorNode(
                nodeNumber=node, storeInternal=True, outputVariableType=exu.OutputVariableType.Coordinates
            )
            self.sensors.append((sensor, np.array(self.mbs.GetNode(node)["referenceCoordinates"])))

    def run(self, duration: float, steps: int) -> tuple[Array, list[Array]]:
        """Times, and coordinates of the watched nodes: x, y, and the slope's x, y."""
        added = [self.mbs.AddSensor(sensor) for sensor, _ in self.sensors]
        self.mbs.Assemble()
        settings = self.settings()
        settings.timeIntegration.numberOfSteps = steps
        settings.timeIntegration.endTime = duration
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9  # damps the stretch of elements, no bending
        settings.solution.sensors.writePeriod = duration / SAMPLES
        assert self.mbs.SolveDynamic(settings)
        stored = [np.array(self.mbs.GetSensorStoredData(sensor)) for sensor in added]
        return stored[0][:, 0], [rows[:, 1:] + at for rows, (_, at) in zip(stored, self.sensors, strict=True)]

    def frequencies_at_rest(self, count: int) -> Array:
        """Natural frequencies about the static equilibrium [rad/s]."""
        self.mbs.Assemble()
        assert self.mbs.SolveStatic(self.settings(), updateInitialValues=True)
        values, _ = self.mbs.ComputeODE2Eigenvalues()
        return np.asarray(np.sqrt(np.sort(np.abs(values))[:count]))

    def settings(self) -> Any:
        """Quiet, and nothing written to disk."""
        settings = exu.SimulationSettings()
        settings.solution.file.write = False
        settings.timeIntegration.verboseMode = 0
        settings.staticSolver.verboseMode = 0
        settings.timeIntegration.adaptiveStep = False  # a step that fails is an error, not a long wait
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.timeIntegration.newton.absoluteTolerance = 1e-7  # at rest there is no first residual to compare with
        settings.staticSolver.newton.absoluteTolerance = 1e-7
        settings.linearSolver.solverType = exu.LinearSolverType.EigenSparse
        return settings


def deflection(root: Array, tip: Array) -> Array:
    """Distance of a cable's tip from the tangent at its root [m]; rows of x, y and slope."""
    (x, y), (a, b) = (tip - root)[:, :2].T, root[:, 2:].T
    return np.asarray((a * y - b * x) / np.hypot(a, b))
