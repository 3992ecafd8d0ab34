"""Integrators as data: a method and a system give a step that can be compiled, scanned and run on lanes."""

from motionbase.multibody.integrators.adaptive import Adaptive
from motionbase.multibody.integrators.explicit import RungeKutta, SemiImplicitEuler
from motionbase.multibody.integrators.method import AbstractMethod, EmbeddedMethod
from motionbase.multibody.integrators.rosenbrock import Rosenbrock
from motionbase.multibody.integrators.system import System
from motionbase.multibody.integrators.tableau import ButcherTableau, RosenbrockTableau
from motionbase.multibody.integrators.tableaux import DOPRI5, RK4, RODAS3

METHODS: dict[str, AbstractMethod | Adaptive] = {
    "euler": SemiImplicitEuler(),
    "rk4": RungeKutta(RK4),
    "dopri5": Adaptive(RungeKutta(DOPRI5)),
    "rodas3": Rosenbrock(RODAS3),
    "rodas3_adaptive": Adaptive(Rosenbrock(RODAS3), rtol=1e-5, atol=1e-7),
}

__all__ = [
    "DOPRI5",
    "METHODS",
    "RK4",
    "RODAS3",
    "AbstractMethod",
    "Adaptive",
    "ButcherTableau",
    "EmbeddedMethod",
    "Rosenbrock",
    "RosenbrockTableau",
    "RungeKutta",
    "SemiImplicitEuler",
    "System",
]
