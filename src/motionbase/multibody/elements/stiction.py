"""Friction that sticks, on one axis of a joint: the elastoplastic law, with a state of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from motionbase.compile import Port
from motionbase.multibody.body import check_name
from motionbase.multibody.elements.abstract import AbstractDynamicElement
from motionbase.multibody.elements.friction_law import Friction
from motionbase.multibody.lookup import checked_number, joint_coordinate

if TYPE_CHECKING:
    from motionbase.multibody.model import Model


@final
@dataclass(frozen=True)
class Stiction(AbstractDynamicElement):
    """friction = (preload + radius |F|) (sigma0 z + sigma1 z_dot + sigma2 v), against the speed v; see `Friction`.

    F is the force that the joint carries across its axis. Without a radius, and with the preload of 1 that it has
    unless told, the law's levels are the friction itself [N m] or [N]. With one they are coefficients of friction [-]:
    the preload is then a moment [N m], or a force [N] of a joint that slides, and sigma0 is [1/rad] or [1/m].

    Only the network engine integrates the bristle's deflection z. At the start it is 0 in a joint at rest, and that of
    steady sliding in one that moves.

    Attributes:
        joint: its name
        coulomb: level of steady fast sliding, less the viscous part
        static: level of steady sliding at vanishing speed, at least `coulomb`
        stribeck: speed over which the level falls from `static` to `coulomb` [rad/s] or [m/s]
        sigma0: stiffness of the bristle
        sigma1: damping of the bristle
        sigma2: viscous coefficient
        kappa: break-away deflection over steady deflection, 0 <= kappa < 1; below it nothing slips
        radius: of the bearing [m]; 1 where a sliding joint rubs under its load
        preload: what presses the surfaces together besides
        axis: which of the joint's axes
        scaled: it has an input NAME_active, which multiplies preload and radius: 1 as they are, 0 for no friction
    """

    name: str
    joint: str
    coulomb: float
    static: float
    stribeck: float
    sigma0: float
    sigma1: float = 0.0
    sigma2: float = 0.0
    kappa: float = 0.71
    radius: float = 0.0
    preload: float = 1.0
    axis: int = 0
    scaled: bool = False

    def __post_init__(self) -> None:
        check_name("stiction", self.name)
        owner = f"stiction {self.name!r}"
        levels = self.coulomb, self.static, self.stribeck, self.sigma0, self.sigma1, self.sigma2, self.kappa
        Friction.of(levels).check(owner, "N m or N", "rad or m")
        checked_number(owner, "radius", self.radius, "m", least=0.0)
        checked_number(owner, "preload", self.preload, "", least=0.0)

    @property
    def law(self) -> Friction:
        """Of the bristle."""
        return Friction(self.coulomb, self.static, self.stribeck, self.sigma0, self.sigma1, self.sigma2, self.kappa)

    def inputs(self, model: Model) -> tuple[Port, ...]:
        """What multiplies it."""
        return (Port(f"{self.name}_active", (), "-", "friction over that of the model"),) if self.scaled else ()

    def check(self, model: Model) -> None:
        """The joint has the axis, as a coordinate."""
        joint_coordinate(f"stiction {self.name!r}", model, self.joint, self.axis)
