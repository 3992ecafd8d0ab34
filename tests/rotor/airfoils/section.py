"""A section with one of the unsteady models and one airfoil, numerically: for tests."""

from collections.abc import Callable

import casadi as ca
import numpy as np
from scipy.integrate import solve_ivp

from motionbase.arrays import Array
from motionbase.rotor.airfoils.airfoil import Airfoil
from motionbase.rotor.airfoils.separation import separation
from motionbase.rotor.airfoils.unsteady import Found, Unsteady, UnsteadyFlow

B, REFERENCE = 0.25, 200.0


class Section:
    """Looks tables up at the angles that the model asks for, at half chord B and reference speed REFERENCE."""

    def __init__(self, model: Unsteady, airfoil: Airfoil, mach: float = 0.3) -> None:
        self.table, self.model, self.mach = separation(airfoil), model, mach
        x, uw, found = ca.SX.sym("x", len(model.states)), ca.SX.sym("uw", 2), ca.SX.sym("found", 7, model.angles)
        flow = UnsteadyFlow(uw[0], uw[1], B, REFERENCE)
        each = [Found(*ca.vertsplit(found[:, k])) for k in range(model.angles)]
        asked = model.asks(x, flow)
        self.asks = ca.Function("asks", [x, uw], [asked, ca.jacobian(asked, uw)])
        out = model.response(x, flow, each)
        coefficients = ca.vertcat(out.cl, out.cd, out.cm)
        both = ca.vertcat(out.rates, coefficients)
        self.response = ca.Function("response", [x, uw, found], [out.rates, coefficients, ca.jacobian(both, uw)])
        self.by_states = ca.Function("by_states", [x, uw, found], [ca.jacobian(out.rates, x)])

    def angles(self, x: Array, u: float, w: float) -> Array:
        """What the model asks for [rad]."""
        return np.asarray(self.asks(x, [u, w])[0], float).ravel()

    def rates(self, x: Array, u: float, w: float) -> Array:
        """Of the states [1/s]."""
        return self.out(x, u, w)[0]

    def out(self, x: Array, u: float, w: float) -> tuple[Array, Array]:
        """Rates and cl, cd, cm."""
        found = self.table.at(self.angles(x, u, w), self.mach).T
        rates, c, _ = self.response(x, [u, w], found)
        return np.asarray(rates, float).ravel(), np.asarray(c, float).ravel()

    def at_rest(self, u: float, w: float) -> Array:
        """States where a constant flow leads."""
        f = self.table.f.at(np.arctan2(w, u), self.mach)
        return np.asarray(ca.DM(self.model.at_rest(UnsteadyFlow(u, w, B, REFERENCE), float(f))), float).ravel()

    def flown(
        self, flow: Callable[[float], tuple[float, float]], x0: Array, times: Array, step: float, rtol: float = 1e-8
    ) -> Array:
        """(states, times) along a flow (u, w) of time."""

        def rates(t: float, x: Array) -> Array:
            return self.rates(x, *flow(t))

        found = solve_ivp(rates, (0.0, times[-1]), x0, t_eval=times, max_step=step, rtol=rtol, atol=rtol * 1e-4)
        return np.asarray(found.y)
