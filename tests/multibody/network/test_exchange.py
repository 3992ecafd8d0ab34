"""Numbers that parts share from step to step: what is told is added up, and read one step later."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Port, compile, scan
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import AbstractNetworkElement
from motionbase.multibody.joints import prismatic
from motionbase.multibody.network.engine import Network
from motionbase.multibody.network.exchange import AbstractExchange, End, extrapolated
from motionbase.multibody.network.parts import AbstractPart, Equations, Moment
from motionbase.multibody.network.step import FEEDBACK
from motionbase.spatial.rotations import Expr

H, MASSES = 1e-2, (1.0, 2.0, 4.0)


@final
@dataclass(frozen=True)
class Field(AbstractNetworkElement):
    """A force on every mass, which follows the sum of their speeds: u' = -gain (sum of v) + the input NAME_push."""

    name: str
    gain: float

    def inputs(self, model: Model) -> tuple[Port, ...]:
        return (Port(f"{self.name}_push", (), "N/s", "rate from outside"),)

    def check(self, model: Model) -> None:
        """Nothing is named."""

    def parts(self, around: Any) -> Sequence[AbstractPart]:
        return [Pushed(f"{self.name}{n}", (n,), self.name) for n in range(len(MASSES))]

    def exchange(self, around: Any) -> AbstractExchange:
        return Follows(self.name, None, self.gain)


@final
@dataclass(frozen=True, eq=False)
class Pushed(AbstractPart):
    name: str
    nodes: tuple[int | None, ...]
    field: str

    @property
    def kind(self) -> Hashable:
        return "pushed"

    @property
    def inputs(self) -> tuple[str, ...]:
        return (f"{self.field}_force",)

    @property
    def tells(self) -> str:
        return self.field

    def tell(self, at: Moment) -> Expr:
        return at.places[0].v[:1]

    def equations(self, at: Moment) -> Equations:
        return Equations([(ca.vertcat(at.inputs[0], 0, 0), ca.SX(3, 1))], ca.SX(0, 1))


@final
@dataclass(frozen=True, eq=False)
class Follows(AbstractExchange):
    name: str
    node: int | None
    gain: float

    @property
    def shared(self) -> dict[str, float]:
        return {f"{self.name}_force": 0.5}

    @property
    def memory(self) -> tuple[float, ...]:
        return (0.0, 0.0, 0.0)

    @property
    def learns(self) -> int:
        return 1

    @property
    def inputs(self) -> tuple[str, ...]:
        return (f"{self.name}_push",)

    def after(self, end: End) -> tuple[Expr, Expr]:
        rate = -self.gain * end.told + end.inputs
        before = ca.if_else(end.memory[1] > 0, end.memory[0], rate)
        return extrapolated(end.shared, rate, before, end.h), ca.vertcat(rate, 1, end.told)


def network(h: float = H) -> Network:
    bodies = tuple(Body(f"m{k}", m, inertia=(1.0, 1.0, 1.0)) for k, m in enumerate(MASSES))
    joints = tuple(Joint(f"rail{k}", GROUND, body.name, prismatic((1.0, 0.0, 0.0))) for k, body in enumerate(bodies))
    model = Model("field", bodies, joints, (0.0, 0.0, 0.0), elements=(Field("field", 3.0),))
    return Network(model, h)


def run(of: Network, steps: int, push: float = 0.0) -> dict[str, Any]:
    state: dict[str, Any] = {**of.start().ports(), "worst": np.zeros(2)}
    loop = scan(of.program, FEEDBACK, record=["one_next", "kept_next"])
    first: dict[str, Any] = {**state, "tau": np.zeros(3), "field_push": push}
    begun = loop(1, weights=of.method.start().row(of.step_size), **first)
    state = {name: begun[name] for name in FEEDBACK} | {"worst": np.zeros(2)}
    then = loop(steps - 1, weights=of.method.weights(1.0).row(of.step_size), **{**first, **state})
    return {name: np.concatenate([begun[name], then[name]]) for name in ("one_next", "kept_next")}


def test_what_is_told_is_added_up_and_read_one_step_later() -> None:
    """Kept are what is read next, the rate, that it has begun, and the sum; forces follow from what was read last."""
    found = run(network(), 5)
    v = found["one_next"][:, :3, 7]
    force, rate, begun, told = found["kept_next"].T
    np.testing.assert_allclose(told, v.sum(axis=1), rtol=1e-15)
    np.testing.assert_allclose(rate, -3.0 * told, rtol=1e-15)
    assert np.all(begun == 1.0)
    before = np.concatenate([rate[:1], rate[:-1]])
    np.testing.assert_allclose(force, np.cumsum(H * (1.5 * rate - 0.5 * before)) + 0.5, rtol=1e-14)
    beta_dot = found["one_next"][:, :3, 19]
    np.testing.assert_allclose(beta_dot, np.repeat(np.concatenate([[0.5], force[:-1]])[:, None], 3, axis=1), rtol=1e-12)


def test_the_whole_is_of_second_order() -> None:
    """u' = -3 v, v' = (1 + 1/2 + 1/4) u: a vibration of w = sqrt(3 * 1.75), with the sum of the speeds v."""
    w, errors = np.sqrt(3.0 * 1.75), []
    for steps in (50, 100, 200):
        found = run(network(1.0 / steps), steps)
        errors.append(abs(found["one_next"][-1, :3, 7].sum() - 0.5 * 1.75 / w * np.sin(w)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, 2.0, atol=0.15)


def test_it_reads_inputs() -> None:
    """With nothing told yet, the first step's rate is that of the input and of the speeds at its end."""
    found = run(network(), 1, push=7.0)
    force, rate, _, told = found["kept_next"][0]
    assert rate == pytest.approx(7.0 - 3.0 * told, rel=1e-15) and force == pytest.approx(0.5 + H * rate, rel=1e-15)


def test_the_interpreter_and_machine_code_have_the_same_bits() -> None:
    of = network()
    given = {"weights": of.method.start().row(H), **of.start().ports(), "worst": np.zeros(2), "tau": np.zeros(3)}
    native, python = (compile(of.program, target)(**given, field_push=1.0) for target in ("llvm", "python"))
    for a, b in zip(native, python, strict=True):
        assert np.array_equal(a, b)
