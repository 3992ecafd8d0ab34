"""Laws of people's own: what fits the border, and that the closed loop takes them as it takes this package's."""

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.compile import Kernel, Layout, Port, Struct, for_each, q
from motionbase.control.own_law import OwnLaw
from motionbase.control.ports import INPUTS, ControlPorts, Inputs
from motionbase.errors import PortError
from motionbase.platform.load import load_platform
from motionbase.system.closed_loop import ClosedLoop
from motionbase.system.runs import Runner, Scenario

PARAMETERS = Layout(
    (Port("opening", (), "-", "of the valves", start=0.05), Port("weights", 6, "-", "by leg", start=1.0))
)
STATE = Layout((Port("ticks", (), "-", "since the start", start=3.0),))


def opened(p: dict[str, ca.SX]) -> dict[str, ca.SX]:
    return {"x_next": p["x"] + 1, "valve_cmd": p["parameters"][0] * p["parameters"][1:7], "state": p["x"]}


def shuffled() -> Kernel:
    """The same law with its ports in another order, parameters last."""
    kernel = ControlPorts.law("opened", opened, PARAMETERS, STATE)

    def expr(*given: ca.SX) -> tuple[ca.SX, ...]:
        made: tuple[ca.SX, ...] = kernel.expr(*reversed(given))
        return made

    return replace(kernel, inputs=kernel.inputs[::-1], expr=expr)


class Opening(Struct):
    """Parameters, the same as above."""

    opening: ca.SX = q("-", text="of the valves", start=0.05)
    weights: ca.SX = q("-", 6, "by leg", start=1.0)


class Ticks(Struct):
    """State."""

    ticks: ca.SX = q("-", text="since the start", start=3.0)


def opened_structs(p: Opening, x: Ticks, given: Inputs) -> tuple[Ticks, dict[str, ca.SX]]:
    """The same law over structs, with a loop."""
    u = for_each(lambda weight: p.opening * weight, p.weights)
    return x.replace(ticks=x.ticks + 1), {"valve_cmd": u, "state": x.ticks}


LAW = OwnLaw.of("opened", opened, PARAMETERS, STATE)
OF_STRUCTS = OwnLaw.of("opened", opened_structs, Opening, Ticks)


@pytest.mark.parametrize(
    "law", [LAW, OwnLaw(shuffled(), PARAMETERS, STATE), OF_STRUCTS], ids=["function", "kernel", "structs"]
)
def test_the_closed_loop_takes_it(law: OwnLaw) -> None:
    """Valves a little open: the legs go up, and the law's state counts from where its field begins."""
    hexapod = load_platform("simona")
    run = Runner(ClosedLoop.of(hexapod, law=law), ("l", "valve_cmd", "state")).run(Scenario(), 0.5)
    np.testing.assert_array_equal(run["valve_cmd"], 0.05)
    np.testing.assert_array_equal(run["state"], 3.0 + np.arange(1000))
    assert (run["l"][-1] > hexapod.l_down + 0.005).all() and (run["l"][-1] < hexapod.stroke.hard_max).all()


@pytest.mark.parametrize("law", [LAW, OF_STRUCTS], ids=["function", "structs"])
def test_its_vectors_have_its_names(law: OwnLaw) -> None:
    assert law.parameter_vector(opening=0.1, weights=range(6)).tolist() == [0.1, 0, 1, 2, 3, 4, 5]
    assert law.initial_state().tolist() == [3.0] and law.dt == 1 / 2000


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"state": Layout((Port("ticks", 2),))}, "port x.* must have the 2 numbers of its quantities"),
        ({"parameters": STATE}, "port parameters.* must have the 1 numbers of its quantities"),
        ({"dt": 0.0}, "control law 'opened': dt is 0.0 s, it must be a finite number above 0"),
        ({"dt": float("nan")}, "dt is nan s"),
    ],
)
def test_what_does_not_fit_gets_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PortError, match=sentence):
        replace(LAW, **changes)


def test_ports_must_be_those_of_the_border() -> None:
    kernel = ControlPorts.law("opened", opened, PARAMETERS, STATE)
    for inputs, sentence in (
        (kernel.inputs[:-1], f"input {INPUTS[-1].name}.* is missing"),
        ((*kernel.inputs, Port("wind", (), "m/s")), "it has a port 'wind', which nothing in the loop gives or takes"),
    ):
        with pytest.raises(PortError, match=sentence):
            OwnLaw(replace(kernel, inputs=inputs), PARAMETERS, STATE)
