"""Analysis of small motions: equilibrium, linearisation, natural modes, modal reduction, frequency response."""

from motionbase.multibody.analysis.equilibrium import Equilibrium, equilibrium
from motionbase.multibody.analysis.linear import LinearModel
from motionbase.multibody.analysis.linearise import linearise
from motionbase.multibody.analysis.modes import NaturalModes, modes

__all__ = ["Equilibrium", "LinearModel", "NaturalModes", "equilibrium", "linearise", "modes"]
