"""Multi-rate simulation: mass matrix and force terms as separate kernels, each updated at its own rate."""

from motionbase.multibody.rates.multirate import METHODS, Multirate
from motionbase.multibody.rates.partition import Partition
from motionbase.multibody.rates.schedule import Rates

__all__ = ["METHODS", "Multirate", "Partition", "Rates"]
