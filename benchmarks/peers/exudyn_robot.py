"""The servo robot in Exudyn: rigid bodies in redundant coordinates, joints as constraints, implicit steps."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from motionbase.multibody.models.robot import KD, KP, Q_REF, servo_robot


def robot_seconds(h: float, steps: int) -> tuple[float, np.ndarray]:
    """Wall time of so many steps of the trapezoidal rule (index 2, modified Newton), and the last body's position."""
    import exudyn as exu
    from exudyn.utilities import RigidBodyInertia

    model = servo_robot()
    system = exu.SystemContainer().AddSystem()
    ground = system.CreateGround()
    gravity, origin = list(model.gravity), np.zeros(3)
    bodies, places = [ground], []
    for body, joint in zip(model.bodies, model.joints, strict=True):
        origin = origin + np.asarray(joint.position, dtype=np.float64)
        places.append(origin)
        J = np.asarray(body.inertia) + body.mass * (
            np.dot(body.com, body.com) * np.eye(3) - np.outer(body.com, body.com)
        )
        inertia = RigidBodyInertia(body.mass, J, com=list(body.com), inertiaTensorAtCOM=False)  # type: ignore[no-untyped-call]
        bodies.append(system.CreateRigidBody(inertia=inertia, referencePosition=list(places[-1]), gravity=gravity))
    for k, joint in enumerate(model.joints):
        axis: Any = list(joint.motion.steps[0].axis)  # type: ignore[attr-defined]
        pair = [bodies[k], bodies[k + 1]]
        system.CreateRevoluteJoint(bodyNumbers=pair, position=list(places[k]), axis=axis, useGlobalFrame=True)
        system.CreateTorsionalSpringDamper(
            bodyNumbers=pair, position=list(places[k]), axis=axis, stiffness=KP[k], damping=KD[k], offset=Q_REF[k],
            useGlobalFrame=True,
        )  # fmt: skip
    system.Assemble()
    settings: Any = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = steps
    settings.timeIntegration.endTime = steps * h
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.displayComputationTime = False
    start = time.perf_counter()
    system.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
    seconds = time.perf_counter() - start
    com = list(model.bodies[-1].com)
    at = system.GetObjectOutputBody(bodies[-1], exu.OutputVariableType.Position, localPosition=com)
    return seconds, np.array(at)
